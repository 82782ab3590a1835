"""The value function: every seat's probability of winning, by the shipped network.

It is a fixed function of public information, so it can also separate luck from skill. It computes in double
precision, as in the kernel, so that all machines agree on all digits that anybody compares.
"""

from collections.abc import Callable, Sequence

import numpy as np

from domain.match.rules import Rules
from domain.match.state import FINISHED, MatchState
from players.features import features_of
from players.network import Weights, chances
from players.tables import Doubles, TableBatch, in_play, tables_of
from players.weight_files import Precision, calibrated_weights, weights_for

Evaluator = Callable[[Rules, TableBatch], Doubles]
"""Returns, by row and seat in play, the probability of winning in a new array."""


def chances_of(rules: Rules, tables: TableBatch) -> Doubles:
    """By row and seat in play: the probability of winning at the start of a turn; each row sums to 1."""
    return _chances(weights_for, rules, tables)


def fine_chances_of(rules: Rules, tables: TableBatch) -> Doubles:
    """As `chances_of`, but calibrated."""
    return _chances(calibrated_weights, rules, tables)


def _chances(weights: Callable[[str, int, Precision], Weights], rules: Rules, tables: TableBatch) -> Doubles:
    seen = features_of(rules).extract(tables)
    own = weights(rules.ruleset.id, tables.coins.shape[1], "float64")
    return np.asarray(chances(own, seen.seats, seen.table), float)


def values(states: Sequence[MatchState], evaluator: Evaluator = chances_of) -> Doubles:
    """By state and seat: the probability of winning; each row sums to 1.

    The states have the same rules and number of seats. Each is evaluated as before the active seat's roll or
    building round; a roll and open choices are ignored. Resigned seats have 0, the winner of a finished
    match has 1, and all seats of an aborted match have equal shares.
    """
    found = np.zeros((len(states), states[0].rules.seats))
    groups: dict[tuple[int, ...], list[int]] = {}
    for row, state in enumerate(states):
        if state.status == FINISHED:
            found[row, state.winner] = 1
        elif state.phase == "":
            found[row] = 1 / state.rules.seats
        else:
            groups.setdefault(tuple(in_play(state)), []).append(row)
    for playing, rows in groups.items():
        judged = evaluator(states[0].rules, tables_of([states[row] for row in rows]))
        found[np.ix_(rows, playing)] = judged
    return found
