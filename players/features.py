"""The features of a table for the value network, by seat and for the whole table.

They derive from the ruleset: owned cards and landmarks, coins at several scales, the average income of cards,
the cost of missing landmarks and the rounds to pay for them.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from domain.match.rules import Rules
from players.incomes import incomes_of
from players.tables import Doubles, TableBatch

_OUT_OF_REACH = 99
"""The price in coins if nothing is for sale."""


class RaceProgress(NamedTuple):
    """The progress of the seats towards winning, by row and seat."""

    income: Doubles
    """Expected coins per round of the table."""
    left: Doubles
    """The cost of the missing landmarks, in coins."""
    next: Doubles
    """The cost of the cheapest missing landmark, in coins."""
    rounds: Doubles
    """Rounds until the missing landmarks are paid at that income, 0 to 40."""


class FeatureBatch(NamedTuple):
    """The input of the network."""

    seats: Doubles
    """By row, seat and feature."""
    table: Doubles
    """By row and feature."""


class Features:
    """Computes the features of tables of one ruleset."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.incomes = incomes_of(rules)
        self.count = rules.establishments
        self.sold = [card for card in range(rules.size) if rules.row_of[card] >= 0]
        tiers = max([len(prices) for prices in rules.prices])
        landmarks = range(rules.establishments, rules.size)
        prices = [[_tier(rules.prices[card], tier) for tier in range(tiers)] for card in landmarks]
        self.prices = np.array(prices, float)
        """By landmark and number of landmarks that the builder has."""
        self.winning = np.array([rules.firings[card].kind == "win" for card in landmarks])
        self.raised = rules.add_two - self.count if rules.add_two >= 0 else -1
        self.station = rules.two_dice - self.count if rules.two_dice >= 0 else -1

    def extract(self, tables: TableBatch) -> FeatureBatch:
        """The features of these tables."""
        copies = tables.cities[:, :, : self.count].astype(float)
        in_force, own, others, red = self._incomes(tables)
        race = self._race(tables, in_force, own, others, red)
        parts = [
            copies / 4,
            np.minimum(copies, 1),
            np.minimum(np.maximum(copies - 1, 0), 1),
            tables.cities[:, :, self.count :].astype(float),
            own / 4,
            others / 2,
            red / 2,
            self._standing(tables, race),
        ]
        return FeatureBatch(np.concatenate(parts, axis=2), self._common(tables, in_force))

    def _incomes(self, tables: TableBatch) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """Landmarks in force, and income by kind of roll: on the seat's own turn, on other turns from the
        bank, and from the roller."""
        in_force = self.incomes.in_force(tables)
        worth = self.incomes.worth(tables, in_force)
        own = worth @ self.incomes.own_turn
        return in_force, own, worth @ self.incomes.others_turn, worth @ self.incomes.of_roller

    def _race(
        self, tables: TableBatch, in_force: Doubles, own: Doubles, others: Doubles, red: Doubles
    ) -> RaceProgress:
        best = self._best(in_force, own)
        opponents = tables.coins.shape[1] - 1
        # Whether opponents roll one die or two is unknown, so both count half.
        passive = (others[:, :, :2].sum(axis=2) + red[:, :, :2].sum(axis=2)) / 2
        income = best + opponents * passive
        left, next = self._costs(tables, in_force)
        rounds = np.clip((left - tables.coins.astype(float)) / (income + 0.4), 0, 40)
        return RaceProgress(income, left, next, rounds)

    def _best(self, in_force: Doubles, own: Doubles) -> Doubles:
        """The income of the seat's own roll with the better number of dice."""
        two = own[:, :, 1]
        if self.raised >= 0:
            two = np.where(in_force[:, :, self.raised] > 0, np.maximum(two, own[:, :, 2]), two)
        if self.station >= 0:
            two = two * in_force[:, :, self.station]
        return np.maximum(own[:, :, 0], two)

    def _costs(self, tables: TableBatch, in_force: Doubles) -> tuple[Doubles, Doubles]:
        """By row and seat: the cost of all missing and of the cheapest missing landmarks."""
        built = tables.cities[:, :, self.count :].astype(float)
        if self.rules.own_landmarks:
            prices = self.prices[:, 0]
            next = np.where(built > 0, _OUT_OF_REACH, prices).min(axis=2)
            return prices.sum() - built @ prices, next
        return self._costs_of_tiers(tables, built, in_force)

    def _costs_of_tiers(
        self, tables: TableBatch, built: Doubles, in_force: Doubles
    ) -> tuple[Doubles, Doubles]:
        on_sale = tables.supply[:, None, self.count :, None] > 0
        asked = np.where(on_sale, self.prices, _OUT_OF_REACH)
        plain = asked[:, :, ~self.winning].min(axis=2)
        usual = self.prices[~self.winning].min(axis=0)
        plain = np.where(plain >= _OUT_OF_REACH, usual, plain)[:, 0]
        number = built.sum(axis=2).astype(int)
        goal = self.rules.goal
        tiers = np.arange(plain.shape[1])
        to_come = (tiers >= number[:, :, None]) & (tiers < goal)
        left = (plain[:, None, :] * to_come).sum(axis=2)
        tier = np.minimum(number, len(tiers) - 1)
        next = np.take_along_axis(plain, tier, axis=1)
        at_once = np.take_along_axis(asked[:, 0, self.winning].min(axis=1), tier, axis=1)
        at_once = at_once - self._discounts(in_force)
        left = np.minimum(left, at_once)
        return left, np.minimum(next, left)

    def _discounts(self, in_force: Doubles) -> Doubles:
        """By row and seat: the discount on the landmark that wins at once."""
        less = np.zeros(len(self.prices))
        winner = self.count + int(np.flatnonzero(self.winning)[0])
        for discount in self.rules.discounts:
            if winner in discount.targets:
                less[discount.landmark - self.count] = discount.amount
        return in_force @ less

    def _standing(self, tables: TableBatch, race: RaceProgress) -> Doubles:
        """Coins, progress and relative progress, by row, seat and feature."""
        coins = tables.coins.astype(float)
        seats = coins.shape[1]
        wait = (np.arange(seats) - tables.mover[:, None]) % seats
        number = tables.cities[:, :, self.count :].sum(axis=2)
        short = race.left - coins
        ahead = _least_of_others(race.rounds) - race.rounds
        columns = [
            np.minimum(coins, 60) / 10,
            np.minimum(coins, 120) / 40,
            np.minimum(coins, 3) / 3,
            np.minimum(coins, 7) / 7,
            np.clip((coins - race.next) / 8, -1, 1),
            (coins >= race.next).astype(float),
            race.left / 30,
            np.clip(short / 20, -1, 2),
            (short <= 0).astype(float),
            race.income / 6,
            race.rounds / 10,
            np.exp(-race.rounds / 5),
            np.clip(ahead / 8, -2, 2),
            number / self.rules.goal,
            (number == self.rules.goal - 1).astype(float),
            (wait == 0).astype(float),
            wait / seats,
        ]
        return np.stack(columns, axis=2)

    def _common(self, tables: TableBatch, in_force: Doubles) -> Doubles:
        """Cards for sale and landmarks in force for everybody, by row and feature."""
        supply = tables.supply[:, self.sold].astype(float)
        everybody = in_force[:, 0, self.incomes.everybody]
        rounds = np.stack([tables.round > 0, tables.round / 3], axis=1)
        return np.concatenate([np.minimum(supply, 1), np.minimum(supply, 4) / 4, everybody, rounds], axis=1)


def _tier(prices: tuple[int, ...], landmarks: int) -> int:
    return prices[min(landmarks, len(prices) - 1)]


def _least_of_others(values: Doubles) -> Doubles:
    """By row and seat: the lowest value of any other seat."""
    if values.shape[1] == 2:
        return values[:, ::-1]
    order = np.sort(values, axis=1)
    least, second = order[:, :1], order[:, 1:2]
    return np.where(values == least, second, least)


@lru_cache(maxsize=64)
def features_of(rules: Rules) -> Features:
    """The features of these rules, cached."""
    return Features(rules)
