"""Limits on the unfinished matches of an account, and of all accounts at one address.

A match takes a permit of its creator and one of the address that it was created from. Permits are kept on the
queue's Redis and expire after a day, so that abandoned matches block nobody forever. If Redis loses them, all
are free; while it is down, no limit applies. Permits of matches that are over are freed when none are left.
Matches with people and matches of built-in players have separate permits.
"""

import hashlib
import time
from collections.abc import Sequence
from typing import Final, Literal, cast

import redis

from events.store import keys
from events.store.keys import now_ms
from events.store.records import Store

Kind = Literal["people", "built_in"]
"""Whether people can play in a match, or built-in players have all seats."""

HELD_MS: Final = 86_400_000
CREATED_MS: Final = 60_000
"""If the match of a permit does not exist after this time, its creation failed, and the permit is free."""
CHECKED_MS: Final = 1000
"""The shortest interval between checks for matches that are over."""
PAUSE_S: Final = 2.0
"""How long a server that did not respond is left alone."""

_OVER: Final = ("status:finished", "status:aborted")

_TAKE: Final = """
for i = 1, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[1])
  if not redis.call('ZSCORE', KEYS[i], ARGV[3]) and redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[4 + i]) then
    return i
  end
end
for i = 1, #KEYS do
  redis.call('ZADD', KEYS[i], 'NX', ARGV[2], ARGV[3])
  redis.call('PEXPIRE', KEYS[i], ARGV[4])
end
return 0
"""


class MatchPermits:
    """The permits for unfinished matches of all accounts and addresses."""

    def __init__(self, client: redis.Redis, store: Store, of_account: int, of_address: int) -> None:
        """`client` is for the queue's Redis and should have a short timeout. `of_account` and `of_address`
        are the permits of each account and of each address, per kind of match."""
        self._client = client
        self._store = store
        self._limits = (of_account, of_address)
        self._take = client.register_script(_TAKE)
        self._silent_until_s = 0.0

    def take(self, kind: Kind, account_id: str, address: str, match_id: str) -> str:
        """Take the permits of a new match; taking them again changes nothing.

        Returns:
            `account` or `address` if that has no permit left, otherwise an empty string.

        Raises:
            StoreUnavailable: the event store cannot tell which matches are over.
        """
        if time.monotonic() < self._silent_until_s:
            return ""
        names = (permits(kind, account_id), address_permits(kind, address))
        try:
            full = self._taken(names, match_id)
            while full and self._free(names[full - 1]):
                full = self._taken(names, match_id)
        except redis.RedisError:
            self._silent_until_s = time.monotonic() + PAUSE_S
            return ""
        return ("", "account", "address")[full]

    def give_back(self, kind: Kind, account_id: str, address: str, match_id: str) -> None:
        """Free the permits of a match whose creation failed; while Redis is down, they expire."""
        try:
            for key in (permits(kind, account_id), address_permits(kind, address)):
                self._client.zrem(key, match_id)
        except redis.RedisError:
            self._silent_until_s = time.monotonic() + PAUSE_S

    def _taken(self, names: Sequence[str], match_id: str) -> int:
        """0, or the number of the key that has no permit left, from 1."""
        at_ms = now_ms()
        return int(self._take(names, [at_ms - HELD_MS, at_ms, match_id, HELD_MS, *self._limits]))

    def _free(self, key: str) -> bool:
        """Free the permits of matches that are over, and return whether there were any."""
        if not self._client.set(f"{key}:looked", 1, nx=True, px=CHECKED_MS):
            return False
        held = cast("list[tuple[bytes, float]]", self._client.zrange(key, 0, -1, withscores=True))
        since_ms = {match_id.decode(): score for match_id, score in held}
        free = self._over(since_ms)
        return bool(free) and bool(self._client.zrem(key, *free))

    def _over(self, since_ms: dict[str, float]) -> list[str]:
        """The matches that are over, or were never created."""
        match_ids = [*since_ms]
        there, *over = [self._store.are_members(keys.index(index), match_ids) for index in ("all", *_OVER)]
        late_ms = now_ms() - CREATED_MS
        return [
            match_id
            for match_id, is_there, *is_over in zip(match_ids, there, *over, strict=True)
            if any(is_over) or (not is_there and since_ms[match_id] < late_ms)
        ]


def permits(kind: str, account_id: str) -> str:
    """Sorted set: the permits of an account, as match ids by creation time in ms."""
    return f"mk:{{places}}:{kind}:{account_id}"


def address_permits(kind: str, address: str) -> str:
    """As `permits`, for matches created from an address; the key hides the address."""
    return permits(kind, hashlib.sha256(address.encode()).hexdigest()[:32])
