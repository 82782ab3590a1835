"""The job queues as their clients see them who load no RQ: their names, and how much waits."""

from typing import Final

import redis

PEOPLE: Final = "people"
"""Turns of built-in players in matches in which people play: a worker looks here first."""
QUEUE: Final = "matches"
"""Turns in all other matches."""
LADDERS: Final = "ladders"
"""The rounds of ladders: a worker looks here when nothing else waits."""

_BACKLOG: Final = "mk:{backlog}"
"""String: how many turns the relay keeps back until workers are free for them."""
_BACKLOG_TTL_MS: Final = 10_000
"""What a relay said longer ago does not count."""


def jobs_waiting(client: redis.Redis) -> int:
    """How many jobs wait for a worker, those of ladders apart.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return client.llen(_key(PEOPLE)) + client.llen(_key(QUEUE))


def people_wait(client: redis.Redis) -> bool:
    """Whether a worker is wanted for matches in which people play.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return bool(client.llen(_key(PEOPLE)))


def tell_backlog(client: redis.Redis, turns: int) -> None:
    """Say how many turns the relay keeps back.

    Raises:
        redis.RedisError: the server does not answer.
    """
    client.set(_BACKLOG, turns, px=_BACKLOG_TTL_MS)


def backlog(client: redis.Redis) -> int:
    """How many turns the relay kept back lately; 0 where no relay has told.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return int(client.get(_BACKLOG) or 0)


def _key(queue: str) -> str:
    """List: the ids of the jobs that wait, as RQ keeps them."""
    return f"rq:queue:{queue}"
