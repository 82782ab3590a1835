"""Quotas across all web processes, without a call to Redis for every request.

The counters are in the queue's Redis. Each process takes permits from them in slices and grants those from
memory. Why: docs/adr/0012-permits-in-slices.md. The rates are declared in `runtime.settings.RATES`.
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
"""The number of slices of a quota; a process takes one slice at a time, of at least one permit."""

SHARES: Final = 10_000
"""The number of clients, for each quota, whose permits a process holds; beyond it, the client that was not
seen for the longest time loses its permits."""

PAUSE_S: Final = 1.0
"""How long a server that did not respond is left alone."""

_KEPT_WINDOWS: Final = 2
"""How many windows a counter lives, as the clock of another process may be behind."""
_TIMEOUT_S: Final = 0.25
_PREFIX: Final = "mk:{rate}"

Clock = Callable[[], float]
"""The time in seconds since 1970."""


class Grant(NamedTuple):
    """Whether a request was granted, and what is left."""

    is_granted: bool
    left: int
    """The requests that this process can still grant the client in this window."""
    reset_s: int
    """Whole seconds until the window ends, at least 1."""


class Counters:
    """The permits taken from the quotas, counted in Redis; nothing is counted while the server is down."""

    def __init__(self, url: str, clock: Clock) -> None:
        pool = connect(url, _TIMEOUT_S).connection_pool
        self._storage = RedisStorage(url, connection_pool=pool, key_prefix=_PREFIX)
        self._clock = clock
        self._failed_at: float | None = None
        self._log = structlog.get_logger()

    def add(self, key: str, amount: int, expiry_s: int) -> int | None:
        """Add to a counter and return its value; None if the server does not respond."""
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
    """The part of a client's quota that one process holds in one window."""

    __slots__ = ("beyond", "ends_s", "key", "left", "starts_s")

    def __init__(self, key: str, starts_s: int, ends_s: int, quota: int) -> None:
        self.key = key
        self.starts_s = starts_s
        self.ends_s = ends_s
        self.left = 0
        """Permits that this process can grant."""
        self.beyond = quota
        """Permits that no process had taken when the counter was last read."""

    def add(self, amount: int, quota: int, taken: int | None) -> None:
        """Add the permits of a slice of `amount`, after which the counter was `taken`.

        Without a counter (None), the process continues as if it was the only one.
        """
        if taken is None:
            granted = min(amount, self.beyond)
            self.beyond -= granted
        else:
            granted = min(amount, max(0, quota - taken + amount))
            self.beyond = min(self.beyond, max(0, quota - taken))
        self.left += granted


class Quota:
    """One quota per client: in a window, all processes together grant no more than the rate.

    The windows of a client follow one another without a gap. Their start differs between clients, so that not
    all retry at the same moment.
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
        """Grant the client one permit if one is left."""
        now_s = self._clock()
        with self._lock:
            share = self._share(client, now_s)
            if share.left or not share.beyond:
                return _spent(share, now_s)
        # Not under the lock: several threads may take slices, and each gets what the counter granted it.
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
