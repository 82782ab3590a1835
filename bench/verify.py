"""The verification of exported matches of 300 events, on one core and on all cores."""

import time
from collections.abc import Iterator
from typing import Final

import msgspec

from bench.figures import Figure, best_ms
from bench.fold import EVENTS, match_of
from bench.processes import MASTER_KEYS
from domain.audit.files import event_line, manifest_line, ruleset_line
from domain.canonical import hash_text
from events import Matches, Seeds
from events.matches.entries import from_entries
from events.matches.evidence import recorded_events
from events.store.memory import MemoryStore
from machi.cli.audits.exports import Group
from machi.cli.audits.verification import Terms, outcomes, processes_at_most, verified

RUNS: Final = 10
MATCHES: Final = 200
"""Matches verified on all cores: enough to make the start of the processes negligible."""


def measure() -> Iterator[Figure]:
    """The time per match, compared with decoding and folding the same match."""
    matches = Matches(MemoryStore(), Seeds(MASTER_KEYS))
    for ruleset in ("base", "machi_koro_2"):
        yield from _of_ruleset(matches, ruleset)


def _of_ruleset(matches: Matches, ruleset: str) -> Iterator[Figure]:
    match_id = match_of(matches, EVENTS, ruleset)
    entries = matches.store.read(match_id)
    group = Group("match", 1, match_id, _lines(matches, match_id))
    fold_ms = best_ms(lambda: from_entries(match_id, entries), RUNS)
    one_ms = best_ms(lambda: verified([group], Terms()), RUNS)
    baseline, note = "decode and fold it, ms", f"{entries[-1].last} events"
    yield Figure(f"verify a {ruleset} match on one core", one_ms, "ms", "", fold_ms, baseline, note)
    processes = processes_at_most()
    all_ms = _on_all(group, processes)
    note = f"{MATCHES} matches in {processes} processes"
    yield Figure(f"verify a {ruleset} match on all cores", all_ms, "ms", "", fold_ms, baseline, note)


def _on_all(group: Group, processes: int) -> float:
    """The time per match of a large number, in ms."""
    start = time.perf_counter()
    found = list(outcomes([group] * MATCHES, Terms(), processes))
    taken_s = time.perf_counter() - start
    assert len(found) == MATCHES
    assert not any(one.verdict == "failed" for one in found)
    return taken_s * 1000 / MATCHES


def _lines(matches: Matches, match_id: str) -> tuple[bytes, ...]:
    """The lines of the match's export, without a signature."""
    loaded = matches.load(match_id)
    lines = [
        manifest_line(match_id, loaded.state, hash_text(loaded.head_hash)),
        ruleset_line(loaded.state.created.rules_version),
        *[event_line(event) for event in recorded_events(match_id, matches.store.read(match_id))],
    ]
    return tuple([msgspec.json.encode(line) for line in lines])
