"""The job queue as its clients see it who load no RQ: its name, and how many jobs wait."""

from typing import Final

import redis

QUEUE: Final = "matches"
LADDERS: Final = "ladders"
"""The rounds of ladders: a worker looks here when nothing else waits."""
_KEY: Final = f"rq:queue:{QUEUE}"
"""List: the ids of the jobs that wait, as RQ keeps them."""


def jobs_waiting(client: redis.Redis) -> int:
    """How many jobs wait for a worker.

    Raises:
        redis.RedisError: the server does not answer.
    """
    return client.llen(_KEY)
