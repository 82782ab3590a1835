"""Ladders, their tables and their jobs, with the JSON as it came."""

from typing import Final

import contract.ladders
import contract.tables
from machi.decoding import Kept

OVER: Final = ("finished", "stopped")
"""What a job is that does not go on by itself."""


class Ladder(contract.ladders.Ladder, Kept, frozen=True, dict=True):
    """A ladder."""


class ListedLadder(contract.ladders.ListedLadder, Kept, frozen=True, dict=True):
    """A ladder as lists show it."""


class Job(contract.ladders.Job, Kept, frozen=True, dict=True):
    """A round of a ladder as something to wait for."""

    @property
    def is_over(self) -> bool:
        """Whether it does not go on by itself."""
        return self.status in OVER


class Standings(contract.tables.Standings, Kept, frozen=True, dict=True):
    """The official table of a season, and the ratings at a glance."""


class Crosstable(contract.tables.Crosstable, Kept, frozen=True, dict=True):
    """Who met whom how often, and who won."""


class SequentialTest(contract.tables.SequentialTest, Kept, frozen=True, dict=True):
    """Is A better than B? What was asked, and how far the answer is."""
