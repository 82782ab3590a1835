"""What a worker makes of a job that lies on the queue: a call of `workers.jobs.play`, or nothing.

RQ runs whatever function a job names, and imports the callbacks that it names, so whoever can write to the
queue could run code here. Of a job's record only the call itself is read, and it is checked.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta
from rq.job import Job

from events.queue import QUEUE
from workers.queueing import FAILURE_TTL_S, GROUP_SIZE, JOB, TIMEOUT_S, Turn

_Turns = Annotated[list[Turn], Meta(min_length=1, max_length=GROUP_SIZE)]
_Attempt = Annotated[int, Meta(ge=1)]
_CALL: Final = b"data"
"""The field of a job's record with the function, its instance and its arguments."""


class JobRefused(Exception):
    """The job is no call of `workers.jobs.play` as the relay makes them."""


class PlayJob(Job):
    """A job that plays matches. RQ's worker makes each job that it finds an instance of its `job_class`."""

    def restore(self, raw_data: Mapping[bytes, bytes]) -> None:
        """Take the call from the record: no callbacks, webhooks, repetitions or times of its own."""
        super().restore({name: value for name, value in raw_data.items() if name == _CALL})
        self.origin = QUEUE
        self.timeout = TIMEOUT_S
        self.result_ttl = 0
        self.failure_ttl = FAILURE_TTL_S

    def perform(self) -> Any:
        """Play; the worker calls this in the job's own process.

        Raises:
            JobRefused: RQ logs it and keeps the job among those that failed.
        """
        self._check()
        return super().perform()

    def _check(self) -> None:
        if self.func_name != JOB or self.instance is not None:
            raise JobRefused(f"the job calls {self.func_name!r}, not {JOB!r}")
        if self.kwargs != {}:
            raise JobRefused(f"the job has keyword arguments: {self.kwargs!r}")
        try:
            msgspec.convert(self.args, tuple[_Turns, _Attempt])
        except msgspec.ValidationError as error:
            raise JobRefused(f"the job's arguments are wrong: {error}") from error
