"""Banks of time: what a decision takes beyond its own time, and what the end of a turn adds."""

import msgspec
import pytest

from domain.match import events as ev
from domain.match.commands import (
    AbortMatch,
    ChangeController,
    ExpireClock,
    Pass,
    Resign,
    RollDice,
    SeatPlan,
    TakeSeat,
)
from domain.match.events import MOST_BANKED_MS
from domain.match.state import decision_time_ms
from tests.domain.kit import A, B, C, Scene, city, creation, given, seat_plan

OWN_MS, BANK_MS, MORE_MS = 30_000, 60_000, 5_000
"""For each decision, in the bank of each seat, and added after each turn."""


def banked(
    *, bank_ms: int = BANK_MS, increment_ms: int = 0, policy: str = "default_command", **table: object
) -> Scene:
    clock = ev.Clock(OWN_MS, policy, bank_ms, increment_ms)
    return given("base", city(9), city(1), city(1), clock=clock, **table)  # type: ignore[arg-type]


def banks(scene: Scene) -> list[int]:
    assert scene.refusal is None
    return scene.state.banks


def test_every_seat_starts_with_the_whole_bank_and_with_an_increment_alone_with_an_empty_one() -> None:
    assert banks(banked()) == [BANK_MS] * 3
    assert banks(banked(bank_ms=0, increment_ms=MORE_MS)) == [0] * 3
    assert banks(banked(bank_ms=0)) == []
    assert decision_time_ms(banked(bank_ms=0).state) == OWN_MS


def test_a_decision_within_its_own_time_costs_nothing() -> None:
    scene = banked().when(RollDice(A, 1), dice=[(5,)], taken_ms=OWN_MS)
    scene.then(ev.DiceRolled("roll", (5,), 5))
    assert banks(scene) == [BANK_MS] * 3


def test_a_bank_is_used_up_over_several_decisions_and_never_below_nothing() -> None:
    scene = banked().when(RollDice(A, 1), dice=[(5,)], taken_ms=OWN_MS + 20_000)
    scene.then(ev.DiceRolled("roll", (5,), 5), ev.BankChanged(A, 20_000, 0, 40_000))
    assert decision_time_ms(scene.state) == OWN_MS + 40_000
    scene = scene.when(Pass(A), taken_ms=OWN_MS + 40_001)
    scene.then_ends_with(ev.TurnStarted(2, B), ev.BankChanged(A, 40_000, 0, 0))
    assert banks(scene) == [0, BANK_MS, BANK_MS]
    assert decision_time_ms(scene.state) == OWN_MS + BANK_MS


def test_the_seat_whose_turn_ends_gets_the_increment_with_what_it_has_spent() -> None:
    scene = banked(increment_ms=MORE_MS, phase="build").when(Pass(A), taken_ms=OWN_MS + 1)
    scene.then_ends_with(ev.TurnStarted(2, B), ev.BankChanged(A, 1, MORE_MS, BANK_MS - 1 + MORE_MS))
    quick = banked(increment_ms=MORE_MS, phase="build").when(Pass(A))
    quick.then_ends_with(ev.TurnStarted(2, B), ev.BankChanged(A, 0, MORE_MS, BANK_MS + MORE_MS))


def test_an_increment_fills_a_bank_to_a_day_at_most() -> None:
    nearly = banked(bank_ms=MOST_BANKED_MS - 1, increment_ms=MORE_MS, phase="build").when(Pass(A))
    nearly.then_ends_with(ev.BankChanged(A, 0, 1, MOST_BANKED_MS))
    full = banked(bank_ms=MOST_BANKED_MS, increment_ms=MORE_MS, phase="build").when(Pass(A))
    full.then_ends_with(ev.TurnStarted(2, B))


def test_an_expired_clock_has_used_up_the_bank_whatever_time_was_measured() -> None:
    spent = ev.BankChanged(A, BANK_MS, 0, 0)
    banked(phase="build").when(ExpireClock(A)).then_ends_with(ev.TurnStarted(2, B), spent)
    banked(policy="strategy").when(ExpireClock(A, "greedy", "1")).then(
        ev.ClockExpired(A, "strategy"), ev.ControllerChanged(A, "strategy", "greedy", "greedy", "1"), spent
    )
    after = banked(increment_ms=MORE_MS, phase="build").when(ExpireClock(A))
    after.then_ends_with(ev.BankChanged(A, BANK_MS, MORE_MS, MORE_MS))


def test_a_seat_that_is_out_has_no_use_for_its_bank() -> None:
    banked(policy="forfeit", increment_ms=MORE_MS).when(ExpireClock(A)).then_ends_with(
        ev.SeatResigned(A, "clock"), ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )
    banked(increment_ms=MORE_MS).when(Resign(A), taken_ms=OWN_MS + 1).then_ends_with(ev.TurnStarted(2, B))


def test_no_bank_changes_at_the_end_of_a_match() -> None:
    banked().when(AbortMatch(), taken_ms=OWN_MS + 1).then(ev.MatchAborted("creator"))


def test_another_seat_that_leaves_is_charged_to_the_seat_to_act() -> None:
    banked().when(Resign(C), taken_ms=OWN_MS + 7).then(
        ev.SeatResigned(C, "command"), ev.BankChanged(A, 7, 0, BANK_MS - 7)
    )


def test_no_bank_runs_before_the_match_has_started() -> None:
    clock = ev.Clock(OWN_MS, "default_command", BANK_MS, MORE_MS)
    plans = [seat_plan(A), SeatPlan("open"), seat_plan(C)]
    scene = Scene(None).when(creation("base", 3, plans=plans, clock=clock))
    scene = scene.when(TakeSeat(B, "account", "acc_1", "bob"), taken_ms=OWN_MS + 1)
    scene.then_lacks(ev.BankChanged)
    assert banks(scene) == [BANK_MS] * 3


def test_a_built_in_player_neither_uses_nor_fills_the_bank_of_its_seat() -> None:
    leaves = ChangeController(A, "strategy", "greedy", "greedy", "1")
    scene = banked(increment_ms=MORE_MS).when(leaves, taken_ms=OWN_MS + 9)
    scene.then_ends_with(ev.BankChanged(A, 9, 0, BANK_MS - 9))
    scene = scene.when(RollDice(A, 1), Pass(A), dice=[(5,)], taken_ms=OWN_MS + 9)
    scene.then_ends_with(ev.TurnStarted(2, B))
    back = ChangeController(A, "account", "acc_0", "ada")
    assert banks(scene.when(back)) == [BANK_MS - 9, BANK_MS, BANK_MS]


@pytest.mark.parametrize("taken_ms", [0, OWN_MS + 1, 10 * OWN_MS])
def test_a_match_without_banks_records_nothing_of_the_time_that_a_decision_takes(taken_ms: int) -> None:
    scene = banked(bank_ms=0, phase="build").when(Pass(A), taken_ms=taken_ms)
    scene.then(ev.BuildPassed(A), ev.TurnEnded(1, A), ev.TurnStarted(2, B))


def test_a_clock_without_bank_is_recorded_as_it_always_was() -> None:
    assert msgspec.json.encode(ev.Clock(1000, "forfeit")) == b'{"decision_ms":1000,"on_timeout":"forfeit"}'
    read = msgspec.json.decode(b'{"decision_ms":1000,"on_timeout":"forfeit"}', type=ev.Clock)
    assert (read.bank_ms, read.increment_ms, read.has_banks) == (0, 0, False)
