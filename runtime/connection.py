"""Connections to Redis."""

from collections.abc import Mapping
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.driver_info import DriverInfo
from redis.retry import Retry

LONGEST_BLOCK_MS: Final = 5000
"""No command may block longer on a connection for blocking readers: it would look like a dead server."""

DRIVER: Final = DriverInfo()
"""What connections tell the server of the client: each would spend milliseconds on finding that out."""


def connect(url: str, timeout_s: float = 5) -> redis.Redis:
    """A client for anything that does not block; the server is given `timeout_s` for each answer.

    It sends a command twice at most. That is safe here: an append that did arrive is recognised by its
    command id, or by its version, and a new account or token by its own id.
    """
    return redis.Redis.from_url(url, **connection_options(timeout_s))


def connection_options(timeout_s: float) -> dict[str, Any]:
    """What `connect` asks of the Redis client."""
    return {
        "socket_timeout": timeout_s,
        "socket_connect_timeout": min(2, timeout_s),
        "socket_keepalive": True,
        "retry": Retry(NoBackoff(), 1),
        "max_connections": 512,
        "driver_info": DRIVER,
    }


def connect_blocking(url: str) -> redis.Redis:
    """A client for one blocking reader; the reader itself handles lost connections."""
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
    """A client for a few questions that may stay without an answer: it waits for half a second at most."""
    return redis.Redis.from_url(
        url,
        socket_timeout=0.5,
        socket_connect_timeout=0.5,
        retry=Retry(NoBackoff(), 0),
        max_connections=1,
        driver_info=DRIVER,
    )


def memory_used(info: Mapping[str, Any]) -> int:
    """The bytes that count against `maxmemory`, from the server's answer to INFO.

    Buffers to replicas and to disk do not count, for the server does not count them either.
    """
    return int(info.get("used_memory", 0)) - int(info.get("mem_not_counted_for_evict", 0))


def memory_limit(info: Mapping[str, Any]) -> int:
    """The server's `maxmemory` in bytes, from its answer to INFO; without one, the memory of its machine."""
    return int(info.get("maxmemory", 0)) or int(info.get("total_system_memory", 0))
