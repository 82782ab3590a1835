"""Who does what: short claims on the queue's Redis.

They keep two workers from doing the same work. Nothing depends on them for being right, so without that Redis
everything is free to be taken.
"""

import secrets
from collections.abc import Sequence
from typing import Final

import redis
import structlog

TTL_MS: Final = 15_000
"""A worker that died keeps its blocks from others for so long. No job goes without news of the ladder for as
long: nobody takes up a block that is over already."""

_RELEASE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""

log = structlog.get_logger("workers.ladders.claims")


class Claims:
    """The claims of one job."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._token = secrets.token_hex(8)

    def take(self, name: str, ttl_ms: int = TTL_MS) -> bool:
        """Claim what nobody has claimed."""
        try:
            return bool(self._client.set(_key(name), self._token, nx=True, px=max(1, ttl_ms)))
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))
            return True

    def take_many(self, names: Sequence[str]) -> list[bool]:
        """Claim of these what nobody has claimed, in one round trip; which they are."""
        try:
            with self._client.pipeline(transaction=False) as pipe:
                for name in names:
                    pipe.set(_key(name), self._token, nx=True, px=TTL_MS)
                return [bool(is_set) for is_set in pipe.execute()]
        except redis.RedisError as error:
            log.warning("queue_unavailable", error=str(error))
            return [True] * len(names)

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


def block(ladder_id: str, number: int, attempt: int) -> str:
    """The name of the claim on one attempt of a block."""
    return f"{ladder_id}:{number}:{attempt}"


def _key(name: str) -> str:
    return f"mk:{{claim}}:{name}"
