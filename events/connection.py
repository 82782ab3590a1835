"""Connections to Redis, and whether it keeps what it acknowledges."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from events.errors import StoreUnavailable

LONGEST_BLOCK_MS: Final = 5000
"""No command may block longer on a connection for blocking readers: it would look like a dead server."""


def connect(url: str) -> redis.Redis:
    """A client for anything that does not block.

    It sends a command twice at most. That is safe here: an append that did arrive is recognised by its
    command id, or by its version.
    """
    return redis.Redis.from_url(
        url,
        socket_timeout=5,
        socket_connect_timeout=2,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 1),
        max_connections=512,
    )


def connect_blocking(url: str) -> redis.Redis:
    """A client for one blocking reader; the reader itself handles lost connections."""
    return redis.Redis.from_url(
        url,
        socket_timeout=LONGEST_BLOCK_MS / 1000 + 10,
        socket_connect_timeout=2,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
        max_connections=1,
    )


@contextmanager
def unavailable_as_store_error() -> Iterator[None]:
    """Errors of the Redis client become `StoreUnavailable`."""
    try:
        yield
    except redis.RedisError as error:
        raise StoreUnavailable(f"{type(error).__name__}: {error}") from error


def durability_problems(client: redis.Redis) -> list[str]:
    """Why this server could lose an acknowledged event, one line each; empty if it is fit for the store."""
    try:
        info: dict[str, Any] = dict(client.info("server"))
        settings = _settings(client, ("appendonly", "appendfsync", "maxmemory-policy"))
    except redis.RedisError as error:
        return [f"the event store cannot be asked: {error}"]
    version = str(info.get("redis_version", "0"))
    problems = [
        f"{name} is {settings.get(name)!r}, not {wanted!r}"
        for name, wanted in _WANTED.items()
        if settings.get(name) != wanted
    ]
    if int(version.partition(".")[0]) < 7:
        problems.append(f"the server is of version {version}, below 7.0")
    return problems


_WANTED: Final = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}


def _settings(client: redis.Redis, names: tuple[str, ...]) -> dict[str, str]:
    found = dict(client.config_get(*names))
    return {_text(name): _text(value) for name, value in found.items()}


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
