"""What ladders have played as jobs: how far each is, and what sequential tests found."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from msgspec import Struct

OVER: Final = ("finished", "stopped")
"""What a job is that does not go on by itself."""


class JobProgress(Struct, frozen=True):
    """In blocks."""

    done: int
    total: int
    percent: int


class TableProgress(Struct, frozen=True):
    """How far an official table is that takes a while, in replicates."""

    blocks: int
    """As many will be counted."""
    done: int
    total: int


# Dataclasses where the JSON as it came is kept, which is neither shown nor compared.
@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A round as something to wait for."""

    job_id: str
    kind: str
    """`ladder_round`, `sequential_test` or `probe`."""
    status: str
    """`queued`, `running`, `stopped` or `finished`."""
    ladder_id: str
    round: int
    progress: JobProgress
    result: str
    """Where to look at what comes out."""
    opened_at: datetime
    stopped_for: str | None = None
    matches_per_second: float | None = None
    eta_s: int | None = None
    table: TableProgress | None = None
    """How far the table is that a rated round ends with; None if none is being computed."""
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came."""

    @property
    def is_over(self) -> bool:
        """Whether it does not go on by itself."""
        return self.status in OVER


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialTest:
    """Is A better than B?"""

    test_id: str
    ladder_id: str
    job_id: str
    status: str
    a: str
    b: str
    elo0: int
    elo1: int
    alpha: float
    beta: float
    most_blocks: int
    blocks: int
    wins_a: int
    wins_b: int
    others: int
    llr: float | None = None
    """The log-likelihood ratio, which ends the test at one of its bounds."""
    lower: float | None = None
    upper: float | None = None
    elo: float | None = None
    elo_interval: tuple[float, float] | None = None
    decision: str | None = None
    """`better`, `not_better` or `undecided`; None while it goes on."""
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came."""
