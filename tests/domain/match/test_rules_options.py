"""Rulesets and their options: rules reference, section 1."""

import msgspec
import pytest

from domain import RuleViolation
from domain.match import events as ev
from domain.match.commands import Build, DeclineSwap, Pass, RollDice, SwapEstablishments
from domain.match.rulesets import CURRENT, require_sold, resolve_options
from tests.domain.kit import A, B, Scene, city, given, new_match, row


def _started(scene: Scene) -> ev.MatchStarted:
    return next(event for event in scene.events if isinstance(event, ev.MatchStarted))


def _created(scene: Scene) -> ev.MatchCreated:
    return next(event for event in scene.events if isinstance(event, ev.MatchCreated))


# Section 1: rulesets


@pytest.mark.parametrize(
    ("ruleset", "coins", "cards"),
    [
        ("base", 3, {"wheat_field": 1, "bakery": 1}),
        ("harbor", 3, {"wheat_field": 1, "bakery": 1, "town_hall": 1}),
        ("machi_koro_2", 5, {}),
    ],
)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_everybody_starts_with_the_coins_and_cards_of_the_ruleset(
    ruleset: str, coins: int, cards: dict[str, int], seats: int
) -> None:
    started = _started(new_match(ruleset, seats))

    assert started.coins == (coins,) * seats
    assert started.cities == (cards,) * seats


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
@pytest.mark.parametrize("seats", [0, 1, 6])
def test_two_to_five_can_play(ruleset: str, seats: int) -> None:
    with pytest.raises(RuleViolation) as refused:
        resolve_options(CURRENT[ruleset], seats)

    assert (refused.value.code, refused.value.pointer) == ("validation_failed", "/seats")


def test_the_fourth_landmark_wins_in_base() -> None:
    given("base", city(16, "train_station", "shopping_mall", "radio_tower"), city(), phase="build").when(
        Build(A, "amusement_park")
    ).then(ev.LandmarkBuilt(A, "amusement_park", 16), ev.MatchFinished(A, "landmarks"))


def test_the_third_landmark_does_not_win_in_base() -> None:
    given("base", city(16, "train_station", "shopping_mall"), city(), phase="build").when(
        Build(A, "amusement_park")
    ).then_lacks(ev.MatchFinished)


def test_the_sixth_landmark_wins_in_harbor_and_the_town_hall_does_not_count() -> None:
    four = ("train_station", "shopping_mall", "radio_tower", "harbor")
    fifth = given("harbor", city(60, *four, town_hall=1), city(town_hall=1), phase="build").when(
        Build(A, "amusement_park")
    )
    fifth.then_lacks(ev.MatchFinished)

    given("harbor", city(30, *four, "amusement_park", town_hall=1), city(town_hall=1), phase="build").when(
        Build(A, "airport")
    ).then(ev.LandmarkBuilt(A, "airport", 30), ev.MatchFinished(A, "landmarks"))


def test_the_third_landmark_wins_in_machi_koro_2() -> None:
    given(
        "machi_koro_2", city(22, "forge", "temple"), city(), phase="build", rows=[row("landmarks", park=1)]
    ).when(Build(A, "park")).then(ev.LandmarkBuilt(A, "park", 22), ev.MatchFinished(A, "landmarks"))


def test_the_second_landmark_does_not_win_in_machi_koro_2() -> None:
    given("machi_koro_2", city(22, "temple"), city(), phase="build", rows=[row("landmarks", park=1)]).when(
        Build(A, "park")
    ).then_lacks(ev.MatchFinished)


def test_the_launch_pad_alone_wins_in_machi_koro_2() -> None:
    given("machi_koro_2", city(45), city(), phase="build", rows=[row("landmarks", launch_pad=1)]).when(
        Build(A, "launch_pad")
    ).then(ev.LandmarkBuilt(A, "launch_pad", 45), ev.MatchFinished(A, "landmarks"))


# Section 1: options


@pytest.mark.parametrize(
    ("seats", "box"), [(2, "four_player"), (3, "four_player"), (4, "four_player"), (5, "five_player")]
)
def test_the_box_of_base_follows_the_number_of_players(seats: int, box: str) -> None:
    assert _created(new_match("base", seats)).options.box == box


@pytest.mark.parametrize(("box", "copies"), [("four_player", 4), ("five_player", 5)])
def test_the_box_decides_how_many_copies_of_each_purple_card_there_are(box: str, copies: int) -> None:
    supply = _started(new_match("base", 3, options={"box": box})).supply

    assert [supply[id] for id in ("stadium", "tv_station", "business_center")] == [copies] * 3
    assert supply["mine"] == 6


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_harbor_is_always_the_five_player_box(seats: int) -> None:
    scene = new_match("harbor", seats)

    assert _created(scene).options.box == "five_player"
    assert _started(scene).supply["stadium"] == 5
    _refused("harbor", seats, "/options/box", box="four_player")


def _refused(
    ruleset: str, seats: int, pointer: str, code: str = "validation_failed", **options: object
) -> None:
    with pytest.raises(RuleViolation) as refused:
        resolve_options(CURRENT[ruleset], seats, **options)  # type: ignore[arg-type]  # wrong on purpose
    assert (refused.value.code, refused.value.pointer) == (code, pointer)


def test_the_four_player_box_does_not_hold_five() -> None:
    _refused("base", 5, "/options/box", box="four_player")


def test_an_unknown_box_is_refused() -> None:
    _refused("base", 2, "/options/box", box="six_player")
    _refused("machi_koro_2", 2, "/options/box", box="five_player")


@pytest.mark.parametrize("ruleset", ["base", "harbor"])
def test_the_market_of_the_first_game_is_open_unless_limited_is_asked_for(ruleset: str) -> None:
    assert _created(new_match(ruleset)).options.market == "open"
    assert _created(new_match(ruleset, options={"market": "limited"})).options.market == "limited"
    _refused(ruleset, 2, "/options/market", market="rows")


def test_machi_koro_2_always_uses_its_rows() -> None:
    assert _created(new_match("machi_koro_2")).options.market == "rows"
    _refused("machi_koro_2", 2, "/options/market", market="open")
    _refused("machi_koro_2", 2, "/options/market", market="limited")


@pytest.mark.parametrize("limit", [-1, 0, 1, 3])
def test_the_beginners_limit_is_2_or_none(limit: int) -> None:
    _refused("base", 2, "/options/max_copies", max_copies=limit)


def test_machi_koro_2_has_no_beginners_limit() -> None:
    _refused("machi_koro_2", 2, "/options/max_copies", max_copies=2)


@pytest.mark.parametrize("ruleset", ["base", "harbor"])
def test_nobody_builds_a_third_copy_under_the_beginners_limit_starter_cards_counted(ruleset: str) -> None:
    scene = new_match(ruleset, options={"max_copies": 2}).when(
        RollDice(A, 1), Build(A, "bakery"), RollDice(B, 1), Pass(B), RollDice(A, 1), dice=[(6,), (6,), (6,)]
    )

    scene.when(Build(A, "bakery")).then_rejected("copy_limit_reached", "/card")
    scene.when(Build(A, "ranch")).then_includes(ev.EstablishmentBuilt(A, "ranch", 1))


def test_without_the_limit_a_third_copy_may_be_built() -> None:
    given("base", city(1, bakery=2), city(), phase="build").when(Build(A, "bakery")).then_includes(
        ev.EstablishmentBuilt(A, "bakery", 1)
    )


def test_no_trade_brings_a_player_a_third_copy_under_the_beginners_limit() -> None:
    given(
        "base", city(0, business_center=1, bakery=2, ranch=1), city(0, bakery=1, cafe=1), max_copies=2
    ).when(RollDice(A, 1), dice=[(6,)]).when(SwapEstablishments(A, "ranch", B, "bakery")).then_rejected(
        "copy_limit_reached", "/take"
    )


def test_no_trade_brings_an_opponent_a_third_copy_under_the_beginners_limit() -> None:
    given(
        "base", city(0, business_center=1, bakery=1, ranch=1), city(0, bakery=2, cafe=1), max_copies=2
    ).when(RollDice(A, 1), dice=[(6,)]).when(SwapEstablishments(A, "bakery", B, "cafe")).then_rejected(
        "copy_limit_reached", "/give"
    )


def test_the_trades_that_the_beginners_limit_allows_are_legal() -> None:
    given(
        "base",
        city(0, business_center=1, bakery=2, ranch=1),
        city(0, bakery=1, ranch=2, cafe=1),
        max_copies=2,
    ).when(RollDice(A, 1), dice=[(6,)]).then_legal(
        DeclineSwap(A),
        SwapEstablishments(A, "bakery", B, "bakery"),
        SwapEstablishments(A, "bakery", B, "ranch"),
        SwapEstablishments(A, "bakery", B, "cafe"),
        SwapEstablishments(A, "ranch", B, "ranch"),
    )


def test_a_trade_of_equal_cards_is_within_the_beginners_limit() -> None:
    given(
        "base", city(0, business_center=1, bakery=2, ranch=1), city(0, bakery=2, cafe=1), max_copies=2
    ).when(RollDice(A, 1), SwapEstablishments(A, "bakery", B, "bakery"), dice=[(6,)]).then_includes(
        ev.EstablishmentsSwapped(A, "bakery", B, "bakery")
    )


def test_the_business_center_does_not_ask_where_the_beginners_limit_forbids_every_trade() -> None:
    given("base", city(0, business_center=1, bakery=2), city(0, bakery=2, ranch=2), max_copies=2).when(
        RollDice(A, 1), dice=[(6,)]
    ).then(ev.DiceRolled("roll", (6,), 6))


@pytest.mark.parametrize(
    ("ruleset", "card", "market"),
    [("harbor", "sushi_bar", None), ("base", "radio_tower", None), ("machi_koro_2", "sushi_bar", "low")],
)
def test_a_price_override_is_the_price_of_the_card(ruleset: str, card: str, market: str | None) -> None:
    rows = [ev.PositionRow(market, {card: 1}, ())] if market else None
    scene = given(ruleset, city(4), city(), phase="build", rows=rows, card_costs={card: 4})

    scene.when(Build(A, card)).then_purses(0, 0)
    given(ruleset, city(3), city(), phase="build", rows=rows, card_costs={card: 4}).when(
        Build(A, card)
    ).then_rejected("insufficient_coins", "/card")


def test_a_price_override_of_a_landmark_with_three_prices_replaces_all_three() -> None:
    for own in ((), ("forge",), ("forge", "temple")):
        given(
            "machi_koro_2",
            city(7, *own),
            city(),
            phase="build",
            rows=[row("landmarks", park=1)],
            card_costs={"park": 7},
        ).when(Build(A, "park")).then_includes(ev.LandmarkBuilt(A, "park", 7))


def test_discounts_come_off_a_price_override_too_and_never_go_below_0() -> None:
    given(
        "machi_koro_2",
        city(0, "loan_office"),
        city(0, "observatory"),
        phase="build",
        rows=[row("landmarks", launch_pad=1)],
        card_costs={"launch_pad": 6},
    ).when(Build(A, "launch_pad")).then_includes(ev.LandmarkBuilt(A, "launch_pad", 0))


def test_other_cards_keep_their_price_beside_an_override() -> None:
    given("harbor", city(2), city(), phase="build", card_costs={"sushi_bar": 4}).when(
        Build(A, "cafe")
    ).then_includes(ev.EstablishmentBuilt(A, "cafe", 2))


def test_a_price_override_names_a_card_of_the_ruleset() -> None:
    _refused("base", 2, "/options/card_costs/sushi_bar", "unknown_card", card_costs={"sushi_bar": 4})
    _refused("base", 2, "/options/card_costs/a~1b~0c", "unknown_card", card_costs={"a/b~c": 4})


def test_a_new_match_has_no_price_for_a_card_that_is_never_sold() -> None:
    require_sold(CURRENT["harbor"], ["wheat_field", "mine", "harbor", "stadium"])
    require_sold(CURRENT["base"], ["wheat_field"])
    require_sold(CURRENT["harbor"], [])
    with pytest.raises(RuleViolation) as refused:
        require_sold(CURRENT["harbor"], ["mine", "town_hall", "cafe"])

    where = "/options/card_costs/town_hall"
    assert (refused.value.code, refused.value.pointer) == ("validation_failed", where)
    assert refused.value.detail == "town_hall is never sold, so it has no price"


def test_price_overrides_are_kept_in_the_order_of_the_cards_names() -> None:
    options = resolve_options(CURRENT["base"], 2, card_costs={"mine": 0, "cafe": 100, "bakery": 1})
    assert [*options.card_costs.items()] == [("bakery", 1), ("cafe", 100), ("mine", 0)]


@pytest.mark.parametrize("cost", [-1, 101, 10**30])
def test_a_price_override_is_0_to_100(cost: int) -> None:
    _refused("base", 2, "/options/card_costs/cafe", card_costs={"cafe": cost})


def test_the_options_are_recorded_in_the_first_event() -> None:
    options = {
        "box": "five_player",
        "market": "limited",
        "max_copies": 2,
        "card_costs": {"mine": 5, "cafe": 1},
    }
    scene = new_match("base", 2, options=options)

    first = scene.events[0]
    assert isinstance(first, ev.MatchCreated)
    assert msgspec.to_builtins(first.options) == options
    assert (first.ruleset, first.rules_version, first.seats) == ("base", "base@1", 2)


def test_the_two_games_never_mix() -> None:
    first = {card.id for book in ("base", "harbor") for card in CURRENT[book].establishments}
    assert "corn_field" not in first
    given("base", city(9), city(), phase="build").when(Build(A, "corn_field")).then_rejected(
        "unknown_card", "/card"
    )
    given("machi_koro_2", city(9), city(), phase="build").when(Build(A, "ranch")).then_rejected(
        "unknown_card", "/card"
    )


def test_a_match_has_commentary_only_if_it_is_asked_for() -> None:
    assert resolve_options(CURRENT["base"], 2, commentary=True).commentary is True
    assert resolve_options(CURRENT["base"], 2).commentary is msgspec.UNSET
