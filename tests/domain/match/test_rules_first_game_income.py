"""Base and Harbor, rules reference, section 3: what cards pay, and the Town Hall."""

import pytest

from domain.match import events as ev
from domain.match.commands import (
    AddTwo,
    Build,
    DeclineSwap,
    KeepDice,
    KeepTotal,
    Pass,
    RerollDice,
    RollDice,
    SwapEstablishments,
    TakeCoins,
)
from domain.match.events import IncomeReceived, PaymentMade
from tests.domain.kit import A, B, C, D, city, given, new_match

# 2. Red


@pytest.mark.parametrize("landmarks", [(), ("harbor",)], ids=["no harbor", "harbor"])
def test_the_sushi_bar_fires_only_if_its_owner_has_the_harbor(landmarks: tuple[str, ...]) -> None:
    paid = [PaymentMade(A, B, "sushi_bar", 1, 3, 3)] if landmarks else []
    given("harbor", city(5, "harbor"), city(0, *landmarks, sushi_bar=1)).when(
        RollDice(A, 1), dice=[(1,)]
    ).then_paid(*paid)


# 3. Blue and green


@pytest.mark.parametrize("landmarks", [(), ("harbor",)], ids=["no harbor", "harbor"])
def test_the_mackerel_boat_fires_only_for_owners_who_have_the_harbor(landmarks: tuple[str, ...]) -> None:
    paid = [IncomeReceived(B, "mackerel_boat", 2, 6)] if landmarks else []
    given("harbor", city(5, "train_station", mackerel_boat=1), city(0, *landmarks, mackerel_boat=2)).when(
        RollDice(A, 2), dice=[(3, 5)]
    ).then_paid(*paid)


def test_the_boats_are_not_thrown_for_if_no_owner_has_the_harbor() -> None:
    given("harbor", city(5, "train_station", tuna_boat=1), city(0, tuna_boat=2), city(0, "harbor")).when(
        RollDice(A, 2), dice=[(6, 6)]
    ).then(ev.DiceRolled("roll", (6, 6), 12))


@pytest.mark.parametrize(
    ("throw", "answer"),
    [((6, 6), KeepTotal(A)), ((5, 6), AddTwo(A)), ((6, 6), AddTwo(A))],
    ids=["12", "13", "14"],
)
def test_the_boats_go_out_on_12_to_14(throw: tuple[int, int], answer: KeepTotal | AddTwo) -> None:
    given("harbor", city(5, "train_station", "harbor"), city(0, "harbor", tuna_boat=2)).when(
        RollDice(A, 2), answer, dice=[throw, (1, 2)]
    ).then_ends_with(ev.DiceRolled("boats", (1, 2), 3), IncomeReceived(B, "tuna_boat", 2, 6))


def test_the_boats_of_an_owner_without_harbor_stay_in_while_others_go_out() -> None:
    given(
        "harbor", city(5, "train_station", tuna_boat=1), city(0, tuna_boat=1), city(0, "harbor", tuna_boat=1)
    ).when(RollDice(A, 2), dice=[(6, 6), (1, 1)]).then_paid(IncomeReceived(C, "tuna_boat", 1, 2))


def test_the_active_player_throws_for_the_boats_once_after_the_other_income() -> None:
    given(
        "harbor",
        city(0, "train_station", "harbor", tuna_boat=1, food_warehouse=1, cafe=2),
        city(0, "harbor", tuna_boat=1),
    ).when(RollDice(A, 2), KeepTotal(A), dice=[(6, 6), (2, 3)]).then_ends_with(
        IncomeReceived(A, "food_warehouse", 1, 4),
        ev.DiceRolled("boats", (2, 3), 5),
        IncomeReceived(A, "tuna_boat", 1, 5),
        IncomeReceived(B, "tuna_boat", 1, 5),
    )


def test_a_double_stays_one_whatever_the_boats_throw() -> None:
    given("harbor", city(0, "train_station", "harbor", "amusement_park", tuna_boat=1), city(0)).when(
        RollDice(A, 2), KeepTotal(A), dice=[(6, 6), (2, 3)]
    ).then_ends_with(IncomeReceived(A, "tuna_boat", 1, 5), ev.ExtraTurnGranted(A, "amusement_park"))


def test_the_radio_tower_does_not_replace_the_throw_of_the_boats() -> None:
    given("harbor", city(0, "train_station", "radio_tower", "harbor", tuna_boat=1), city(0)).when(
        RollDice(A, 2), KeepDice(A), KeepTotal(A), dice=[(6, 6), (2, 3)]
    ).when(RerollDice(A)).then_rejected("wrong_phase")


# 4. Purple


def test_purple_cards_fire_in_the_order_stadium_tv_station_business_center() -> None:
    given("base", city(0, stadium=1, tv_station=1, business_center=1, bakery=1), city(9, cafe=1)).when(
        RollDice(A, 1), TakeCoins(A, B), DeclineSwap(A), dice=[(6,)]
    ).then(
        ev.DiceRolled("roll", (6,), 6),
        PaymentMade(B, A, "stadium", 1, 2, 2),
        ev.ChoiceRequested(A, "take_coins", "tv_station"),
        ev.TargetChosen(A, "tv_station", B),
        PaymentMade(B, A, "tv_station", 1, 5, 5),
        ev.ChoiceRequested(A, "swap", "business_center"),
        ev.SwapDeclined(A),
    )


def test_the_owner_of_the_tv_station_names_one_opponent() -> None:
    scene = given("base", city(3, tv_station=1), city(4), city(0), city(9)).when(RollDice(A, 1), dice=[(6,)])

    scene.then_asked(A, "take_coins", "tv_station")
    scene.then_legal(TakeCoins(A, B), TakeCoins(A, C), TakeCoins(A, D))
    scene.when(TakeCoins(A, B)).then(
        ev.TargetChosen(A, "tv_station", B), PaymentMade(B, A, "tv_station", 1, 5, 4)
    ).then_purses(7, 0, 0, 9)
    scene.when(TakeCoins(A, C)).then_purses(3, 4, 0, 9)


@pytest.mark.parametrize("seat", [A, -1, 2, 10**30])
def test_the_tv_station_takes_from_an_opponent_only(seat: int) -> None:
    given("base", city(3, tv_station=1), city(4)).when(RollDice(A, 1), dice=[(6,)]).when(
        TakeCoins(A, seat)
    ).then_rejected("invalid_target", "/from_seat")


def test_the_tv_station_asks_even_where_there_is_one_opponent() -> None:
    given("base", city(3, tv_station=1), city(1)).when(RollDice(A, 1), dice=[(6,)]).then_asked(
        A, "take_coins", "tv_station"
    )


def test_the_tv_station_does_not_ask_where_no_opponent_has_a_coin() -> None:
    given("base", city(3, stadium=1, tv_station=1), city(2), city(0)).when(
        RollDice(A, 1), dice=[(6,)]
    ).then_ends_with(PaymentMade(B, A, "stadium", 1, 2, 2), PaymentMade(C, A, "stadium", 1, 2, 0))


def test_the_business_center_trades_one_own_card_for_one_of_an_opponent() -> None:
    scene = given("base", city(0, business_center=1, wheat_field=2), city(0, mine=1), city(0, cafe=1)).when(
        RollDice(A, 1), dice=[(6,)]
    )

    scene.then_legal(
        DeclineSwap(A),
        SwapEstablishments(A, "wheat_field", B, "mine"),
        SwapEstablishments(A, "wheat_field", C, "cafe"),
    )
    scene.when(SwapEstablishments(A, "wheat_field", B, "mine"), Pass(A), RollDice(B, 1), dice=[(1,)]).then(
        ev.EstablishmentsSwapped(A, "wheat_field", B, "mine"),
        ev.BuildPassed(A),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, B),
        ev.DiceRolled("roll", (1,), 1),
        IncomeReceived(B, "wheat_field", 1, 1),
        IncomeReceived(A, "wheat_field", 1, 1),
    )


def test_the_trade_is_optional() -> None:
    given("base", city(0, business_center=1, wheat_field=1), city(0, mine=1)).when(
        RollDice(A, 1), DeclineSwap(A), dice=[(6,)]
    ).then_ends_with(ev.SwapDeclined(A))


@pytest.mark.parametrize(
    "tower", ["stadium", "tv_station", "business_center", "tax_office", "town_hall", "harbor"]
)
def test_cards_with_the_tower_sign_are_never_traded(tower: str) -> None:
    landmarks = ("harbor",) if tower == "harbor" else ()
    towers = {} if landmarks else {tower: 1}
    mine = given(
        "harbor", city(0, *landmarks, bakery=1, **{**towers, "business_center": 1}), city(0, mine=1)
    ).when(RollDice(A, 1), dice=[(6,)])
    theirs = given(
        "harbor", city(0, bakery=1, business_center=1), city(0, *landmarks, mine=1, **towers)
    ).when(RollDice(A, 1), dice=[(6,)])

    mine.then_legal(DeclineSwap(A), SwapEstablishments(A, "bakery", B, "mine"))
    mine.when(SwapEstablishments(A, tower, B, "mine")).then_rejected("card_not_tradable", "/give")
    theirs.when(SwapEstablishments(A, "bakery", B, tower)).then_rejected("card_not_tradable", "/take")


def test_starter_cards_may_be_traded() -> None:
    scene = new_match("base").when(RollDice(A, 1), dice=[(6,)])
    assert scene.state.phase == "build"

    given("base", city(0, business_center=1, wheat_field=1), city(0, bakery=1)).when(
        RollDice(A, 1), SwapEstablishments(A, "wheat_field", B, "bakery"), dice=[(6,)]
    ).then_ends_with(ev.EstablishmentsSwapped(A, "wheat_field", B, "bakery"))


@pytest.mark.parametrize(
    ("command", "code", "pointer"),
    [
        (SwapEstablishments(A, "forest", B, "mine"), "card_not_owned", "/give"),
        (SwapEstablishments(A, "bakery", B, "forest"), "card_not_owned", "/take"),
        (SwapEstablishments(A, "bakery", C, "mine"), "card_not_owned", "/take"),
        (SwapEstablishments(A, "no such card", B, "mine"), "unknown_card", "/give"),
        (SwapEstablishments(A, "bakery", B, ""), "unknown_card", "/take"),
        (SwapEstablishments(A, "bakery", A, "mine"), "invalid_target", "/with_seat"),
        (SwapEstablishments(A, "bakery", 3, "mine"), "invalid_target", "/with_seat"),
        (SwapEstablishments(A, "bakery", -1, "mine"), "invalid_target", "/with_seat"),
    ],
)
def test_a_trade_needs_two_owners_and_a_card_of_each(
    command: SwapEstablishments, code: str, pointer: str
) -> None:
    given("base", city(0, business_center=1, bakery=1), city(0, mine=1), city(0, cafe=1)).when(
        RollDice(A, 1), dice=[(6,)]
    ).when(command).then_rejected(code, pointer)


@pytest.mark.parametrize(
    ("own", "theirs"),
    [({}, {"mine": 1}), ({"bakery": 1}, {}), ({"bakery": 1}, {"stadium": 1}), ({"bakery": 2}, {"bakery": 1})],
    ids=["nothing to give", "nothing to take", "only a tower", "only equal cards"],
)
def test_the_business_center_does_not_ask_where_no_trade_could_change_anything(
    own: dict[str, int], theirs: dict[str, int]
) -> None:
    given("base", city(0, business_center=1, **own), city(0, **theirs)).when(
        RollDice(A, 1), dice=[(6,)]
    ).then(ev.DiceRolled("roll", (6,), 6))


def test_the_publisher_takes_1_for_each_cup_and_bread_card_of_each_opponent() -> None:
    given(
        "harbor",
        city(0, "train_station", publisher=1, cafe=3),
        city(9, cafe=2, bakery=1, mine=4),
        city(2, flower_shop=3, wheat_field=1),
        city(9, forest=1),
    ).when(RollDice(A, 2), dice=[(3, 4)]).then_paid(
        PaymentMade(B, A, "publisher", 1, 3, 3), PaymentMade(C, A, "publisher", 1, 3, 2)
    )


@pytest.mark.parametrize(("coins", "taken"), [(9, 0), (10, 5), (11, 5), (12, 6)])
def test_the_tax_office_takes_half_rounded_down_from_10_coins_on(coins: int, taken: int) -> None:
    paid = [PaymentMade(B, A, "tax_office", 1, taken, taken)] if taken else []
    given("harbor", city(0, "train_station", tax_office=1, town_hall=0), city(coins)).when(
        RollDice(A, 2), dice=[(4, 5)]
    ).then_paid(*paid)


def test_the_tax_office_takes_from_every_opponent() -> None:
    given("harbor", city(0, "train_station", tax_office=1), city(10), city(9), city(30)).when(
        RollDice(A, 2), dice=[(4, 5)]
    ).then_paid(PaymentMade(B, A, "tax_office", 1, 5, 5), PaymentMade(D, A, "tax_office", 1, 15, 15))


# Shopping Mall


@pytest.mark.parametrize(
    ("card", "throw", "amount"),
    [("bakery", (2,), 2), ("convenience_store", (4,), 4)],
)
def test_the_shopping_mall_makes_each_firing_bread_card_of_its_owner_worth_1_more(
    card: str, throw: tuple[int, ...], amount: int
) -> None:
    given("base", city(0, "shopping_mall", **{card: 3}), city(0)).when(
        RollDice(A, 1), dice=[throw]
    ).then_paid(IncomeReceived(A, card, 3, 3 * amount))
    given("base", city(0, **{card: 3}), city(0, "shopping_mall")).when(
        RollDice(A, 1), dice=[throw]
    ).then_paid(IncomeReceived(A, card, 3, 3 * (amount - 1)))


@pytest.mark.parametrize(
    ("card", "throw", "amount"),
    [
        ("sushi_bar", (1,), 4),
        ("cafe", (3,), 2),
        ("pizza_joint", (3, 4), 2),
        ("hamburger_stand", (3, 5), 2),
        ("family_restaurant", (4, 5), 3),
    ],
)
def test_the_shopping_mall_makes_each_firing_cup_card_of_its_owner_worth_1_more(
    card: str, throw: tuple[int, ...], amount: int
) -> None:
    def scene(payer: tuple[str, ...], owner: tuple[str, ...]) -> tuple[ev.Event, ...]:
        towns = city(50, "train_station", *payer), city(0, "harbor", *owner, **{card: 2})
        return given("harbor", *towns).when(RollDice(A, len(throw)), dice=[throw]).events[1:]

    assert scene((), ("shopping_mall",)) == (PaymentMade(A, B, card, 2, 2 * amount, 2 * amount),)
    assert scene(("shopping_mall",), ()) == (PaymentMade(A, B, card, 2, 2 * amount - 2, 2 * amount - 2),)


@pytest.mark.parametrize(
    ("card", "throw", "coins"),
    [
        ("wheat_field", (1,), 1),
        ("ranch", (2,), 1),
        ("forest", (5,), 1),
        ("mine", (4, 5), 5),
        ("mackerel_boat", (3, 5), 3),
    ],
)
def test_the_shopping_mall_adds_nothing_to_other_signs(card: str, throw: tuple[int, ...], coins: int) -> None:
    given("harbor", city(0, "shopping_mall", "train_station", "harbor", **{card: 1}), city(0)).when(
        RollDice(A, len(throw)), dice=[throw]
    ).then_paid(IncomeReceived(A, card, 1, coins))


def test_a_card_that_does_not_fire_gets_no_bonus() -> None:
    given("harbor", city(9), city(0, "shopping_mall", sushi_bar=1)).when(
        RollDice(A, 1), dice=[(1,)]
    ).then_nothing()
    given("harbor", city(9, "shopping_mall", flower_shop=2), city(0)).when(
        RollDice(A, 1), dice=[(6,)]
    ).then_nothing()


def test_the_publisher_takes_no_more_for_a_shopping_mall() -> None:
    given(
        "harbor", city(0, "train_station", "shopping_mall", publisher=1), city(9, "shopping_mall", cafe=1)
    ).when(RollDice(A, 2), dice=[(3, 4)]).then_paid(PaymentMade(B, A, "publisher", 1, 1, 1))


def test_the_flower_garden_carries_the_wheat_sign() -> None:
    given("harbor", city(0, "train_station", flower_garden=2, fruit_and_vegetable_market=1), city(0)).when(
        RollDice(A, 2), dice=[(5, 6)]
    ).then_paid(IncomeReceived(A, "fruit_and_vegetable_market", 1, 4))


# 5. Town Hall


@pytest.mark.parametrize(("coins", "helped"), [(0, True), (1, False)])
def test_the_town_hall_helps_at_0_coins_only(coins: int, helped: bool) -> None:
    given("harbor", city(coins, town_hall=1), city(0, town_hall=1)).when(
        RollDice(A, 1), dice=[(6,)]
    ).then_paid(*([ev.HelpReceived(A, 1)] if helped else []))


def test_the_town_hall_looks_at_the_purse_after_income() -> None:
    given("harbor", city(0, town_hall=1, ranch=1), city(0)).when(RollDice(A, 1), dice=[(2,)]).then_paid(
        IncomeReceived(A, "ranch", 1, 1)
    )
    given("harbor", city(1, town_hall=1), city(0, cafe=1)).when(RollDice(A, 1), dice=[(3,)]).then_paid(
        PaymentMade(A, B, "cafe", 1, 1, 1), ev.HelpReceived(A, 1)
    )


def test_the_coin_of_the_town_hall_can_be_spent_at_once() -> None:
    given("harbor", city(0, town_hall=1), city(0)).when(
        RollDice(A, 1), Build(A, "bakery"), dice=[(6,)]
    ).then_includes(ev.HelpReceived(A, 1), ev.EstablishmentBuilt(A, "bakery", 1))


def test_there_is_no_help_in_base() -> None:
    given("base", city(0), city(0)).when(RollDice(A, 1), dice=[(6,)]).then_nothing()
