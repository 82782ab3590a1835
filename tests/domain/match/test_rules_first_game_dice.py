"""Base and Harbor, rules reference, section 3: throwing dice and extra turns."""

import pytest

from domain.match import events as ev
from domain.match.commands import AddTwo, Build, KeepDice, KeepTotal, Pass, RerollDice, RollDice, TakeCoins
from domain.match.events import IncomeReceived, PaymentMade
from tests.domain.kit import A, B, city, given

FIRST_GAME = ["base", "harbor"]


# 1. Dice


@pytest.mark.parametrize("ruleset", FIRST_GAME)
def test_one_die_is_thrown_without_the_train_station(ruleset: str) -> None:
    scene = given(ruleset, city(1), city(1, "train_station"))

    scene.then_legal(RollDice(A, 1))
    scene.when(RollDice(A, 2)).then_rejected("two_dice_need_station", "/dice")


@pytest.mark.parametrize("ruleset", FIRST_GAME)
@pytest.mark.parametrize("throw", [(5,), (2, 3)], ids=["one", "two"])
def test_the_train_station_allows_one_or_two_dice(ruleset: str, throw: tuple[int, ...]) -> None:
    scene = given(ruleset, city(1, "train_station"), city(1))

    scene.then_legal(RollDice(A, 1), RollDice(A, 2))
    scene.when(RollDice(A, len(throw)), dice=[throw]).then(ev.DiceRolled("roll", throw, 5))


@pytest.mark.parametrize("dice", [-1, 0, 3, 10**30])
def test_no_other_number_of_dice_can_be_thrown(dice: int) -> None:
    given("base", city(1, "train_station"), city(1)).when(RollDice(A, dice)).then_rejected(
        "validation_failed", "/dice"
    )


def test_the_number_of_dice_is_chosen_anew_before_each_throw() -> None:
    given("base", city(1, "train_station"), city(1)).when(
        RollDice(A, 2), Pass(A), RollDice(B, 1), Pass(B), RollDice(A, 1), dice=[(2, 3), (6,), (6,)]
    ).then_ends_with(ev.DiceRolled("roll", (6,), 6))


@pytest.mark.parametrize("throw", [(3,), (1, 2)], ids=["one", "two"])
def test_the_radio_tower_replaces_the_throw_with_the_same_number_of_dice(throw: tuple[int, ...]) -> None:
    again = throw[::-1]
    given("base", city(1, "train_station", "radio_tower"), city(1)).when(
        RollDice(A, len(throw)), RerollDice(A), dice=[throw, again]
    ).then(
        ev.DiceRolled("roll", throw, 3),
        ev.ChoiceRequested(A, "reroll", "radio_tower"),
        ev.DiceRolled("reroll", again, 3),
    )


def test_the_radio_tower_asks_before_anything_is_paid() -> None:
    given("base", city(5, "radio_tower", bakery=1), city(1, cafe=1)).when(
        RollDice(A, 1), dice=[(3,)]
    ).then_nothing().then_legal(RerollDice(A), KeepDice(A))


def test_the_last_throw_counts() -> None:
    given("base", city(5, "radio_tower", bakery=1, wheat_field=1), city(0)).when(
        RollDice(A, 1), RerollDice(A), dice=[(2,), (1,)]
    ).then_paid(IncomeReceived(A, "wheat_field", 1, 1))


def test_a_throw_that_is_kept_counts() -> None:
    given("base", city(5, "radio_tower", bakery=1), city(0)).when(
        RollDice(A, 1), KeepDice(A), dice=[(2,)]
    ).then(
        ev.DiceRolled("roll", (2,), 2),
        ev.ChoiceRequested(A, "reroll", "radio_tower"),
        ev.DiceKept(A, "reroll", 2),
        IncomeReceived(A, "bakery", 1, 1),
    )


def test_the_throw_is_replaced_once_a_turn() -> None:
    scene = given("base", city(5, "radio_tower"), city(0)).when(
        RollDice(A, 1), RerollDice(A), dice=[(2,), (4,)]
    )

    scene.when(RerollDice(A)).then_rejected("wrong_phase")


def test_the_throw_of_an_extra_turn_may_be_replaced_again() -> None:
    given("base", city(5, "train_station", "amusement_park", "radio_tower"), city(0)).when(
        RollDice(A, 2),
        RerollDice(A),
        Pass(A),
        RollDice(A, 2),
        RerollDice(A),
        dice=[(2, 5), (4, 4), (1, 5), (3, 6)],
    ).then_ends_with(ev.DiceRolled("reroll", (3, 6), 9))


def test_without_the_radio_tower_the_throw_stands() -> None:
    scene = given("base", city(5), city(5, "radio_tower")).when(RollDice(A, 1), dice=[(2,)])

    scene.when(RerollDice(A)).then_rejected("wrong_phase")
    scene.when(KeepDice(A)).then_rejected("wrong_phase")


@pytest.mark.parametrize("throw", [(4, 6), (5, 6), (6, 6)], ids=["10", "11", "12"])
def test_the_harbor_adds_2_to_a_total_of_10_or_more(throw: tuple[int, int]) -> None:
    given("harbor", city(5, "train_station", "harbor"), city(5)).when(
        RollDice(A, 2), AddTwo(A), dice=[throw]
    ).then(
        ev.DiceRolled("roll", throw, sum(throw)),
        ev.ChoiceRequested(A, "add_two", "harbor"),
        ev.TwoAdded(A, sum(throw) + 2),
    )


def test_the_harbor_adds_nothing_to_a_total_of_9() -> None:
    scene = given("harbor", city(5, "train_station", "harbor"), city(5)).when(RollDice(A, 2), dice=[(4, 5)])

    scene.then(ev.DiceRolled("roll", (4, 5), 9))
    scene.when(AddTwo(A)).then_rejected("wrong_phase")


def test_the_harbor_of_another_adds_nothing() -> None:
    given("harbor", city(5, "train_station"), city(5, "harbor")).when(RollDice(A, 2), dice=[(4, 6)]).then(
        ev.DiceRolled("roll", (4, 6), 10)
    )


def test_the_harbor_asks_after_the_radio_tower_and_looks_at_the_throw_that_counts() -> None:
    tower_and_harbor = ("train_station", "radio_tower", "harbor")
    given("harbor", city(5, *tower_and_harbor), city(5)).when(
        RollDice(A, 2), RerollDice(A), dice=[(1, 2), (5, 5)]
    ).then(
        ev.DiceRolled("roll", (1, 2), 3),
        ev.ChoiceRequested(A, "reroll", "radio_tower"),
        ev.DiceRolled("reroll", (5, 5), 10),
        ev.ChoiceRequested(A, "add_two", "harbor"),
    )
    given("harbor", city(5, *tower_and_harbor), city(5)).when(
        RollDice(A, 2), RerollDice(A), dice=[(5, 5), (1, 2)]
    ).then_ends_with(ev.DiceRolled("reroll", (1, 2), 3))


def test_a_throw_that_is_kept_may_have_2_added() -> None:
    given("harbor", city(5, "train_station", "radio_tower", "harbor"), city(5)).when(
        RollDice(A, 2), KeepDice(A), AddTwo(A), dice=[(5, 5)]
    ).then_ends_with(ev.TwoAdded(A, 12))


def test_doubles_are_read_from_the_dice_not_from_the_total() -> None:
    """5 and 5 with the Harbor's 2 are a double of 12; 4 and 6, the total of 5 and 5, are none."""
    park = ("train_station", "harbor", "amusement_park")
    given("harbor", city(5, *park), city(5)).when(RollDice(A, 2), AddTwo(A), dice=[(5, 5)]).then_ends_with(
        ev.TwoAdded(A, 12), ev.ExtraTurnGranted(A, "amusement_park")
    )
    given("harbor", city(5, *park), city(5)).when(RollDice(A, 2), KeepTotal(A), dice=[(4, 6)]).then_lacks(
        ev.ExtraTurnGranted
    )


# 7. Extra turn


@pytest.mark.parametrize("ruleset", FIRST_GAME)
def test_a_double_with_the_amusement_park_brings_another_full_turn(ruleset: str) -> None:
    given(ruleset, city(9, "train_station", "amusement_park"), city(9)).when(
        RollDice(A, 2), Build(A, "bakery"), RollDice(A, 1), Build(A, "bakery"), dice=[(2, 2), (3,)]
    ).then(
        ev.DiceRolled("roll", (2, 2), 4),
        ev.ExtraTurnGranted(A, "amusement_park"),
        ev.EstablishmentBuilt(A, "bakery", 1),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, A, "roll", True),
        ev.DiceRolled("roll", (3,), 3),
        IncomeReceived(A, "bakery", 1, 1),
        ev.EstablishmentBuilt(A, "bakery", 1),
        ev.TurnEnded(2, A),
        ev.TurnStarted(3, B),
    )


def test_extra_turns_repeat_while_doubles_fall() -> None:
    given("base", city(9, "train_station", "amusement_park"), city(9)).when(
        RollDice(A, 2),
        Pass(A),
        RollDice(A, 2),
        Pass(A),
        RollDice(A, 2),
        Pass(A),
        dice=[(2, 2), (1, 1), (1, 2)],
    ).then_includes(
        ev.TurnStarted(2, A, "roll", True), ev.TurnStarted(3, A, "roll", True), ev.TurnStarted(4, B)
    )


def test_a_double_without_the_amusement_park_brings_nothing() -> None:
    given("base", city(9, "train_station"), city(9, "amusement_park")).when(
        RollDice(A, 2), Pass(A), dice=[(2, 2)]
    ).then_lacks(ev.ExtraTurnGranted).then_ends_with(ev.TurnEnded(1, A), ev.TurnStarted(2, B))


def test_an_amusement_park_built_later_in_the_turn_does_not_count() -> None:
    given("base", city(16, "train_station"), city(9)).when(
        RollDice(A, 2), Build(A, "amusement_park"), dice=[(2, 2)]
    ).then_ends_with(ev.LandmarkBuilt(A, "amusement_park", 16), ev.TurnEnded(1, A), ev.TurnStarted(2, B))


def test_one_die_is_no_double() -> None:
    given("base", city(9, "train_station", "amusement_park"), city(9)).when(RollDice(A, 1), dice=[(2,)]).then(
        ev.DiceRolled("roll", (2,), 2)
    )


@pytest.mark.parametrize(
    ("first", "second", "extra"), [((2, 2), (1, 3), False), ((1, 3), (2, 2), True)], ids=["lost", "won"]
)
def test_the_throw_that_counted_decides_about_the_extra_turn(
    first: tuple[int, int], second: tuple[int, int], extra: bool
) -> None:
    scene = given("base", city(9, "train_station", "amusement_park", "radio_tower"), city(9)).when(
        RollDice(A, 2), RerollDice(A), dice=[first, second]
    )

    granted = [event for event in scene.events if isinstance(event, ev.ExtraTurnGranted)]
    assert granted == ([ev.ExtraTurnGranted(A, "amusement_park")] if extra else [])


def test_the_extra_turn_comes_after_the_choices_of_the_throw() -> None:
    given("base", city(0, "train_station", "amusement_park", tv_station=1), city(9)).when(
        RollDice(A, 2), TakeCoins(A, B), dice=[(3, 3)]
    ).then_ends_with(PaymentMade(B, A, "tv_station", 1, 5, 5), ev.ExtraTurnGranted(A, "amusement_park"))
