"""The luck of a branch: that of its own throws, wherever in a turn it begins."""

from collections.abc import Iterator
from fractions import Fraction as F  # noqa: N817  # many of them stand in a line
from random import Random

import pytest

from domain import MatchState, advance, decide, fold
from domain.luck import Unexplained, luck_of
from domain.match import events as ev
from domain.match.branches import branch_command
from domain.match.commands import Build, KeepDice, Pass, RerollDice, Resign, RollDice, SeatPlan, TakeCoins
from domain.match.events import Event
from tests.domain.kit import A, B, ScriptedChance, city, new_match
from tests.domain.luck_kit import Board, shown, told
from tests.domain.matches import CASES, chance_of, choice_of, play

NONE = (0, 0)
ASKED = ("reroll", "add_two", "take_coins", "swap", "give", "demolish", "move", "renovate", "invest")


class Branch(Board):
    """A match that goes on from where a board stands."""

    def __init__(self, board: MatchState) -> None:
        origin = ev.Origin("mat_origin", board.version, "sha-256:" + "0" * 64, "fresh")
        seats = [SeatPlan("account", "acc_9", "nine")] * len(board.coins)
        command = branch_command(board, origin, seats, "acc_9")
        self.events: list[Event] = [*decide(None, command, ScriptedChance())]
        self.state = fold(None, self.events)


@pytest.fixture
def rolled() -> MatchState:
    """A 6 that brings nothing, while a 1 would bring a coin; another throw is allowed."""
    return (
        Board("base", city(0, "radio_tower", wheat_field=1), city(0)).play(RollDice(A, 1), dice=[(6,)]).state
    )


def test_a_throw_of_the_origin_is_none_of_the_branch(rolled: MatchState) -> None:
    luck = Branch(rolled).play(KeepDice(A)).luck
    assert (luck.throws, luck.totals.turns, luck.totals.luck) == ((), 0, (0, 0))


def test_a_second_throw_in_the_branch_has_its_own_expectation(rolled: MatchState) -> None:
    luck = Branch(rolled).play(RerollDice(A), dice=[(1,)]).luck
    [throw] = luck.throws
    assert told(throw) == ((F(1, 6), F(-1, 6)), (F(5, 6), F(-5, 6)), NONE, (1, -1))
    assert (luck.totals.turns, shown(luck.totals.expected)) == (1, (F(1, 6), F(-1, 6)))


def test_coins_that_had_moved_before_a_branch_began_are_none_of_it() -> None:
    """The stadium has paid in the origin; what the TV Station takes in the branch no throw of its own has
    brought."""
    cities = (city(0, stadium=1, tv_station=1, wheat_field=1), city(9))
    board = Board("base", *cities).play(RollDice(A, 1), dice=[(6,)])
    luck = Branch(board.state).play(TakeCoins(A, B)).luck
    assert (luck.throws, luck.totals.realised) == ((), NONE)


def test_a_seat_may_leave_a_branch_in_the_middle_of_its_first_turn(rolled: MatchState) -> None:
    assert Branch(rolled).play(Resign(A)).luck.throws == ()


def test_a_branch_that_begins_with_a_roll_or_after_all_of_a_turn_has_only_throws_of_its_own() -> None:
    board = Board("base", city(0, wheat_field=1), city(0))
    before = Branch(board.state).play(RollDice(A, 1), dice=[(1,)])
    after = Branch(before.state).play(Pass(A), RollDice(B, 1), dice=[(2,)])

    assert [throw.values for throw in before.luck.throws] == [(1,)]
    assert [throw.values for throw in after.luck.throws] == [(2,)]


def test_a_branch_may_begin_while_the_first_cities_are_built() -> None:
    luck = Branch(new_match("machi_koro_2").state).play(Build(A, "wheat_field"), Pass(B)).luck
    assert luck.throws == ()


def asked() -> Iterator[tuple[str, MatchState]]:
    """States of random matches in which a choice is open."""
    for case in CASES:
        for step in play(case, 2).steps:
            if step.after.phase in ASKED:
                yield f"{case.name}, version {step.after.version}", step.after


def test_the_luck_of_a_branch_adds_up_from_whatever_choice_it_begins_at() -> None:
    phases: set[str] = set()
    for name, state in asked():
        branch = Branch(state)
        choices, chance = Random(name), chance_of(CASES[0], 1)
        for _ in range(6):
            if branch.state.status == "running":
                branch.events += advance(branch.state, choice_of(branch.state, choices), chance)
        luck = branch.luck
        rolled = [event for event in branch.events if isinstance(event, ev.DiceRolled)]
        assert [throw.values for throw in luck.throws] == [event.values for event in rolled], name
        totals = luck.totals
        parts = zip(totals.expected, totals.luck, totals.error, strict=True)
        assert totals.realised == tuple([e + luck - error for e, luck, error in parts]), name
        phases.add(state.phase)
    assert phases == {*ASKED}


def test_a_branch_that_builds_before_its_open_choice_is_made_is_found() -> None:
    board = Board("base", city(0, tv_station=1), city(9)).play(RollDice(A, 1), dice=[(6,)])
    with pytest.raises(Unexplained, match="the purses have gained"):
        luck_of([*Branch(board.state).events, ev.BuildPassed(A)])


def test_a_payment_in_a_branch_that_the_rules_do_not_make_is_found() -> None:
    board = Board("base", city(0, tv_station=1), city(9)).play(RollDice(A, 1), dice=[(6,)])
    branch = Branch(board.state).play(TakeCoins(A, B))
    *before, paid = branch.events
    assert isinstance(paid, ev.PaymentMade)
    forged = ev.PaymentMade(paid.from_seat, paid.to_seat, paid.card, paid.copies, paid.owed, 4)
    with pytest.raises(Unexplained, match="the purses have gained"):
        luck_of([*before, forged])
