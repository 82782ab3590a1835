"""The training targets of a finished match: TD(lambda) over the tables of all turns."""

from typing import NamedTuple

import numpy as np

from training.arena import ArenaMatch, Singles


class Lessons(NamedTuple):
    """Tables with their target probabilities of winning."""

    seats: Singles
    """By row and seat: the features."""
    table: Singles
    """By row: the features of the whole table."""
    targets: Singles
    """By row and seat."""


def targets(played: ArenaMatch, trace: float) -> Singles:
    """By turn of a match that somebody won, and by seat: the target of the table at its start.

    A target mixes the values of the following tables and the result; `trace` is lambda, 0 to 1. If a random
    build followed, the target is instead the value of the best build, so that exploration does not lower it.
    """
    following = np.zeros_like(played.values[0])
    following[played.winner] = 1
    found = np.empty_like(played.values)
    for turn in range(len(found) - 1, -1, -1):
        found[turn] = following
        following = (1 - trace) * played.values[turn] + trace * following
        if played.explored[turn]:
            following = played.best[turn]
    return found


def lessons(matches: list[ArenaMatch], trace: float) -> Lessons:
    """The lessons of all tables of the matches that somebody won."""
    won = [match for match in matches if match.winner >= 0]
    return Lessons(
        np.concatenate([match.seats for match in won]),
        np.concatenate([match.table for match in won]),
        np.concatenate([targets(match, trace) for match in won]),
    )
