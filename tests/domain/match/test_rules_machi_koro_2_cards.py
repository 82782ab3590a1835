"""Machi Koro 2, card by card: clauses of single cards that the other tests of this game do not name."""

import pytest

from domain.match import events as ev
from domain.match.cards import Card
from domain.match.commands import (
    Build,
    DeclineSwap,
    GiveEstablishment,
    Pass,
    Resign,
    RollDice,
    SwapEstablishments,
)
from domain.match.events import IncomeReceived, PaymentMade, PositionPlayer
from domain.match.rulesets import CURRENT
from tests.domain.kit import A, B, C, Scene, city, new_match, row
from tests.domain.kit import given as given_any

KINDS = {card.id: 1 for card in CURRENT["machi_koro_2"].establishments}
"""A city with one of each of the 20 establishments."""


def given(*players: PositionPlayer, **table: object) -> Scene:
    return given_any("machi_koro_2", *players, **table)  # type: ignore[arg-type]  # passed on as they are


def test_the_106_cards_are_20_kinds_of_establishments_and_20_landmarks_in_three_decks() -> None:
    scene = new_match("machi_koro_2", 5)

    started = next(event for event in scene.events if isinstance(event, ev.MatchStarted))
    assert (len(KINDS), sum(started.decks.values()), started.supply) == (20, 106, {})
    drawn = [event for event in scene.events if isinstance(event, ev.MarketRefilled)]
    assert [event.row for event in drawn] == ["low", "high", "landmarks"]
    assert [len(set(event.cards)) for event in drawn] == [5, 5, 5]


# Establishments


COUNTING = [
    ("flower_shop", (6,), ("flower_garden",), 3),
    ("furniture_factory", (3, 5), ("forest", "mine"), 4),
    ("winery", (4, 5), ("vineyard", "apple_orchard"), 3),
    ("food_warehouse", (4, 6), ("sushi_bar", "cafe", "hamburger_stand", "family_restaurant"), 2),
    ("food_warehouse", (5, 6), ("sushi_bar", "cafe", "hamburger_stand", "family_restaurant"), 2),
]


@pytest.mark.parametrize(("card", "throw", "counted", "amount"), COUNTING, ids=str)
def test_a_combo_card_counts_every_card_with_its_sign_in_its_owners_city_and_no_other(
    card: str, throw: tuple[int, ...], counted: tuple[str, ...], amount: int
) -> None:
    scene = given(city(9, **{**KINDS, card: 2}), city(9, **KINDS)).when(RollDice(A, len(throw)), dice=[throw])
    if scene.state.phase == "swap":
        scene = Scene(scene.state, (*scene.events, *scene.when(DeclineSwap(A)).events))

    paid = [event for event in scene.events if getattr(event, "card", "") == card]
    assert paid == [IncomeReceived(A, card, 2, 2 * amount * len(counted))]

    others = {id: 1 for id in KINDS if id not in counted}
    bare = given(city(9, **others), city(9, **KINDS)).when(RollDice(A, len(throw)), dice=[throw])
    assert card not in [getattr(event, "card", "") for event in bare.events]


@pytest.mark.parametrize(
    ("landmark", "card", "throw", "coins"),
    [
        ("farmers_market", "wheat_field", (1,), 1),
        ("farmers_market", "corn_field", (3, 4), 3),
        ("forge", "forest", (5,), 2),
        ("forge", "mine", (5, 6), 6),
    ],
)
def test_a_boost_works_for_blue_cards_of_players_who_neither_threw_nor_built_it(
    landmark: str, card: str, throw: tuple[int, ...], coins: int
) -> None:
    given(city(5), city(5, **{card: 2}), city(5, landmark)).when(
        RollDice(A, len(throw)), dice=[throw]
    ).then_paid(IncomeReceived(B, card, 2, 2 * (coins + 1)))


@pytest.mark.parametrize(
    ("card", "throw"),
    [("sushi_bar", (1,)), ("cafe", (3,)), ("hamburger_stand", (3, 5)), ("family_restaurant", (4, 6))],
)
def test_red_cards_of_the_active_player_take_nothing_even_with_the_soda_bottling_plant(
    card: str, throw: tuple[int, ...]
) -> None:
    given(city(5, "soda_bottling_plant", **{card: 3}), city(9)).when(
        RollDice(A, len(throw)), dice=[throw]
    ).then_nothing()


def test_a_boosted_red_card_still_takes_no_more_than_there_is() -> None:
    given(city(4), city(0, "soda_bottling_plant", cafe=1), city(0, sushi_bar=1, cafe=1)).when(
        RollDice(A, 1), dice=[(3,)]
    ).then_paid(PaymentMade(A, C, "cafe", 1, 3, 3), PaymentMade(A, B, "cafe", 1, 3, 1), ev.HelpReceived(A, 1))


@pytest.mark.parametrize("throw", [(5,), (3, 4)], ids=["5", "7"])
def test_the_business_center_fires_on_6_only(throw: tuple[int, ...]) -> None:
    given(city(5, business_center=1), city(5, winery=1)).when(RollDice(A, len(throw)), dice=[throw]).then(
        ev.DiceRolled("roll", throw, sum(throw))
    )


@pytest.mark.parametrize("throw", [(6,), (2, 4)], ids=["one die", "two dice"])
def test_the_business_center_fires_on_its_owners_turn_only(throw: tuple[int, ...]) -> None:
    given(city(5, winery=1), city(5, business_center=2)).when(RollDice(A, len(throw)), dice=[throw]).then(
        ev.DiceRolled("roll", throw, 6)
    )
    given(city(5, business_center=2), city(5, winery=1)).when(
        RollDice(A, len(throw)), dice=[throw]
    ).then_asked(A, "swap", "business_center", 2)


def test_a_business_center_that_was_traded_in_does_not_fire_in_the_same_turn() -> None:
    given(city(1, business_center=1, bakery=1), city(0, business_center=1)).when(
        RollDice(A, 1), SwapEstablishments(A, "bakery", B, "business_center"), dice=[(6,)]
    ).then_ends_with(ev.EstablishmentsSwapped(A, "bakery", B, "business_center"))


def test_the_business_center_trades_with_any_opponent() -> None:
    given(city(1, business_center=1), city(0, bakery=1), city(0, mine=1)).when(
        RollDice(A, 1), dice=[(6,)]
    ).then_legal(
        DeclineSwap(A),
        SwapEstablishments(A, "business_center", B, "bakery"),
        SwapEstablishments(A, "business_center", C, "mine"),
    )


def test_stadium_and_shopping_district_fire_on_their_owners_turn_only() -> None:
    given(city(30), city(30, stadium=2)).when(RollDice(A, 2), dice=[(3, 4)]).then_nothing()
    given(city(30), city(30, shopping_district=2)).when(RollDice(A, 2), dice=[(3, 5)]).then_nothing()


def test_the_shopping_district_looks_at_the_purses_after_the_red_cards() -> None:
    given(city(30, shopping_district=1), city(9, family_restaurant=1)).when(
        RollDice(A, 2), dice=[(4, 5)]
    ).then_paid(
        PaymentMade(A, B, "family_restaurant", 1, 2, 2), PaymentMade(B, A, "shopping_district", 1, 5, 5)
    )


# Landmarks


def test_the_loan_office_counts_as_a_landmark_for_victory() -> None:
    given(city(20, "loan_office", "forge"), city(), phase="build", rows=[row("landmarks", park=1)]).when(
        Build(A, "park")
    ).then(ev.LandmarkBuilt(A, "park", 20), ev.MatchFinished(A, "landmarks"))


@pytest.mark.parametrize(("own", "price"), [(("loan_office",), 36), (("loan_office", "forge"), 23)])
def test_the_loan_office_makes_the_launch_pad_of_its_builder_2_cheaper(
    own: tuple[str, ...], price: int
) -> None:
    given(city(price, *own), city(), phase="build", rows=[row("landmarks", launch_pad=1)]).when(
        Build(A, "launch_pad")
    ).then(ev.LandmarkBuilt(A, "launch_pad", price), ev.MatchFinished(A, "landmarks"))


def test_the_loan_office_of_two_players_is_for_the_one_behind() -> None:
    rows = [row("landmarks", loan_office=1)]
    given(city(10), city(0, "forge"), phase="build", rows=rows).when(Build(A, "loan_office")).then_includes(
        ev.LandmarkBuilt(A, "loan_office", 10)
    )
    given(city(10, "forge"), city(0), phase="build", rows=rows).when(Build(A, "loan_office")).then_rejected(
        "loan_office_condition", "/card"
    )


@pytest.mark.parametrize("card", ["publisher", "tv_station"])
def test_publisher_and_tv_station_do_not_act_when_the_build_wins(card: str) -> None:
    given(
        city(22, "forge", "temple"),
        city(30, bakery=3, cafe=3),
        phase="build",
        rows=[row("landmarks", deck=("park",), **{card: 1})],
    ).when(Build(A, card)).then(ev.LandmarkBuilt(A, card, 22), ev.MatchFinished(A, "landmarks"))


ONE_TIME = ["french_restaurant", "publisher", "exhibit_hall", "museum", "park", "tv_station"]


@pytest.mark.parametrize("card", [*ONE_TIME, "radio_tower"])
@pytest.mark.parametrize("throw", [(6, 6), (3, 3), (5,)], ids=["12", "6", "5"])
def test_a_one_time_landmark_does_nothing_in_later_turns(card: str, throw: tuple[int, ...]) -> None:
    given(city(9, card), city(30, vineyard=1)).when(
        RollDice(A, len(throw)), Pass(A), dice=[throw]
    ).then_nothing().then_lacks(ev.ExtraTurnGranted)


STAYING = [
    card
    for card in CURRENT["machi_koro_2"].landmarks
    if card.id not in (*ONE_TIME, "radio_tower", "launch_pad")
]


@pytest.mark.parametrize("card", STAYING, ids=lambda card: card.id)
def test_a_landmark_that_stays_in_force_does_nothing_when_it_is_built(card: Card) -> None:
    rows = [row("landmarks", **{card.id: 1})]
    given(city(20, bakery=1), city(20, "museum", cafe=1), phase="build", rows=rows).when(
        Build(A, card.id)
    ).then(ev.LandmarkBuilt(A, card.id, card.cost[0]), ev.TurnEnded(1, A), ev.TurnStarted(2, B))


def test_an_orange_landmark_works_from_the_next_throw_on() -> None:
    given(city(12), city(5), rows=[row("landmarks", temple=1)], phase="build").when(
        Build(A, "temple"), RollDice(B, 2), dice=[(4, 4)]
    ).then_includes(PaymentMade(A, B, "temple", 1, 2, 0))


@pytest.mark.parametrize("die", range(1, 7))
def test_one_die_is_never_a_double_nor_two_dice(die: int) -> None:
    towns = city(5, "temple", "amusement_park", winery=1), city(5, "moving_company", "charterhouse")
    given(*towns).when(RollDice(A, 1), Pass(A), dice=[(die,)]).then(
        ev.DiceRolled("roll", (die,), die), ev.BuildPassed(A), ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )


@pytest.mark.parametrize("values", [(1, 3), (2, 4), (3, 5), (2, 6), (4, 6)])
def test_an_even_total_is_not_a_double(values: tuple[int, int]) -> None:
    given(city(5, "temple", "amusement_park", winery=1), city(5, "moving_company")).when(
        RollDice(A, 2), dice=[values]
    ).then(ev.DiceRolled("roll", values, sum(values)))


def test_the_gift_of_the_moving_company_comes_after_the_coins_of_the_card_that_is_given() -> None:
    given(city(5, "moving_company", bakery=1), city(5)).when(
        RollDice(A, 2), GiveEstablishment(A, "bakery"), dice=[(1, 1)]
    ).then(
        ev.DiceRolled("roll", (1, 1), 2),
        IncomeReceived(A, "bakery", 1, 2),
        ev.ChoiceRequested(A, "give", "moving_company"),
        ev.EstablishmentGiven(A, "bakery", B),
    )


def test_the_moving_company_gives_to_the_seat_before_the_active_one_on_every_turn() -> None:
    given(city(5, bakery=1), city(5, "moving_company", mine=1), city(5), active=B).when(
        RollDice(B, 2), GiveEstablishment(B, "mine"), dice=[(4, 4)]
    ).then_ends_with(ev.EstablishmentGiven(B, "mine", A))


def test_the_gift_leaves_the_extra_turn_of_the_double_as_it_is() -> None:
    given(city(5, "amusement_park", mine=1), city(5, "moving_company")).when(
        RollDice(A, 2), GiveEstablishment(A, "mine"), Pass(A), dice=[(4, 4)]
    ).then_ends_with(ev.TurnEnded(1, A), ev.TurnStarted(2, A, "roll", True))


def test_the_airport_of_anybody_pays_for_both_turns_of_a_double() -> None:
    given(city(5, "amusement_park"), city(5, "airport")).when(
        RollDice(A, 2), Pass(A), RollDice(A, 1), Pass(A), dice=[(4, 4), (6,)]
    ).then_paid(IncomeReceived(A, "airport", 1, 5), IncomeReceived(A, "airport", 1, 5))


def test_the_tech_startup_pays_the_active_player_alone() -> None:
    given(city(5), city(5, "tech_startup"), city(5)).when(RollDice(A, 2), dice=[(6, 6)]).then_paid(
        IncomeReceived(A, "tech_startup", 1, 8)
    ).then_purses(13, 5, 5)


def test_the_extra_turn_of_the_radio_tower_is_one_turn() -> None:
    given(city(12), city(5), phase="build", rows=[row("landmarks", radio_tower=1)]).when(
        Build(A, "radio_tower"), RollDice(A, 1), Pass(A), dice=[(6,)]
    ).then_ends_with(ev.TurnEnded(2, A), ev.TurnStarted(3, B))


@pytest.mark.parametrize("throw", [(4, 4), (3, 5)], ids=["double", "no double"])
def test_an_empty_purse_is_helped_before_building_in_a_turn_that_another_follows(
    throw: tuple[int, int],
) -> None:
    given(city(0, "amusement_park"), city(5)).when(RollDice(A, 2), dice=[throw]).then_paid(
        ev.HelpReceived(A, 1)
    )


def test_every_own_establishment_may_be_the_gift_of_the_moving_company() -> None:
    given(city(5, **KINDS), city(5, "moving_company")).when(RollDice(A, 2), dice=[(1, 1)]).then_legal(
        *[GiveEstablishment(A, id) for id in KINDS]
    )


def test_the_help_pays_for_a_card_in_the_same_turn() -> None:
    given(city(0), city(5), rows=[row("low", cafe=1)]).when(
        RollDice(A, 1), Build(A, "cafe"), dice=[(6,)]
    ).then(
        ev.DiceRolled("roll", (6,), 6),
        ev.HelpReceived(A, 1),
        ev.EstablishmentBuilt(A, "cafe", 1),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, B),
    )


def test_nobody_but_the_active_player_is_helped_and_not_after_paying() -> None:
    given(city(12), city(0), phase="build", rows=[row("landmarks", temple=1)]).when(
        Build(A, "temple")
    ).then_lacks(ev.HelpReceived)


def test_a_seat_that_resigned_gets_no_income_pays_nothing_and_is_paid_nothing() -> None:
    scene = given(city(9, stadium=1), city(9, corn_field=2, cafe=1), city(9, corn_field=1, cafe=1))

    gone = scene.when(Resign(B))
    gone.when(RollDice(A, 2), dice=[(3, 4)]).then_paid(
        IncomeReceived(C, "corn_field", 1, 3), PaymentMade(C, A, "stadium", 1, 3, 3)
    )
    gone.when(RollDice(A, 1), dice=[(3,)]).then_paid(PaymentMade(A, C, "cafe", 1, 2, 2))
