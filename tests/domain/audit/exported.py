"""Matches by given commands, told as the API shows their events, to forge and to audit."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from domain import MatchState, decide, fold
from domain.audit.inference import actor_of
from domain.audit.report import Check, Report
from domain.match.chance import Chance, SeededChance, TapeChance, commitment
from domain.match.commands import Command, CreateMatch
from domain.match.envelope import Envelope
from domain.match.events import Dice
from events.matches.entries import CODEC
from events.store.chain import NO_HASH, EntryMetadata
from tests.audited import Event

SEED = bytes(range(32))

Told = Sequence[tuple[Command, int]]
"""Commands with their times in ms since 1970."""


def committed(command: CreateMatch, **members: Any) -> CreateMatch:
    """The creation of a match whose seed is `SEED`, with these members of its dice."""
    return replace(command, dice=Dice("committed", "k1", commitment(SEED), **members))


def scripted(command: CreateMatch) -> CreateMatch:
    """The creation of a match with the scripted throws that it has, and the draws of `SEED`."""
    return replace(command, dice=Dice("scripted", "k1", commitment(SEED), command.dice.throws))


def told(commands: Told) -> list[Event]:
    """The events of these commands, the first of which creates the match."""
    create = commands[0][0]
    assert isinstance(create, CreateMatch)
    seeded = SeededChance(SEED, "k1")
    chance: Chance = TapeChance(create.dice.throws, seeded) if create.dice.mode == "scripted" else seeded
    state: MatchState | None = None
    shown: list[Envelope] = []
    before_ms = commands[0][1]
    for number, (command, time_ms) in enumerate(commands):
        events = decide(state, command, chance, time_ms - before_ms)
        before_ms = time_ms
        state = fold(state, events)
        actor = actor_of(command) or "service"
        metadata = EntryMetadata("mat_1", create.rules_version, actor, f"c{number}", time_ms)
        head = bytes.fromhex(shown[-1].hash[8:]) if shown else NO_HASH
        shown += CODEC.envelopes(metadata, len(shown) + 1, [CODEC.recorded(event) for event in events], head)
    found: list[Event] = msgspec.json.decode(msgspec.json.encode(shown))
    return found


def failed(report: Report) -> dict[str, tuple[int | None, str]]:
    """Where each check fails, and what is said."""
    return {
        check.name: (check.first_failed_sequence, check.detail)
        for check in report.checks
        if check.status == "failed"
    }


def check_of(report: Report, name: str) -> Check:
    return next(check for check in report.checks if check.name == name)
