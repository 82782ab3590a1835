"""Claims: short leases on the queue's Redis that keep two workers from doing the same work.

Correctness does not depend on them, so without that Redis everything counts as free. The claims of a process
that is known to be dead are free at once.
"""

import os
from collections.abc import Sequence
from typing import Final, cast

import redis
import structlog

from workers.operations.lifetime import is_of_dead, token_of

TTL_MS: Final = 15_000
"""Validity of a claim: a worker that died on another machine blocks others for so long. Every job reloads the
ladder more often, so that none plays a block that is already over."""

_TAKE_OVER: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
"""

_RELEASE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""

log = structlog.get_logger(__name__)


class Claims:
    """The claims of one job."""

    def __init__(self, client: redis.Redis, process_id: int | None = None) -> None:
        """The claims are free once the process is dead; by default that is the worker that forked the job,
        because claims may outlive their job.
        """
        self._client = client
        self._token = token_of(process_id or os.getppid())

    def take(self, name: str, ttl_ms: int = TTL_MS) -> bool:
        """Claim a name for that time unless it is claimed, even by a dead process; whether that succeeded.

        Without a time, it succeeds and claims nothing.
        """
        if ttl_ms <= 0:
            return True
        try:
            return bool(self._client.set(_key(name), self._token, nx=True, px=ttl_ms))
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))
            return True

    def take_many(self, names: Sequence[str]) -> list[bool]:
        """Claim those names that no running process holds, in one round trip; by name, whether that
        succeeded."""
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
        """Take over the claim of a dead process; whether that succeeded."""
        if holder is None or not is_of_dead(holder.decode()):
            return False
        return bool(self._client.eval(_TAKE_OVER, 1, _key(name), holder, self._token, TTL_MS))

    def keep(self, name: str, ttl_ms: int) -> None:
        """Renew a claim of this job, from now on."""
        try:
            self._client.set(_key(name), self._token, px=max(1, ttl_ms))
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))

    def release(self, name: str) -> None:
        """Release a claim of this job."""
        try:
            self._client.eval(_RELEASE, 1, _key(name), self._token)
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))


def are_free(client: redis.Redis, names: Sequence[str]) -> list[bool]:
    """By name: whether no running process has claimed it; all true if Redis does not answer."""
    try:
        found = client.mget([_key(name) for name in names]) if names else []
    except redis.RedisError:
        return [True] * len(names)
    holders = cast("list[bytes | None]", found)
    return [holder is None or is_of_dead(holder.decode()) for holder in holders]


def _key(name: str) -> str:
    return f"mk:{{claim}}:{name}"
