"""Estimated average incomes of cards, for many tables at a time.

The estimate assumes that every payer has enough coins and that stages are independent. `forecast` computes
the exact gain of a roll with the rules.
"""

from functools import lru_cache

import numpy as np

from domain.match.rules import HIGHEST_TOTAL, Firing, Rules
from players.forecast import BOATS_MEAN, ONE_DIE, TWO_DICE
from players.tables import Doubles, TableBatch

SHARED = ("from_each", "from_each_per_symbol", "half_from_each")
"""Kinds of effects that every opponent pays."""


class Incomes:
    """The firings of one ruleset as matrices over cards."""

    def __init__(self, rules: Rules) -> None:
        count = rules.establishments
        self.count = count
        firings = rules.firings[:count]
        self.everybody = np.array(rules.everybody[count:], bool)
        self.boosts = np.zeros((rules.size - count, count))
        self.counted = np.zeros((count, count))
        for firing in firings:
            self.counted[list(firing.counted), firing.card] = 1
            self.boosts[[card - count for card in firing.boosts], firing.card] = 1
        self.fixed = _of_kind(firings, ("from_bank", "from_roller", "from_each", "from_one"))
        self.fixed += BOATS_MEAN * _of_kind(firings, ("boats",), of_one=True)
        self.per_counted = _of_kind(firings, ("per_counted",))
        self.boosted_counts = np.array([firing.boost_per_counted for firing in firings], float)
        self.from_each = _of_kind(firings, SHARED, of_one=True)
        self.per_symbol = _of_kind(firings, ("from_each_per_symbol",))
        self.halves = _of_kind(firings, ("half_from_each",), of_one=True)
        self.threshold = max(
            [firing.threshold for firing in firings if firing.kind == "half_from_each"] or [0]
        )
        self.gates = [(firing.card, firing.needs) for firing in firings if firing.needs >= 0]
        self.own_turn = _on_turn(rules, ("blue", "green", "purple"))
        self.others_turn = _on_turn(rules, ("blue",))
        self.of_roller = _on_turn(rules, ("red",))

    def in_force(self, tables: TableBatch) -> Doubles:
        """By row, seat and landmark: 1 if it works for the seat."""
        built = tables.cities[:, :, self.count :].astype(float)
        if self.everybody.any():
            anybody = built.max(axis=1, keepdims=True)
            built = np.where(self.everybody, anybody, built)
        return built

    def worth(self, tables: TableBatch, in_force: Doubles) -> Doubles:
        """By row, seat and establishment: the coins that all copies pay when they fire."""
        copies = tables.cities[:, :, : self.count].astype(float)
        each = in_force @ self.boosts
        if self.per_counted.any() or self.per_symbol.any():
            counted = copies @ self.counted
            each *= 1 + self.boosted_counts * (counted - 1)
            each += self.per_counted * counted
        each += self.fixed * self._payers(tables)
        if self.per_symbol.any():
            each += self.per_symbol * _of_others(counted)
        if self.halves.any():
            coins = tables.coins
            half = np.where(coins >= self.threshold, coins // 2, 0).astype(float)
            each += self.halves * _of_others(half)[:, :, None]
        each *= copies
        for card, needs in self.gates:
            each[:, :, card] *= tables.cities[:, :, needs]
        return each

    def _payers(self, tables: TableBatch) -> Doubles:
        """By card: the number of payers."""
        return np.asarray(1 + self.from_each * (tables.coins.shape[1] - 2))


def _of_others(amounts: Doubles) -> Doubles:
    """By row and seat: the sum over all other seats."""
    return np.asarray(amounts.sum(axis=1, keepdims=True) - amounts)


def _of_kind(firings: list[Firing], kinds: tuple[str, ...], *, of_one: bool = False) -> Doubles:
    """By card: its amount, or 1 with `of_one`, if its effect is of one of the kinds; else 0."""
    return np.array([(1 if of_one else f.amount) if f.kind in kinds else 0 for f in firings], float)


def _fires(rules: Rules) -> Doubles:
    """By establishment and total: 1 if it fires."""
    fires = np.zeros((rules.establishments, HIGHEST_TOTAL + 1))
    for card in range(rules.establishments):
        fires[card, list(rules.cards[card].activation)] = 1
    return fires


def _on_turn(rules: Rules, colours: tuple[str, ...]) -> Doubles:
    """By establishment and kind of roll: the probability that it fires; 0 for other colours."""
    chances = _fires(rules) @ throws(rules).T
    of_colour = [card.colour in colours for card in rules.cards[: rules.establishments]]
    return np.where(np.array(of_colour)[:, None], chances, 0)


@lru_cache(maxsize=64)
def throws(rules: Rules) -> Doubles:
    """By kind of roll (one die, two dice, two dice with 2 added) and total: the probability."""
    kinds = [_totals(ONE_DIE), _totals(TWO_DICE)]
    if rules.add_two >= 0:
        adder = rules.firings[rules.add_two]
        raised = kinds[1].copy()
        for total in range(adder.threshold, 13):
            raised[total] -= kinds[1][total]
            raised[total + adder.amount] += kinds[1][total]
        kinds.append(raised)
    return np.array(kinds)


def _totals(outcomes: tuple[tuple[tuple[int, ...], float], ...]) -> Doubles:
    chances = np.zeros(HIGHEST_TOTAL + 1)
    for values, chance in outcomes:
        chances[sum(values)] += chance
    return chances


@lru_cache(maxsize=64)
def incomes_of(rules: Rules) -> Incomes:
    """The incomes of these rules, cached."""
    return Incomes(rules)
