"""The training targets of finished matches: TD(lambda) over the tables of all turns."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from players.tables import TableBatch, joined
from training.arena import ArenaMatches

Floats = NDArray[np.float32]


class Lessons(NamedTuple):
    """Tables with their target probabilities of winning."""

    tables: TableBatch
    targets: Floats
    """By row and seat."""


def lessons(played: ArenaMatches, trace: float) -> Lessons:
    """The lessons from the tables of all turns of all finished matches, except the last turns.

    A table's target mixes the values of the following tables and the result; `trace` is lambda. After an
    exploratory turn, it uses the value of the best choice instead.
    """
    matches, seats = len(played.winners), played.turns[0].values.shape[1]
    result = np.zeros((matches, seats), np.float32)
    finished = played.winners >= 0
    result[np.flatnonzero(finished), played.winners[finished]] = 1
    following = result.copy()
    parts: list[Lessons] = []
    for number in range(len(played.turns) - 1, -1, -1):
        turn = played.turns[number]
        of = turn.matches
        is_last = played.lengths[of] == number + 1
        learned = finished[of] & ~is_last
        if learned.any():
            parts.append(Lessons(turn.tables.rows(learned), following[of[learned]]))
        mixed = (1 - trace) * turn.values + trace * following[of]
        mixed = np.where(turn.explored[:, None], turn.best, mixed)
        following[of] = np.where(is_last[:, None], result[of], mixed)
    return Lessons(joined([part.tables for part in parts]), np.concatenate([part.targets for part in parts]))
