"""The limit on open streams per account or address, across all web processes.

The slots are kept on the queue's Redis. If it loses them, open streams take theirs again.
"""

import time
from collections.abc import Callable
from typing import Final, NamedTuple

import redis

from events.store.keys import new_id

HELD_S: Final = 60.0
"""How long a slot is held without being renewed, as by a process that died."""

PAUSE_S: Final = 2.0
"""How long a server that did not respond is left alone, so that streams do not wait for it."""

_TAKE: Final = """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
if redis.call('ZSCORE', KEYS[1], ARGV[3]) then return 1 end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3])
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
"""


class Slot(NamedTuple):
    """One stream of an owner: an account id, or an address."""

    owner: str
    id: str


class StreamSlots:
    """The slots of all owners. While Redis is down, everybody gets a slot."""

    def __init__(self, client: redis.Redis, quota: int) -> None:
        """`client` should have a short timeout, since open streams wait for it. `quota` is per owner."""
        self._client = client
        self._silent_until_s = 0.0
        self.quota: Final = quota
        self._take = client.register_script(_TAKE)

    def take(self, owner: str) -> Slot | None:
        """Take a slot; None if the owner has all that it may have."""
        slot = Slot(owner, new_id("str"))
        now_ms = _now_ms()
        args: list[str | int] = [now_ms, _end_ms(now_ms), slot.id, self.quota]
        return None if self._asked(lambda: self._take([_key(owner)], args)) == 0 else slot

    def renew(self, slot: Slot) -> None:
        """Hold the slot for another `HELD_S`."""
        end_ms = _end_ms(_now_ms())
        pipe = self._client.pipeline(transaction=False)
        pipe.zadd(_key(slot.owner), {slot.id: end_ms})
        pipe.pexpireat(_key(slot.owner), end_ms)
        self._asked(pipe.execute)

    def release(self, slot: Slot) -> None:
        """Free the slot; while Redis is down, it expires."""
        self._asked(lambda: self._client.zrem(_key(slot.owner), slot.id))

    def _asked(self, question: Callable[[], object]) -> object:
        """The answer of Redis, or None while it does not respond."""
        if time.monotonic() < self._silent_until_s:
            return None
        try:
            return question()
        except redis.RedisError:
            self._silent_until_s = time.monotonic() + PAUSE_S
            return None


def _key(owner: str) -> str:
    return f"mk:{{streams}}:{owner}"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _end_ms(now_ms: int) -> int:
    return now_ms + round(HELD_S * 1000)
