"""Decisions in a race: the chances after every command, from the rest of the turn as the kernel plays it.

Here, every throw and every choice is a step of the kernel on a row. The solver works differently: it pays out
throws for all cells at once. Tests compare the two.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from kernel import layout as at
from kernel.convert import code_of, row_of
from kernel.engine import PLAIN
from kernel.tables import tables_of
from players.exact_race.cities import RaceRefused
from players.exact_race.payouts import rolls_of
from players.exact_race.race import Race
from players.exact_race.races import Races
from players.exact_race.sweeps import EQUAL, ROLL_PROBABILITIES, Chances
from players.forecast import TWO_DICE_TOTALS

_THROWS: Final = {at.ROLL_ONE: range(6), at.ROLL_TWO: range(6, 21)}
_LAST: Final = (at.REROLL_DICE, at.TWO_MORE, at.PASS)
"""The commands that are chosen only if they are better than all others."""
_DICE: Final = tuple(rolls_of(two=True))


class RaceDecisions:
    """The decisions of the active seat in a match that is a race.

    Raises:
        RaceRefused: the match is no race.
    """

    def __init__(self, races: Races, state: MatchState) -> None:
        self._races = races
        self._race = races.race_of(state)
        self._tables = list(tables_of(state.rules))
        self._luck = PLAIN.luck(0)
        self._state = state
        self._roller = self._race.seats.index(state.active)
        self._again: dict[bool, Chances] = {}
        self._known: dict[tuple[int, ...], Chances] = {}

    def chances(self, legal: Sequence[PlayCommand]) -> list[Chances | None]:
        """By command and seat in play: the chance of winning after it; None for commands that a race
        excludes.

        These are trades, and builds of establishments that are not among the purchases.
        """
        row = row_of(self._state)
        codes = [code_of(self._state.rules, command) for command in legal]
        allowed = set(self._codes(row))
        return [self._after(row, code) if code in allowed else None for code in codes]

    def by_roll(self, command: PlayCommand) -> list[tuple[tuple[int, ...], float, Chances]]:
        """By roll of a command to throw: the dice, their probability, and the chances by seat in play."""
        row = row_of(self._state)
        code = code_of(self._state.rules, command)
        return [(dice, share, self._followed(row, code, dice)) for dice, share in self._rolls(row, code)]

    def best(self, legal: Sequence[PlayCommand]) -> PlayCommand:
        """The best of the commands that a race allows.

        Among equal ones it builds rather than not, keeps dice and total, throws one die, and takes from the
        next seat.
        """
        row = row_of(self._state)
        by_code = {code_of(self._state.rules, command): command for command in legal}
        best, most = -1, -1.0
        for code in self._codes(row):
            own = float(self._after(row, code)[self._roller])
            if own > most + EQUAL:
                best, most = code, own
        return by_code[best]

    def _codes(self, row: list[int]) -> list[int]:
        """The codes of the commands that a race allows; of equally good ones, the first is preferred."""
        if row[at.PHASE] == at.GIVE:
            raise RaceRefused("a throw makes the roller give a card away")
        if row[at.PHASE] == at.SWAP:
            return [at.DECLINE_SWAP]
        room = PLAIN.codes()
        found = list(room[: PLAIN.legal(self._tables, row, room)])
        if row[at.PHASE] == at.BUILD:
            builds = {at.BUILD_CARD + build.card for build in self._race.builds[self._roller]}
            found = [code for code in found if code in builds or code == at.PASS]
        return sorted(found, key=lambda code: code in _LAST)

    def _worth(self, row: list[int]) -> Chances:
        """The chances of a row, if the roller makes the best choices from now on."""
        key = (
            row[at.PHASE],
            row[at.EXTRA_TURN_DUE],
            *row[at.DIE_1 : at.RECEIVED],
            *row[at.COINS : at.LANDMARKS],
        )
        found = self._known.get(key)
        if found is None:
            for code in self._codes(row):
                after = self._after(row, code)
                if found is None or after[self._roller] > found[self._roller] + EQUAL:
                    found = after
            assert found is not None
            self._known[key] = found
        return found

    def _after(self, row: list[int], code: int) -> Chances:
        if row[at.PHASE] == at.BUILD:
            return self._built(row, code)
        if code in _THROWS:
            return self._thrown(row, code)
        if code == at.REROLL_DICE:
            two = bool(row[at.DIE_2])
            if two not in self._again:
                self._again[two] = self._thrown(row, code)
            return self._again[two]
        return self._followed(row, code, ())

    def _built(self, row: list[int], code: int) -> Chances:
        after = row[:]
        PLAIN.step(self._tables, after, self._luck, code)
        seats = self._race.seats
        if after[at.STATUS] != at.RUNNING:
            won = np.zeros(len(seats))
            won[self._roller] = 1
            return won
        race: Race = self._race
        for build in race.builds[self._roller]:
            if at.BUILD_CARD + build.card == code:
                assert build.then is not None
                race = self._races.of_cities(build.then)
        return race.before_turn(seats.index(after[at.ACTIVE]), [after[at.COINS + seat] for seat in seats])

    def _thrown(self, row: list[int], code: int) -> Chances:
        found = np.zeros(len(self._race.seats))
        for dice, share in self._rolls(row, code):
            found += share * self._followed(row, code, dice)
        return found

    def _rolls(self, row: list[int], code: int) -> list[tuple[tuple[int, ...], float]]:
        """The rolls of a command to throw, and their probabilities."""
        throw = code if code in _THROWS else at.ROLL_ONE + bool(row[at.DIE_2])
        return [
            (tuple([die for die in _DICE[roll] if die]), ROLL_PROBABILITIES[roll]) for roll in _THROWS[throw]
        ]

    def _followed(self, row: list[int], code: int, dice: tuple[int, ...]) -> Chances:
        """The chances after a command whose dice are given: those of the boats may follow."""
        after = self._stepped(row, code, dice, 7)
        if after[at.THROWS] - row[at.THROWS] <= bool(dice):
            return self._worth(after)
        found = np.zeros(len(self._race.seats))
        for total, share in TWO_DICE_TOTALS:
            found += share * self._worth(self._stepped(row, code, dice, total))
        return found

    def _stepped(self, row: list[int], code: int, dice: tuple[int, ...], boats: int) -> list[int]:
        script = (*dice, boats // 2, boats - boats // 2)
        self._luck[at.SCRIPTED] = len(script)
        self._luck[at.SCRIPT_AT] = at.LUCK_FREE
        self._luck[at.LUCK_FREE : at.LUCK_FREE + len(script)] = script
        after = row[:]
        PLAIN.step(self._tables, after, self._luck, code)
        return after
