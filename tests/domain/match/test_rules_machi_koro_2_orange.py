"""Machi Koro 2, rules reference, section 4: orange landmarks and boosts."""

import pytest

from domain.match import events as ev
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
from tests.domain.kit import A, B, C, D, Scene, city
from tests.domain.kit import given as given_any


def given(*players: PositionPlayer, **table: object) -> Scene:
    return given_any("machi_koro_2", *players, **table)  # type: ignore[arg-type]  # passed on as they are


# 4. Orange landmarks


ORANGE = [
    ("tech_startup", (6, 6), [IncomeReceived(A, "tech_startup", 1, 8)]),
    ("temple", (1, 1), [PaymentMade(B, A, "temple", 1, 2, 2)]),
    ("charterhouse", (1, 2), [IncomeReceived(A, "charterhouse", 1, 3)]),
]


@pytest.mark.parametrize("builder", [A, B], ids=["own", "another's"])
@pytest.mark.parametrize(("landmark", "throw", "paid"), ORANGE, ids=[case[0] for case in ORANGE])
def test_orange_landmarks_work_for_the_active_player_whoever_built_them(
    landmark: str, throw: tuple[int, int], paid: list[ev.Event], builder: int
) -> None:
    landmarks: list[tuple[str, ...]] = [(), ()]
    landmarks[builder] = (landmark,)

    given(city(5, *landmarks[A]), city(5, *landmarks[B])).when(RollDice(A, 2), dice=[throw]).then_paid(*paid)
    given(city(5), city(5)).when(RollDice(A, 2), dice=[throw]).then_nothing()


def test_orange_landmarks_act_in_their_order() -> None:
    """The Charterhouse is left out of the chain where Tech Startup or Temple have paid."""
    given(
        city(0, "tech_startup", "temple", bakery=1),
        city(9, "charterhouse", "amusement_park"),
        city(0, "moving_company"),
    ).when(RollDice(A, 2), dice=[(6, 6)]).then(
        ev.DiceRolled("roll", (6, 6), 12),
        IncomeReceived(A, "tech_startup", 1, 8),
        PaymentMade(B, A, "temple", 1, 2, 2),
        PaymentMade(C, A, "temple", 1, 2, 0),
        ev.ExtraTurnGranted(A, "amusement_park"),
        ev.ChoiceRequested(A, "give", "moving_company"),
    )


def test_the_charterhouse_acts_between_temple_and_amusement_park() -> None:
    given(
        city(0, "temple", bakery=1), city(0, "charterhouse", "amusement_park"), city(0, "moving_company")
    ).when(RollDice(A, 2), dice=[(4, 4)]).then(
        ev.DiceRolled("roll", (4, 4), 8),
        PaymentMade(B, A, "temple", 1, 2, 0),
        PaymentMade(C, A, "temple", 1, 2, 0),
        IncomeReceived(A, "charterhouse", 1, 3),
        ev.ExtraTurnGranted(A, "amusement_park"),
        ev.ChoiceRequested(A, "give", "moving_company"),
    )


def test_orange_landmarks_come_after_purple_cards() -> None:
    given(city(1, "moving_company", business_center=1, bakery=1), city(9, mine=1)).when(
        RollDice(A, 2), DeclineSwap(A), dice=[(3, 3)]
    ).then(
        ev.DiceRolled("roll", (3, 3), 6),
        ev.ChoiceRequested(A, "swap", "business_center"),
        ev.SwapDeclined(A),
        ev.ChoiceRequested(A, "give", "moving_company"),
    )


@pytest.mark.parametrize("total", [11, 10])
def test_the_tech_startup_pays_on_12_only(total: int) -> None:
    given(city(5, "tech_startup"), city(5)).when(RollDice(A, 2), dice=[(5, total - 5)]).then_nothing()


def test_the_temple_takes_2_from_each_opponent_on_a_double_only() -> None:
    towns = city(5, "temple"), city(5), city(1)
    given(*towns).when(RollDice(A, 2), dice=[(1, 1)]).then_paid(
        PaymentMade(B, A, "temple", 1, 2, 2), PaymentMade(C, A, "temple", 1, 2, 1)
    )
    given(*towns).when(RollDice(A, 2), dice=[(1, 2)]).then_nothing()
    given(*towns).when(RollDice(A, 1), dice=[(2,)]).then_nothing()


def test_the_charterhouse_needs_two_dice() -> None:
    given(city(5, "charterhouse"), city(5)).when(RollDice(A, 1), dice=[(6,)]).then_nothing()


@pytest.mark.parametrize(
    ("own", "others"),
    [({"bakery": 1}, {}), ({"wheat_field": 1}, {}), ({}, {})],
    ids=["green", "blue", "nothing"],
)
def test_the_charterhouse_pays_only_who_received_nothing_since_the_throw(
    own: dict[str, int], others: dict[str, int]
) -> None:
    scene = given(city(5, "charterhouse", **own), city(5, **others)).when(RollDice(A, 2), dice=[(1, 1)])

    got = [event.card for event in scene.events if isinstance(event, IncomeReceived)]
    assert got == (list(own) or ["charterhouse"])


def test_coins_taken_from_opponents_keep_the_charterhouse_shut() -> None:
    given(city(5, "charterhouse", stadium=1), city(5)).when(RollDice(A, 2), dice=[(3, 4)]).then_paid(
        PaymentMade(B, A, "stadium", 1, 3, 3)
    )


def test_an_amount_of_0_is_not_receiving_for_the_charterhouse() -> None:
    given(city(5, "charterhouse", stadium=1), city(0)).when(RollDice(A, 2), dice=[(3, 4)]).then_paid(
        PaymentMade(B, A, "stadium", 1, 3, 0), IncomeReceived(A, "charterhouse", 1, 3)
    )
    given(city(5, "charterhouse", winery=1), city(0)).when(RollDice(A, 2), dice=[(4, 5)]).then_paid(
        IncomeReceived(A, "charterhouse", 1, 3)
    )


def test_coins_paid_out_do_not_matter_for_the_charterhouse() -> None:
    given(city(5, "charterhouse"), city(0, cafe=1)).when(RollDice(A, 2), dice=[(1, 2)]).then_paid(
        PaymentMade(A, B, "cafe", 1, 2, 2), IncomeReceived(A, "charterhouse", 1, 3)
    )


@pytest.mark.parametrize(("landmark", "throw"), [("tech_startup", (6, 6)), ("temple", (4, 4))])
def test_coins_of_earlier_orange_landmarks_keep_the_charterhouse_shut(
    landmark: str, throw: tuple[int, int]
) -> None:
    scene = given(city(5, "charterhouse"), city(5, landmark)).when(RollDice(A, 2), dice=[throw])

    assert [event.card for event in scene.events[1:] if hasattr(event, "card")] == [landmark]


def test_income_of_another_seat_does_not_keep_the_charterhouse_shut() -> None:
    given(city(5, "charterhouse"), city(5, corn_field=1)).when(RollDice(A, 2), dice=[(3, 4)]).then_paid(
        IncomeReceived(B, "corn_field", 1, 3), IncomeReceived(A, "charterhouse", 1, 3)
    )


def test_coins_of_the_turn_before_do_not_keep_the_charterhouse_shut_in_an_extra_turn() -> None:
    given(city(5, "amusement_park", bakery=1), city(5, "charterhouse")).when(
        RollDice(A, 2), Pass(A), RollDice(A, 2), dice=[(1, 1), (1, 3)]
    ).then_paid(IncomeReceived(A, "bakery", 1, 2), IncomeReceived(A, "charterhouse", 1, 3))


@pytest.mark.parametrize("builder", [A, B], ids=["own", "another's"])
def test_the_amusement_park_of_anybody_gives_an_extra_turn_for_a_double(builder: int) -> None:
    landmarks: list[tuple[str, ...]] = [(), ()]
    landmarks[builder] = ("amusement_park",)
    given(city(5, *landmarks[A]), city(5, *landmarks[B])).when(RollDice(A, 2), Pass(A), dice=[(4, 4)]).then(
        ev.DiceRolled("roll", (4, 4), 8),
        ev.ExtraTurnGranted(A, "amusement_park"),
        ev.BuildPassed(A),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, A, "roll", True),
    )


def test_the_moving_company_makes_the_active_player_give_one_establishment_to_the_previous_seat() -> None:
    scene = given(city(5, bakery=2, mine=1), city(5, "moving_company"), city(5), city(5)).when(
        RollDice(A, 2), dice=[(4, 4)]
    )

    scene.then_asked(A, "give", "moving_company")
    scene.then_legal(GiveEstablishment(A, "bakery"), GiveEstablishment(A, "mine"))
    scene.when(GiveEstablishment(A, "mine")).then(ev.EstablishmentGiven(A, "mine", D))


def test_the_gift_of_the_moving_company_is_compulsory() -> None:
    scene = given(city(5, "moving_company", bakery=1), city(5)).when(RollDice(A, 2), dice=[(4, 4)])

    scene.when(Pass(A)).then_rejected("wrong_phase")
    scene.when(Build(A, "bakery")).then_rejected("wrong_phase")
    scene.when(DeclineSwap(A)).then_rejected("wrong_phase")


def test_purple_cards_may_be_given_away() -> None:
    given(city(5, "moving_company", stadium=1), city(5)).when(
        RollDice(A, 2), GiveEstablishment(A, "stadium"), dice=[(4, 4)]
    ).then_ends_with(ev.EstablishmentGiven(A, "stadium", B))


def test_the_moving_company_is_skipped_if_the_giver_has_no_establishment() -> None:
    given(city(5, "moving_company"), city(5, mine=1)).when(RollDice(A, 2), dice=[(4, 4)]).then(
        ev.DiceRolled("roll", (4, 4), 8)
    )


def test_who_has_nothing_to_give_is_helped_nevertheless() -> None:
    given(city(0, "moving_company"), city(5, mine=1)).when(RollDice(A, 2), dice=[(4, 4)]).then(
        ev.DiceRolled("roll", (4, 4), 8), ev.HelpReceived(A, 1)
    )


def test_the_moving_company_needs_a_double() -> None:
    given(city(5, "moving_company", mine=1), city(5)).when(RollDice(A, 2), dice=[(3, 5)]).then(
        ev.DiceRolled("roll", (3, 5), 8)
    )


@pytest.mark.parametrize(
    ("card", "code"),
    [
        ("forest", "card_not_owned"),
        ("loan_office", "card_not_tradable"),
        ("moving_company", "card_not_tradable"),
        ("ranch", "unknown_card"),
    ],
)
def test_only_an_own_establishment_is_given_away(card: str, code: str) -> None:
    given(city(5, "moving_company", "loan_office", mine=1), city(5, forest=1)).when(
        RollDice(A, 2), dice=[(4, 4)]
    ).when(GiveEstablishment(A, card)).then_rejected(code, "/card")


def test_the_gift_passes_over_a_previous_seat_that_resigned() -> None:
    given(city(5, "moving_company", mine=1), city(5), city(5)).when(
        RollDice(A, 2), Resign(C), GiveEstablishment(A, "mine"), dice=[(4, 4)]
    ).then_ends_with(ev.EstablishmentGiven(A, "mine", B))


def test_a_card_that_was_traded_in_may_be_given_away() -> None:
    given(city(5, "moving_company", business_center=1), city(5, mine=1)).when(
        RollDice(A, 2),
        SwapEstablishments(A, "business_center", B, "mine"),
        GiveEstablishment(A, "mine"),
        dice=[(3, 3)],
    ).then_ends_with(
        ev.EstablishmentsSwapped(A, "business_center", B, "mine"),
        ev.ChoiceRequested(A, "give", "moving_company"),
        ev.EstablishmentGiven(A, "mine", B),
    )


BOOSTS = [
    ("farmers_market", "wheat_field", (1,), 1),
    ("farmers_market", "corn_field", (3, 4), 3),
    ("shopping_mall", "bakery", (2,), 2),
    ("shopping_mall", "convenience_store", (4,), 3),
    ("forge", "forest", (5,), 2),
    ("forge", "mine", (5, 6), 6),
    ("soda_bottling_plant", "sushi_bar", (1,), 3),
    ("soda_bottling_plant", "cafe", (3,), 2),
    ("soda_bottling_plant", "hamburger_stand", (3, 5), 2),
    ("soda_bottling_plant", "family_restaurant", (4, 5), 2),
]


@pytest.mark.parametrize("builder", [A, B, C])
@pytest.mark.parametrize(("landmark", "card", "throw", "coins"), BOOSTS, ids=[case[1] for case in BOOSTS])
def test_boosts_work_for_every_player_once_built_by_anyone(
    landmark: str, card: str, throw: tuple[int, ...], coins: int, builder: int
) -> None:
    red = landmark == "soda_bottling_plant"
    owner = B if red else A
    towns = [
        city(50, *((landmark,) if seat == builder else ()), **({card: 2} if seat == owner else {}))
        for seat in (A, B, C)
    ]
    more = 2 * (coins + 1)
    event = PaymentMade(A, B, card, 2, more, more) if red else IncomeReceived(A, card, 2, more)

    given(*towns).when(RollDice(A, len(throw)), dice=[throw]).then_paid(event)


def test_two_boosts_of_different_signs_do_not_mix() -> None:
    given(city(5, "farmers_market", "shopping_mall", wheat_field=1, bakery=1), city(5, "forge")).when(
        RollDice(A, 1), dice=[(2,)]
    ).then_paid(IncomeReceived(A, "wheat_field", 1, 2), IncomeReceived(A, "bakery", 1, 3))


@pytest.mark.parametrize(
    ("card", "throw", "own", "coins"),
    [
        ("flower_garden", (4,), {}, 2),
        ("vineyard", (2,), {}, 2),
        ("apple_orchard", (4, 6), {}, 3),
        ("flower_shop", (6,), {"flower_garden": 1}, 3),
        ("furniture_factory", (3, 5), {"forest": 1}, 4),
        ("winery", (4, 5), {"vineyard": 1}, 3),
        ("food_warehouse", (4, 6), {"cafe": 1}, 2),
    ],
)
def test_flower_fruit_and_combo_cards_are_never_boosted(
    card: str, throw: tuple[int, ...], own: dict[str, int], coins: int
) -> None:
    given(
        city(5, "farmers_market", "shopping_mall", **{card: 1, **own}),
        city(5, "forge", "soda_bottling_plant"),
    ).when(RollDice(A, len(throw)), dice=[throw]).then_paid(IncomeReceived(A, card, 1, coins))


def test_purple_cards_are_never_boosted() -> None:
    given(
        city(5, "farmers_market", "shopping_mall", stadium=1), city(5, "forge", "soda_bottling_plant")
    ).when(RollDice(A, 2), dice=[(3, 4)]).then_paid(PaymentMade(B, A, "stadium", 1, 3, 3))
