"""Judges, which decide in training matches: a judge scores every afterstate of a decision.

The highest score is best for the deciding seat.
"""

from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from players import plans
from players.afterstates import Afterstates
from players.features import Features
from players.network import Weights, chances
from players.plans import Plan

Floats = NDArray[np.float32]


LANDMARK: Final = 8
"""The value of a landmark beyond its price in the second game, where three win, in coins."""


class Judge(Protocol):
    """A function that scores afterstates."""

    def __call__(self, found: Afterstates, features: Features, /) -> Floats:
        """By row: the score for the deciding seat."""


class ByNetwork(NamedTuple):
    """A judge by the probability of winning of a network."""

    weights: Weights

    def __call__(self, found: Afterstates, features: Features) -> Floats:
        seen = features.extract(found.tables)
        return _own(chances(self.weights, seen.seats, seen.table), found)


def by_expected_value(found: Afterstates, features: Features) -> Floats:
    """Score by coins, landmarks at their price, and income over the rounds that are likely to come.

    Income counts at most what the seat would lack if it built only landmarks, one per turn. The income for
    building nothing does not count: without deeper search, the judge would never build again.
    """
    race = features.race(found.tables)
    coins = found.tables.coins - np.where(found.cards < 0, features.paid_for_nothing(found.tables).T, 0).T
    rounds = np.clip(0.6 * race.rounds.min(axis=1), 1, 15)
    # All rows of a match use the number of rounds left after building nothing.
    horizon = rounds[found.starts][found.origin]
    # If prices depend on the market, the remaining cost may not fall by what was paid.
    number = found.tables.cities[:, :, features.count :].sum(axis=2)
    step = 0 if features.rules.own_landmarks else LANDMARK
    more = features.rules.goal - 1 - number
    lacking = np.maximum(_own(race.left - found.tables.coins - more * race.income, found), 0)
    idle = found.starts[found.origin]
    income = _own(race.income, found)
    gained = np.minimum(lacking[idle], horizon * (income - income[idle]))
    return np.asarray(_own(coins - race.left + 0.01 * race.owned + step * number, found) + gained)


def by_greed(found: Afterstates, features: Features) -> Floats:
    """Score the cheapest affordable landmark highest, else by income per round."""
    race = features.race(found.tables)
    owned = _own(race.owned, found)
    gained = owned - owned[found.starts][found.origin]
    return np.where(gained > 0, 1000 - gained, 10 * _own(race.income, found))


class ByPlan(NamedTuple):
    """A judge by a fixed plan: its first goal, else the cheapest landmark, else nothing."""

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
            wanted_rows = (found.cards == index) & (cities[:, index] <= wanted)
            scores[wanted_rows] = np.maximum(scores[wanted_rows], 1000 - place)
        return scores.astype(np.float32)


def _own(values: Floats, found: Afterstates) -> Floats:
    return np.asarray(values[np.arange(len(values)), found.deciders], np.float32)


FIXED: Final[dict[str, Judge]] = {
    "expected": by_expected_value,
    "greed": by_greed,
    "rush": ByPlan(plans.CONVENIENCE_RUSH),
    "cheese": ByPlan(plans.CHEESE),
}
"""The fixed opponents by name: fast approximations of the built-in players."""
