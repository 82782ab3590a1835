"""Matches to audit, and ways to forge them."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import msgspec

from bench.matches import new_match
from domain.audit.envelopes import hash_of
from domain.audit.evidence import Evidence
from domain.audit.report import Report
from domain.audit.verify import verify
from domain.match.events import Dice
from events import Matches
from events.matches.entries import Loaded
from events.store.memory import MemoryStore
from tests.events.example_matches import SEEDS, play

Event = dict[str, Any]

NO_HASH = "sha-256:" + "0" * 64

EVENT: Event = {
    "match_id": "mat_1",
    "sequence": 7,
    "type": "turn_started",
    "schema": 1,
    "time": "2026-11-20T12:00:54.821Z",
    "actor": "seat:0",
    "command_id": "c1",
    "rules_version": "base@1",
    "data": {"turn": 3, "seat": 1, "phase": "build", "extra": True, "round": 2},
    "previous_hash": "sha-256:" + "0" * 64,
    "hash": "sha-256:" + "1" * 64,
}
"""An event that is valid by itself, but for its hash."""


def shown(matches: Matches, match_id: str) -> list[Event]:
    """All events of a match as a client gets them: parsed JSON."""
    found: list[Any] = []
    while page := matches.history.events(match_id, len(found), 500):
        found += page
    parsed: list[Event] = msgspec.json.decode(msgspec.json.encode(found))
    return parsed


@lru_cache
def _recorded(ruleset: str, seats: int, seed: int, decisions: int, market: str | None) -> bytes:
    matches = Matches(MemoryStore(), SEEDS)
    created = matches.create(new_match(ruleset, ["random"] * seats, Dice("committed"), market=market))
    loaded: Loaded = matches.load(created.match_id)
    play(matches, loaded, Random(seed), decisions)
    return msgspec.json.encode(shown(matches, created.match_id))


def recorded(
    ruleset: str = "base", seats: int = 3, seed: int = 1, decisions: int = 10_000, market: str | None = None
) -> list[Event]:
    """The events of a match of random players; the caller's own."""
    events: list[Event] = msgspec.json.decode(_recorded(ruleset, seats, seed, decisions, market))
    return events


def chained(events: Sequence[Event]) -> list[Event]:
    """The events with sequences and hashes made anew, as a forger with the store in hand would."""
    before = NO_HASH
    found = []
    for sequence, event in enumerate(events, 1):
        one = {**event, "sequence": sequence, "previous_hash": before}
        before = one["hash"] = hash_of(one)
        found.append(one)
    return found


def audited(events: Sequence[Event], **more: Any) -> Report:
    """What the audit says, all signatures taken for good."""
    match_id = events[0]["match_id"] if events else "mat_none"
    return verify(Evidence(match_id=match_id, events=events, **more), lambda *_: True)


def outcome(report: Report) -> dict[str, tuple[str, int | None]]:
    """Each check that is not passed, with its status and sequence."""
    return {
        check.name: (check.status, check.first_failed_sequence)
        for check in report.checks
        if check.status != "passed"
    }


def find(events: Sequence[Event], type: str, where: Callable[[Event], bool] = lambda event: True) -> Event:
    """The first event of a type."""
    return next(event for event in events if event["type"] == type and where(event))


UNSIGNED = {"checkpoint": ("pending", None)}
"""What is open about a match that is whole, and comes without a checkpoint."""


GAMES = [("base", None), ("base", "limited"), ("harbor", None), ("harbor", "limited"), ("machi_koro_2", None)]
