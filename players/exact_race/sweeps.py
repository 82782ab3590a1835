"""Sweeps by numpy, as `kernel.race.sweep_cells` makes them: all cells of some cities at a time."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from players.exact_race.payouts import Integers, TurnThrows

Chances = NDArray[np.float64]

EQUAL: Final = 1e-9
SETTLED: Final = 1e-13
"""As in `kernel.race`."""

_BOATS_PROBABILITIES: Final = tuple((6 - abs(number - 5)) / 36 for number in range(11))
_OTHER_PROBABILITIES: Final = tuple((min(total, 14 - total) - 1) // 2 / 18 for total in range(3, 12))
ROLL_PROBABILITIES: Final = (*(1 / 6,) * 6, *(1 / 36,) * 6, *_OTHER_PROBABILITIES)
"""By roll: its probability."""


def sweep(
    turns: Sequence[TurnThrows],
    places: Sequence[Integers],
    idle: Integers,
    before: Chances,
    built: Chances,
    most: int,
) -> int:
    """Sweep until no chance changes; returns the number of sweeps, or 0 if chances still change after `most`.

    By roller: `turns`, `places` (by cell and branch, where the branch leads) and `idle` (by cell, the cell if
    it builds nothing). `before` has the chances before a turn by roller, cell and seat, `built` those after
    the best build, if the turn passes on and if not.
    """
    seats = len(turns)
    for number in range(most):
        change = 0.0
        for roller, turn in reversed([*enumerate(turns)]):
            after = [
                _first_or_better(
                    built[goes_on, roller],
                    before[roller if goes_on else (roller + 1) % seats][idle[roller]],
                    roller,
                )
                for goes_on in (0, 1)
            ]
            found = _before_turn(turn, places[roller], after, roller)
            change = max(change, float(np.abs(found - before[roller]).max()))
            before[roller] = found
        if change < SETTLED:
            return number + 1
    return 0


def _before_turn(turn: TurnThrows, places: Integers, after: Sequence[Chances], roller: int) -> Chances:
    branch, rolls = 0, []
    for alternatives in turn.rolls:
        best: Chances | None = None
        for one in alternatives:
            found = np.zeros_like(after[0])
            for sailed in range(one.boats):
                paid: Chances | None = None
                for _ in range(one.payers):
                    paid = _first_or_better(paid, after[one.goes_on][places[:, branch]], roller)
                    branch += 1
                assert paid is not None
                found += paid * (_BOATS_PROBABILITIES[sailed] if one.boats > 1 else 1)
            best = _first_or_better(best, found, roller)
        assert best is not None
        rolls.append(best)
    found = _mean(turn, rolls, range(6), roller)
    return (
        found
        if len(rolls) == 6
        else _first_or_better(found, _mean(turn, rolls, range(6, 21), roller), roller)
    )


def _mean(turn: TurnThrows, rolls: Sequence[Chances], places: range, roller: int) -> Chances:
    found = np.zeros_like(rolls[0])
    for place in places:
        found += ROLL_PROBABILITIES[place] * rolls[place]
    if not turn.rerolls:
        return found
    again, found = found, np.zeros_like(found)
    for place in places:
        found += ROLL_PROBABILITIES[place] * _first_or_better(rolls[place], again, roller)
    return found


def _first_or_better(first: Chances | None, second: Chances, roller: int) -> Chances:
    """By cell: the first chances, unless the second are better for the roller."""
    if first is None:
        return second
    better = second[:, roller] > first[:, roller] + EQUAL
    return np.where(better[:, None], second, first)
