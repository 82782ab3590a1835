"""Honest matches of every kind pass: all options, given tables, resignations, clocks that run out."""

import hashlib
from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from domain import decide, fold
from domain.audit import inference
from domain.audit.evidence import Evidence
from domain.audit.inference import actor_of, command_of
from domain.audit.verify import verify
from domain.match.chance import SeededChance, commitment
from domain.match.commands import Command, ExpireClock
from domain.match.envelope import Envelope
from domain.match.events import Dice, Event, MatchCreated
from domain.match.state import MatchState
from events.matches.entries import CODEC
from events.store.chain import NO_HASH, EntryMetadata
from tests.audited import outcome
from tests.domain.matches import CASES, Case, creation_of, next_command

MATCH = "mat_00000000000000000000000000"
LONGER_THAN_ANY_CLOCK_MS = 60_000


def evidence_of(case: Case, seed: int, longest: int = 250) -> tuple[Evidence, str]:
    """The match as it would be shown, and its status."""
    choices = Random(f"{case.name}|{seed}")
    secret = hashlib.sha256(f"{case.name}|{seed}".encode()).digest()
    chance = SeededChance(secret, "test")
    state: MatchState | None = None
    command: Command = replace(creation_of(case, choices), dice=Dice("committed", "test", commitment(secret)))
    shown: list[Envelope] = []
    for step in range(longest):
        events = decide(state, command, chance)
        # A clock's stand-in is recorded only where it takes the seat.
        assert inferred(state, events) == command or isinstance(command, ExpireClock)
        state = fold(state, events)
        actor = actor_of(command) or "service"
        time_ms = (step + 1) * LONGER_THAN_ANY_CLOCK_MS
        metadata = EntryMetadata(MATCH, state.rules.ruleset.version, actor, f"c{step}", time_ms)
        head = bytes.fromhex(shown[-1].hash[8:]) if shown else NO_HASH
        shown += CODEC.envelopes(metadata, len(shown) + 1, [CODEC.recorded(event) for event in events], head)
        if state.status != "running":
            break
        command = next_command(state, choices)
    found = msgspec.json.decode(msgspec.json.encode(shown))
    return Evidence(match_id=MATCH, events=found), state.status


def inferred(state: MatchState | None, events: Sequence[Event]) -> Command | None:
    if state is not None:
        return command_of(state, events)
    assert isinstance(events[0], MatchCreated)
    return inference.creation_of(events[0], events)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_command_is_found_again_in_its_events_and_passes(case: Case) -> None:
    for seed in range(3):
        evidence, status = evidence_of(case, seed)
        open_checks = {"checkpoint"} if status != "running" else {"checkpoint", "dice", "draws", "result"}
        found = outcome(verify(evidence, lambda *_: True))
        assert found == dict.fromkeys(open_checks, ("pending", None)), f"{case}, seed {seed}"


def test_a_clock_that_had_not_run_out_is_found() -> None:
    for seed in range(40):
        evidence, _ = evidence_of(CASES[0], seed)
        expired = [event for event in evidence.events if event["type"] == "clock_expired"]
        if expired:
            break
    time = evidence.events[expired[0]["sequence"] - 2]["time"]
    events = [
        {**event, "time": time} if event["command_id"] == expired[0]["command_id"] else event
        for event in evidence.events
    ]
    found = outcome(verify(Evidence(match_id=MATCH, events=events), lambda *_: True))
    assert found["decisions"] == ("failed", expired[0]["sequence"])
