"""What throws are worth, worked out by hand: coins against the mean of the other seats."""

from fractions import Fraction as F  # noqa: N817  # many of them stand in a line
from pathlib import Path

import pytest

from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.commands import (
    AddTwo,
    DeclineSwap,
    KeepDice,
    KeepTotal,
    Pass,
    RerollDice,
    Resign,
    RollDice,
    TakeCoins,
)
from tests.domain.kit import A, B, C, D, city
from tests.domain.luck_kit import Board, shown, told

DOCUMENT = Path(__file__).parents[3] / "docs" / "luck.md"

NONE = (0, 0)


# One throw


@pytest.mark.parametrize(("face", "luck", "coins"), [(1, F(5, 6), (1, 0)), (2, F(-1, 6), (0, 0))])
def test_a_wheat_field_is_worth_a_sixth_of_a_coin_to_who_rolls_one_die(
    face: int, luck: F, coins: tuple[int, int]
) -> None:
    board = Board("base", city(0, wheat_field=1), city(0)).play(RollDice(A, 1), dice=[(face,)])
    [throw] = board.luck.throws
    assert told(throw) == ((F(1, 6), F(-1, 6)), (luck, -luck), NONE, (coins[0], -coins[0]))
    assert (throw.sequence, throw.turn, throw.seat, throw.purpose) == (6, 1, A, "roll")
    assert (throw.values, throw.coins) == ((face,), coins)


def test_what_everybody_gets_alike_is_worth_nothing_to_anybody() -> None:
    board = Board("base", city(0, wheat_field=1), city(0, wheat_field=1), city(0, wheat_field=1))
    [throw] = board.play(RollDice(A, 1), dice=[(1,)]).luck.throws
    assert told(throw) == ((0, 0, 0),) * 4
    assert throw.coins == (1, 1, 1)


def test_the_payer_of_a_cafe_loses_twice_against_the_one_who_is_paid() -> None:
    board = Board("base", city(3), city(0, cafe=1)).play(RollDice(A, 1), dice=[(3,)])
    [throw] = board.luck.throws
    assert told(throw) == ((F(-1, 3), F(1, 3)), (F(-5, 3), F(5, 3)), NONE, (-2, 2))


def test_nobody_expects_anything_of_a_payer_without_coins() -> None:
    board = Board("base", city(0), city(0, cafe=1)).play(RollDice(A, 1), dice=[(3,)])
    assert told(board.luck.throws[0]) == (NONE,) * 4


def test_a_stadium_takes_from_each_what_is_there() -> None:
    board = Board("base", city(0, stadium=1), city(1), city(5)).play(RollDice(A, 1), dice=[(6,)])
    [throw] = board.luck.throws
    six = (F(9, 2), F(-3, 2), F(-3))
    expected = tuple([one / 6 for one in six])
    assert told(throw) == (expected, tuple([5 * one for one in expected]), (0, 0, 0), six)
    assert throw.coins == (3, -1, -2)


def test_two_dice_have_36_cases() -> None:
    """A 7 falls in 6 of them, and the cheese factory pays 3 for its one ranch."""
    board = Board("base", city(0, "train_station", cheese_factory=1, ranch=1), city(0))
    [throw] = board.play(RollDice(A, 2), dice=[(3, 4)]).luck.throws
    ranch = F(1, 36)  # on a 2
    assert shown(throw.expected) == (F(6, 36) * 3 + ranch, -(F(6, 36) * 3 + ranch))
    assert shown(throw.realised) == (3, -3)


def test_the_number_of_dice_is_given_and_no_error() -> None:
    board = Board("base", city(0, "train_station", wheat_field=1), city(0))
    [throw] = board.play(RollDice(A, 2), dice=[(1, 1)]).luck.throws
    assert told(throw) == (NONE,) * 4


def test_seats_that_have_resigned_count_for_nothing() -> None:
    """The wheat field of the seat that is gone pays no more, and the mean is that of one other seat."""
    board = Board("base", city(0, wheat_field=1), city(0), city(0, wheat_field=1))
    [throw] = board.play(Resign(C), RollDice(A, 1), dice=[(1,)]).luck.throws
    assert told(throw) == ((F(1, 6), F(-1, 6), 0), (F(5, 6), F(-5, 6), 0), (0, 0, 0), (1, -1, 0))


# Choices


def test_the_second_throw_is_worth_what_it_brings_on_average() -> None:
    """With a wheat field and the Radio Tower: a 1 is kept, all else thrown again for a sixth of a coin."""
    board = Board("base", city(0, "radio_tower", wheat_field=1), city(0))
    first, second = board.play(RollDice(A, 1), RerollDice(A), dice=[(6,), (1,)]).luck.throws
    before = F(1, 6) + F(5, 6) * F(1, 6)
    assert told(first) == (
        (before, -before),
        (F(1, 6) - before, before - F(1, 6)),
        NONE,
        (F(1, 6), F(-1, 6)),
    )
    assert told(second) == ((F(1, 6), F(-1, 6)), (F(5, 6), F(-5, 6)), NONE, (1, -1))
    assert (first.coins, second.coins) == (None, (1, 0))
    assert (first.purpose, second.purpose) == ("roll", "reroll")


@pytest.mark.parametrize(
    ("face", "answer", "dice", "error"),
    [
        (6, KeepDice(A), [], F(1, 6)),
        (1, RerollDice(A), [(4,)], F(5, 6)),
        (1, KeepDice(A), [], F(0)),
    ],
    ids=["kept nothing", "threw away a coin", "kept a coin"],
)
def test_the_error_of_a_reroll_is_what_the_other_answer_was_worth_more(
    face: int, answer: cmd.PlayCommand, dice: list[tuple[int]], error: F
) -> None:
    board = Board("base", city(0, "radio_tower", wheat_field=1), city(0))
    first, *_ = board.play(RollDice(A, 1), answer, dice=[(face,), *dice]).luck.throws
    assert shown(first.error) == (error, -error)


def test_dice_are_kept_where_another_throw_is_worth_the_same() -> None:
    """On a 1 the coin of A is just the mean of what B and C get: only B and C are better or worse off."""
    board = Board("base", city(0, "radio_tower", wheat_field=1), city(0, wheat_field=2), city(0))
    first, _ = board.play(RollDice(A, 1), RerollDice(A), dice=[(6,), (6,)]).luck.throws
    assert shown(first.error) == (0, F(-1, 4), F(1, 4))


@pytest.mark.parametrize(
    ("answer", "error", "realised"), [(KeepTotal(A), F(4), 0), (AddTwo(A), F(0), 4)], ids=["kept", "added"]
)
def test_a_10_that_could_be_a_12_is_worth_the_12(answer: cmd.PlayCommand, error: F, realised: int) -> None:
    """The Food Warehouse pays 4 for two cafés on 12 and 13: with the Harbor on any total from 10."""
    board = Board(
        "harbor", city(5, "train_station", "harbor", town_hall=1, food_warehouse=1, cafe=2), city(5)
    )
    [throw] = board.play(RollDice(A, 2), answer, dice=[(4, 6)]).luck.throws
    before = F(6, 36) * 4
    assert told(throw) == (
        (before, -before),
        (4 - before, before - 4),
        (error, -error),
        (realised, -realised),
    )


def test_of_equal_answers_keeping_the_total_counts() -> None:
    """A ten pays A three coins and C six, a twelve nobody: A has the mean of the others either way."""
    board = Board(
        "harbor",
        city(5, "train_station", "harbor", town_hall=1, apple_orchard=1),
        city(5, town_hall=1),
        city(5, town_hall=1, apple_orchard=2),
    )
    [throw] = board.play(RollDice(A, 2), KeepTotal(A), dice=[(4, 6)]).luck.throws
    assert (shown(throw.error), shown(throw.realised)) == ((0, 0, 0), (0, F(-9, 2), F(9, 2)))


def test_adding_two_to_what_would_have_paid_is_an_error() -> None:
    board = Board("harbor", city(5, "train_station", "harbor", town_hall=1, apple_orchard=1), city(5))
    [throw] = board.play(RollDice(A, 2), AddTwo(A), dice=[(4, 6)]).luck.throws
    before = F(3, 36) * 3
    assert told(throw) == ((before, -before), (3 - before, before - 3), (3, -3), NONE)


def test_taking_coins_from_the_poorer_is_an_error_that_all_seats_share() -> None:
    board = Board("base", city(0, tv_station=1), city(2), city(5))
    [throw] = board.play(RollDice(A, 1), TakeCoins(A, B), dice=[(6,)]).luck.throws
    best = (F(15, 2), F(0), F(-15, 2))
    expected = tuple([one / 6 for one in best])
    assert told(throw) == (
        expected,
        tuple([5 * one for one in expected]),
        (F(9, 2), F(3), F(-15, 2)),
        (F(3), F(-3), F(0)),
    )
    assert throw.coins == (2, -2, 0)


def test_of_equal_targets_the_next_clockwise_counts() -> None:
    board = Board("base", city(0, tv_station=1), city(6), city(9))
    [throw] = board.play(RollDice(A, 1), TakeCoins(A, C), dice=[(6,)]).luck.throws
    assert shown(throw.error) == (0, F(-15, 2), F(15, 2))


def test_a_trade_moves_no_coins_and_is_no_error() -> None:
    board = Board("base", city(0, business_center=1, wheat_field=1), city(0, mine=1))
    traded = cmd.SwapEstablishments(A, "wheat_field", B, "mine")
    [throw] = board.play(RollDice(A, 1), traded, dice=[(6,)]).luck.throws
    assert shown(throw.luck) == (F(-1, 6), F(1, 6))
    assert (shown(throw.error), shown(throw.realised)) == (NONE, NONE)


# Boats


def test_the_throw_for_the_boats_is_a_throw_of_its_own() -> None:
    """Any total from 10 can be a 12, 13 or 14 with the Harbor: in 6 of 36 cases a boat brings 7 or so."""
    board = Board("harbor", city(5, "train_station", "harbor", town_hall=1, tuna_boat=1), city(5))
    first, boats = board.play(RollDice(A, 2), KeepTotal(A), dice=[(6, 6), (6, 5)]).luck.throws
    assert told(first) == ((F(7, 6), F(-7, 6)), (F(35, 6), F(-35, 6)), NONE, (7, -7))
    assert told(boats) == ((7, -7), (4, -4), NONE, (11, -11))
    assert (first.coins, boats.coins, boats.purpose, boats.sequence) == (None, (11, 0), "boats", 9)


def test_what_was_paid_before_the_boats_sailed_is_part_of_what_their_throw_is_worth() -> None:
    """A café's two coins are gone, the Food Warehouse has paid two for it; the boat is another's."""
    board = Board(
        "harbor",
        city(5, "train_station", "harbor", town_hall=1, food_warehouse=1, cafe=1),
        city(5, "harbor", tuna_boat=1),
    )
    _, boats = board.play(RollDice(A, 2), KeepTotal(A), dice=[(6, 6), (1, 1)]).luck.throws
    assert told(boats) == ((2 - 7, 7 - 2), (5, -5), NONE, (0, 0))
    assert boats.coins == (2, 2)


# The second game


def test_only_doubles_move_the_temple() -> None:
    board = Board("machi_koro_2", city(5), city(5, "temple"))
    [throw] = board.play(RollDice(A, 2), dice=[(2, 2)]).luck.throws
    assert told(throw) == ((F(4, 6), F(-4, 6)), (F(20, 6), F(-20, 6)), NONE, (4, -4))


@pytest.mark.parametrize(("dice", "expected"), [(1, 0), (2, 3)])
def test_the_charterhouse_pays_for_two_dice_that_bring_nothing(dice: int, expected: int) -> None:
    board = Board("machi_koro_2", city(5), city(5, "charterhouse"))
    throw = (1, 2)[:dice]
    [told_throw] = board.play(RollDice(A, dice), dice=[throw]).luck.throws
    assert told(told_throw) == ((expected, -expected), NONE, NONE, (expected, -expected))


def test_the_charterhouse_pays_nothing_on_a_double_with_the_temple() -> None:
    board = Board("machi_koro_2", city(5), city(5, "temple", "charterhouse"))
    [throw] = board.play(RollDice(A, 2), dice=[(2, 3)]).luck.throws
    before = F(1, 6) * 4 + F(5, 6) * 3
    assert shown(throw.expected) == (before, -before)
    assert shown(throw.realised) == (3, -3)


def test_the_help_at_an_empty_purse_is_no_luck() -> None:
    board = Board("machi_koro_2", city(0), city(5)).play(RollDice(A, 1), dice=[(4,)])
    [throw] = board.luck.throws
    assert told(throw) == ((1, -1), NONE, NONE, (1, -1))
    assert throw.coins == (1, 0)


def test_income_that_takes_the_place_of_the_help_is_worth_less_than_it_seems() -> None:
    """A Wheat Field's coin on a 1 or 2 is the one that would have come anyway."""
    board = Board("machi_koro_2", city(0, wheat_field=1), city(5)).play(RollDice(A, 1), dice=[(1,)])
    assert told(board.luck.throws[0]) == ((1, -1), NONE, NONE, (1, -1))


def test_an_establishment_that_is_given_away_moves_no_coins() -> None:
    board = Board("machi_koro_2", city(5, "moving_company", mine=1), city(5))
    [throw] = board.play(RollDice(A, 2), cmd.GiveEstablishment(A, "mine"), dice=[(3, 3)]).luck.throws
    mine = F(3, 36) * 6
    assert told(throw) == ((mine, -mine), (-mine, mine), NONE, NONE)


# What is counted


def test_what_a_turn_builds_or_gets_for_passing_is_no_part_of_it() -> None:
    board = Board("harbor", city(2, "airport", town_hall=1), city(2, town_hall=1))
    board.play(RollDice(A, 1), Pass(A), RollDice(B, 1), cmd.Build(B, "wheat_field"), dice=[(1,), (1,)])
    assert [throw.coins for throw in board.luck.throws] == [(0, 0), (0, 0)]
    assert [throw.turn for throw in board.luck.throws] == [1, 2]
    assert board.luck.totals.turns == 2


def test_totals_are_what_turns_were_worth_before_their_first_throw_and_what_they_brought() -> None:
    board = Board("base", city(0, "radio_tower", wheat_field=1), city(0, wheat_field=1))
    board.play(RollDice(A, 1), RerollDice(A), Pass(A), RollDice(B, 1), dice=[(6,), (1,), (2,)])
    totals = board.luck.totals
    assert (totals.turns, shown(totals.expected), shown(totals.realised)) == (2, NONE, NONE)
    assert (shown(totals.luck), shown(totals.error)) == (NONE, NONE)
    one_sided = Board("base", city(0, "radio_tower", wheat_field=1), city(0))
    one_sided.play(RollDice(A, 1), RerollDice(A), Pass(A), RollDice(B, 1), dice=[(6,), (2,), (1,)])
    totals = one_sided.luck.totals
    assert shown(totals.expected) == (F(11, 36) + F(1, 6), -F(11, 36) - F(1, 6))
    assert shown(totals.realised) == (1, -1)
    assert (shown(totals.luck), shown(totals.error)) == ((F(19, 36), F(-19, 36)), NONE)


# Turns that stop


def test_a_throw_with_an_open_choice_has_its_luck_and_nothing_realised() -> None:
    board = Board("base", city(0, tv_station=1), city(2), city(5)).play(RollDice(A, 1), dice=[(6,)])
    luck = board.luck
    [throw] = luck.throws
    assert shown(throw.luck) == (F(25, 4), F(0), F(-25, 4))
    assert (throw.error, throw.realised, throw.coins) == (None, None, None)
    assert (luck.totals.turns, luck.totals.luck) == (0, (0, 0, 0))


def test_a_throw_is_settled_before_anything_is_built() -> None:
    board = Board("base", city(0, wheat_field=1), city(0)).play(RollDice(A, 1), dice=[(1,)])
    assert board.luck.throws[0].coins == (1, 0)
    assert board.luck.totals.turns == 1


def test_who_resigns_before_taking_coins_has_made_an_error_of_all_of_them() -> None:
    board = Board("base", city(0, tv_station=1), city(2), city(5))
    [throw] = board.play(RollDice(A, 1), Resign(A), dice=[(6,)]).luck.throws
    assert shown(throw.error) == (F(15, 2), F(0), F(-15, 2))
    assert shown(throw.realised) == (0, 0, 0)
    assert board.luck.totals.turns == 1


def test_a_clock_that_forfeits_cuts_a_throw_off_like_resigning() -> None:
    board = Board("base", city(0, tv_station=1), city(2), city(5), clock=ev.Clock(1000, "forfeit"))
    [throw] = board.play(RollDice(A, 1), cmd.ExpireClock(A), dice=[(6,)]).luck.throws
    assert shown(throw.error) == (F(15, 2), F(0), F(-15, 2))


def test_a_clock_that_answers_has_made_the_choice() -> None:
    board = Board(
        "base", city(0, "radio_tower", wheat_field=1), city(0), clock=ev.Clock(1000, "default_command")
    )
    board.play(RollDice(A, 1), cmd.ExpireClock(A), dice=[(6,)])
    assert shown(board.luck.throws[0].error) == (F(1, 6), F(-1, 6))


def test_what_another_seat_takes_away_by_resigning_is_counted_with_the_choices() -> None:
    """C leaves with the five coins that were to be taken; B's two are left. C stays in the measure."""
    board = Board("base", city(0, tv_station=1), city(2), city(5))
    [throw] = board.play(RollDice(A, 1), Resign(C), TakeCoins(A, B), dice=[(6,)]).luck.throws
    assert shown(throw.error) == (F(15, 2) - 3, F(3), F(-15, 2))
    assert shown(throw.realised) == (3, -3, 0)


def test_a_second_throw_after_a_seat_has_left_expects_nothing_of_it() -> None:
    board = Board("base", city(5, "radio_tower"), city(5), city(5, cafe=1), city(5, cafe=1))
    first, second = board.play(RollDice(A, 1), Resign(D), RerollDice(A), dice=[(3,), (3,)]).luck.throws
    assert shown(second.expected) == (F(-1, 6) * F(4, 3), F(0), F(1, 6) * F(4, 3), F(0))
    assert second.expected == first.realised
    assert second.coins == (-1, 0, 1, 0)


def test_a_choice_that_lapses_leaves_what_was_paid_without_it() -> None:
    """B leaves with the mine that A would have closed for a coin of B's."""
    owner = city(0, "train_station", renovation_company=1)
    board = Board("millionaires_row", owner, city(5, mine=1), city(5))
    [throw] = board.play(RollDice(A, 2), Resign(B), dice=[(3, 5)]).luck.throws
    assert (shown(throw.error), shown(throw.realised)) == ((F(3, 2), F(-3, 2), 0), (0, 0, 0))


def test_the_last_opponent_that_resigns_ends_the_throw() -> None:
    board = Board("base", city(0, "radio_tower", wheat_field=1), city(0))
    [throw] = board.play(RollDice(A, 1), Resign(B), dice=[(1,)]).luck.throws
    assert (shown(throw.error), shown(throw.realised)) == ((1, -1), NONE)


def test_a_seat_that_resigns_while_it_could_build_loses_nothing_of_its_throw() -> None:
    board = Board("base", city(0, wheat_field=1), city(0), city(0))
    [throw] = board.play(RollDice(A, 1), Resign(A), dice=[(1,)]).luck.throws
    assert (shown(throw.error), throw.coins) == ((0, 0, 0), (1, 0, 0))


def test_a_match_that_is_called_off_cuts_its_throw_off() -> None:
    board = Board("base", city(0, "radio_tower", wheat_field=1), city(0))
    board.play(RollDice(A, 1), cmd.AbortMatch("dice_tape_exhausted"), dice=[(6,)])
    [throw] = board.luck.throws
    assert (shown(throw.error), shown(throw.realised)) == ((F(1, 6), F(-1, 6)), NONE)


def test_several_trades_in_one_throw_change_nothing() -> None:
    board = Board("machi_koro_2", city(5, business_center=2, forest=1), city(5, mine=1))
    board.play(RollDice(A, 1), DeclineSwap(A), DeclineSwap(A), dice=[(6,)])
    assert shown(board.luck.throws[0].error) == NONE


# The document


TURNS: dict[str, tuple[list[tuple[int]], list[cmd.PlayCommand], int]] = {
    "6, rerolled": ([(6,), (1,)], [RollDice(A, 1), RerollDice(A)], 0),
    "then a 1": ([(6,), (1,)], [RollDice(A, 1), RerollDice(A)], 1),
    "or: 6, kept": ([(6,)], [RollDice(A, 1), KeepDice(A)], 0),
    "or: 1, rerolled": ([(1,), (2,)], [RollDice(A, 1), RerollDice(A)], 0),
}
"""By the first cell of a row: the dice, the commands, and which throw it tells of."""


def test_the_worked_example_of_the_document_is_what_its_turns_bring() -> None:
    text = DOCUMENT.read_text().partition("## An example by hand")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:1] == "|"]
    assert [row[0] for row in rows[2:]] == [*TURNS]
    for name, *numbers in rows[2:]:
        dice, commands, place = TURNS[name]
        board = Board("base", city(0, "radio_tower", wheat_field=1), city(0)).play(*commands, dice=dice)
        seats = zip(*[part or () for part in told(board.luck.throws[place])], strict=True)
        assert [*seats] == [tuple([F(n) for n in numbers]), tuple([-F(n) for n in numbers])]
