"""Decisions about dice in training matches, which maximise the expected coins.

The network's decisions about dice would take four times as long; only real matches use them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from domain.match.commands import AddTwo, KeepDice, KeepTotal, PlayCommand, RerollDice, RollDice
from domain.match.decide.turns import may_roll_two
from domain.match.state import MatchState, in_force, is_double
from players.features import features_of
from players.tables import tables_of

Floats = NDArray[np.floating]


class Odds:
    """The expected gains of the roller on one table, by total and by number of dice."""

    def __init__(self, gains: list[float], means: list[float], more: int) -> None:
        self.gains = gains
        self.means = means
        """By number of dice less one."""
        self.more = more
        """The amount that may be added to a high total; 0 for none."""


def odds_of(states: Sequence[MatchState]) -> list[Odds]:
    """By match: the expected gains of the active seat."""
    rules = states[0].rules
    features = features_of(rules)
    gains = features.gains(tables_of(states))
    adder = rules.add_two
    means = gains @ features.throws().T
    if adder >= 0:
        firing = rules.firings[adder]
        raised = gains.copy()
        first, last = firing.threshold, gains.shape[1] - firing.amount
        raised[:, first:last] = np.maximum(gains[:, first:last], gains[:, first + firing.amount :])
        adding = np.array([in_force(state, state.active, adder) for state in states])
        means = np.where(adding[:, None], (raised @ features.throws().T), means)
        more = np.where(adding, firing.amount, 0).tolist()
    else:
        more = [0] * len(states)
    return [Odds(*one) for one in zip(gains.tolist(), means.tolist(), more, strict=True)]


def decide(state: MatchState, odds: Odds) -> PlayCommand:
    """The decision about the number of dice, a reroll or adding to the total."""
    seat = state.active
    if state.phase == "roll":
        two = may_roll_two(state, state.rules) and odds.means[1] > odds.means[0]
        return RollDice(seat, 1 + two)
    if state.phase == "reroll":
        mean = odds.means[len(state.dice) - 1]
        return RerollDice(seat) if _worth(state, odds) < mean else KeepDice(seat)
    better = odds.gains[state.total + odds.more] > odds.gains[state.total]
    return AddTwo(seat) if better else KeepTotal(seat)


def _worth(state: MatchState, odds: Odds) -> float:
    """The gain from the current roll; an extra turn counts as one more roll."""
    threshold = state.rules.firings[state.rules.add_two].threshold if odds.more else 99
    worth = odds.gains[state.total]
    if state.total >= threshold:
        worth = max(worth, odds.gains[state.total + odds.more])
    if is_double(state) and any(
        firing.kind == "extra_turn_on_double" and in_force(state, state.active, firing.card)
        for firing in state.rules.firings[state.rules.establishments :]
    ):
        worth += odds.means[1]
    return worth
