"""Machi Koro 2, rules reference, section 4: building, passing and extra turns."""

import pytest

from domain.match import events as ev
from domain.match.commands import Build, GiveEstablishment, Pass, Resign, RollDice
from domain.match.decide.building import price
from domain.match.events import IncomeReceived, PaymentMade, PositionPlayer
from domain.match.legal import unbuildable
from tests.domain.kit import A, B, C, D, Scene, city, row
from tests.domain.kit import given as given_any


def given(*players: PositionPlayer, **table: object) -> Scene:
    return given_any("machi_koro_2", *players, **table)  # type: ignore[arg-type]  # passed on as they are


def on_sale(*landmarks: str) -> list[ev.PositionRow]:
    """A row of landmarks with nothing behind it."""
    return [ev.PositionRow("landmarks", dict.fromkeys(landmarks, 1), ())]


# 5. Build or pass


@pytest.mark.parametrize(("coins", "helped"), [(0, True), (1, False)])
def test_everybody_gets_a_coin_from_the_bank_at_0_coins_before_building(coins: int, helped: bool) -> None:
    given(city(coins), city(0)).when(RollDice(A, 1), dice=[(6,)]).then_paid(
        *([ev.HelpReceived(A, 1)] if helped else [])
    )


def test_the_help_comes_after_the_gift_of_the_moving_company() -> None:
    given(city(0, "moving_company", mine=1), city(0)).when(
        RollDice(A, 2), GiveEstablishment(A, "mine"), dice=[(4, 4)]
    ).then(
        ev.DiceRolled("roll", (4, 4), 8),
        ev.ChoiceRequested(A, "give", "moving_company"),
        ev.EstablishmentGiven(A, "mine", B),
        ev.HelpReceived(A, 1),
    )


def test_the_help_comes_after_the_charterhouse() -> None:
    given(city(0, "charterhouse"), city(0)).when(RollDice(A, 2), dice=[(1, 2)]).then_paid(
        IncomeReceived(A, "charterhouse", 1, 3)
    )


LANDMARK_PRICES = [
    ("farmers_market", (10, 14, 22)),
    ("french_restaurant", (10, 14, 22)),
    ("moving_company", (10, 14, 22)),
    ("observatory", (10, 14, 22)),
    ("publisher", (10, 14, 22)),
    ("shopping_mall", (10, 14, 22)),
    ("tech_startup", (10, 14, 22)),
    ("airport", (12, 16, 22)),
    ("amusement_park", (12, 16, 22)),
    ("charterhouse", (12, 16, 22)),
    ("exhibit_hall", (12, 16, 22)),
    ("forge", (12, 16, 22)),
    ("museum", (12, 16, 22)),
    ("park", (12, 16, 22)),
    ("radio_tower", (12, 16, 22)),
    ("soda_bottling_plant", (12, 16, 22)),
    ("temple", (12, 16, 22)),
    ("tv_station", (12, 16, 22)),
    ("launch_pad", (45, 38, 25)),
]


@pytest.mark.parametrize(("card", "prices"), LANDMARK_PRICES, ids=[case[0] for case in LANDMARK_PRICES])
def test_the_price_of_a_landmark_depends_on_how_many_the_builder_has(
    card: str, prices: tuple[int, int, int]
) -> None:
    others = [id for id in ("temple", "forge", "park") if id != card]
    for owned, cost in enumerate(prices):
        own = others[:owned]
        scene = given(
            city(50, *own),
            city(0, "museum") if card != "museum" else city(),
            phase="build",
            rows=on_sale(card),
        )
        scene.when(Build(A, card)).then_includes(ev.LandmarkBuilt(A, card, cost))


def test_a_player_who_has_won_finds_all_other_landmarks_at_the_third_price() -> None:
    """Built-in players compare tables behind the end, too."""
    over = given(city(50, "forge", "temple"), city(0), phase="build", rows=on_sale("museum")).when(
        Build(A, "museum")
    )
    prices = next(prices for card, prices in LANDMARK_PRICES if card == "park")

    assert over.state.status == "finished"
    assert price(over.state, A, over.state.rules.index["park"]) == prices[-1]


def test_the_landmarks_of_others_do_not_change_the_price() -> None:
    given(city(12), city(0, "forge", "temple"), phase="build", rows=on_sale("park")).when(
        Build(A, "park")
    ).then_includes(ev.LandmarkBuilt(A, "park", 12))


def test_a_landmark_is_there_once_for_all() -> None:
    scene = given(city(50), city(50), phase="build", rows=on_sale("park", "forge"))
    built = scene.when(Build(A, "forge"), RollDice(B, 1), dice=[(6,)])

    built.when(Build(B, "forge")).then_rejected("card_not_available", "/card")


def test_an_own_landmark_is_not_built_twice() -> None:
    given(city(50, "forge"), city(0), phase="build").when(Build(A, "forge")).then_rejected(
        "landmark_already_built", "/card"
    )


def test_a_landmark_that_does_not_lie_in_the_row_is_not_for_sale() -> None:
    given(city(50), city(0), phase="build", rows=on_sale("park")).when(Build(A, "forge")).then_rejected(
        "card_not_available", "/card"
    )


@pytest.mark.parametrize(
    ("own", "others", "allowed"),
    [
        ((), [("forge",), ("park",)], True),
        ((), [("forge",), ()], False),
        (("temple",), [("forge",), ("park",)], False),
        ((), [(), ()], False),
        (("temple",), [(), ()], False),
    ],
    ids=["the only one without", "two without", "has one", "nobody has one", "the only one with"],
)
def test_the_loan_office_is_for_the_one_player_who_has_no_landmark_while_all_others_have(
    own: tuple[str, ...], others: list[tuple[str, ...]], allowed: bool
) -> None:
    scene = given(
        city(50, *own), *[city(0, *other) for other in others], phase="build", rows=on_sale("loan_office")
    ).when(Build(A, "loan_office"))

    if allowed:
        scene.then_includes(ev.LandmarkBuilt(A, "loan_office", 10))
    else:
        scene.then_rejected("loan_office_condition", "/card")


def test_seats_that_resigned_do_not_keep_the_loan_office_shut() -> None:
    given(city(50), city(0), city(0, "forge"), phase="build", rows=on_sale("loan_office")).when(
        Resign(B), Build(A, "loan_office")
    ).then_includes(ev.LandmarkBuilt(A, "loan_office", 10))


def test_the_loan_office_costs_10_and_takes_nothing_off_its_own_price() -> None:
    given(city(9), city(0, "forge"), phase="build", rows=on_sale("loan_office")).when(
        Build(A, "loan_office")
    ).then_rejected("insufficient_coins", "/card")


def test_the_loan_office_is_listed_at_its_own_price_by_its_builder() -> None:
    scene = given(city(50, "loan_office"), city(), phase="build", rows=on_sale("park"))
    listed = {id: price for id, price, _ in unbuildable(scene.state)}
    assert (listed["loan_office"], listed["museum"]) == (10, 14)


@pytest.mark.parametrize(("own", "price"), [(("loan_office",), 14), (("loan_office", "forge"), 20)])
def test_the_loan_office_makes_the_landmarks_of_its_builder_cost_2_less(
    own: tuple[str, ...], price: int
) -> None:
    given(city(50, *own), city(), phase="build", rows=on_sale("park")).when(Build(A, "park")).then_includes(
        ev.LandmarkBuilt(A, "park", price)
    )


def test_the_loan_office_of_another_makes_nothing_cheaper() -> None:
    given(city(50), city(0, "loan_office"), phase="build", rows=on_sale("park")).when(
        Build(A, "park")
    ).then_includes(ev.LandmarkBuilt(A, "park", 12))


def test_the_loan_office_makes_no_establishment_cheaper() -> None:
    given(city(50, "loan_office"), city(), phase="build", rows=[row("low", forest=1)]).when(
        Build(A, "forest")
    ).then_includes(ev.EstablishmentBuilt(A, "forest", 3))


@pytest.mark.parametrize("builder", [A, B], ids=["own", "another's"])
def test_the_observatory_makes_the_launch_pad_5_cheaper_for_everybody_and_nothing_else(builder: int) -> None:
    landmarks: list[tuple[str, ...]] = [(), ()]
    landmarks[builder] = ("observatory",)
    landmarks[1 - builder] = ("forge",)
    towns = city(50, *landmarks[A]), city(0, *landmarks[B])

    given(*towns, phase="build", rows=on_sale("launch_pad")).when(Build(A, "launch_pad")).then_includes(
        ev.LandmarkBuilt(A, "launch_pad", 33)
    )
    given(*towns, phase="build", rows=on_sale("park")).when(Build(A, "park")).then_includes(
        ev.LandmarkBuilt(A, "park", 16)
    )


def test_the_observatory_of_a_seat_that_resigned_stays_in_force() -> None:
    given(city(50), city(0, "observatory"), city(0), phase="build", rows=on_sale("launch_pad")).when(
        Resign(B), Build(A, "launch_pad")
    ).then_includes(ev.LandmarkBuilt(A, "launch_pad", 40))


def test_a_price_never_falls_below_0() -> None:
    given(city(0, "loan_office"), city(), phase="build", rows=on_sale("park"), card_costs={"park": 1}).when(
        Build(A, "park")
    ).then_includes(ev.LandmarkBuilt(A, "park", 0))


def test_the_french_restaurant_takes_2_from_each_opponent_when_built() -> None:
    given(city(10), city(5), city(1), phase="build", rows=on_sale("french_restaurant")).when(
        Build(A, "french_restaurant")
    ).then(
        ev.LandmarkBuilt(A, "french_restaurant", 10),
        PaymentMade(B, A, "french_restaurant", 1, 2, 2),
        PaymentMade(C, A, "french_restaurant", 1, 2, 1),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, B),
    )


def test_the_publisher_takes_1_for_each_bread_card_of_each_opponent_when_built() -> None:
    given(
        city(10, bakery=1),
        city(9, bakery=2, convenience_store=1, cafe=3),
        city(1, convenience_store=2),
        city(9, flower_shop=1),
        phase="build",
        rows=on_sale("publisher"),
    ).when(Build(A, "publisher")).then_paid(
        PaymentMade(B, A, "publisher", 1, 3, 3), PaymentMade(C, A, "publisher", 1, 2, 1)
    )


def test_the_tv_station_takes_1_for_each_cup_card_of_each_opponent_when_built() -> None:
    given(
        city(12, cafe=1),
        city(9, sushi_bar=1, cafe=2, hamburger_stand=1, family_restaurant=1, bakery=1),
        city(9, food_warehouse=1),
        phase="build",
        rows=on_sale("tv_station"),
    ).when(Build(A, "tv_station")).then_paid(PaymentMade(B, A, "tv_station", 1, 5, 5))


def test_the_exhibit_hall_takes_half_rounded_down_from_opponents_above_10_coins_when_built() -> None:
    given(city(30), city(10), city(11), city(25), phase="build", rows=on_sale("exhibit_hall")).when(
        Build(A, "exhibit_hall")
    ).then_paid(PaymentMade(C, A, "exhibit_hall", 1, 5, 5), PaymentMade(D, A, "exhibit_hall", 1, 12, 12))


def test_the_museum_takes_3_for_each_landmark_of_each_opponent_when_built() -> None:
    given(
        city(16, "forge"),
        city(9, "temple", "park"),
        city(1, "radio_tower"),
        city(9),
        phase="build",
        rows=on_sale("museum"),
    ).when(Build(A, "museum")).then_paid(
        PaymentMade(B, A, "museum", 1, 6, 6), PaymentMade(C, A, "museum", 1, 3, 1)
    )


def test_the_park_shares_all_purses_after_it_was_paid_for() -> None:
    given(city(12), city(30), city(2), phase="build", rows=on_sale("park")).when(Build(A, "park")).then(
        ev.LandmarkBuilt(A, "park", 12),
        ev.CoinsLevelled(A, "park", (11, 11, 11), 1),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, B),
    )


def test_the_bank_adds_nothing_where_the_share_comes_out_even() -> None:
    given(city(12), city(6), city(0), phase="build", rows=on_sale("park")).when(Build(A, "park")).then_paid(
        ev.CoinsLevelled(A, "park", (2, 2, 2), 0)
    )


def test_the_park_leaves_the_purse_of_a_seat_that_resigned_alone() -> None:
    given(city(12), city(30), city(5), phase="build", rows=on_sale("park")).when(
        Resign(B), Build(A, "park")
    ).then_paid(ev.CoinsLevelled(A, "park", (3, 30, 3), 1))


def test_the_radio_tower_gives_an_extra_turn_when_built() -> None:
    given(city(12), city(5), phase="build", rows=on_sale("radio_tower")).when(Build(A, "radio_tower")).then(
        ev.LandmarkBuilt(A, "radio_tower", 12),
        ev.ExtraTurnGranted(A, "radio_tower"),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, A, "roll", True),
    )


def test_one_time_landmarks_act_once() -> None:
    given(city(9, "french_restaurant", "publisher"), city(9, "radio_tower", bakery=1)).when(
        RollDice(A, 2), Pass(A), dice=[(5, 5)]
    ).then_nothing().then_lacks(ev.ExtraTurnGranted)


@pytest.mark.parametrize("card", ["french_restaurant", "exhibit_hall", "park", "museum", "radio_tower"])
def test_one_time_landmarks_do_not_act_when_the_build_wins(card: str) -> None:
    given(city(50, "forge", "temple"), city(30, "airport"), phase="build", rows=on_sale(card)).when(
        Build(A, card)
    ).then(ev.LandmarkBuilt(A, card, 22), ev.MatchFinished(A, "landmarks"))


@pytest.mark.parametrize("builder", [A, B], ids=["own", "another's"])
def test_passing_while_anyone_has_built_the_airport_pays_the_active_player_5(builder: int) -> None:
    landmarks: list[tuple[str, ...]] = [(), ()]
    landmarks[builder] = ("airport",)
    given(city(5, *landmarks[A]), city(5, *landmarks[B]), phase="build").when(Pass(A)).then(
        ev.BuildPassed(A), IncomeReceived(A, "airport", 1, 5), ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )


def test_the_airport_of_a_seat_that_resigned_pays_on() -> None:
    given(city(5), city(5, "airport"), city(5), phase="build").when(Resign(B), Pass(A)).then_paid(
        IncomeReceived(A, "airport", 1, 5)
    )


def test_building_while_the_airport_stands_pays_nothing() -> None:
    given(city(5, "airport"), city(5), phase="build", rows=[row("low", cafe=2)]).when(
        Build(A, "cafe")
    ).then_nothing()


FIVE_LOW = {"sushi_bar": 1, "cafe": 2, "bakery": 1, "forest": 1, "vineyard": 1}
FIVE_HIGH = {"mine": 1, "stadium": 1, "winery": 1, "corn_field": 1, "apple_orchard": 1}
FIVE_LANDMARKS = {"park": 1, "forge": 1, "temple": 1, "museum": 1, "launch_pad": 1}


def _market(**decks: tuple[str, ...]) -> list[ev.PositionRow]:
    return [
        row("low", deck=decks.get("low", ("flower_shop",)), **FIVE_LOW),
        row("high", deck=decks.get("high", ("food_warehouse",)), **FIVE_HIGH),
        row("landmarks", deck=decks.get("landmarks", ("airport",)), **FIVE_LANDMARKS),
    ]


@pytest.mark.parametrize(
    ("card", "refilled"),
    [
        ("sushi_bar", ev.MarketRefilled("low", ("flower_shop",))),
        ("mine", ev.MarketRefilled("high", ("food_warehouse",))),
        ("forge", ev.MarketRefilled("landmarks", ("airport",))),
    ],
)
def test_the_row_bought_from_refills_to_five_kinds(card: str, refilled: ev.MarketRefilled) -> None:
    scene = given(city(20), city(20), phase="build", rows=_market()).when(Build(A, card))

    assert [event for event in scene.events if isinstance(event, ev.MarketRefilled)] == [refilled]


def test_a_row_that_still_shows_five_kinds_is_not_refilled() -> None:
    given(city(20), city(20), phase="build", rows=_market()).when(Build(A, "cafe")).then_lacks(
        ev.MarketRefilled
    )


def test_a_row_refills_while_its_deck_lasts() -> None:
    scene = given(city(20), city(20), phase="build", rows=_market(low=("cafe",))).when(Build(A, "sushi_bar"))
    scene.then_includes(ev.MarketRefilled("low", ("cafe",)))

    scene.when(RollDice(B, 1), Build(B, "forest"), dice=[(6,)]).then_lacks(ev.MarketRefilled)


def test_a_landmark_acts_before_its_row_is_refilled() -> None:
    given(city(20), city(20), phase="build", rows=_market()).when(Build(A, "park")).then(
        ev.LandmarkBuilt(A, "park", 12),
        ev.CoinsLevelled(A, "park", (14, 14), 0),
        ev.MarketRefilled("landmarks", ("airport",)),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, B),
    )


# 6. Extra turn


def test_an_amusement_park_built_this_turn_was_not_in_play_when_the_dice_fell() -> None:
    given(city(20), city(5), rows=on_sale("amusement_park")).when(
        RollDice(A, 2), Build(A, "amusement_park"), dice=[(1, 1)]
    ).then_lacks(ev.ExtraTurnGranted).then_ends_with(ev.TurnEnded(1, A), ev.TurnStarted(2, B))


def test_a_double_in_an_extra_turn_gives_the_next() -> None:
    given(city(20, "amusement_park"), city(5)).when(
        RollDice(A, 2), Pass(A), RollDice(A, 2), Pass(A), dice=[(1, 1), (2, 2)]
    ).then_ends_with(ev.TurnEnded(2, A), ev.TurnStarted(3, A, "roll", True))


def test_a_radio_tower_built_in_an_extra_turn_gives_the_next() -> None:
    given(city(20), city(5, "amusement_park"), rows=on_sale("radio_tower")).when(
        RollDice(A, 2), Pass(A), RollDice(A, 1), Build(A, "radio_tower"), dice=[(1, 1), (2,)]
    ).then_ends_with(
        ev.ExtraTurnGranted(A, "radio_tower"), ev.TurnEnded(2, A), ev.TurnStarted(3, A, "roll", True)
    )
