"""Who decides in a training match: a judge gives every table that could follow a number.

The highest is the best for the seat that decides.
"""

from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from workers.players import plans
from workers.players.afterstates import Afterstates
from workers.players.features import Features
from workers.players.network import Weights, chances
from workers.players.plans import Plan

Floats = NDArray[np.float32]


LANDMARK: Final = 8
"""Coins that a landmark is worth beside its price in the second game, where it is one of three."""


class Judge(Protocol):
    """How tables are judged."""

    def __call__(self, found: Afterstates, features: Features, /) -> Floats:
        """By row: how good it is for the seat that decides."""


class ByNetwork(NamedTuple):
    """The chance of winning, by a network."""

    weights: Weights

    def __call__(self, found: Afterstates, features: Features) -> Floats:
        seen = features.see(found.tables)
        return _own(chances(self.weights, seen.seats, seen.table), found)


def by_expected_value(found: Afterstates, features: Features) -> Floats:
    """Coins, landmarks at their price, and the income of the rounds that are likely to come.

    Income is worth no more than what the seat would lack if it built landmarks alone, one a turn. What
    building nothing pays does not count: who looks no further ahead would never build again.
    """
    race = features.race(found.tables)
    coins = found.tables.coins - np.where(found.cards < 0, features.paid_for_nothing(found.tables).T, 0).T
    rounds = np.clip(0.6 * race.rounds.min(axis=1), 1, 15)
    # All rows of a match are judged by the rounds that are left after building nothing.
    horizon = rounds[found.starts][found.origin]
    # Where prices depend on the market, what is left to pay may not fall by what was paid.
    number = found.tables.cities[:, :, features.count :].sum(axis=2)
    step = 0 if features.rules.own_landmarks else LANDMARK
    more = features.rules.goal - 1 - number
    lacking = np.maximum(_own(race.left - found.tables.coins - more * race.income, found), 0)
    idle = found.starts[found.origin]
    income = _own(race.income, found)
    gained = np.minimum(lacking[idle], horizon * (income - income[idle]))
    return np.asarray(_own(coins - race.left + 0.01 * race.owned + step * number, found) + gained)


def by_greed(found: Afterstates, features: Features) -> Floats:
    """The cheapest landmark that can be paid for, else what adds most to a round's income."""
    race = features.race(found.tables)
    owned = _own(race.owned, found)
    gained = owned - owned[found.starts][found.origin]
    return np.where(gained > 0, 1000 - gained, 10 * _own(race.income, found))


class ByPlan(NamedTuple):
    """The first wish of a fixed plan, else the cheapest landmark, else nothing."""

    plan: Plan

    def __call__(self, found: Afterstates, features: Features) -> Floats:
        rules = features.rules
        cities = found.tables.cities[np.arange(len(found.cards)), found.deciders]
        scores = np.where(found.cards < 0, 0.0, -1.0)
        landmarks = found.cards >= rules.establishments
        lowest = np.array(rules.lowest_prices)
        scores[landmarks] = 200 - lowest[found.cards[landmarks]]
        for place, (card, wanted) in enumerate(self.plan[rules.ruleset.id]):
            index = rules.index[card]
            wished = (found.cards == index) & (cities[:, index] <= wanted)
            scores[wished] = np.maximum(scores[wished], 1000 - place)
        return scores.astype(np.float32)


def _own(values: Floats, found: Afterstates) -> Floats:
    return np.asarray(values[np.arange(len(values)), found.deciders], np.float32)


FIXED: Final[dict[str, Judge]] = {
    "expected": by_expected_value,
    "greed": by_greed,
    "rush": ByPlan(plans.CONVENIENCE_RUSH),
    "cheese": ByPlan(plans.CHEESE),
}
"""Opponents that never learn, by name: quick likenesses of the built-in players."""
