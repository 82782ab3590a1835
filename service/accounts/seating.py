"""The consent of an account to be seated in matches and entered in ladders.

A block overrides everything else. Others cannot distinguish it from the policy `nobody`.
"""

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final, Literal, cast

import redis

from events.store import keys

DEFAULT: Final = "allowed"
"""With an empty list of allowed accounts, everybody must send an invitation."""

MOST_LISTED: Final = 1000
"""The most accounts on a list."""

ListName = Literal["allowed", "blocked"]

_ADD: Final = """
if redis.call('EXISTS', KEYS[2]) == 0 then return 1 end
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 1 end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
return redis.call('SADD', KEYS[1], ARGV[1])
"""


class Consent(Enum):
    """The consent of an account to be seated by another one."""

    GIVEN = "given"
    TO_BE_ASKED = "to be asked"
    REFUSED = "refused"


class Guests:
    """The lists of allowed and blocked accounts, of all accounts."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis: Any = client

    def add(self, account_id: str, name: ListName, other_id: str) -> bool:
        """Add another account to a list; False if the list is full and does not have it.

        A deleted account has no lists any more: nothing is added.
        """
        names = keys.listed(account_id, name), keys.account(account_id)
        return bool(self._redis.eval(_ADD, 2, *names, other_id, MOST_LISTED))

    def remove(self, account_id: str, name: ListName, other_id: str) -> None:
        """Remove another account from a list, if it is there."""
        self._redis.srem(keys.listed(account_id, name), other_id)

    def listed(self, account_id: str, name: ListName) -> list[str]:
        """The account ids on a list, in no particular order."""
        return [one.decode() for one in self._redis.smembers(keys.listed(account_id, name))]

    def blocked(self, account_id: str, others: Iterable[str]) -> set[str]:
        """The other accounts that the account blocks."""
        asked = sorted(set(others))
        if not asked:
            return set()
        found = self._redis.smismember(keys.listed(account_id, "blocked"), asked)
        return {other for other, is_there in zip(asked, found, strict=True) if is_there}

    def consent(self, account_id: str, policy: str, host_id: str) -> Consent:
        """The consent of the account to be seated by the host. It always consents to itself."""
        if account_id == host_id:
            return Consent.GIVEN
        if self.blocked(account_id, [host_id]) or policy == "nobody":
            return Consent.REFUSED
        if policy == "anybody" or self._allows(account_id, host_id):
            return Consent.GIVEN
        return Consent.TO_BE_ASKED

    def _allows(self, account_id: str, host_id: str) -> bool:
        return bool(cast(int, self._redis.sismember(keys.listed(account_id, "allowed"), host_id)))
