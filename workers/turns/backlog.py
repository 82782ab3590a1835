"""The turns that wait for a free worker, in equal shares for the accounts that created the matches.

The backlog exists only in the memory of the relay. Turns that are lost with it become overdue, and the sweep
finds them.
"""

from collections import OrderedDict
from itertools import islice
from typing import Final

from msgspec import Struct

LIMIT: Final = 50_000
"""Most turns in a backlog, some 20 MB; the sweep finds the others."""


class WaitingTurn(Struct, frozen=True):
    """A turn that waits for a worker."""

    match_id: str
    version: int
    account: str
    """The account whose share it uses."""
    attempt: int = 1
    """How often it will have been dispatched, this time included."""


class Backlog:
    """The newest turn of each match; a round-robin over accounts."""

    def __init__(self, in_a_row: int, limit: int = LIMIT) -> None:
        """`in_a_row` is how many turns of one account are taken before the next account's."""
        self._in_a_row = in_a_row
        self._limit = limit
        self._waiting: OrderedDict[str, dict[str, WaitingTurn]] = OrderedDict()
        """By account, the next in the round-robin first: its turns by match, the oldest first."""
        self._accounts: dict[str, str] = {}
        """By match: the account whose share its turn uses."""

    def __len__(self) -> int:
        return len(self._accounts)

    def __contains__(self, match_id: str) -> bool:
        return match_id in self._accounts

    def put(self, turn: WaitingTurn) -> bool:
        """Add the turn, or replace an earlier turn of its match; false if the backlog is full."""
        if turn.match_id not in self and len(self) >= self._limit:
            return False
        account = self._accounts.setdefault(turn.match_id, turn.account)
        waiting = self._waiting.setdefault(account, {})
        earlier = waiting.get(turn.match_id)
        if earlier is None or earlier.version <= turn.version:
            waiting[turn.match_id] = turn
        return True

    def drop(self, match_id: str) -> None:
        """Remove the turn of a match, if one waits."""
        account = self._accounts.pop(match_id, None)
        if account is not None:
            del self._waiting[account][match_id]
            if not self._waiting[account]:
                del self._waiting[account]

    def clear(self) -> None:
        """Remove all turns."""
        self._waiting.clear()
        self._accounts.clear()

    def take(self, count: int) -> list[WaitingTurn]:
        """Remove and return the next turns, at most `count`; turns of accounts with few of them come first.

        A job may only have time for its first turns, so an account with many must not come before others.
        """
        taken: list[tuple[int, WaitingTurn]] = []
        sizes: dict[str, int] = {}
        while self._waiting and len(taken) < count:
            account, waiting = next(iter(self._waiting.items()))
            self._waiting.move_to_end(account)
            size = sizes.setdefault(account, len(waiting))
            for turn in [*islice(waiting.values(), min(self._in_a_row, count - len(taken)))]:
                taken.append((size, turn))
                self.drop(turn.match_id)
        return [turn for _, turn in sorted(taken, key=lambda one: one[0])]
