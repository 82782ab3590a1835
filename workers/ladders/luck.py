"""The luck of a match as a ladder's results tell it, in whole numbers that sum to zero over the seats."""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from domain.events import Event
from domain.evolve import fold
from domain.luck import UNIT, Luck, Relative
from domain.state import MatchState, initial_state

THOUSANDTHS: Final = 1_000
MILLIONTHS: Final = 1_000_000

Floats = NDArray[np.float64]


class ValueFunction(Protocol):
    """Chances to win that are fixed for a season."""

    digest: str
    """What the season's configuration names it by."""

    def values(self, states: Sequence[MatchState]) -> Floats:
        """By state and seat: the chance to win; every row sums to 1. The states are of one match."""


def coin_luck(luck: Luck) -> tuple[int, ...]:
    """By seat: what the dice brought beyond what they were worth before they fell, against the mean of the
    others, in thousandths of a coin."""
    return _even([(2 * THOUSANDTHS * units + UNIT) // (2 * UNIT) for units in luck.totals.luck])


def win_luck(events: Iterable[Event], luck: Luck, values: ValueFunction) -> tuple[int, ...]:
    """By seat: the coins that each throw of the match brought, at their price in chances to win, in
    millionths of a win.

    The price is what one more coin at the table before the throw would change. As it is fixed before the dice
    fall, and the luck in coins is nothing on average, so is this, whatever the values are.
    """
    tables = _before(events, {throw.sequence for throw in luck.throws})
    seats = len(tables[0].coins)
    judged = values.values([richer for table in tables for richer in _richer(table)])
    judged = judged.reshape(len(tables), seats + 1, seats)
    prices = judged[:, 1:] - judged[:, :1]
    coins = np.array([_coins(throw.luck, table) for throw, table in zip(luck.throws, tables, strict=True)])
    found = np.einsum("tj,tji->i", coins, prices)
    return _even([round(float(wins) * MILLIONTHS) for wins in found])


def _before(events: Iterable[Event], sequences: set[int]) -> list[MatchState]:
    """The tables before these events."""
    state = initial_state()
    found = []
    for event in events:
        if state.version + 1 in sequences:
            found.append(state.copy())
        fold(state, (event,))
    return found


def _richer(table: MatchState) -> list[MatchState]:
    """The table, and for each seat one on which that has a coin more."""
    found = [table]
    for seat in range(len(table.coins)):
        twin = table.copy()
        twin.coins[seat] += 1
        found.append(twin)
    return found


def _coins(luck: Relative, table: MatchState) -> list[float]:
    """The luck in coins of each seat against the mean of all, from that against the mean of the others."""
    playing = table.resigned.count(False)
    return [units * (playing - 1) / playing / UNIT for units in luck]


def _even(parts: list[int]) -> tuple[int, ...]:
    """The parts so that they sum to zero, as they did before each was rounded: off by half of one at most."""
    place = max(range(len(parts)), key=lambda seat: abs(parts[seat]))
    parts[place] -= sum(parts)
    return tuple(parts)
