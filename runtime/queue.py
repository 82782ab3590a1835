"""The names of the job queues and how much waits on them, for processes that do not load RQ."""

from typing import Final

import redis

PEOPLE: Final = "people"
"""Turns of built-in players in matches with people; workers take jobs from this queue first."""
QUEUE: Final = "matches"
"""Turns of built-in players in all other matches."""
LADDERS: Final = "ladders"
"""Blocks of rounds to play and tables of seasons to compute; workers take jobs here last."""

_BACKLOG: Final = "mk:{backlog}"
"""String: the number of turns that the relay holds until workers are free."""
_BACKLOG_TTL_MS: Final = 10_000
"""The number expires after so long, in case the relay died."""


def jobs_waiting(client: redis.Redis) -> int:
    """The number of jobs that wait for a worker, without those of ladders.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return client.llen(_key(PEOPLE)) + client.llen(_key(QUEUE))


def people_wait(client: redis.Redis) -> bool:
    """Whether a job for matches with people waits for a worker.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return bool(client.llen(_key(PEOPLE)))


def publish_backlog(client: redis.Redis, turns: int) -> None:
    """Publish the number of turns that the relay holds.

    Raises:
        redis.RedisError: the server does not answer.
    """
    client.set(_BACKLOG, turns, px=_BACKLOG_TTL_MS)


def backlog(client: redis.Redis) -> int:
    """The number of turns that the relay holds; 0 if no relay has published one lately.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return int(client.get(_BACKLOG) or 0)


def _key(queue: str) -> str:
    """List: the ids of the waiting jobs; this is RQ's own key."""
    return f"rq:queue:{queue}"
