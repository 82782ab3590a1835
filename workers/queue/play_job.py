"""The job class of the workers: it runs only the functions of `workers.jobs`, with valid arguments.

RQ runs any function that a job names and imports the callbacks that it names, so whoever can write to the
queue could run code here. Therefore only the call is read from a job's record, and it is checked.
"""

import gc
import os
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta
from rq.job import Job
from rq.timeouts import JobTimeoutException

from events import StoreUnavailable
from runtime.queue import PEOPLE, QUEUE, WEBHOOKS
from workers.queue.client import (
    FAILURE_TTL_S,
    GROUP_SIZE,
    IMMEDIATE_ATTEMPTS,
    JOB,
    LADDER_JOB,
    LONG_TIMEOUT_S,
    QUEUES,
    REPLY_JOB,
    REVIEW_JOB,
    TABLES_JOB,
    TIMEOUT_S,
    WEBHOOKS_JOB,
    DueTurn,
)

ENDS_JOB: Final = (StoreUnavailable, JobTimeoutException)
"""What ends a job wherever it is raised, and says nothing about what the job was working on. The time limit
is an alarm that goes off once: a job that catches it goes on without a limit."""

_Turns = Annotated[list[DueTurn], Meta(min_length=1, max_length=GROUP_SIZE)]
_Attempt = Annotated[int, Meta(ge=1)]
_LadderId = Annotated[str, Meta(pattern=r"\Alad_[0-9A-Z]{26}\Z")]
_TablesId = Annotated[str, Meta(pattern=r"\A(lad_[0-9A-Z]{26}|people-[a-z0-9_]{1,40}-[2-9])\Z")]
"""A ladder, or a board of ratings."""
_Number = Annotated[int, Meta(ge=1)]
"""The number of a round or a season."""
_Slot = Annotated[int, Meta(ge=0)]
_ReviewId = Annotated[str, Meta(pattern=r"\Arev_[0-9a-f]{32}\Z")]
_ARGUMENTS: Final[dict[str, Any]] = {
    JOB: tuple[_Turns, _Attempt],
    REPLY_JOB: tuple[_Turns, _Attempt],
    LADDER_JOB: tuple[_LadderId, _Number, _Slot, _Attempt],
    TABLES_JOB: tuple[_TablesId, _Number, _Slot, _Attempt],
    REVIEW_JOB: tuple[_ReviewId, _Attempt],
    WEBHOOKS_JOB: tuple[_Attempt],
}
"""By allowed function: the types of its arguments."""
_PLAYING: Final = (PEOPLE, QUEUE)
"""The queues of jobs that play turns."""
_UNFORKED: Final = (PEOPLE, WEBHOOKS)
"""The queues whose workers run jobs in their own processes."""
NICENESS: Final = 5
"""The niceness of all jobs that are forked: other processes get three times their share of a core."""
_CALL: Final = b"data"
"""The field of a job's record that holds the function, its instance and its arguments."""


class JobRefused(Exception):
    """The job is not one that the relay could have enqueued."""


class PlayJob(Job):
    """A job that plays, computes or sends notifications; the `job_class` of the RQ worker."""

    def restore(self, raw_data: Mapping[bytes, bytes]) -> None:
        """Read only the call from the record: no callbacks, webhooks, repeats or time limits."""
        super().restore({name: value for name, value in raw_data.items() if name == _CALL})
        name = self._name()
        self.origin = QUEUES.get(name, QUEUE)
        self.timeout = TIMEOUT_S if self.origin in _PLAYING else LONG_TIMEOUT_S
        self.result_ttl = 0
        self.failure_ttl = FAILURE_TTL_S

    def _name(self) -> str:
        """The function that the record names, unchecked; empty if the record cannot be read."""
        try:
            return str(self.func_name)
        except Exception:
            return ""

    def perform(self) -> Any:
        """Check and run the call; RQ calls this in the job's own process, which gives way to people's turns.

        Raises:
            JobRefused: RQ logs it and keeps the job among the failed ones.
        """
        self._check()
        if self.origin not in _UNFORKED:
            # The process ends with the job, so nothing is gained by looking for garbage in cycles, which
            # takes a third of the time of a round of fast players.
            gc.disable()
            os.nice(NICENESS)
        return super().perform()

    def lost_turns(self) -> tuple[list[DueTurn], int]:
        """The turns to dispatch again at once if the job was lost, and the number of that attempt.

        The list is empty if the job plays no turns, or if they were lost `IMMEDIATE_ATTEMPTS` times: they may
        be what kills the workers.
        """
        turns, attempt = self._turns()
        return (turns, attempt + 1) if attempt < IMMEDIATE_ATTEMPTS else ([], attempt)

    def _turns(self) -> tuple[list[DueTurn], int]:
        try:
            self._check()
        except Exception:
            return [], 0
        if self.origin not in _PLAYING:
            return [], 0
        turns, attempt = self.args
        return [(match_id, version) for match_id, version in turns], attempt

    def _check(self) -> None:
        name = self.func_name
        if not isinstance(name, str) or name not in _ARGUMENTS or self.instance is not None:
            raise JobRefused(f"the job calls {name!r}, not {' or '.join(map(repr, _ARGUMENTS))}")
        if self.kwargs != {}:
            raise JobRefused(f"the job has keyword arguments: {self.kwargs!r}")
        try:
            msgspec.convert(self.args, _ARGUMENTS[name])
        except msgspec.ValidationError as error:
            raise JobRefused(f"the job's arguments are wrong: {error}") from error
