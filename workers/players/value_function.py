"""What tables are worth: every seat's chance of winning, by the shipped network.

`values` is a fixed function of public tables: it may also serve to tell luck from play. To see what a coin is
worth, compare a table with a copy whose purses differ.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from domain.match.rules import Rules
from domain.match.state import FINISHED, MatchState
from workers.players.features import features_of
from workers.players.network import chances
from workers.players.tables import Tables, in_play, tables_of
from workers.players.weight_files import digest, weights_for

Floats = NDArray[np.float32]

__all__ = ["chances_of", "digest", "values"]


def chances_of(rules: Rules, tables: Tables) -> Floats:
    """By row and seat in play: the chance of winning as a turn begins; every row sums to 1."""
    seen = features_of(rules).see(tables)
    return chances(weights_for(rules.ruleset.id, tables.coins.shape[1]), seen.seats, seen.table)


def values(states: Sequence[MatchState]) -> NDArray[np.float64]:
    """By state and seat: the chance of winning; every row sums to 1.

    The states have the same rules and number of seats. Each counts as it lies before the active seat's throw
    or building round: dice that have fallen, and choices that are open, are not looked at. Seats that have
    resigned have no chance; in a match that is over the winner has all of it. Of a match that was called off
    every seat has an equal share.
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
        judged = chances_of(states[0].rules, tables_of([states[row] for row in rows]))
        found[np.ix_(rows, playing)] = judged
    return found
