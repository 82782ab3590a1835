"""Solving a race: value iteration over the coins of each combination of cities, the last cities first.

Builds are never undone, so the combinations of cities that follow each other form no cycle. Within one, coins
go up and down, and turns go round: sweeps repeat until no chance changes.
"""

from collections.abc import Mapping, Sequence
from ctypes import POINTER, c_double, c_int32
from typing import Any, Final, NamedTuple

import numpy as np

from domain.match.rules import Rules
from kernel import layout as at
from kernel.engine import Engine
from kernel.layout import ROLLS
from kernel.tables import tables_of
from workers.exact_race.cities import (
    MOST_CITIES,
    NOTHING,
    Build,
    Builder,
    Cities,
    Purchases,
    RaceRefused,
    Way,
    playing_in,
    way,
)
from workers.exact_race.payouts import Payouts, Turn, Whole
from workers.exact_race.sweeps import EQUAL, Chances, sweep

MOST_SWEEPS: Final = 5_000

MOST_ROOM: Final = 24
"""Coins beyond all use that are still told apart at most, see `Race.tops`."""


class Race(NamedTuple):
    """The solved race of some cities, for all coins and every seat to move."""

    seats: tuple[int, ...]
    """The seats in play. Everything else here is by place among these."""
    tops: tuple[int, ...]
    """The coins above which all purses are as good as equal."""
    builds: tuple[tuple[Build, ...], ...]
    idle_incomes: tuple[int, ...]
    ways: tuple[Way, ...]
    losses: tuple[int, ...]
    """The most that a seat pays in a round without further turns, in these cities or later ones, in coins."""
    chances: Chances
    """By roller, cell and seat: the chance of winning before the roller's turn."""
    is_proved: bool
    """Whether no purse can be richer than its top and win otherwise."""

    def cell(self, coins: Sequence[int]) -> int:
        """The cell of purses, by seat in play."""
        found = 0
        for purse, top in zip(coins, self.tops, strict=True):
            found = found * (top + 1) + min(purse, top)
        return found

    def before_turn(self, roller: int, coins: Sequence[int]) -> Chances:
        """By seat in play: the chance of winning before the turn of one of them."""
        found: Chances = self.chances[roller, self.cell(coins)]
        return found


class _Stage(NamedTuple):
    """Cities that are to be solved: what `Race` has, and what throws pay."""

    seats: tuple[int, ...]
    tops: tuple[int, ...]
    builds: tuple[tuple[Build, ...], ...]
    idle_incomes: tuple[int, ...]
    ways: tuple[Way, ...]
    losses: tuple[int, ...]
    turns: tuple[Turn, ...]
    is_proved: bool

    @property
    def cells(self) -> int:
        return int(np.prod([top + 1 for top in self.tops], dtype=np.int64))


class Solver:
    """Solves races of some rules, with what may be bought in them."""

    def __init__(
        self, kernel: Engine, rules: Rules, purchases: Purchases = NOTHING, room: int = MOST_ROOM
    ) -> None:
        self._kernel = kernel
        self._tables = tables_of(rules)
        self._builder = Builder(rules, purchases)
        self._room = room

    def solve(self, root: Cities, known: Mapping[Cities, Race], most: int) -> dict[Cities, Race]:
        """The races of these cities and of all that follow and are not known; those of `root` come last.

        Raises:
            RaceRefused: there are more than so many chances to compute, or this is no race.
        """
        seats = playing_in(root.row, self._tables[at.SEATS])
        builds: dict[Cities, tuple[tuple[Build, ...], ...]] = {}
        self._reach(root, seats, known, builds)
        stages = self._stages(root, seats, known, builds, most)
        solved: dict[Cities, Race] = {}
        for cities, stage in stages.items():
            solved[cities] = self._solved(stage, known, solved)
        return solved

    def _reach(
        self,
        cities: Cities,
        seats: Sequence[int],
        known: Mapping[Cities, Race],
        found: dict[Cities, tuple[tuple[Build, ...], ...]],
    ) -> None:
        """The builds in these cities and in all that follow, the last ones first."""
        if cities in found or cities in known:
            return
        builds = tuple([self._builder.builds(cities, seat) for seat in seats])
        for build in [build for by_seat in builds for build in by_seat]:
            if build.then is not None:
                self._reach(build.then, seats, known, found)
        found[cities] = builds
        if len(found) > MOST_CITIES:
            raise RaceRefused(f"more than {MOST_CITIES:,} combinations of cities follow")

    def _stages(
        self,
        root: Cities,
        seats: tuple[int, ...],
        known: Mapping[Cities, Race],
        found: Mapping[Cities, tuple[tuple[Build, ...], ...]],
        most: int,
    ) -> dict[Cities, _Stage]:
        ways: dict[Cities, tuple[Way, ...]] = {}
        for cities, builds in found.items():
            ways[cities] = tuple([self._way(place, builds[place], known, ways) for place in range(len(seats))])
        least = [self._size([one.coins for one in ways[cities]]) for cities in found]
        _require(sum(least), most)
        limits = [0] * self._tables[at.SEATS]
        for place, seat in enumerate(seats):
            limits[seat] = max([one[place].coins for one in ways.values()], default=0) + self._room
        payouts = Payouts(self._kernel, self._tables, limits)
        stages: dict[Cities, _Stage] = {}
        size = 0
        for cities, builds in found.items():
            after = [
                then
                for by_seat in builds
                for build in by_seat
                if build.then is not None
                for then in (stages.get(build.then) or known[build.then],)
            ]
            stages[cities] = self._stage(cities, seats, builds, ways[cities], payouts, after)
            size += self._size(stages[cities].tops)
            _require(size, most)
        return stages

    def _size(self, tops: Sequence[int]) -> int:
        """How many chances there are with these tops."""
        return len(tops) ** 2 * int(np.prod([top + 1 for top in tops], dtype=np.int64))

    def _way(
        self,
        place: int,
        builds: Sequence[Build],
        known: Mapping[Cities, Race],
        ways: Mapping[Cities, tuple[Way, ...]],
    ) -> Way:
        after = [ways.get(build.then) or known[build.then].ways for build in builds if build.then is not None]
        return way(builds, [one[place] for one in after])

    def _stage(
        self,
        cities: Cities,
        seats: tuple[int, ...],
        builds: tuple[tuple[Build, ...], ...],
        ways: tuple[Way, ...],
        payouts: Payouts,
        after: "Sequence[_Stage | Race]",
    ) -> _Stage:
        turns = tuple([payouts.turn(cities, seat) for seat in seats])
        places = range(len(seats))
        lost = [sum([turn.losses[place] for turn in turns]) for place in places]
        losses = tuple([max([lost[place], *[one.losses[place] for one in after]]) for place in places])
        needed = [way.builds * loss for way, loss in zip(ways, losses, strict=True)]
        tops = tuple([way.coins + min(room, self._room) for way, room in zip(ways, needed, strict=True)])
        goes_on = any([one.goes_on for turn in turns for roll in turn.rolls for one in roll])
        takes = any([turns[one].losses[other] for one in places for other in places if one != other])
        is_proved = max(needed) <= self._room and not (goes_on and takes)
        return _Stage(
            seats,
            tops,
            builds,
            tuple([self._builder.idle_income(cities, seat) for seat in seats]),
            ways,
            losses,
            turns,
            is_proved and all([one.is_proved for one in after]),
        )

    def _solved(self, stage: _Stage, known: Mapping[Cities, Race], solved: Mapping[Cities, Race]) -> Race:
        seats, cells = len(stage.seats), _cells(stage.tops)
        coins = _coins(stage.tops)
        own = seats * cells * seats
        room = np.zeros(3 * own + (ROLLS + 4) * seats)
        before = room[:own].reshape(seats, cells, seats)
        built = room[own : 3 * own].reshape(2, seats, cells, seats)
        built[:] = -1
        for roller, builds in enumerate(stage.builds):
            for build in builds:
                then = None if build.then is None else solved.get(build.then) or known[build.then]
                _put_build(built, coins, roller, build.price, then)
        places = [_places(stage, roller, coins) for roller in range(seats)]
        idle = np.stack(
            [
                _index(_gained(coins, roller, income), stage.tops)
                for roller, income in enumerate(stage.idle_incomes)
            ]
        )
        if self._kernel.is_compiled:
            sweeps = _sweep_compiled(self._kernel, stage.turns, places, idle, room, cells)
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
            stage.ways,
            stage.losses,
            chances,
            stage.is_proved,
        )


def _require(size: int, most: int) -> None:
    if size > most:
        raise RaceRefused(f"the race has {size:,} chances or more, {most:,} are allowed")


def _cells(tops: Sequence[int]) -> int:
    return int(np.prod([top + 1 for top in tops], dtype=np.int64))


def _coins(tops: Sequence[int]) -> Whole:
    """By seat and cell: the coins."""
    return np.indices([top + 1 for top in tops], np.int32).reshape(len(tops), -1)


def _index(coins: Whole, tops: Sequence[int]) -> Whole:
    """The cells of purses, by seat and anything."""
    found = np.zeros(coins.shape[1:], np.int32)
    for purse, top in zip(coins, tops, strict=True):
        found *= top + 1
        found += np.minimum(purse, top)
    return found


def _gained(coins: Whole, seat: int, more: int) -> Whole:
    found = coins.copy()
    found[seat] += more
    return found


def _put_build(built: Chances, coins: Whole, roller: int, price: int, then: Race | None) -> None:
    """Put in the chances after a build, where the roller can pay for it and no build before is as good."""
    seats = len(coins)
    payable = np.flatnonzero(coins[roller] >= price)
    for goes_on in (0, 1):
        if then is None:
            found = np.zeros((len(payable), seats))
            found[:, roller] = 1
        else:
            cells = _index(_gained(coins[:, payable], roller, -price), then.tops)
            found = then.chances[roller if goes_on else (roller + 1) % seats][cells]
        now = built[goes_on, roller, payable]
        better = found[:, roller] > now[:, roller] + EQUAL
        built[goes_on, roller, payable] = np.where(better[:, None], found, now)


def _places(stage: _Stage, roller: int, coins: Whole) -> Whole:
    """By cell and branch of a seat's turn: the cell that the branch leads to."""
    branches = [
        branch for roll in stage.turns[roller].rolls for one in roll for branch in one.branches
    ]
    found = np.empty((coins.shape[1], len(branches)), np.int32)
    for place, branch in enumerate(branches):
        gains = branch.gains[_index(coins, branch.tops)]
        found[:, place] = _index(coins + gains.T, stage.tops)
    return found


def _sweep_compiled(
    kernel: Engine, turns: Sequence[Turn], places: Sequence[Whole], idle: Whole, room: Chances, cells: int
) -> int:
    seats = len(turns)
    shape, program, at_place = [seats, cells, MOST_SWEEPS], [], 0
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
    return kernel.sweep_cells(*pointers, room.ctypes.data_as(POINTER(c_double)))
