"""Ladders, rounds and results to decide on."""

import pytest

from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder import events as ev
from domain.ladder.config import LadderConfig, Suspension
from domain.ladder.events import EntryPlayer, Event, MatchResult
from domain.ladder.state import LadderState, fold, initial_state
from domain.match.events import Options

CONFIG = LadderConfig("base", "base@1", "sha-256:00", Options(), 2, "ab" * 32, suspension=Suspension(4, 1, 2))


def strategy(name: str) -> EntryPlayer:
    return EntryPlayer("strategy", name, "1")


def bot(name: str, version: str = "1") -> EntryPlayer:
    return EntryPlayer("bot", name, version, f"acc_{name}")


def given(*events: Event) -> LadderState:
    return fold(initial_state(), events)


def ladder(*players: EntryPlayer) -> LadderState:
    """A ladder with these entries, called a, b and so on."""
    state = given(ev.LadderCreated("Quick", "acc_1", CONFIG))
    for place, player in enumerate(players):
        fold(state, decide.add_entry(state, "abcdef"[place], player, player.name, "service"))
    return state


def opened(state: LadderState, *tables: tuple[int, ...], purpose: str = "rated") -> LadderState:
    return fold(state, decide.open_round(state, purpose, tables, 1000, "job_1"))


def result(match_id: str = "mat_1", timeouts: tuple[int, ...] = (0, 0)) -> MatchResult:
    return MatchResult(match_id, 0, 30, 200, "sha-256:aa", timeouts, (0, 0))


TWO = (result("mat_1"), result("mat_2"))


def refused(code: str) -> pytest.RaisesExc[RuleViolation]:
    return pytest.RaisesExc(RuleViolation, check=lambda violation: violation.code == code)


def suspended() -> LadderState:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    late = (result("mat_1", (1, 0)), result("mat_2", (0, 2)))
    fold(state, decide.finish_block(state, 1, 1, late))
    return fold(state, decide.finish_round(state, 1))
