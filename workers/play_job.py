"""What a worker makes of a job that lies on a queue: a call of one of our jobs, or nothing.

RQ runs whatever function a job names, and imports the callbacks that it names, so whoever can write to the
queue could run code here. Of a job's record only the call itself is read, and it is checked.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta
from rq.job import Job

from runtime.queue import LADDERS, QUEUE
from workers.queueing import (
    AT_ONCE,
    FAILURE_TTL_S,
    GROUP_SIZE,
    JOB,
    LADDER_JOB,
    LADDER_TIMEOUT_S,
    QUEUES,
    REPLY_JOB,
    TABLES_JOB,
    TIMEOUT_S,
    Turn,
)

_Turns = Annotated[list[Turn], Meta(min_length=1, max_length=GROUP_SIZE)]
_Attempt = Annotated[int, Meta(ge=1)]
_LadderId = Annotated[str, Meta(pattern=r"\Alad_[0-9A-Z]{26}\Z")]
_Number = Annotated[int, Meta(ge=1)]
"""Of a round or a season."""
_Slot = Annotated[int, Meta(ge=0)]
_ARGUMENTS: Final[dict[str, Any]] = {
    JOB: tuple[_Turns, _Attempt],
    REPLY_JOB: tuple[_Turns, _Attempt],
    LADDER_JOB: tuple[_LadderId, _Number, _Slot, _Attempt],
    TABLES_JOB: tuple[_LadderId, _Number, _Slot, _Attempt],
}
"""What each function that a job may call is called with."""
_CALL: Final = b"data"
"""The field of a job's record with the function, its instance and its arguments."""


class JobRefused(Exception):
    """The job is no call as the relay makes them."""


class PlayJob(Job):
    """A job that plays matches or a round, or computes tables.

    RQ's worker makes what it finds one of its `job_class`.
    """

    def restore(self, raw_data: Mapping[bytes, bytes]) -> None:
        """Take the call from the record: no callbacks, webhooks, repetitions or times of its own."""
        super().restore({name: value for name, value in raw_data.items() if name == _CALL})
        name = self._name()
        self.origin = QUEUES.get(name, QUEUE)
        self.timeout = LADDER_TIMEOUT_S if self.origin == LADDERS else TIMEOUT_S
        self.result_ttl = 0
        self.failure_ttl = FAILURE_TTL_S

    def _name(self) -> str:
        """The function that the record names; whether that is a call as it should be is seen when it is
        performed."""
        try:
            return str(self.func_name)
        except Exception:
            return ""

    def perform(self) -> Any:
        """Play; the worker calls this in the job's own process.

        Raises:
            JobRefused: RQ logs it and keeps the job among those that failed.
        """
        self._check()
        return super().perform()

    def lost_turns(self) -> tuple[list[Turn], int]:
        """The turns to hand out again at once if the job was lost, and as which attempt.

        None for a job that plays no turns, nor for turns that were lost too often: they may kill whoever
        takes them.
        """
        turns, attempt = self._turns()
        return (turns, attempt + 1) if attempt < AT_ONCE else ([], attempt)

    def _turns(self) -> tuple[list[Turn], int]:
        try:
            self._check()
        except Exception:
            return [], 0
        if self.origin == LADDERS:
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
