"""Signs of life of the processes behind the API, kept on the queue's Redis, where a write costs no disk."""

from typing import Final, Literal

import redis

CANARY: Final = "mk:{beat}:canary"
"""Key: written by whoever wants to know whether the queue's Redis takes writes."""

Name = Literal["relay", "worker"]
NAMES: Final[tuple[Name, ...]] = ("relay", "worker")
"""`worker` stands for any of several: it is alive as long as one of them is."""

TTL_S: Final = 10.0
"""How long one sign of life counts; several times the pause between two."""


def beat(client: redis.Redis, name: Name, ttl_s: float = TTL_S) -> None:
    """Say that the process lives; it counts for `ttl_s` seconds.

    Raises:
        redis.RedisError: the server does not answer.
    """
    client.set(_key(name), 1, px=round(ttl_s * 1000))


def alive(client: redis.Redis, name: Name) -> bool:
    """Whether such a process has given a sign of life lately.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return bool(client.exists(_key(name)))


def _key(name: Name) -> str:
    return f"mk:{{beat}}:{name}"
