"""The refused commands of remote bots in the matches of ladders, on the queue's Redis.

All are counted, and the first ones are kept as evidence, until a week after the last. Losing a count affects
no rating: refused commands change no match and only lead to a suspension.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import redis
from msgspec import Struct

TTL_S: Final = 7 * 86_400
"""After this time without a refused command, the counts of a match are deleted."""
MOST_KEPT: Final = 20
"""The number of refusals that are kept per seat and match: the first ones."""
LONGEST_POINTER: Final = 200
"""In characters. Longer pointers, which can contain anything that was sent, are truncated."""


class Refusal(Struct, frozen=True, array_like=True):
    """One command that was refused."""

    time_ms: int
    code: str
    pointer: str
    """The faulty member of the body; empty if none is named."""
    version: int
    """The version of the match at the time of the command."""


_decode: Final = msgspec.json.Decoder(Refusal).decode


def record(client: redis.Redis, match_id: str, seat: int, refusal: Refusal) -> None:
    """Count a refused command of the seat; `client` is for the queue's Redis.

    Raises:
        redis.RedisError: the server does not answer.
    """
    shown = msgspec.structs.replace(refusal, pointer=refusal.pointer[:LONGEST_POINTER])
    with client.pipeline(transaction=False) as pipe:
        pipe.hincrby(_key(match_id), str(seat), 1)
        pipe.expire(_key(match_id), TTL_S)
        pipe.rpush(_kept_key(match_id, seat), msgspec.json.encode(shown))
        pipe.ltrim(_kept_key(match_id, seat), 0, MOST_KEPT - 1)
        pipe.expire(_kept_key(match_id, seat), TTL_S)
        pipe.execute()


def count(client: redis.Redis, match_id: str, seats: int) -> tuple[int, ...]:
    """The number of refused commands, by seat.

    Raises:
        redis.RedisError: the server does not answer.
    """
    found = client.hmget(_key(match_id), [str(seat) for seat in range(seats)])
    return tuple([int(one or 0) for one in found])


def kept(client: redis.Redis, wanted: Sequence[tuple[str, int]]) -> list[list[Refusal]]:
    """The first refusals of each match and seat, oldest first; none if they are no longer kept.

    Raises:
        redis.RedisError: the server does not answer.
    """
    with client.pipeline(transaction=False) as pipe:
        for match_id, seat in wanted:
            pipe.lrange(_kept_key(match_id, seat), 0, -1)
        found: list[list[bytes]] = pipe.execute()
    return [[_decode(one) for one in raw] for raw in found]


def _key(match_id: str) -> str:
    return f"mk:{{refused}}:{match_id}"


def _kept_key(match_id: str, seat: int) -> str:
    return f"mk:{{refused}}:{match_id}:{seat}"
