"""Races for tests: few coins are missing, because landmarks are cheap."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from domain.match.events import PositionPlayer
from domain.match.state import MatchState
from kernel.engine import PLAIN
from players.exact_race.cities import Purchases
from players.exact_race.races import Races
from tests.domain.kit import city, row
from tests.domain.positions import start

NO_TOWER = ("train_station", "shopping_mall", "amusement_park")
NO_STATION = ("shopping_mall", "amusement_park", "radio_tower")
NO_AIRPORT = ("train_station", "shopping_mall", "amusement_park", "radio_tower", "harbor")


def board(
    ruleset: str, *players: PositionPlayer, active: int = 0, phase: str = "roll", **options: Any
) -> MatchState:
    """A match with these cities."""
    scene = start(ruleset, *players, active=active, phase=phase, **options)
    assert scene.refusal is None, scene.refusal
    return scene.state


def chances(state: MatchState, cards: tuple[str, ...] = (), most: int = 0) -> tuple[float, ...]:
    """By seat: the exact chance, with purchases if cards are given."""
    purchases = Purchases(tuple([state.rules.index[card] for card in cards]), most)
    return Races(PLAIN, state.rules, purchases).before_turn(state)


def _cheap(**costs: int) -> Mapping[str, Any]:
    return {"card_costs": costs}


class Small(NamedTuple):
    """A race in which few coins are missing."""

    state: MatchState
    top: int
    """Coins of which nobody can have a use for more."""


SMALL: dict[str, Small] = {
    "reds, and an extra turn after doubles": Small(
        board(
            "base",
            city(1, *NO_STATION, wheat_field=2, bakery=1, cafe=1),
            city(2, *NO_TOWER, wheat_field=1, ranch=1, cafe=2),
            **_cheap(radio_tower=4, train_station=3),
        ),
        8,
    ),
    "the stadium, and two landmarks left": Small(
        board(
            "base",
            city(1, "shopping_mall", "train_station", wheat_field=1, bakery=1),
            city(0, *NO_TOWER, wheat_field=1, cafe=1, stadium=1),
            **_cheap(radio_tower=4, amusement_park=2),
        ),
        8,
    ),
    "throws again, and takes from one": Small(
        board(
            "base",
            city(1, "shopping_mall", "radio_tower", "train_station", wheat_field=1, bakery=1, cafe=1),
            city(0, "shopping_mall", "radio_tower", "train_station", ranch=1, tv_station=1),
            active=1,
            **_cheap(amusement_park=3),
        ),
        7,
    ),
    "three seats, of which one chooses who pays": Small(
        board(
            "base",
            city(0, *NO_STATION, wheat_field=1, cafe=1),
            city(0, *NO_TOWER, ranch=1, tv_station=1),
            city(0, *NO_STATION, ranch=1),
            **_cheap(radio_tower=3, train_station=2),
        ),
        6,
    ),
    "boats, a tax office, and pay for building nothing": Small(
        board(
            "harbor",
            city(1, *NO_AIRPORT, tuna_boat=1, sushi_bar=1, bakery=1),
            city(0, "airport", *NO_AIRPORT[1:], wheat_field=1, cafe=1, tax_office=1),
            **_cheap(train_station=11, airport=4),
        ),
        26,
    ),
    "the second game: any third landmark wins": Small(
        board(
            "machi_koro_2",
            city(1, "farmers_market", "tech_startup", wheat_field=1, bakery=2, stadium=1),
            city(0, "temple", "charterhouse", wheat_field=1, cafe=1, business_center=1),
            rows=[row("low"), row("high"), row("landmarks", museum=1, park=1)],
            **_cheap(museum=9, park=8),
        ),
        14,
    ),
}
"""By what is special about them."""
