"""A cold load: a match of 300 events is read from Redis, decoded, checked by its hash chain and folded."""

import json
from collections.abc import Iterator
from typing import Final

from bench.figures import Figure, best_ms
from bench.matches import new_match
from bench.processes import servers
from domain.match.events import Dice
from events import Matches
from events.matches.entries import from_entries
from workers.turns import decisions

EVENTS: Final = 300
RUNS: Final = 200


def measure() -> Iterator[Figure]:
    """The complete load and the fold alone, compared with parsing the same bytes as JSON."""
    with servers() as where:
        for ruleset in ("base", "machi_koro_2"):
            yield from _of_ruleset(where.matches(), ruleset)


def _of_ruleset(matches: Matches, ruleset: str) -> Iterator[Figure]:
    match_id = match_of(matches, EVENTS, ruleset)
    store = matches.store
    entries = store.read(match_id)
    stored = [entry.events for entry in entries]
    json_ms = best_ms(lambda: [json.loads(one) for one in stored], RUNS)
    load_ms = best_ms(lambda: from_entries(match_id, store.read(match_id)), RUNS)
    fold_ms = best_ms(lambda: from_entries(match_id, entries), RUNS)
    note = f"{entries[-1].last} events in {len(entries)} commands"
    baseline = "json.loads of the same bytes, ms"
    yield Figure(f"load, check and fold a {ruleset} match", load_ms, "ms", "< 4", json_ms, baseline, note)
    yield Figure(f"decode, check and fold {ruleset} alone", fold_ms, "ms", "", json_ms, baseline)


def match_of(matches: Matches, events: int, ruleset: str = "base") -> str:
    """A match of four random players with about that many events; each decision is a separate command."""
    outcome = matches.create(new_match(ruleset, ("random",) * 4, Dice("committed")))
    version = outcome.last
    while version < events:
        decisions.play(matches, [(outcome.match_id, version)], decisions.TurnLimits(seconds=0, decisions=1))
        version = matches.load(outcome.match_id).version
    return outcome.match_id
