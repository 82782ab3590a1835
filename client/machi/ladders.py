"""Ladders, their tables and their jobs. Each keeps its original JSON."""

from typing import Final

import contract.ladders
import contract.standings
import contract.tournaments
from machi.answers import HasRaw

OVER: Final = ("finished", "stopped")
"""The statuses of a job that has finished or stopped."""


class Ladder(contract.ladders.Ladder, HasRaw, frozen=True, dict=True):
    """A ladder."""


class ListedLadder(contract.ladders.ListedLadder, HasRaw, frozen=True, dict=True):
    """A ladder as lists show it."""


class Job(contract.ladders.Job, HasRaw, frozen=True, dict=True):
    """A round of a ladder, as something to wait for."""

    @property
    def is_over(self) -> bool:
        """Whether it has finished or stopped."""
        return self.status in OVER


class Standings(contract.standings.Standings, HasRaw, frozen=True, dict=True):
    """The official table of a season, and the live ratings."""


class Crosstable(contract.standings.Crosstable, HasRaw, frozen=True, dict=True):
    """The wins and losses between all pairs of entries."""


class Tournament(contract.tournaments.Tournament, HasRaw, frozen=True, dict=True):
    """The tournament of a season: its rounds, and how the entries stand."""


class SequentialTest(contract.standings.SequentialTest, HasRaw, frozen=True, dict=True):
    """A test whether A is stronger than B: its question, and its state or decision."""
