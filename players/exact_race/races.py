"""Solved races on demand, in a cache of bounded size."""

from collections import OrderedDict
from typing import Final

import numpy as np

from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel.engine import Engine
from players.exact_race.cities import NO_PURCHASES, Cities, Purchases, RaceRefused, cities_of
from players.exact_race.race import Race
from players.exact_race.solver import MOST_ROOM, Solver

MOST_CHANCES: Final = 300_000
"""The most chances that are computed at once: about a second where the kernel is compiled."""

MOST_KEPT: Final = 8_000_000
"""The most chances that are kept, 8 bytes each."""


class Races:
    """Solves races and keeps those that were used last."""

    def __init__(
        self,
        kernel: Engine,
        rules: Rules,
        purchases: Purchases = NO_PURCHASES,
        *,
        most: int = MOST_CHANCES,
        kept: int = MOST_KEPT,
        room: int = MOST_ROOM,
    ) -> None:
        self._solver = Solver(kernel, rules, purchases, room)
        self._purchases = purchases
        self._rules = rules
        self._most = most
        self._most_kept = kept
        # No LRUCache of cachetools: solving adds many races at once and looks up others meanwhile, and this
        # package needs nothing but numpy and numba, so that the wheel of the rules can hold it.
        self._kept: OrderedDict[Cities, Race] = OrderedDict()
        self.size = 0
        """The number of chances that are kept."""

    def race_of(self, state: MatchState) -> Race:
        """The race of the cities of a match; whose turn it is and its coins do not matter.

        Raises:
            RaceRefused: the match does not wait for rolls now, cards will be drawn, or the race is too large.
        """
        if state.rules is not self._rules:
            raise ValueError("the races are of other rules")
        return self.of_cities(cities_of(state, self._purchases))

    def of_cities(self, cities: Cities) -> Race:
        """The race of cities, see `race_of`."""
        found = self._kept.get(cities)
        if found is None:
            solved = self._solver.solve(cities, self._kept, self._most)
            found = solved[cities]
            for key, race in solved.items():
                self._kept[key] = race
                self.size += race.chances.size
            while self.size > self._most_kept and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self.size -= dropped.chances.size
        else:
            self._kept.move_to_end(cities)
        return found

    def before_turn(self, state: MatchState) -> tuple[float, ...]:
        """By seat: the chance of winning before the active seat's turn; seats that have resigned have 0.

        A roll of this turn is ignored. All chances are from 0 to 1. They sum to 1, unless
        nobody may ever win.

        Raises:
            RaceRefused: see `race_of`.
        """
        race = self.race_of(state)
        found = np.zeros(state.rules.seats)
        coins = [state.coins[seat] for seat in race.seats]
        found[list(race.seats)] = race.before_turn(race.seats.index(state.active), coins)
        return tuple(found.tolist())


__all__ = ["MOST_CHANCES", "RaceRefused", "Races"]
