"""Who decides in a training match: a judge gives every table that could follow a number, the higher the better
for the seat that decides."""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from workers.players.afterstates import Afterstates
from workers.players.features import Race, Seen
from workers.players.network import Weights, chances

Floats = NDArray[np.float32]


class Judge(Protocol):
    """How tables are judged."""

    def __call__(self, found: Afterstates, seen: Seen) -> Floats:
        """By row: how good it is for the seat that decides."""


class ByNetwork(NamedTuple):
    """The chance of winning, by a network."""

    weights: Weights

    def __call__(self, found: Afterstates, seen: Seen) -> Floats:
        return _own(chances(self.weights, seen.seats, seen.table), found)


def by_expected_value(found: Afterstates, seen: Seen) -> Floats:
    """Coins, landmarks at their price, and the income of the rounds that are likely to come."""
    race = seen.race
    rounds = np.clip(0.6 * race.rounds.min(axis=1), 1, 15)
    # All rows of a match are judged by the rounds that are left after building nothing, which is its first row.
    first = np.concatenate([[0], found.ends[:-1]])
    horizon = rounds[first][found.origin]
    return _own(found.tables.coins + 1.01 * race.owned + horizon[:, None] * race.income, found)


def by_greed(found: Afterstates, seen: Seen) -> Floats:
    """The cheapest landmark that can be paid for, else what adds most to a round's income."""
    race = seen.race
    first = np.concatenate([[0], found.ends[:-1]])
    owned = _own(race.owned, found)
    gained = owned - owned[first][found.origin]
    return np.where(gained > 0, 1000 - gained, 10 * _own(race.income, found))


def by_thrift(found: Afterstates, seen: Seen) -> Floats:
    """Any landmark that can be paid for, the dearest first, else the greatest share of the race."""
    race: Race = seen.race
    return _own(race.owned, found) - _own(race.rounds, found) / 100


def _own(values: Floats, found: Afterstates) -> Floats:
    return np.asarray(values[np.arange(len(values)), found.deciders], np.float32)


FIXED: Final[dict[str, Callable[[Afterstates, Seen], Floats]]] = {
    "expected": by_expected_value,
    "greed": by_greed,
    "thrift": by_thrift,
}
"""Opponents that never learn, by name."""
