"""The stages of a race: all cities that can follow, how far seats are from winning, and what throws pay."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from domain.match.rules import Rules
from kernel import layout as at
from kernel.engine import Engine
from kernel.tables import tables_of
from players.exact_race.cities import (
    MOST_CITIES,
    Builder,
    Cities,
    Distance,
    Purchase,
    Purchases,
    RaceRefused,
    distance,
    playing_in,
)
from players.exact_race.payouts import Payouts, TurnThrows
from players.exact_race.race import Race, size_of


class Stage(NamedTuple):
    """Cities that are to be solved: what `Race` has, and what throws pay."""

    seats: tuple[int, ...]
    tops: tuple[int, ...]
    builds: tuple[tuple[Purchase, ...], ...]
    idle_incomes: tuple[int, ...]
    distances: tuple[Distance, ...]
    losses: tuple[int, ...]
    turns: tuple[TurnThrows, ...]
    is_proved: bool


class Planner:
    """Finds the stages of races of some rules."""

    def __init__(self, kernel: Engine, rules: Rules, purchases: Purchases, room: int) -> None:
        self._kernel = kernel
        self._tables = tables_of(rules)
        self._builder = Builder(rules, purchases)
        self._room = room

    def stages(self, root: Cities, known: Mapping[Cities, Race], most: int) -> dict[Cities, Stage]:
        """The stages of these cities and of all that follow and are not known; each after those that follow.

        Raises:
            RaceRefused: they have more than so many chances, or this is no race.
        """
        seats = playing_in(root.row, self._tables[at.SEATS])
        builds: dict[Cities, tuple[tuple[Purchase, ...], ...]] = {}
        self._reach(root, seats, known, builds)
        return self._stages(seats, known, builds, most)

    def _reach(
        self,
        cities: Cities,
        seats: Sequence[int],
        known: Mapping[Cities, Race],
        found: dict[Cities, tuple[tuple[Purchase, ...], ...]],
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
        seats: tuple[int, ...],
        known: Mapping[Cities, Race],
        found: Mapping[Cities, tuple[tuple[Purchase, ...], ...]],
        most: int,
    ) -> dict[Cities, Stage]:
        distances: dict[Cities, tuple[Distance, ...]] = {}
        for cities, builds in found.items():
            distances[cities] = tuple(
                [self._distance(place, builds[place], known, distances) for place in range(len(seats))]
            )
        least = [size_of([one.coins for one in distances[cities]]) for cities in found]
        _require(sum(least), most)
        limits = [0] * self._tables[at.SEATS]
        for place, seat in enumerate(seats):
            limits[seat] = max([one[place].coins for one in distances.values()], default=0) + self._room
        payouts = Payouts(self._kernel, self._tables, limits)
        stages: dict[Cities, Stage] = {}
        size = 0
        for cities, builds in found.items():
            after = [
                then
                for by_seat in builds
                for build in by_seat
                if build.then is not None
                for then in (stages.get(build.then) or known[build.then],)
            ]
            stages[cities] = self._stage(cities, seats, builds, distances[cities], payouts, after)
            size += size_of(stages[cities].tops)
            _require(size, most)
        return stages

    def _distance(
        self,
        place: int,
        builds: Sequence[Purchase],
        known: Mapping[Cities, Race],
        distances: Mapping[Cities, tuple[Distance, ...]],
    ) -> Distance:
        after = [
            distances.get(build.then) or known[build.then].distances
            for build in builds
            if build.then is not None
        ]
        return distance(builds, [one[place] for one in after])

    def _stage(
        self,
        cities: Cities,
        seats: tuple[int, ...],
        builds: tuple[tuple[Purchase, ...], ...],
        distances: tuple[Distance, ...],
        payouts: Payouts,
        after: Sequence[Stage | Race],
    ) -> Stage:
        turns = tuple([payouts.turn(cities, seat) for seat in seats])
        places = range(len(seats))
        lost = [sum([turn.losses[place] for turn in turns]) for place in places]
        losses = tuple([max([lost[place], *[one.losses[place] for one in after]]) for place in places])
        needed = [distance.builds * loss for distance, loss in zip(distances, losses, strict=True)]
        tops = tuple(
            [distance.coins + min(room, self._room) for distance, room in zip(distances, needed, strict=True)]
        )
        goes_on = any(one.goes_on for turn in turns for roll in turn.rolls for one in roll)
        takes = any(turns[one].losses[other] for one in places for other in places if one != other)
        is_proved = max(needed) <= self._room and not (goes_on and takes)
        return Stage(
            seats,
            tops,
            builds,
            tuple([self._builder.idle_income(cities, seat) for seat in seats]),
            distances,
            losses,
            turns,
            is_proved and all(one.is_proved for one in after),
        )


def _require(size: int, most: int) -> None:
    if size > most:
        raise RaceRefused(f"the race has {size:,} chances or more, {most:,} are allowed")
