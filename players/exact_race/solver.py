"""Solving a race: value iteration over the coins of each combination of cities, the last cities first.

Builds are never undone, so the combinations of cities that follow each other form no cycle. Within one, coins
go up and down, and turns go round: sweeps repeat until no chance changes.
"""

from collections.abc import Mapping, Sequence
from ctypes import POINTER, c_double, c_int32
from typing import Any, Final

import numpy as np

from domain.match.rules import Rules
from kernel.engine import Engine
from kernel.workspaces import ROLLS
from players.exact_race.cities import NO_PURCHASES, Cities, Purchases, RaceRefused
from players.exact_race.payouts import Integers, TurnThrows
from players.exact_race.race import Race, cells_of, coins_in, gained
from players.exact_race.stages import Planner, Stage
from players.exact_race.sweeps import EQUAL, ROLL_PROBABILITIES, Chances, sweep

MOST_SWEEPS: Final = 5_000

MOST_ROOM: Final = 24
"""The most coins beyond all use that are still told apart, see `Race.tops`."""


class Solver:
    """Solves races of some rules, with what may be bought in them."""

    def __init__(
        self, kernel: Engine, rules: Rules, purchases: Purchases = NO_PURCHASES, room: int = MOST_ROOM
    ) -> None:
        self._kernel = kernel
        self._planner = Planner(kernel, rules, purchases, room)

    def solve(self, root: Cities, known: Mapping[Cities, Race], most: int) -> dict[Cities, Race]:
        """The races of these cities and of all that follow and are not known; those of `root` come last.

        Raises:
            RaceRefused: there are more than so many chances to compute, this is no race, or the best choices
                of three and more seats go round in a circle.
        """
        solved: dict[Cities, Race] = {}
        for cities, stage in self._planner.stages(root, known, most).items():
            solved[cities] = self._solved(stage, known, solved)
        return solved

    def _solved(self, stage: Stage, known: Mapping[Cities, Race], solved: Mapping[Cities, Race]) -> Race:
        coins = coins_in(stage.tops)
        seats, cells = coins.shape
        own = seats * cells * seats
        workspace = np.concatenate(
            [np.zeros(3 * own), ROLL_PROBABILITIES, np.zeros((ROLLS + 5 + cells) * seats)]
        )
        before = workspace[:own].reshape(seats, cells, seats)
        built = workspace[own : 3 * own].reshape(2, seats, cells, seats)
        built[:] = -1
        for roller, builds in enumerate(stage.builds):
            for build in builds:
                then = None if build.then is None else solved.get(build.then) or known[build.then]
                _put_build(built, coins, roller, build.price, then)
        places = [_places(stage, roller, coins) for roller in range(seats)]
        idle = np.stack(
            [
                cells_of(gained(coins, roller, income), stage.tops)
                for roller, income in enumerate(stage.idle_incomes)
            ]
        )
        if self._kernel.is_compiled:
            sweeps = _sweep_compiled(self._kernel, stage.turns, places, idle, workspace, cells)
        else:
            sweeps = sweep(stage.turns, places, idle, before, built, MOST_SWEEPS)
        if not sweeps:
            raise RaceRefused("the best choices of the seats never settle")
        chances = before.copy()
        return Race(
            stage.seats,
            stage.tops,
            stage.builds,
            stage.idle_incomes,
            stage.distances,
            stage.losses,
            chances,
            stage.is_proved,
        )


def _put_build(built: Chances, coins: Integers, roller: int, price: int, then: Race | None) -> None:
    """Write the chances after a build into the cells where the roller can pay for it and no earlier build is
    as good."""
    seats = len(coins)
    payable = np.flatnonzero(coins[roller] >= price)
    for goes_on in (0, 1):
        if then is None:
            found = np.zeros((len(payable), seats))
            found[:, roller] = 1
        else:
            cells = cells_of(gained(coins[:, payable], roller, -price), then.tops)
            found = then.chances[roller if goes_on else (roller + 1) % seats][cells]
        now = built[goes_on, roller, payable]
        better = found[:, roller] > now[:, roller] + EQUAL
        built[goes_on, roller, payable] = np.where(better[:, None], found, now)


def _places(stage: Stage, roller: int, coins: Integers) -> Integers:
    """By cell and branch of a seat's turn: the cell that the branch leads to."""
    branches = [branch for roll in stage.turns[roller].rolls for one in roll for branch in one.branches]
    found = np.empty((coins.shape[1], len(branches)), np.int32)
    for place, branch in enumerate(branches):
        gains = branch.gains[cells_of(coins, branch.tops)]
        found[:, place] = cells_of(coins + gains.T, stage.tops)
    return found


def _sweep_compiled(
    kernel: Engine,
    turns: Sequence[TurnThrows],
    places: Sequence[Integers],
    idle: Integers,
    workspace: Chances,
    cells: int,
) -> int:
    seats = len(turns)
    shape, at_place = [seats, cells, MOST_SWEEPS], 0
    program: list[int] = []
    for turn, place in zip(turns, places, strict=True):
        shape.append(len(program))
        program += [len(turn.rolls), int(turn.rerolls), place.shape[1], at_place]
        at_place += place.size
        for roll in turn.rolls:
            program.append(len(roll))
            for one in roll:
                program += [int(one.goes_on), one.boats, one.payers]
    flat = np.concatenate([place.ravel() for place in places])
    whole = [np.array(shape, np.int32), np.array(program, np.int32), flat, idle]
    pointers: list[Any] = [array.ctypes.data_as(POINTER(c_int32)) for array in whole]
    pointers.append(workspace.ctypes.data_as(POINTER(c_double)))
    return kernel.sweep_cells(*pointers)
