"""Tables that no match may start from, and the member of the request that is at fault."""

from collections.abc import Callable

import pytest

from domain.errors import RuleViolation
from domain.match import events as ev
from domain.match.events import Position
from domain.match.positions import require_starters
from domain.match.rulesets import CURRENT
from tests.domain.kit import Scene, city, row
from tests.domain.positions import start, started

REFUSED: list[tuple[str, Callable[[], Scene], str, str]] = [
    ("a negative seat", lambda: start("base", city(), city(), active=-1), "validation_failed", "active_seat"),
    ("a seat too many", lambda: start("base", city(), city(), active=2), "validation_failed", "active_seat"),
    ("an unknown phase", lambda: start("base", city(), city(), phase="swap"), "validation_failed", "phase"),
    ("a building round", lambda: start("base", city(), city(), phase="setup"), "validation_failed", "phase"),
    ("a player too few", lambda: start("base", city(), city(), seats=3), "validation_failed", "players"),
    (
        "a player too many",
        lambda: start("base", city(), city(), city(), seats=2),
        "validation_failed",
        "players",
    ),
    ("a negative purse", lambda: start("base", city(), city(-1)), "validation_failed", "players/1/coins"),
    ("a huge purse", lambda: start("base", city(10**30), city()), "validation_failed", "players/0/coins"),
    (
        "an unknown establishment",
        lambda: start("base", city(), city(0, nothing=1)),
        "unknown_card",
        "players/1/establishments/nothing",
    ),
    (
        "an establishment of the other game",
        lambda: start("base", city(0, corn_field=1), city()),
        "unknown_card",
        "players/0/establishments/corn_field",
    ),
    (
        "a landmark among the establishments",
        lambda: start("base", city(0, radio_tower=1), city()),
        "unknown_card",
        "players/0/establishments/radio_tower",
    ),
    (
        "the first landmark among the establishments",
        lambda: start("base", city(0, train_station=1), city()),
        "unknown_card",
        "players/0/establishments/train_station",
    ),
    (
        "a negative count",
        lambda: start("base", city(0, cafe=-1), city()),
        "validation_failed",
        "players/0/establishments/cafe",
    ),
    (
        "an unknown landmark",
        lambda: start("base", city(0, "train_station", "harbor"), city()),
        "unknown_card",
        "players/0/landmarks/1",
    ),
    (
        "an establishment among the landmarks",
        lambda: start("harbor", city(0, "town_hall"), city()),
        "unknown_card",
        "players/0/landmarks/0",
    ),
    (
        "a landmark twice",
        lambda: start("base", city(0, "radio_tower", "radio_tower"), city()),
        "validation_failed",
        "players/0/landmarks",
    ),
    (
        "a match that is won",
        lambda: start(
            "base", city(), city(0, "train_station", "shopping_mall", "amusement_park", "radio_tower")
        ),
        "validation_failed",
        "players/1/landmarks",
    ),
    (
        "a launch pad",
        lambda: start("machi_koro_2", city(0, "launch_pad"), city()),
        "validation_failed",
        "players/0/landmarks",
    ),
    (
        "two of one purple card",
        lambda: start("base", city(0, stadium=2), city()),
        "major_already_owned",
        "players/0/establishments/stadium",
    ),
    (
        "two town halls",
        lambda: start("harbor", city(0, town_hall=2), city()),
        "major_already_owned",
        "players/0/establishments/town_hall",
    ),
    (
        "more copies than the beginners' limit",
        lambda: start("base", city(0, ranch=3), city(), max_copies=2),
        "copy_limit_reached",
        "players/0/establishments/ranch",
    ),
    (
        "more copies than the reserve",
        lambda: start("base", city(0, cafe=4), city(0, cafe=3)),
        "validation_failed",
        "players/0/establishments/cafe",
    ),
    (
        "more copies than reserve and starter cards",
        lambda: start("base", city(), city(0, bakery=9)),
        "validation_failed",
        "players/1/establishments/bakery",
    ),
    (
        "more purple cards than the box",
        lambda: start("base", *[city(0, stadium=1) for _ in range(4)], rows=[row("supply", stadium=1)]),
        "validation_failed",
        "market/supply/stadium",
    ),
    (
        "one landmark of the second game in two cities",
        lambda: start("machi_koro_2", city(0, "forge"), city(0, "forge")),
        "validation_failed",
        "players/0/landmarks",
    ),
    (
        "an unknown row",
        lambda: start("base", city(), city(), rows=[row("market")]),
        "validation_failed",
        "market",
    ),
    (
        "a row twice",
        lambda: start("base", city(), city(), rows=[row("supply"), row("supply")]),
        "validation_failed",
        "market",
    ),
    (
        "an unknown card in the supply",
        lambda: start("base", city(), city(), rows=[row("supply", sushi_bar=1)]),
        "unknown_card",
        "market/supply/sushi_bar",
    ),
    (
        "a negative stack",
        lambda: start("base", city(), city(), rows=[row("supply", cafe=-1)]),
        "validation_failed",
        "market/supply/cafe",
    ),
    (
        "an unknown card in the limited market",
        lambda: start("base", city(), city(), rows=[row("market", town_hall=1)], market="limited"),
        "unknown_card",
        "market/face_up/town_hall",
    ),
    (
        "a deck of an open market",
        lambda: start("base", city(), city(), rows=[row("supply", deck=("mine",))]),
        "validation_failed",
        "market/deck",
    ),
    (
        "an unknown card in its deck",
        lambda: start("base", city(), city(), rows=[row("market", deck=("cafe", "x"))], market="limited"),
        "unknown_card",
        "market/deck/1",
    ),
    (
        "a card in the wrong row",
        lambda: start("machi_koro_2", city(), city(), rows=[row("low", mine=1)]),
        "unknown_card",
        "market/rows/low/mine",
    ),
    (
        "a card in the wrong deck",
        lambda: start("machi_koro_2", city(), city(), rows=[row("high", deck=("cafe",))]),
        "unknown_card",
        "market/decks/high/0",
    ),
]


@pytest.mark.parametrize(
    ("ask", "code", "pointer"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_a_table_that_the_box_and_the_rules_cannot_make_is_refused_with_a_pointer(
    ask: Callable[[], Scene], code: str, pointer: str
) -> None:
    ask().then_rejected(code, f"/position/{pointer}")


def test_a_phase_that_no_turn_may_start_from_is_refused_with_those_that_it_may() -> None:
    for game, phases in (("base", "roll, build"), ("machi_koro_2", "roll, build, setup")):
        refusal = start(game, city(), city(), phase="swap").refusal
        assert refusal is not None
        assert refusal.detail == f"must be one of: {phases}; not 'swap'"


def limited(*deck: str, cafes: int = 0, own: int = 0) -> Scene:
    """What comes of asking for this limited market, with so many cafes in the first city; the box has six."""
    rows = [row("market", deck=deck, cafe=cafes)]
    return start("base", city(0, cafe=own), city(), rows=rows, market="limited")


def test_a_stack_higher_than_in_the_box_is_pointed_at() -> None:
    scene = start("base", city(), city(), rows=[row("supply", bakery=6, cafe=7)])

    scene.then_rejected("validation_failed", "/position/market/supply/cafe")


def test_a_stack_is_pointed_at_that_is_too_high_for_what_the_cities_hold() -> None:
    scene = start("base", city(0, cafe=1), city(0, cafe=2), rows=[row("supply", cafe=4)])

    scene.then_rejected("validation_failed", "/position/market/supply/cafe")


def test_a_limited_market_that_shows_more_copies_than_the_box_is_pointed_at_by_the_card() -> None:
    limited(cafes=7).then_rejected("validation_failed", "/position/market/face_up/cafe")


def test_a_limited_market_without_given_deck_is_pointed_at_by_the_card_too() -> None:
    scene = start("base", city(), city(), rows=[row("market", deck=None, cafe=7)], market="limited")

    scene.then_rejected("validation_failed", "/position/market/face_up/cafe")


def test_the_first_card_of_a_deck_that_the_box_lacks_is_pointed_at() -> None:
    limited(*["cafe"] * 8).then_rejected("validation_failed", "/position/market/deck/6")


def test_a_card_too_many_in_the_deck_is_pointed_at_where_the_cities_hold_the_others() -> None:
    limited("mine", "cafe", own=6).then_rejected("validation_failed", "/position/market/deck/1")

    rows = [row("high", deck=None, mine=1), row("low", deck=("cafe",))]
    scene = start("machi_koro_2", city(0, cafe=3), city(0, cafe=2), rows=rows)
    scene.then_rejected("validation_failed", "/position/market/decks/low/0")


def test_other_cards_of_a_deck_are_passed_over_on_the_way_to_the_one_too_many() -> None:
    deck = ("mine", "cafe", "mine", "cafe", "cafe", "ranch", "cafe")

    limited(*deck, cafes=3).then_rejected("validation_failed", "/position/market/deck/6")


def test_a_deck_may_hold_what_cities_and_open_cards_leave_in_the_box_and_no_card_more() -> None:
    started(limited("cafe", "cafe", "mine", cafes=1, own=3))

    limited("cafe", "mine", "cafe", "cafe", cafes=1, own=3).then_rejected(
        "validation_failed", "/position/market/deck/3"
    )


def test_a_deck_is_pointed_at_by_its_first_card_where_cities_and_open_cards_leave_none() -> None:
    limited("mine", "cafe", cafes=2, own=4).then_rejected("validation_failed", "/position/market/deck/1")


def test_cities_that_hold_too_many_copies_are_pointed_at_before_the_market() -> None:
    limited("cafe", cafes=7, own=7).then_rejected(
        "validation_failed", "/position/players/0/establishments/cafe"
    )


def test_a_card_too_many_in_a_row_is_pointed_at_by_the_name_of_the_row() -> None:
    scene = start("machi_koro_2", city(), city(), rows=[row("low", cafe=1), row("landmarks", park=2)])

    scene.then_rejected("validation_failed", "/position/market/rows/landmarks/park")


def test_a_landmark_that_is_built_is_one_too_many_in_its_row() -> None:
    scene = start("machi_koro_2", city(0, "park"), city(), rows=[row("landmarks", park=1)])

    scene.then_rejected("validation_failed", "/position/market/rows/landmarks/park")


def test_a_card_too_many_in_the_deck_of_a_row_is_pointed_at_by_the_name_of_the_row() -> None:
    low = row("low", deck=("cafe", "bakery", "cafe", "cafe"), cafe=3)
    scene = start("machi_koro_2", city(), city(), rows=[row("high", deck=None, mine=1), low])

    scene.then_rejected("validation_failed", "/position/market/decks/low/3")


def test_a_pointer_to_a_name_with_a_slash_or_a_tilde_is_escaped() -> None:
    """RFC 6901: `~` is written `~0`, `/` is written `~1`."""
    start("base", city(0, **{"a/b~c": 1}), city()).then_rejected(
        "unknown_card", "/position/players/0/establishments/a~1b~0c"
    )


def of_cities(*players: ev.PositionPlayer) -> Position:
    return Position(0, "roll", players)


def test_every_city_of_a_new_match_has_exactly_one_card_of_each_that_is_never_sold() -> None:
    whole = city(town_hall=1)

    require_starters(CURRENT["harbor"], of_cities(whole, whole))
    for wrong in (city(), city(town_hall=0), city(town_hall=2), city(mine=1)):
        with pytest.raises(RuleViolation) as refused:
            require_starters(CURRENT["harbor"], of_cities(whole, wrong))
        where = "/position/players/1/establishments/town_hall"
        assert (refused.value.code, refused.value.pointer) == ("validation_failed", where)


@pytest.mark.parametrize("ruleset", ["base", "machi_koro_2"])
def test_where_every_card_is_sold_a_city_may_be_empty(ruleset: str) -> None:
    require_starters(CURRENT[ruleset], of_cities(city(), city(mine=1)))
