"""The early detection of dispatched turns that were lost.

A dead worker loses its job, a job ends early if the event store is away, and a queue's Redis that was emptied
or away may lose all jobs. The sweep finds such turns when they are overdue; the relay has it retry those that
this module and `Dispatch.lost` find sooner. If only the process of a job is killed, its worker puts the turns
back on the queue itself (`workers.main`).
"""

import secrets
from typing import Final

import redis
import structlog
from rq import Worker
from rq.exceptions import NoSuchJobError
from rq.worker import BaseWorker
from rq.worker_registration import get_keys

from events.store import keys
from runtime.queue import PEOPLE, QUEUE
from workers.operations.lifetime import lives, machine
from workers.queue.client import DueTurn, open_queue
from workers.queue.play_job import PlayJob

_FILLED_BY: Final = "mk:{relay}:filled-by"
"""The prefix of one string per partition: the token of the relay that filled the queues with its turns."""

log = structlog.get_logger(__name__)


class LostTurns:
    """Checks the queue's Redis; if that does not answer, it finds nothing."""

    def __init__(self, client: redis.Redis) -> None:
        """`client` is one of the queue's Redis."""
        self._client = client
        self._token = secrets.token_hex(8)
        self._machine = machine()

    def all_are_lost(self, tag: str = keys.HOME) -> bool:
        """Whether the queues may have lost jobs of that partition since the last call: Redis was emptied or
        away, or another relay filled the queues. The first call returns true."""
        try:
            before = self._client.set(f"{_FILLED_BY}:{tag}", self._token, get=True)
        except redis.RedisError:
            self._token = secrets.token_hex(8)  # so that the next call returns true
            return False
        return before != self._token.encode()

    def of_dead_workers(self) -> list[DueTurn]:
        """The turns in jobs of dead workers of this machine; each is returned once. Turns that were lost too
        often are left to the sweep and its back-off, since they may be what kills the workers."""
        try:
            return [turn for worker in self._dead() for turn in self._bury(worker)]
        except redis.RedisError as error:
            log.debug("workers_not_seen", error=str(error))
            return []

    def jobs(self) -> set[str] | None:
        """The ids of the jobs that play turns and are on a queue or taken by a worker; None if the queue's
        Redis does not answer."""
        try:
            workers = [job for _, _, _, job in self._registered() if job]
            queued = [job_id for name in (PEOPLE, QUEUE) for job_id in open_queue(self._client, name).job_ids]
        except redis.RedisError as error:
            log.debug("jobs_not_seen", error=str(error))
            return None
        return {*queued, *[job.decode() for job in workers]}

    def _dead(self) -> list[BaseWorker]:
        return [
            worker
            for key, host, pid, _ in self._registered()
            if host and pid and host.decode() == self._machine and not lives(int(pid))
            if (worker := Worker.find_by_key(key, self._client, PlayJob, serializer="json"))
        ]

    def _registered(self) -> list[tuple[str, bytes | None, bytes | None, bytes | None]]:
        """Of each registered worker: its key, host, process id and current job."""
        keys = sorted(get_keys(connection=self._client))
        with self._client.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.hmget(key, "hostname", "pid", "current_job")
            return [(key, *fields) for key, fields in zip(keys, pipe.execute(), strict=True)]

    def _bury(self, worker: BaseWorker) -> list[DueTurn]:
        try:
            job = worker.get_current_job()
        except NoSuchJobError:
            job = None
        worker.register_death()  # type: ignore[no-untyped-call]
        turns = job.lost_turns()[0] if isinstance(job, PlayJob) else []
        log.info("worker_died", worker=worker.name, turns=len(turns))
        return turns
