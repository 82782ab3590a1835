"""Who does what: short claims on the queue's Redis.

They keep two workers from doing the same work. Nothing depends on them for being right, so without that Redis
everything is free to be taken. What a process had claimed that is known to be dead is free at once.
"""

import os
import secrets
from collections.abc import Sequence
from typing import Final, cast

import redis
import structlog

from workers.lifetime import lives, machine

TTL_MS: Final = 15_000
"""A worker that died on another machine keeps its blocks from others for so long. No job goes without news
of the ladder for as long: nobody takes up a block that is over already."""

_TAKE_OVER: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
"""

_RELEASE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""

log = structlog.get_logger("workers.ladders.claims")


class Claims:
    """The claims of one job."""

    def __init__(self, client: redis.Redis, process_id: int | None = None) -> None:
        """They are free once the process is dead: the worker that forked the job, if none is given. For jobs
        end, and what they claimed may stay claimed.
        """
        self._client = client
        self._token = f"{process_id or os.getppid()} {secrets.token_hex(8)} {machine()}"

    def take(self, name: str, ttl_ms: int = TTL_MS) -> bool:
        """Claim what nobody has claimed for that time, whatever becomes of who has."""
        try:
            return bool(self._client.set(_key(name), self._token, nx=True, px=max(1, ttl_ms)))
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))
            return True

    def take_many(self, names: Sequence[str]) -> list[bool]:
        """Claim of these what no living process has claimed, in one round trip; which they are."""
        try:
            with self._client.pipeline(transaction=False) as pipe:
                for name in names:
                    pipe.set(_key(name), self._token, nx=True, px=TTL_MS)
                    pipe.get(_key(name))
                answers = pipe.execute()
            return [
                bool(is_free) or self._taken_over(name, holder)
                for name, is_free, holder in zip(names, answers[::2], answers[1::2], strict=True)
            ]
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))
            return [True] * len(names)

    def _taken_over(self, name: str, holder: bytes | None) -> bool:
        """Whether the claim was one of a dead process, and is of this job now."""
        if holder is None or not _is_dead(holder.decode()):
            return False
        return bool(self._client.eval(_TAKE_OVER, 1, _key(name), holder, self._token, TTL_MS))

    def keep(self, name: str, ttl_ms: int) -> None:
        """Have a claim of this job last for as long from now on."""
        try:
            self._client.set(_key(name), self._token, px=max(1, ttl_ms))
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))

    def release(self, name: str) -> None:
        """Let the next one have it at once."""
        try:
            self._client.eval(_RELEASE, 1, _key(name), self._token)
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))


def are_free(client: redis.Redis, names: Sequence[str]) -> list[bool]:
    """Which of these no living process has claimed; all of them where that cannot be told."""
    try:
        found = client.mget([_key(name) for name in names]) if names else []
    except redis.RedisError:
        return [True] * len(names)
    holders = cast("list[bytes | None]", found)
    return [holder is None or _is_dead(holder.decode()) for holder in holders]


def block(ladder_id: str, number: int, attempt: int) -> str:
    """The name of the claim on one attempt of a block."""
    return f"{ladder_id}:{number}:{attempt}"


def tables(ladder_id: str, season: int) -> str:
    """The name of the claim on the tables of a season."""
    return f"{ladder_id}:{season}:tables"


def _is_dead(token: str) -> bool:
    pid, _, where = token.partition(" ")
    return where.endswith(f" {machine()}") and not lives(int(pid))


def _key(name: str) -> str:
    return f"mk:{{claim}}:{name}"
