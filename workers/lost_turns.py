"""Turns that were handed out and got lost, noticed as soon as that happens.

A worker that dies takes its job with it, and a queue's Redis that is emptied, or was away, all of them. The
sweep finds every such turn when it is overdue; what this module notices is taken again sooner.
"""

import secrets
from typing import Final

import redis
import structlog
from rq import Worker
from rq.exceptions import NoSuchJobError
from rq.worker import BaseWorker
from rq.worker_registration import get_keys

from workers.lifetime import lives, machine
from workers.play_job import PlayJob
from workers.queueing import Turn

_FILLED_BY: Final = "mk:{relay}:filled-by"
"""String: the token of the relay that handed out what lies on the queues."""

log = structlog.get_logger("workers.lost_turns")


class LostTurns:
    """Looks at the queue's Redis, again and again. Without an answer there is nothing to see."""

    def __init__(self, client: redis.Redis) -> None:
        """`client` is one of the queue's Redis."""
        self._client = client
        self._token = secrets.token_hex(8)
        self._machine = machine()

    def all_are_lost(self) -> bool:
        """Whether the queues may have lost anything since the last look: they were emptied or away, or
        another relay filled them. So it is at the first look."""
        try:
            before = self._client.set(_FILLED_BY, self._token, get=True)
        except redis.RedisError:
            self._token = secrets.token_hex(8)  # so the next look finds another's
            return False
        return before != self._token.encode()

    def of_dead_workers(self) -> list[Turn]:
        """What workers of this machine had that are dead; told once. What was handed out too often is left to
        the sweep, which waits longer each time: the turns themselves may end whoever takes them."""
        try:
            return [turn for worker in self._dead() for turn in self._bury(worker)]
        except redis.RedisError as error:
            log.debug("workers_not_seen", error=str(error))
            return []

    def _dead(self) -> list[BaseWorker]:
        registered = [key.encode() for key in get_keys(connection=self._client)]
        with self._client.pipeline(transaction=False) as pipe:
            for key in registered:
                pipe.hmget(key, "hostname", "pid")
            found = pipe.execute()
        return [
            worker
            for key, (host, pid) in zip(registered, found, strict=True)
            if host and pid and host.decode() == self._machine and not lives(int(pid))
            if (worker := Worker.find_by_key(key.decode(), self._client, PlayJob, serializer="json"))
        ]

    def _bury(self, worker: BaseWorker) -> list[Turn]:
        try:
            job = worker.get_current_job()
        except NoSuchJobError:
            job = None
        worker.register_death()  # type: ignore[no-untyped-call]
        turns = job.lost_turns()[0] if isinstance(job, PlayJob) else []
        log.info("worker_died", worker=worker.name, turns=len(turns))
        return turns
