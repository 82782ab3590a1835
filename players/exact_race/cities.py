"""The cities of a race: what everybody owns, and what everybody may still build.

Cities are a row of the kernel without coins. A build is carried out by the kernel on such a row, which tells
its price and the cities after it, so nothing here knows a card.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from domain.match.rules import Rules
from domain.match.state import RUNNING, MatchState
from kernel import layout as at
from kernel.convert import row_of
from kernel.engine import PLAIN
from kernel.tables import tables_of

RICH: Final = 1_000_000
"""Coins that suffice for everything."""

MOST_CITIES: Final = 5_000
"""A race with more combinations of cities is refused."""


class RaceRefused(Exception):
    """The position is no race, or one that is too large to be solved within a second."""


class Purchases(NamedTuple):
    """The establishments that seats may buy in a race, and how many of them each seat at most."""

    cards: tuple[int, ...] = ()
    most: int = 0


NO_PURCHASES: Final = Purchases()


class Cities(NamedTuple):
    """What everybody owns, and how many establishments each seat may still buy."""

    row: tuple[int, ...]
    """A row of the kernel; coins, turns and whatever cannot matter in the race are 0."""
    left: tuple[int, ...]


class Purchase(NamedTuple):
    """Something that a seat may build."""

    card: int
    price: int
    then: Cities | None
    """None if it wins."""


class Distance(NamedTuple):
    """How far a seat is from winning."""

    coins: int
    """The most coins that it can still use: if a build wins, the price of the cheapest one that does."""
    builds: int
    """The most turns in which it still builds."""


def playing_in(row: Sequence[int], seats: int) -> tuple[int, ...]:
    """The seats that have not resigned, in order."""
    return tuple([seat for seat in range(seats) if not row[at.RESIGNED + seat]])


def cities_of(state: MatchState, purchases: Purchases) -> Cities:
    """The cities of a match.

    Raises:
        RaceRefused: the match has not begun, has ended, or is in its building rounds; or rolls can change
            the cities, because cards can close or landmarks be demolished.
    """
    if state.rules.renovates:
        raise RaceRefused("throws change the cities")
    if state.status != RUNNING or state.round:
        raise RaceRefused("the match is not played by throws now")
    rules = state.rules
    row = row_of(state)
    kept = [0] * len(row)
    for first, last in ((at.LANDMARKS, at.SEAT_TURNS), (at.SUPPLY, len(row))):
        kept[first:last] = row[first:last]
    if not purchases.most:
        for part in (at.SUPPLY, at.DECKS):
            kept[part : part + rules.establishments] = [0] * rules.establishments
    kept[at.PENDING_CARD] = -1
    kept[at.TURN] = 1
    return Cities(tuple(kept), (purchases.most,) * rules.seats)


class Builder:
    """What can be built in a race by these rules."""

    def __init__(self, rules: Rules, purchases: Purchases) -> None:
        self._tables = list(tables_of(rules))
        self._codes = PLAIN.codes()
        self._luck = PLAIN.luck(0)
        self._establishments = rules.establishments
        self._cards = frozenset(purchases.cards)

    def builds(self, cities: Cities, seat: int) -> tuple[Purchase, ...]:
        """The builds of a seat that can pay for everything, in the order of the legal commands.

        Raises:
            RaceRefused: a build draws a card or acts on the table at once.
        """
        row = _before_building(cities, seat)
        found = []
        for code in self._codes[: PLAIN.legal(self._tables, row, self._codes)]:
            card = code - at.BUILD_CARD
            if card >= self._establishments or (card in self._cards and cities.left[seat]):
                found.append(self._build(cities, row, seat, card))
        return tuple(found)

    def _build(self, cities: Cities, before: list[int], seat: int, card: int) -> Purchase:
        row = before[:]
        PLAIN.step(self._tables, row, self._luck, at.BUILD_CARD + card)
        price = before[at.COINS + seat] - row[at.COINS + seat]
        if row[at.STATUS] != at.RUNNING:
            return Purchase(card, price, None)
        if card >= self._establishments and self._tables[at.WHEN_BUILT + card]:
            raise RaceRefused("a landmark acts at once when it is built")
        if row[at.DRAWS : at.SUPPLY] != before[at.DRAWS : at.SUPPLY]:
            raise RaceRefused("a build draws a card")
        kept = list(cities.row)
        for first, last in ((at.LANDMARKS, at.RESIGNED), (at.SUPPLY, len(row))):
            kept[first:last] = row[first:last]
        left = list(cities.left)
        left[seat] -= card < self._establishments
        return Purchase(card, price, Cities(tuple(kept), tuple(left)))

    def idle_income(self, cities: Cities, seat: int) -> int:
        """What a seat gets for building nothing, in coins."""
        row = _before_building(cities, seat)
        PLAIN.step(self._tables, row, self._luck, at.PASS)
        return row[at.COINS + seat] - RICH


def _before_building(cities: Cities, seat: int) -> list[int]:
    row = list(cities.row)
    row[at.ACTIVE] = seat
    row[at.PHASE] = at.BUILD
    row[at.COINS : at.LANDMARKS] = [RICH] * (at.LANDMARKS - at.COINS)
    return row


def distance(builds: Sequence[Purchase], after: Sequence[Distance]) -> Distance:
    """How far a seat is from winning, given its distances after each of the builds that do not win."""
    prices = [build.price for build in builds if build.then is None]
    if prices:
        return Distance(min(prices), 1)
    distances = [
        Distance(build.price + rest.coins, 1 + rest.builds) for build, rest in zip(builds, after, strict=True)
    ]
    return Distance(
        max([one.coins for one in distances], default=0), max([one.builds for one in distances], default=0)
    )
