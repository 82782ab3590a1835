"""High-water marks: whether the service has too much work or too little memory to accept more.

A process reads the levels once a second. While a server does not answer, its level counts as 0, so nothing is
refused.
"""

import threading
import time
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

import redis
import structlog

from events.store.errors import StoreUnavailable
from events.store.keys import now_ms, partitions_of
from events.store.outbox import Outbox
from runtime.connection import memory_limit, memory_used, servers_of
from runtime.queue import backlog

_T = TypeVar("_T")

READ_EVERY_S: Final = 1.0
"""The interval between two readings of the levels."""


class Levels(NamedTuple):
    """The load of the service."""

    memory: float = 0.0
    """The share of the event store's memory that is in use, on the fullest of its servers."""
    turns: int = 0
    """Turns of built-in players that wait for workers: those that the relay holds, and those that are
    overdue."""


class HighWater:
    """The marks and the current levels; safe to share among threads."""

    def __init__(
        self,
        memory: float,
        turns: int,
        events: redis.Redis,
        queue: redis.Redis,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`memory` is a share, `turns` a number; the clients should have short timeouts. `clock` gives
        seconds."""
        self._memory = memory
        self._turns = turns
        self._events = events
        self._queue = queue
        self._clock = clock
        self._lock = threading.Lock()
        self._levels = Levels()
        self._next_s = float("-inf")

    def is_memory_high(self) -> bool:
        """Whether the event store has too little memory left for anything new."""
        return self._now().memory >= self._memory

    def is_backlog_high(self) -> bool:
        """Whether so many turns wait that no further match should be created."""
        return self._now().turns >= self._turns

    def _now(self) -> Levels:
        # One thread reads; the others do not wait for it and use the previous levels.
        if self._clock() >= self._next_s and self._lock.acquire(blocking=False):
            try:
                self._levels = Levels(self._read(self._memory_share, 0.0), self._read(self._waiting, 0))
                self._next_s = self._clock() + READ_EVERY_S
            finally:
                self._lock.release()
        return self._levels

    def _read(self, level: Callable[[], _T], otherwise: _T) -> _T:
        try:
            return level()
        except (redis.RedisError, StoreUnavailable) as error:
            structlog.get_logger().debug("level_not_known", error=str(error))
            return otherwise

    def _memory_share(self) -> float:
        shares = [0.0]
        for server in servers_of(self._events):
            info = dict(server.info("memory"))
            if limit := memory_limit(info):
                shares.append(memory_used(info) / limit)
        return max(shares)

    def _waiting(self) -> int:
        tags = partitions_of(self._events).tags
        overdue = [Outbox(self._events, tag=tag).count_due(now_ms())[1] for tag in tags]
        return backlog(self._queue, tags) + sum(overdue)
