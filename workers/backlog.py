"""Turns that wait until a worker is free for them, in equal shares for the accounts that made the matches.

They are in the memory of the relay alone: what is lost with it is overdue soon, and the sweep finds it.
"""

from collections import OrderedDict
from itertools import islice
from typing import Final

from msgspec import Struct

LIMIT: Final = 50_000
"""As many turns are kept at most, some 20 MB; the sweep finds the others."""


class Pending(Struct, frozen=True):
    """A turn that waits."""

    match_id: str
    version: int
    account: str
    """Against whose share it counts."""
    attempt: int = 1
    """How often it was handed out, this time included."""


class Backlog:
    """One turn of each match, the newest; accounts take turns."""

    def __init__(self, in_a_row: int, limit: int = LIMIT) -> None:
        """`in_a_row` is how many turns of one account are taken before those of the next."""
        self._in_a_row = in_a_row
        self._limit = limit
        self._waiting: OrderedDict[str, dict[str, Pending]] = OrderedDict()
        """By account, the next one first: its turns by match, the longest waiting first."""
        self._accounts: dict[str, str] = {}
        """By match: the account that its turn counts against."""

    def __len__(self) -> int:
        return len(self._accounts)

    def __contains__(self, match_id: str) -> bool:
        return match_id in self._accounts

    def put(self, turn: Pending) -> bool:
        """Have the turn wait, in the place of an earlier one of its match; false if there is no room."""
        if turn.match_id not in self and len(self) >= self._limit:
            return False
        account = self._accounts.setdefault(turn.match_id, turn.account)
        waiting = self._waiting.setdefault(account, {})
        earlier = waiting.get(turn.match_id)
        if earlier is None or earlier.version <= turn.version:
            waiting[turn.match_id] = turn
        return True

    def drop(self, match_id: str) -> None:
        """Forget the turn of a match, if one waits."""
        account = self._accounts.pop(match_id, None)
        if account is not None:
            del self._waiting[account][match_id]
            if not self._waiting[account]:
                del self._waiting[account]

    def clear(self) -> None:
        """Forget all."""
        self._waiting.clear()
        self._accounts.clear()

    def take(self, count: int) -> list[Pending]:
        """The next turns, at most so many; those of accounts with few of them first.

        A job may come to none but its first, so whoever has many must not be in front of the others.
        """
        taken: list[tuple[int, Pending]] = []
        sizes: dict[str, int] = {}
        while self._waiting and len(taken) < count:
            account, waiting = next(iter(self._waiting.items()))
            self._waiting.move_to_end(account)
            size = sizes.setdefault(account, len(waiting))
            for turn in [*islice(waiting.values(), min(self._in_a_row, count - len(taken)))]:
                taken.append((size, turn))
                self.drop(turn.match_id)
        return [turn for _, turn in sorted(taken, key=lambda one: one[0])]
