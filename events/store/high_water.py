"""Whether the service has so much to do, or to keep, that it should not take on more.

What a process was told counts for a second. A server that does not answer tells nothing: then nothing is
refused.
"""

import threading
import time
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

import redis
import structlog

from events.store.errors import StoreUnavailable
from events.store.outbox import Outbox
from events.store.streams import now_ms
from runtime.connection import memory_limit, memory_used
from runtime.queue import backlog

_T = TypeVar("_T")

ASKED_S: Final = 1.0
"""The servers are asked as often."""


class Levels(NamedTuple):
    """How far the service is filled."""

    memory: float = 0.0
    """The share of the event store's memory that is in use."""
    turns: int = 0
    """Turns of built-in players that wait for workers: those that the relay keeps back, and those that are
    overdue because nobody looks after them."""


class HighWater:
    """The marks, and the levels of this moment; safe to share among threads."""

    def __init__(
        self,
        memory: float,
        turns: int,
        events: redis.Redis,
        queue: redis.Redis,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`memory` is a share, `turns` a number; the clients should give up soon. `clock` gives seconds."""
        self._memory = memory
        self._turns = turns
        self._events = events
        self._queue = queue
        self._clock = clock
        self._lock = threading.Lock()
        self._levels = Levels()
        self._next_s = float("-inf")

    def is_memory_high(self) -> bool:
        """Whether the event store's memory is too full for anything new."""
        return self._now().memory >= self._memory

    def is_backlog_high(self) -> bool:
        """Whether too many turns wait for another match to be made."""
        return self._now().turns >= self._turns

    def _now(self) -> Levels:
        # One asks, and nobody waits for that: the others take what was said before.
        if self._clock() >= self._next_s and self._lock.acquire(blocking=False):
            try:
                self._levels = Levels(self._asked(self._memory_share, 0.0), self._asked(self._waiting, 0))
                self._next_s = self._clock() + ASKED_S
            finally:
                self._lock.release()
        return self._levels

    def _asked(self, question: Callable[[], _T], otherwise: _T) -> _T:
        try:
            return question()
        except (redis.RedisError, StoreUnavailable) as error:
            structlog.get_logger().debug("level_not_known", error=str(error))
            return otherwise

    def _memory_share(self) -> float:
        info = dict(self._events.info("memory"))
        limit = memory_limit(info)
        return memory_used(info) / limit if limit else 0.0

    def _waiting(self) -> int:
        return backlog(self._queue) + Outbox(self._events).count_due(now_ms())[1]
