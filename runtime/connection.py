"""Redis clients for each use, and memory figures from the server's INFO."""

from collections.abc import Mapping
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.connection import BlockingConnectionPool
from redis.driver_info import DriverInfo
from redis.retry import Retry

LONGEST_BLOCK_MS: Final = 5000
"""The longest time that a command may block; the socket times out later, so a dead server is noticed."""

DRIVER: Final = DriverInfo()
"""The client name and version for CLIENT SETINFO, computed once: redis-py needs milliseconds for it."""


CONNECTIONS: Final = 128
"""The most connections of a client; when all are in use, the next command waits for one."""


def connect(url: str, timeout_s: float = 5) -> redis.Redis:
    """A client for commands that do not block, with a time-out for each answer.

    It retries a command once. That is safe: the store recognises a repeated append by its command id or its
    expected version, and a repeated account or token by its id.
    """
    return redis.Redis.from_pool(pool(url, timeout_s))


def pool(url: str, timeout_s: float, **options: Any) -> BlockingConnectionPool:
    """The connections of a client as `connect` makes it.

    An event can wake thousands of waiting requests at once: they take turns instead of failing.
    """
    return BlockingConnectionPool.from_url(
        url,
        max_connections=CONNECTIONS,
        timeout=timeout_s,
        socket_timeout=timeout_s,
        socket_connect_timeout=min(2, timeout_s),
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 1),
        driver_info=DRIVER,
        **options,
    )


def connect_blocking(url: str) -> redis.Redis:
    """A client for one blocking reader. It never retries: the reader handles lost connections."""
    return redis.Redis.from_url(
        url,
        socket_timeout=LONGEST_BLOCK_MS / 1000 + 10,
        socket_connect_timeout=2,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
        max_connections=1,
        driver_info=DRIVER,
    )


def connect_briefly(url: str) -> redis.Redis:
    """A client for optional reads: it gives up after half a second and never retries."""
    return redis.Redis.from_url(
        url,
        socket_timeout=0.5,
        socket_connect_timeout=0.5,
        retry=Retry(NoBackoff(), 0),
        max_connections=1,
        driver_info=DRIVER,
    )


def memory_used(info: Mapping[str, Any]) -> int:
    """The bytes that count against `maxmemory`, from INFO: without buffers for replicas and the disk."""
    return int(info.get("used_memory", 0)) - int(info.get("mem_not_counted_for_evict", 0))


def memory_limit(info: Mapping[str, Any]) -> int:
    """The server's `maxmemory` in bytes, from INFO; if none is set, the memory of its machine."""
    return int(info.get("maxmemory", 0)) or int(info.get("total_system_memory", 0))
