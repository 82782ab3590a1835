"""Quotas that hold for all web processes together, without asking Redis for every request.

The counters are in the queue's Redis. A process takes permits from them in slices and hands them out from
memory. Why: docs/adr/0012-permits-in-slices.md.
"""

import threading
from collections.abc import Callable
from math import ceil
from typing import Final, NamedTuple
from zlib import crc32

import structlog
from cachetools import LRUCache
from limits import RateLimitItem
from limits.storage import RedisStorage
from redis.exceptions import RedisError

from runtime.connection import connect
from runtime.settings import Policy

SLICES: Final = 50
"""Into so many parts a quota is cut; a process takes one at a time, at least one permit."""

SHARES: Final = 10_000
"""Of as many clients a process keeps the permits, for each quota; who has been away for longest loses his."""

PAUSE_S: Final = 1.0
"""For so long a server that did not answer is not asked again."""

_KEPT_WINDOWS: Final = 2
"""A counter outlives its window: the clock of another process may be behind."""
_TIMEOUT_S: Final = 0.25
_PREFIX: Final = "mk:{rate}"

Clock = Callable[[], float]
"""The time in seconds since 1970."""


class Grant(NamedTuple):
    """What became of one request."""

    is_granted: bool
    left: int
    """What the client can still ask for in this window, if it asks this process."""
    reset_s: int
    """Whole seconds until the window ends, at least 1."""


class Counters:
    """What has been taken from the quotas, in one Redis; a server that does not answer counts nothing."""

    def __init__(self, url: str, clock: Clock) -> None:
        pool = connect(url, _TIMEOUT_S).connection_pool
        self._storage = RedisStorage(url, connection_pool=pool, key_prefix=_PREFIX)
        self._clock = clock
        self._failed_at: float | None = None
        self._log = structlog.get_logger()

    def add(self, key: str, amount: int, expiry_s: int) -> int | None:
        """What the counter shows after so much was added; None if the server does not answer."""
        failed_at = self._failed_at
        if failed_at is not None and 0 <= self._clock() - failed_at < PAUSE_S:
            return None
        try:
            taken = self._storage.incr(key, expiry_s, amount)
        except RedisError as error:
            self._note(error)
            return None
        self._failed_at = None
        return taken

    def _note(self, error: RedisError) -> None:
        if self._failed_at is None:
            self._log.error("rate_limits_not_shared", error=repr(error))
        self._failed_at = self._clock()


class _Share:
    """What one process has of a client's quota in one window."""

    __slots__ = ("beyond", "ends_s", "key", "left", "starts_s")

    def __init__(self, key: str, starts_s: int, ends_s: int, quota: int) -> None:
        self.key = key
        self.starts_s = starts_s
        self.ends_s = ends_s
        self.left = 0
        """Permits in hand."""
        self.beyond = quota
        """Permits that nobody had taken at the last look."""

    def add(self, amount: int, quota: int, taken: int | None) -> None:
        """Put in what taking that amount has brought, now that the counter shows `taken`.

        Where there is no counter, the process goes on as if it was alone.
        """
        if taken is None:
            granted = min(amount, self.beyond)
            self.beyond -= granted
        else:
            granted = min(amount, max(0, quota - taken + amount))
            self.beyond = min(self.beyond, max(0, quota - taken))
        self.left += granted


class Quota:
    """One quota for each client: in a window all processes together grant no more than its rate allows.

    A client's windows follow one another without a gap. Where they begin differs from client to client, so
    that not all come back at the same moment.
    """

    def __init__(self, policy: Policy, rate: RateLimitItem, counters: Counters, clock: Clock) -> None:
        self.policy = policy
        self.quota = rate.amount
        self.window_s = rate.get_expiry()
        self._rate = rate
        self._slice = max(1, rate.amount // SLICES)
        self._counters = counters
        self._clock = clock
        self._shares: LRUCache[str, _Share] = LRUCache(SHARES)
        self._lock = threading.Lock()

    def spend(self, client: str) -> Grant:
        """Take one permit of the client, if there is one left."""
        now_s = self._clock()
        with self._lock:
            share = self._share(client, now_s)
            if share.left or not share.beyond:
                return _spent(share, now_s)
        # Without the lock: other threads may do the same, and each gets what the counter had for it.
        taken = self._counters.add(share.key, self._slice, _KEPT_WINDOWS * self.window_s)
        with self._lock:
            share.add(self._slice, self.quota, taken)
            return _spent(share, now_s)

    def _share(self, client: str, now_s: float) -> _Share:
        share = self._shares.get(client)
        if share is not None and share.starts_s <= now_s < share.ends_s:
            return share
        share = self._shares[client] = self._new_share(client, now_s)
        return share

    def _new_share(self, client: str, now_s: float) -> _Share:
        offset_s = crc32(client.encode()) % self.window_s
        starts_s = int((now_s - offset_s) // self.window_s) * self.window_s + offset_s
        key = self._rate.key_for(self.policy, client, starts_s)
        return _Share(key, starts_s, starts_s + self.window_s, self.quota)


def _spent(share: _Share, now_s: float) -> Grant:
    is_granted = share.left > 0
    share.left -= is_granted
    return Grant(is_granted, share.left + share.beyond, _reset_s(share, now_s))


def _reset_s(share: _Share, now_s: float) -> int:
    return ceil(share.ends_s - now_s)
