"""How many matches that are not over somebody may have: an account, and all accounts at one address.

A match takes a place of its account and one of the address that it was made from, for a day at most: what
people have left unfinished is in nobody's way for ever. The places are kept on the queue's Redis. If that
loses them, they are all free; without it everybody gets one. Nobody has to give a place back: where there is
none left, those are freed whose matches are over. Matches in which people can play have places of their own,
so that nobody finds them taken by matches of built-in players.
"""

import time
from collections.abc import Sequence
from typing import Final, Literal, cast

import redis

from events.store.keys import index as index_key
from events.store.records import Store
from events.store.streams import now_ms
from service.edge import keys

Kind = Literal["people", "built_in"]
"""Of a match: whether people can play in it, or built-in players have all seats."""

HELD_MS: Final = 86_400_000
MADE_MS: Final = 60_000
"""A place whose match is not there after so long is free: its making failed."""
LOOKED_MS: Final = 1000
"""As often it is looked for matches that are over, however many are refused."""
PAUSE_S: Final = 2.0
"""For so long a server that did not answer is not asked again."""

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


class Places:
    """The places of all accounts and addresses, so many for each."""

    def __init__(self, client: redis.Redis, store: Store, of_account: int, of_address: int) -> None:
        """`client` is one of the queue's Redis, and should give up soon."""
        self._client = client
        self._store = store
        self._limits = (of_account, of_address)
        self._take = client.register_script(_TAKE)
        self._silent_until_s = 0.0

    def take(self, kind: Kind, account_id: str, address: str, match_id: str) -> str:
        """Take the places of a match that is to be made; `account` or `address` if that has none left, else
        nothing. Taking them once more changes nothing.

        Raises:
            StoreUnavailable: the event store, when it is asked which matches are over.
        """
        if time.monotonic() < self._silent_until_s:
            return ""
        names = (keys.places(kind, account_id), keys.places_at(kind, address))
        try:
            full = self._taken(names, match_id)
            while full and self._free(names[full - 1]):
                full = self._taken(names, match_id)
        except redis.RedisError:
            self._silent_until_s = time.monotonic() + PAUSE_S
            return ""
        return ("", "account", "address")[full]

    def give_back(self, kind: Kind, account_id: str, address: str, match_id: str) -> None:
        """Free the places of a match that is not made after all; without Redis they free themselves."""
        try:
            for key in (keys.places(kind, account_id), keys.places_at(kind, address)):
                self._client.zrem(key, match_id)
        except redis.RedisError:
            self._silent_until_s = time.monotonic() + PAUSE_S

    def _taken(self, names: Sequence[str], match_id: str) -> int:
        """0, or the number of the key that has no place left, from 1."""
        at_ms = now_ms()
        return int(self._take(names, [at_ms - HELD_MS, at_ms, match_id, HELD_MS, *self._limits]))

    def _free(self, key: str) -> bool:
        """Free places whose matches are over; whether there were any."""
        if not self._client.set(f"{key}:looked", 1, nx=True, px=LOOKED_MS):
            return False
        held = cast("list[tuple[bytes, float]]", self._client.zrange(key, 0, -1, withscores=True))
        since_ms = {match_id.decode(): score for match_id, score in held}
        free = self._over(since_ms)
        return bool(free) and bool(self._client.zrem(key, *free))

    def _over(self, since_ms: dict[str, float]) -> list[str]:
        """The matches that are over, or were never made."""
        match_ids = [*since_ms]
        there, *over = [self._store.are_members(index_key(index), match_ids) for index in ("all", *_OVER)]
        late_ms = now_ms() - MADE_MS
        return [
            match_id
            for match_id, is_there, *is_over in zip(match_ids, there, *over, strict=True)
            if any(is_over) or (not is_there and since_ms[match_id] < late_ms)
        ]
