"""Signs of life of the processes behind the API, kept on the queue's Redis, where a write costs no disk."""

import secrets
from typing import Final, Literal

import redis

CANARY: Final = "mk:{beat}:canary"
"""Key: written by whoever wants to know whether the queue's Redis takes writes."""

Name = Literal["relay", "worker"]
NAMES: Final[tuple[Name, ...]] = ("relay", "worker")
"""There may be several of each."""

PAUSE_S: Final = 1.0
"""Between two signs of life of one process."""
PRESENT_S: Final = 3.0
"""Who has given none for so long is not counted on."""
ALIVE_S: Final = 10.0
"""If nobody has given one for so long, nobody is there."""

_PROCESS: Final = secrets.token_hex(8)


def beat(client: redis.Redis, name: Name, process: str = _PROCESS) -> None:
    """Say that the process lives.

    Raises:
        redis.RedisError: the server does not answer.
    """
    now_s = _now_s(client)
    with client.pipeline(transaction=False) as pipe:
        pipe.zadd(_key(name), {process: now_s})
        pipe.zremrangebyscore(_key(name), "-inf", now_s - ALIVE_S)
        pipe.execute()


def alive(client: redis.Redis, name: Name) -> bool:
    """Whether such a process has given a sign of life lately.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return count(client, name, ALIVE_S) > 0


def count(client: redis.Redis, name: Name, within_s: float = PRESENT_S) -> int:
    """How many such processes have given a sign of life within that time.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return client.zcount(_key(name), _now_s(client) - within_s, "+inf")


def _now_s(client: redis.Redis) -> float:
    """The server's time: processes may be on machines whose clocks differ."""
    seconds, microseconds = client.time()
    return seconds + microseconds / 1e6


def _key(name: Name) -> str:
    """Sorted set: the processes by the time of their last sign of life, in seconds."""
    return f"mk:{{beat}}:{name}s"
