"""Machi Koro 2, rules reference, section 4: set-up, dice and establishments."""

import pytest

from domain.match import events as ev
from domain.match.commands import Build, DeclineSwap, Pass, RerollDice, Resign, RollDice, SwapEstablishments
from domain.match.events import IncomeReceived, PaymentMade, PositionPlayer
from tests.domain.kit import A, B, C, Scene, city, new_match
from tests.domain.kit import given as given_any


def given(*players: PositionPlayer, **table: object) -> Scene:
    return given_any("machi_koro_2", *players, **table)  # type: ignore[arg-type]  # passed on as they are


def on_sale(*landmarks: str) -> list[ev.PositionRow]:
    """A row of landmarks with nothing behind it."""
    return [ev.PositionRow("landmarks", dict.fromkeys(landmarks, 1), ())]


# 1. Setup


LOW = ("sushi_bar", "cafe", "sushi_bar", "bakery", "forest", "business_center")
HIGH = ("mine", "stadium", "winery", "corn_field", "mine", "mine", "apple_orchard")
LANDMARKS = ("park", "museum", "launch_pad", "temple", "forge")


def test_each_row_shows_five_kinds_from_its_own_deck_and_equal_cards_stack() -> None:
    scene = new_match("machi_koro_2", draws=(*LOW, *HIGH, *LANDMARKS))

    scene.then_includes(
        ev.MarketRefilled("low", LOW),
        ev.MarketRefilled("high", HIGH),
        ev.MarketRefilled("landmarks", LANDMARKS),
    )
    two = scene.when(Build(A, "sushi_bar"), Build(B, "sushi_bar"), draws=["vineyard"])
    two.then_includes(ev.EstablishmentBuilt(B, "sushi_bar", 2), ev.MarketRefilled("low", ("vineyard",)))


@pytest.mark.parametrize("seats", [2, 5])
def test_there_are_three_building_rounds_clockwise_before_the_first_roll(seats: int) -> None:
    scene = new_match("machi_koro_2", seats, first_seat=1)
    turns = [event for event in scene.events if isinstance(event, ev.TurnStarted)]
    for turn in range(3 * seats):
        passed = scene.when(Pass((1 + turn) % seats))
        turns += [event for event in passed.events if isinstance(event, ev.TurnStarted)]
        scene = passed

    building = [
        ev.TurnStarted(turn + 1, (1 + turn) % seats, "setup", False, 1 + turn // seats)
        for turn in range(3 * seats)
    ]
    assert turns == [*building, ev.TurnStarted(3 * seats + 1, 1, "roll", False, 0)]


def test_in_a_building_round_one_establishment_is_built_from_a_row_or_nothing() -> None:
    scene = new_match("machi_koro_2", draws=(*LOW, *HIGH, *LANDMARKS))

    scene.then_legal(
        Pass(A),
        *[Build(A, id) for id in ("sushi_bar", "cafe", "bakery", "forest", "business_center")],
        *[Build(A, id) for id in ("mine", "stadium", "winery", "corn_field", "apple_orchard")],
    )
    scene.when(Build(A, "mine"), draws=[]).then(
        ev.EstablishmentBuilt(A, "mine", 4), ev.TurnEnded(1, A), ev.TurnStarted(2, B, "setup", False, 1)
    )
    scene.when(Pass(A)).then(ev.BuildPassed(A), ev.TurnEnded(1, A), ev.TurnStarted(2, B, "setup", False, 1))


def test_the_row_refills_after_each_build_of_a_building_round() -> None:
    new_match("machi_koro_2", draws=(*LOW, *HIGH, *LANDMARKS)).when(
        Build(A, "cafe"), draws=["bakery", "sushi_bar", "flower_shop"]
    ).then(
        ev.EstablishmentBuilt(A, "cafe", 1),
        ev.MarketRefilled("low", ("bakery", "sushi_bar", "flower_shop")),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, B, "setup", False, 1),
    )


def test_there_are_no_dice_in_a_building_round() -> None:
    scene = new_match("machi_koro_2")

    scene.when(RollDice(A, 1)).then_rejected("wrong_phase")


def test_no_landmark_is_built_in_a_building_round() -> None:
    given(city(50), city(), phase="setup", rows=on_sale("park", "launch_pad")).when(
        Build(A, "park")
    ).then_rejected("card_not_available", "/card")


def test_nobody_is_helped_in_a_building_round() -> None:
    given(city(0), city(0), phase="setup").when(Pass(A), Pass(B), Pass(A), Pass(B), Pass(A)).then_nothing()


def test_the_airport_pays_nothing_in_a_building_round() -> None:
    given(city(0, "airport"), city(0), phase="setup").when(Pass(A)).then_nothing()


def test_a_seat_that_resigns_in_a_building_round_is_passed_over_in_the_next() -> None:
    scene = new_match("machi_koro_2", 3, first_seat=A).when(Resign(A))
    scene.then_ends_with(ev.TurnEnded(1, A), ev.TurnStarted(2, B, "setup", False, 1))

    scene.when(Pass(B), Pass(C)).then_ends_with(ev.TurnStarted(4, B, "setup", False, 2))
    scene.when(*[Pass(B), Pass(C)] * 3).then_ends_with(ev.TurnStarted(8, B, "roll", False, 0))


def test_the_last_seat_of_a_building_round_may_resign() -> None:
    new_match("machi_koro_2", 3, first_seat=A).when(Pass(A), Pass(B), Resign(C)).then_ends_with(
        ev.SeatResigned(C, "command"), ev.TurnEnded(3, C), ev.TurnStarted(4, A, "setup", False, 2)
    )


# 2. Dice


def test_everybody_chooses_freely_between_one_and_two_dice() -> None:
    given(city(1), city(1)).then_legal(RollDice(A, 1), RollDice(A, 2))


def test_there_is_one_throw_and_no_reroll() -> None:
    scene = given(city(1, "radio_tower"), city(1)).when(RollDice(A, 2), dice=[(5, 6)])

    scene.then(ev.DiceRolled("roll", (5, 6), 11))
    scene.when(RerollDice(A)).then_rejected("wrong_phase")
    scene.when(RollDice(A, 1)).then_rejected("wrong_phase")


# 3. Red; blue and green; purple


def test_red_comes_before_income_in_the_second_game_too() -> None:
    given(city(0, bakery=1), city(0, cafe=1)).when(RollDice(A, 1), dice=[(3,)]).then_paid(
        PaymentMade(A, B, "cafe", 1, 2, 0), IncomeReceived(A, "bakery", 1, 2)
    )


def test_the_sushi_bar_of_the_second_game_needs_no_harbor() -> None:
    given(city(9), city(0, sushi_bar=1)).when(RollDice(A, 1), dice=[(1,)]).then_paid(
        PaymentMade(A, B, "sushi_bar", 1, 3, 3)
    )


@pytest.mark.parametrize("card", ["business_center", "stadium", "shopping_district"])
def test_purple_copies_are_not_limited_per_player(card: str) -> None:
    rows = [ev.PositionRow(_row_of(card), {card: 1}, ())]

    given(city(9, **{card: 2}), city(), phase="build", rows=rows).when(Build(A, card)).then_includes(
        ev.EstablishmentBuilt(A, card, 3)
    )


def _row_of(card: str) -> str:
    return "low" if card == "business_center" else "high"


def test_every_copy_of_the_stadium_fires() -> None:
    given(city(0, stadium=3), city(10), city(4)).when(RollDice(A, 2), dice=[(3, 4)]).then_paid(
        PaymentMade(B, A, "stadium", 3, 9, 9), PaymentMade(C, A, "stadium", 3, 9, 4)
    )


def test_every_copy_of_the_shopping_district_looks_at_the_purses_anew() -> None:
    given(city(0, shopping_district=2), city(30), city(11), city(10)).when(
        RollDice(A, 2), dice=[(3, 6)]
    ).then_paid(
        PaymentMade(B, A, "shopping_district", 1, 15, 15),
        PaymentMade(C, A, "shopping_district", 1, 5, 5),
        PaymentMade(B, A, "shopping_district", 1, 7, 7),
    ).then_purses(27, 8, 6, 10)


@pytest.mark.parametrize(("coins", "taken"), [(10, 0), (11, 5), (12, 6), (13, 6)])
def test_the_shopping_district_takes_half_rounded_down_above_10_coins(coins: int, taken: int) -> None:
    paid = [PaymentMade(B, A, "shopping_district", 1, taken, taken)] if taken else []
    given(city(1, shopping_district=1), city(coins)).when(RollDice(A, 2), dice=[(3, 5)]).then_paid(*paid)


@pytest.mark.parametrize("card", ["stadium", "shopping_district", "business_center", "bakery"])
def test_any_establishment_may_be_traded_on_either_side(card: str) -> None:
    given(
        city(1, business_center=1, **({card: 1} if card != "business_center" else {})), city(0, mine=1)
    ).when(RollDice(A, 1), SwapEstablishments(A, card, B, "mine"), dice=[(6,)]).then_includes(
        ev.EstablishmentsSwapped(A, card, B, "mine")
    )
    given(city(1, business_center=1, forest=1), city(0, **{card: 1})).when(
        RollDice(A, 1), SwapEstablishments(A, "forest", B, card), dice=[(6,)]
    ).then_includes(ev.EstablishmentsSwapped(A, "forest", B, card))


def test_the_business_center_may_trade_itself_away() -> None:
    given(city(1, business_center=1), city(0, mine=1)).when(
        RollDice(A, 1), SwapEstablishments(A, "business_center", B, "mine"), dice=[(6,)]
    ).then(
        ev.DiceRolled("roll", (6,), 6),
        ev.ChoiceRequested(A, "swap", "business_center"),
        ev.EstablishmentsSwapped(A, "business_center", B, "mine"),
    )


def test_no_landmark_is_traded() -> None:
    scene = given(city(1, "forge", business_center=1), city(0, "park", mine=1)).when(
        RollDice(A, 1), dice=[(6,)]
    )

    scene.when(SwapEstablishments(A, "forge", B, "mine")).then_rejected("card_not_tradable", "/give")
    scene.when(SwapEstablishments(A, "business_center", B, "park")).then_rejected(
        "card_not_tradable", "/take"
    )


def test_every_copy_of_the_business_center_trades_and_may_be_declined_by_itself() -> None:
    given(city(1, business_center=3), city(0, mine=2, bakery=1)).when(
        RollDice(A, 1),
        SwapEstablishments(A, "business_center", B, "mine"),
        DeclineSwap(A),
        SwapEstablishments(A, "mine", B, "bakery"),
        dice=[(6,)],
    ).then(
        ev.DiceRolled("roll", (6,), 6),
        ev.ChoiceRequested(A, "swap", "business_center", 3),
        ev.EstablishmentsSwapped(A, "business_center", B, "mine"),
        ev.ChoiceRequested(A, "swap", "business_center", 2),
        ev.SwapDeclined(A),
        ev.ChoiceRequested(A, "swap", "business_center", 1),
        ev.EstablishmentsSwapped(A, "mine", B, "bakery"),
    )


def test_the_remaining_copies_do_not_ask_when_no_trade_could_change_anything_any_more() -> None:
    given(city(1, business_center=2), city(0, mine=1), city(0)).when(
        RollDice(A, 1), Resign(B), DeclineSwap(A), dice=[(6,)]
    ).then_ends_with(ev.SwapDeclined(A))


def test_the_business_center_asks_nobody_where_no_opponent_has_an_establishment() -> None:
    given(city(1, business_center=1, mine=1), city(0, "forge")).when(RollDice(A, 1), dice=[(6,)]).then(
        ev.DiceRolled("roll", (6,), 6)
    )
