"""The names of the job queues and how much waits on them, for processes that do not load RQ."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import redis

PEOPLE: Final = "people"
"""Turns of built-in players in matches with people; workers take jobs from this queue first."""
QUEUE: Final = "matches"
"""Turns of built-in players in all other matches."""
REVIEWS: Final = "reviews"
"""Reviews of matches to compute; only half of the workers have such jobs at the same time."""
LADDERS: Final = "ladders"
"""Blocks of rounds to play and tables of seasons to compute; workers take jobs here last."""
WEBHOOKS: Final = "webhooks"
"""Notifications to send to webhooks; workers of their own take jobs here, because they wait for strangers."""

UNDISTURBED_S: Final = 0.05
"""A job runs at least so long even if people wait, or it would only load its matches."""
POLL_S: Final = 0.02
"""After that, a job checks at this interval whether people wait."""

_BACKLOG: Final = "mk:{backlog}"
"""Beginning of strings, one for each partition: the number of turns of it that its relay holds until workers
are free."""
_BACKLOG_TTL_MS: Final = 10_000
"""The number expires after so long, in case the relay died."""


def jobs_waiting(client: redis.Redis) -> int:
    """The number of jobs that wait for a worker, without those of reviews and ladders.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return client.llen(_key(PEOPLE)) + client.llen(_key(QUEUE))


class PeopleWait:
    """Whether a job should end early because turns of matches with people wait.

    Call it after every decision: it polls the queue's Redis at intervals. If Redis does not answer, the last
    answer holds.
    """

    def __init__(self, client: redis.Redis, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._client = client
        self._clock = clock
        self._next_s = clock() + UNDISTURBED_S
        self._do_wait = False

    def __call__(self) -> bool:
        now_s = self._clock()
        if now_s >= self._next_s:
            self._next_s = now_s + POLL_S
            with suppress(redis.RedisError):
                self._do_wait = bool(self._client.llen(_key(PEOPLE)))
        return self._do_wait


def publish_backlog(client: redis.Redis, turns: int, tag: str) -> None:
    """Publish the number of turns that a relay holds, of the partition with that tag.

    Raises:
        redis.RedisError: the server does not answer.
    """
    client.set(f"{_BACKLOG}:{tag}", turns, px=_BACKLOG_TTL_MS)


def backlog(client: redis.Redis, tags: Sequence[str]) -> int:
    """The number of turns that relays hold, of these partitions; 0 for one that was not published lately.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return sum([int(found or 0) for found in client.mget([f"{_BACKLOG}:{tag}" for tag in tags])])


def _key(queue: str) -> str:
    """List: the ids of the waiting jobs; this is RQ's own key."""
    return f"rq:queue:{queue}"
