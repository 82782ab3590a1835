"""One of several at a time: a lease on Redis that runs out by itself."""

import secrets
from typing import Final

import redis

from events.store import keys

_RENEW: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
"""

_RELEASE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class Lease:
    """Held by one process at most; it keeps double work rare, nothing depends on it for being right."""

    def __init__(self, client: redis.Redis, name: str, ttl_s: float) -> None:
        self._client = client
        self._key = keys.lease(name)
        self._token = secrets.token_hex(8)
        self._ttl_ms = round(ttl_s * 1000)

    def hold(self) -> bool:
        """Take the lease, or keep it for another `ttl_s` seconds; whether it is ours.

        Raises:
            redis.RedisError.
        """
        if self._client.eval(_RENEW, 1, self._key, self._token, str(self._ttl_ms)):
            return True
        return bool(self._client.set(self._key, self._token, nx=True, px=self._ttl_ms))

    def release(self) -> None:
        """Let the next one have it at once.

        Raises:
            redis.RedisError.
        """
        self._client.eval(_RELEASE, 1, self._key, self._token)
