"""A solved race, and the cells of its array: each is one combination of coins of all seats."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from players.exact_race.cities import Distance, Purchase
from players.exact_race.payouts import Integers
from players.exact_race.sweeps import Chances


class Race(NamedTuple):
    """The solved race of some cities, for all coins and every seat to move."""

    seats: tuple[int, ...]
    """The seats in play. Everything else here is by place among these."""
    tops: tuple[int, ...]
    """By seat: the coins above which more coins are counted as these."""
    builds: tuple[tuple[Purchase, ...], ...]
    idle_incomes: tuple[int, ...]
    distances: tuple[Distance, ...]
    losses: tuple[int, ...]
    """The most that a seat pays in a round without further turns, in these cities or later ones, in coins."""
    chances: Chances
    """By roller, cell and seat: the chance of winning before the roller's turn."""
    is_proved: bool
    """Whether it is proved that coins above the tops change no chance."""

    def cell(self, coins: Sequence[int]) -> int:
        """The cell of purses, by seat in play."""
        found = 0
        for purse, top in zip(coins, self.tops, strict=True):
            found = found * (top + 1) + min(purse, top)
        return found

    def before_turn(self, roller: int, coins: Sequence[int]) -> Chances:
        """By seat in play: the chance of winning before the turn of one of them."""
        found: Chances = self.chances[roller, self.cell(coins)]
        return found


def size_of(tops: Sequence[int]) -> int:
    """How many chances there are: by roller, cell and seat."""
    return len(tops) ** 2 * int(np.prod([top + 1 for top in tops], dtype=np.int64))


def coins_in(tops: Sequence[int]) -> Integers:
    """By seat and cell: the coins."""
    return np.indices([top + 1 for top in tops], np.int32).reshape(len(tops), -1)


def cells_of(coins: Integers, tops: Sequence[int]) -> Integers:
    """The cells of purses, which are given by seat and anything else."""
    found = np.zeros(coins.shape[1:], np.int32)
    for purse, top in zip(coins, tops, strict=True):
        found *= top + 1
        found += np.minimum(purse, top)
    return found


def gained(coins: Integers, seat: int, more: int) -> Integers:
    """The purses after one seat has gained coins."""
    found = coins.copy()
    found[seat] += more
    return found
