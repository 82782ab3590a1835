"""The worked examples of the rules reference, section 5, in their order."""

import pytest

from domain.match import events as ev
from domain.match.commands import AddTwo, Build, KeepTotal, Pass, RollDice
from domain.match.events import IncomeReceived, PaymentMade
from tests.domain.kit import TEN_KINDS, A, B, C, city, given, new_match, row


def test_example_1_a_payer_without_coins_owes_nothing_later_and_then_earns() -> None:
    given("base", city(0, bakery=2), city(0, cafe=1)).when(RollDice(A, 1), dice=[(3,)]).then_paid(
        PaymentMade(A, B, "cafe", 1, 1, 0), IncomeReceived(A, "bakery", 2, 2)
    ).then_purses(2, 0)


def test_example_2_the_previous_seat_is_paid_in_full_before_the_one_before_it() -> None:
    given("base", city(3), city(cafe=3), city(cafe=2)).when(RollDice(A, 1), dice=[(3,)]).then_paid(
        PaymentMade(A, C, "cafe", 2, 2, 2), PaymentMade(A, B, "cafe", 3, 3, 1)
    ).then_purses(0, 1, 2)


@pytest.mark.parametrize("total", [2, 3])
def test_example_3_two_bakeries_with_the_shopping_mall_bring_4(total: int) -> None:
    given("base", city(0, "shopping_mall", bakery=2), city()).when(RollDice(A, 1), dice=[(total,)]).then_paid(
        IncomeReceived(A, "bakery", 2, 4)
    )


def test_example_4_the_tax_office_looks_at_the_purse_after_the_mine_has_paid() -> None:
    given("harbor", city(0, "train_station", town_hall=1, tax_office=1), city(6, town_hall=1, mine=1)).when(
        RollDice(A, 2), dice=[(4, 5)]
    ).then_paid(IncomeReceived(B, "mine", 1, 5), PaymentMade(B, A, "tax_office", 1, 5, 5)).then_purses(5, 6)


def test_example_5_the_town_hall_brings_exactly_1_coin_before_building() -> None:
    given("harbor", city(0, town_hall=1), city(0, town_hall=1)).when(RollDice(A, 1), dice=[(6,)]).then_paid(
        ev.HelpReceived(A, 1)
    ).then_purses(1, 0)


@pytest.mark.parametrize(
    ("answer", "event"),
    [(KeepTotal(A), ev.DiceKept(A, "add_two", 10)), (AddTwo(A), ev.TwoAdded(A, 12))],
    ids=["10", "12"],
)
def test_example_6_a_total_of_10_with_the_harbor_counts_as_10_or_12(
    answer: KeepTotal | AddTwo, event: ev.Event
) -> None:
    rolled = given("harbor", city(1, "train_station", "harbor"), city()).when(RollDice(A, 2), dice=[(4, 6)])
    rolled.then_asked(A, "add_two", "harbor").then_legal(AddTwo(A), KeepTotal(A))

    rolled.when(answer).then(event)


def test_example_7_the_airport_pays_for_both_turns_of_a_double() -> None:
    given("harbor", city(1, "train_station", "amusement_park", "airport"), city()).when(
        RollDice(A, 2), Pass(A), RollDice(A, 2), Pass(A), dice=[(1, 1), (1, 2)]
    ).then_paid(IncomeReceived(A, "airport", 1, 10), IncomeReceived(A, "airport", 1, 10)).then_purses(21, 0)


@pytest.mark.parametrize("throw", [(3, 5), (4, 5)], ids=["8", "9"])
def test_example_8_the_tax_office_takes_10_of_21(throw: tuple[int, int]) -> None:
    given("harbor", city(0, "train_station", tax_office=1), city(21)).when(
        RollDice(A, 2), dice=[throw]
    ).then_paid(PaymentMade(B, A, "tax_office", 1, 10, 10)).then_purses(10, 11)


@pytest.mark.parametrize(("landmarks", "coins"), [(("shopping_mall",), 12), ((), 6)], ids=["mall", "no mall"])
def test_example_9_the_shopping_mall_counts_once_for_each_garden_of_each_flower_shop(
    landmarks: tuple[str, ...], coins: int
) -> None:
    given("harbor", city(0, *landmarks, flower_garden=3, flower_shop=2), city()).when(
        RollDice(A, 1), dice=[(6,)]
    ).then_paid(IncomeReceived(A, "flower_shop", 2, coins))


def test_example_10_the_throw_of_the_boats_fires_nothing_else_is_no_double_and_takes_no_2() -> None:
    given(
        "harbor",
        city(9, "train_station", "harbor", "amusement_park", tuna_boat=1),
        city(0, family_restaurant=2),
    ).when(RollDice(A, 2), AddTwo(A), dice=[(5, 6), (5, 5)]).then(
        ev.DiceRolled("roll", (5, 6), 11),
        ev.ChoiceRequested(A, "add_two", "harbor"),
        ev.TwoAdded(A, 13),
        ev.DiceRolled("boats", (5, 5), 10),
        IncomeReceived(A, "tuna_boat", 1, 10),
    )


def test_example_11_one_throw_of_the_boats_serves_every_owner_with_a_harbor() -> None:
    given(
        "harbor", city(0, "train_station", "harbor", tuna_boat=3), city(0), city(0, "harbor", tuna_boat=1)
    ).when(RollDice(A, 2), KeepTotal(A), dice=[(6, 6), (3, 5)]).then_paid(
        IncomeReceived(A, "tuna_boat", 3, 24), IncomeReceived(C, "tuna_boat", 1, 8)
    )


def test_example_12_a_limited_market_of_9_kinds_reveals_cards_until_there_are_10() -> None:
    market = row("market", deck=("bakery", "mine", "tv_station", "stadium"), **TEN_KINDS)

    given("base", city(9), city(), phase="build", market="limited", rows=[market]).when(
        Build(A, "ranch")
    ).then_includes(
        ev.EstablishmentBuilt(A, "ranch", 1), ev.MarketRefilled("market", ("bakery", "mine", "tv_station"))
    )


def test_example_13_building_for_1_2_and_1_in_the_building_rounds_leaves_1_coin() -> None:
    new_match("machi_koro_2").when(
        Build(A, "wheat_field"), Pass(B), Build(A, "sushi_bar"), Pass(B), Build(A, "bakery"), Pass(B)
    ).then_purses(1, 5)


def test_example_14_a_winery_pays_for_vineyards_and_orchards() -> None:
    given("machi_koro_2", city(0, vineyard=2, apple_orchard=1, winery=1), city()).when(
        RollDice(A, 2), dice=[(4, 5)]
    ).then_paid(IncomeReceived(A, "winery", 1, 9))


def test_example_15_the_amusement_park_as_second_landmark_costs_16() -> None:
    given(
        "machi_koro_2",
        city(20, "forge"),
        city(),
        phase="build",
        rows=[row("landmarks", amusement_park=1)],
    ).when(Build(A, "amusement_park")).then_includes(ev.LandmarkBuilt(A, "amusement_park", 16))


def test_example_16_red_cards_are_paid_anticlockwise_in_the_second_game_too() -> None:
    given("machi_koro_2", city(3), city(cafe=2), city(cafe=1)).when(RollDice(A, 1), dice=[(3,)]).then_paid(
        PaymentMade(A, C, "cafe", 1, 2, 2),
        PaymentMade(A, B, "cafe", 2, 4, 1),
        ev.HelpReceived(A, 1),
    ).then_purses(1, 1, 2)


@pytest.mark.parametrize("builder", [A, B], ids=["own", "another's"])
def test_example_17_the_farmers_market_of_anybody_makes_each_corn_field_bring_4(builder: int) -> None:
    landmarks: list[tuple[str, ...]] = [(), ()]
    landmarks[builder] = ("farmers_market",)

    given("machi_koro_2", city(0, *landmarks[A], corn_field=2), city(0, *landmarks[B])).when(
        RollDice(A, 2), dice=[(3, 4)]
    ).then_paid(IncomeReceived(A, "corn_field", 2, 8))


def test_example_18_a_double_and_the_radio_tower_in_one_turn_give_one_extra_turn() -> None:
    given("machi_koro_2", city(20), city(0, "amusement_park"), rows=[row("landmarks", radio_tower=1)]).when(
        RollDice(A, 2), Build(A, "radio_tower"), RollDice(A, 2), Pass(A), dice=[(1, 1), (1, 2)]
    ).then(
        ev.DiceRolled("roll", (1, 1), 2),
        ev.ExtraTurnGranted(A, "amusement_park"),
        ev.LandmarkBuilt(A, "radio_tower", 12),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, A, "roll", True),
        ev.DiceRolled("roll", (1, 2), 3),
        ev.BuildPassed(A),
        ev.TurnEnded(2, A),
        ev.TurnStarted(3, B),
    )


def test_example_19_the_park_gives_everybody_the_rounded_up_share_and_the_bank_adds_the_rest() -> None:
    given(
        "machi_koro_2",
        city(22),
        city(3),
        city(0),
        city(4),
        phase="build",
        rows=[row("landmarks", park=1)],
    ).when(Build(A, "park")).then_paid(ev.CoinsLevelled(A, "park", (5, 5, 5, 5), 3))


LAUNCH_PAD = [
    ("first", (), (), 45),
    ("second", ("forge",), (), 38),
    ("third", ("forge", "museum"), (), 25),
    ("first with Observatory", (), ("observatory",), 40),
    ("second with Observatory", ("forge",), ("observatory",), 33),
    ("third with Observatory", ("forge", "museum"), ("observatory",), 20),
    ("third with Observatory and Loan Office", ("loan_office", "museum"), ("observatory",), 18),
    ("third with own Observatory and Loan Office", ("loan_office", "observatory"), (), 18),
]


@pytest.mark.parametrize(
    ("own", "others", "price"), [case[1:] for case in LAUNCH_PAD], ids=[case[0] for case in LAUNCH_PAD]
)
def test_example_20_the_price_of_the_launch_pad(
    own: tuple[str, ...], others: tuple[str, ...], price: int
) -> None:
    rows = [row("landmarks", launch_pad=1)]

    given("machi_koro_2", city(price, *own), city(0, *others), phase="build", rows=rows).when(
        Build(A, "launch_pad")
    ).then(ev.LandmarkBuilt(A, "launch_pad", price), ev.MatchFinished(A, "landmarks"))
    given("machi_koro_2", city(price - 1, *own), city(0, *others), phase="build", rows=rows).when(
        Build(A, "launch_pad")
    ).then_rejected("insufficient_coins", "/card")
