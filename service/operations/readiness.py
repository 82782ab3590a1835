"""Whether a match can be played now, by what both Redis servers say and by writing to them."""

import threading
import time
from typing import Final

import redis

from events.store import keys
from events.store.durability import durability_problems, write_problem
from runtime import heartbeat
from runtime.connection import connect
from runtime.settings import Settings

CANARY_S: Final = 1.0
"""A write that was tried counts for so long, however often somebody asks."""
_TIMEOUT_S: Final = 2.0


class Readiness:
    """Asks with connections of its own, that are given less time than those of requests."""

    def __init__(self, settings: Settings) -> None:
        self._fsync = settings.store_fsync
        self._store = connect(settings.events_redis_url, _TIMEOUT_S)
        self._queue = connect(settings.queue_redis_url, _TIMEOUT_S)
        self._lock = threading.Lock()
        self._tried_s = float("-inf")
        self._refusals: list[str] = []

    def missing(self) -> list[str]:
        """Why no match can be played, one line each that may be shown to anybody; empty if one can."""
        troubles = [*durability_problems(self._store, self._fsync), *_silent_processes(self._queue)]
        return [*troubles, *self._refused_writes()]

    def _refused_writes(self) -> list[str]:
        with self._lock:
            if time.monotonic() - self._tried_s >= CANARY_S:
                self._refusals = [
                    f"the {name} takes no writes: {problem}"
                    for name, client, key in (
                        ("event store", self._store, keys.CANARY),
                        ("job queue", self._queue, heartbeat.CANARY),
                    )
                    if (problem := write_problem(client, key))
                ]
                self._tried_s = time.monotonic()
            return self._refusals


def _silent_processes(queue: redis.Redis) -> list[str]:
    try:
        return [
            f"no {name} has given a sign of life"
            for name in heartbeat.NAMES
            if not heartbeat.alive(queue, name)
        ]
    except redis.RedisError:
        return ["the job queue does not answer"]
