"""Heartbeats of the relay and the workers, on the queue's Redis: a write there needs no sync to disk."""

import secrets
from typing import Final, Literal

import redis

CANARY: Final = "mk:{beat}:canary"
"""Key: written by the readiness check, to test whether the queue's Redis accepts writes."""

Name = Literal["relay", "worker"]
NAMES: Final[tuple[Name, ...]] = ("relay", "worker")
"""The kinds of processes; several of each may run."""

PAUSE_S: Final = 1.0
"""The time between two heartbeats of a process."""
PRESENT_S: Final = 3.0
"""`count` leaves out a process whose last heartbeat is older."""
ALIVE_S: Final = 10.0
"""`alive` is false if the last heartbeat of any such process is older."""

PROCESS: Final = secrets.token_hex(8)
"""The name of this process among others."""


def beat(client: redis.Redis, name: Name, process: str = PROCESS) -> None:
    """Record a heartbeat of the process.

    Raises:
        redis.RedisError: the server does not answer.
    """
    now_s = _now_s(client)
    with client.pipeline(transaction=False) as pipe:
        pipe.zadd(_key(name), {process: now_s})
        pipe.zremrangebyscore(_key(name), "-inf", now_s - ALIVE_S)
        pipe.execute()


def alive(client: redis.Redis, name: Name) -> bool:
    """Whether any such process had a heartbeat within `ALIVE_S`.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return count(client, name, ALIVE_S) > 0


def count(client: redis.Redis, name: Name, within_s: float = PRESENT_S) -> int:
    """The number of such processes with a heartbeat within that time.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return client.zcount(_key(name), _now_s(client) - within_s, "+inf")


def _now_s(client: redis.Redis) -> float:
    """The time of the Redis server in seconds, because the clocks of machines differ."""
    seconds, microseconds = client.time()
    return seconds + microseconds / 1e6


def _key(name: Name) -> str:
    """Sorted set: process tokens by the time of their last heartbeat, in seconds."""
    return f"mk:{{beat}}:{name}s"
