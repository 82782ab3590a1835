"""The readiness check: whether a match can be played, by reading from and writing to both Redis servers."""

import threading
import time
from typing import Final

import redis

from events.store import keys
from events.store.durability import durability_problems, required_by, write_problem
from runtime import heartbeat
from runtime.connection import connect
from runtime.settings import Settings

CANARY_S: Final = 1.0
"""How long the result of a test write is valid."""
_TIMEOUT_S: Final = 2.0


class Readiness:
    """Checks both servers over its own connections, which have shorter timeouts than those of requests."""

    def __init__(self, settings: Settings) -> None:
        self._required = required_by(settings)
        self._store = connect(settings.events_redis_url, _TIMEOUT_S)
        self._queue = connect(settings.queue_redis_url, _TIMEOUT_S)
        self._lock = threading.Lock()
        self._tried_s = float("-inf")
        self._refusals: list[str] = []

    def missing(self) -> list[str]:
        """The reasons why no match can be played, one line each, for everybody; empty if one can."""
        problems = [*durability_problems(self._store, self._required), *_silent_processes(self._queue)]
        return [*problems, *self._refused_writes()]

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
            f"no {name} has sent a heartbeat" for name in heartbeat.NAMES if not heartbeat.alive(queue, name)
        ]
    except redis.RedisError:
        return ["the job queue does not respond"]
