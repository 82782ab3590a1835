"""Base and Harbor, rules reference, section 3: building, passing, the limited market, seats that left."""

import pytest

from domain.match import events as ev
from domain.match.commands import Build, Pass, Resign, RollDice, SwapEstablishments, TakeCoins
from domain.match.events import IncomeReceived, PaymentMade
from domain.match.legal import unbuildable
from tests.domain.kit import TEN_KINDS, A, B, C, city, given, new_match, row

# 6. Build or pass


@pytest.mark.parametrize("card", ["stadium", "tv_station", "business_center", "publisher", "tax_office"])
def test_a_player_owns_at_most_one_of_each_purple_kind(card: str) -> None:
    given("harbor", city(20, **{card: 1}), city(0), phase="build").when(Build(A, card)).then_rejected(
        "major_already_owned", "/card"
    )
    given("harbor", city(20), city(0, **{card: 1}), phase="build").when(Build(A, card)).then_includes(
        ev.EstablishmentBuilt(A, card, _cost(card))
    )


def _cost(card: str) -> int:
    return {"stadium": 6, "tv_station": 7, "business_center": 8, "publisher": 5, "tax_office": 4}[card]


def test_different_purple_kinds_stand_side_by_side() -> None:
    given("base", city(7, stadium=1), city(0), phase="build").when(Build(A, "tv_station")).then_includes(
        ev.EstablishmentBuilt(A, "tv_station", 7)
    )


def test_a_landmark_is_built_once() -> None:
    given("base", city(20, "train_station"), city(0), phase="build").when(
        Build(A, "train_station")
    ).then_rejected("landmark_already_built", "/card")


def test_everybody_builds_landmarks_of_their_own() -> None:
    given("base", city(20), city(0, "train_station"), phase="build").when(
        Build(A, "train_station")
    ).then_includes(ev.LandmarkBuilt(A, "train_station", 4))


def test_an_empty_stack_sells_nothing() -> None:
    given("base", city(20), city(0), phase="build", rows=[row("supply", cafe=0)]).when(
        Build(A, "cafe")
    ).then_rejected("card_not_available", "/card")


def test_the_last_card_of_a_stack_can_be_built() -> None:
    scene = given("base", city(20), city(20), phase="build", rows=[row("supply", cafe=1)]).when(
        Build(A, "cafe"), RollDice(B, 1), dice=[(6,)]
    )

    scene.when(Build(B, "cafe")).then_rejected("card_not_available", "/card")


def test_the_town_hall_is_not_for_sale() -> None:
    given("harbor", city(20), city(0, town_hall=1), phase="build").when(Build(A, "town_hall")).then_rejected(
        "card_not_available", "/card"
    )


def test_what_cannot_be_built_does_not_name_the_town_hall_which_is_never_sold() -> None:
    scene = given("harbor", city(0, town_hall=1), city(0, town_hall=1), phase="build")
    named = [id for id, _, _ in unbuildable(scene.state)]
    assert "town_hall" not in named
    assert {"wheat_field", "tuna_boat", "harbor", "airport"} < {*named}


@pytest.mark.parametrize("card", ["", "no such card", "town_hall", "harbor", "corn_field", "Bakery"])
def test_a_card_of_no_or_another_ruleset_is_unknown(card: str) -> None:
    given("base", city(20), city(0), phase="build").when(Build(A, card)).then_rejected(
        "unknown_card", "/card"
    )


def test_the_airport_pays_10_for_passing() -> None:
    given("harbor", city(20, "airport"), city(0), phase="build").when(Pass(A)).then(
        ev.BuildPassed(A), IncomeReceived(A, "airport", 1, 10), ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )


def test_the_airport_pays_when_nothing_is_affordable_too() -> None:
    scene = given("harbor", city(0, "airport"), city(0), phase="build")

    scene.then_legal(Pass(A))
    scene.when(Pass(A)).then_paid(IncomeReceived(A, "airport", 1, 10))


def test_the_airport_pays_nothing_for_a_build() -> None:
    given("harbor", city(9, "airport"), city(0), phase="build").when(Build(A, "bakery")).then_nothing()


def test_the_airport_of_another_pays_nothing() -> None:
    given("harbor", city(9), city(0, "airport"), phase="build").when(Pass(A)).then_nothing()


def test_the_airport_pays_from_the_turn_after_it_was_built() -> None:
    given("harbor", city(30), city(0), phase="build").when(Build(A, "airport")).then_nothing()


# Limited market


@pytest.mark.parametrize(("ruleset", "reserve"), [("base", 84), ("harbor", 145)])
def test_a_limited_market_shuffles_the_whole_reserve_into_one_deck(ruleset: str, reserve: int) -> None:
    scene = new_match(ruleset, 4, options={"market": "limited"})
    started = next(event for event in scene.events if isinstance(event, ev.MatchStarted))

    assert started.supply == {}
    assert sum(started.decks.values()) == reserve
    assert started.decks["stadium"] in (4, 5)


def test_cards_are_revealed_until_10_kinds_are_face_up_and_equal_ones_are_stacked() -> None:
    nine = ("cafe", "ranch", "cafe", "bakery", "forest", "mine", "stadium", "ranch", "tv_station", "cafe")
    draws = (*nine, "wheat_field", "bakery", "business_center", "cheese_factory")
    scene = new_match("base", 2, options={"market": "limited"}, draws=draws)

    scene.then_includes(ev.MarketRefilled("market", draws))
    for card in set(draws):
        rich = scene.when(RollDice(A, 1), dice=[(6,)])
        rich.when(Build(A, card))
        assert rich.state.supply[rich.state.rules.index[card]] == draws.count(card)


def test_nothing_is_revealed_while_10_kinds_remain() -> None:
    market = row("market", deck=("tv_station",), **TEN_KINDS)
    given("base", city(9), city(), phase="build", market="limited", rows=[market]).when(
        Build(A, "bakery")
    ).then_lacks(ev.MarketRefilled)


def test_nothing_is_revealed_after_a_landmark_or_a_pass() -> None:
    market = row("market", deck=("tv_station",), **TEN_KINDS)
    scene = given("base", city(9), city(), phase="build", market="limited", rows=[market])

    scene.when(Build(A, "train_station")).then_lacks(ev.MarketRefilled)
    scene.when(Pass(A)).then_lacks(ev.MarketRefilled)


def test_a_card_of_the_deck_is_not_for_sale() -> None:
    market = row("market", deck=("tv_station",), **TEN_KINDS)
    given("base", city(9), city(), phase="build", market="limited", rows=[market]).when(
        Build(A, "tv_station")
    ).then_rejected("card_not_available", "/card")


def test_cards_are_revealed_at_once_before_the_next_turn() -> None:
    market = row("market", deck=("tv_station",), **TEN_KINDS)
    given("base", city(9), city(), phase="build", market="limited", rows=[market]).when(
        Build(A, "ranch")
    ).then(
        ev.EstablishmentBuilt(A, "ranch", 1),
        ev.MarketRefilled("market", ("tv_station",)),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, B),
    )


def test_cards_are_revealed_until_the_deck_is_empty() -> None:
    market = row("market", deck=("bakery", "cafe"), **TEN_KINDS)
    emptied = given("base", city(9), city(9), phase="build", market="limited", rows=[market]).when(
        Build(A, "ranch")
    )
    emptied.then_includes(ev.MarketRefilled("market", ("bakery", "cafe")))

    emptied.when(RollDice(B, 1), Build(B, "mine"), dice=[(6,)]).then_lacks(ev.MarketRefilled)


# Seats that resigned


def test_a_seat_that_resigned_neither_pays_nor_earns() -> None:
    given("base", city(0, stadium=1, ranch=1), city(9, ranch=1, cafe=1), city(9, ranch=1)).when(
        Resign(B), RollDice(A, 1), Pass(A), RollDice(C, 1), dice=[(6,), (2,)]
    ).then_paid(
        PaymentMade(C, A, "stadium", 1, 2, 2),
        IncomeReceived(C, "ranch", 1, 1),
        IncomeReceived(A, "ranch", 1, 1),
    )


def test_the_bank_passes_over_a_seat_that_resigned_and_pays_the_next() -> None:
    given("base", city(0, ranch=1), city(0, ranch=1), city(0, ranch=1)).when(
        Resign(B), RollDice(A, 1), dice=[(2,)]
    ).then_paid(IncomeReceived(A, "ranch", 1, 1), IncomeReceived(C, "ranch", 1, 1))


def test_red_cards_of_a_seat_that_resigned_take_nothing() -> None:
    given("base", city(9), city(0, cafe=1), city(0, cafe=1)).when(
        Resign(B), RollDice(A, 1), dice=[(3,)]
    ).then_paid(PaymentMade(A, C, "cafe", 1, 1, 1))


def test_a_seat_that_resigned_cannot_be_named_or_traded_with() -> None:
    scene = given(
        "base", city(0, tv_station=1, business_center=1, bakery=1), city(9, mine=1), city(9, cafe=1)
    )
    asked = scene.when(Resign(B), RollDice(A, 1), dice=[(6,)])

    asked.then_legal(TakeCoins(A, C))
    asked.when(TakeCoins(A, B)).then_rejected("invalid_target", "/from_seat")
    asked.when(TakeCoins(A, C)).when(SwapEstablishments(A, "bakery", B, "mine")).then_rejected(
        "invalid_target", "/with_seat"
    )


def test_the_tv_station_stays_open_when_its_richest_target_resigns() -> None:
    given("base", city(0, tv_station=1), city(9), city(0)).when(
        RollDice(A, 1), Resign(B), TakeCoins(A, C), dice=[(6,)]
    ).then_ends_with(ev.TargetChosen(A, "tv_station", C), PaymentMade(C, A, "tv_station", 1, 5, 0))


def test_the_boats_of_a_seat_that_resigned_stay_in() -> None:
    given("harbor", city(0, "train_station"), city(0, "harbor", tuna_boat=2), city(0)).when(
        Resign(B), RollDice(A, 2), dice=[(6, 6)]
    ).then_nothing()
