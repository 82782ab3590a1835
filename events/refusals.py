"""How often a remote bot's commands were refused in a match: counted on the queue's Redis, for the ladder.

A count that is lost costs nobody rating: refused commands change no match, they only lead to a suspension.
"""

from typing import Final

import redis

TTL_S: Final = 7 * 86_400
"""A match that is played for longer than that is not judged by these counts."""


def note(client: redis.Redis, match_id: str, seat: int) -> None:
    """Count one refused command of whoever sits there; `client` is one of the queue's Redis.

    Raises:
        redis.RedisError: the server does not answer.
    """
    with client.pipeline(transaction=False) as pipe:
        pipe.hincrby(_key(match_id), str(seat), 1)
        pipe.expire(_key(match_id), TTL_S)
        pipe.execute()


def count(client: redis.Redis, match_id: str, seats: int) -> tuple[int, ...]:
    """How many commands were refused, by seat.

    Raises:
        redis.RedisError: the server does not answer.
    """
    found = client.hmget(_key(match_id), [str(seat) for seat in range(seats)])
    return tuple([int(one or 0) for one in found])


def _key(match_id: str) -> str:
    return f"mk:{{refused}}:{match_id}"
