"""The luck of a match as a ladder's results tell it, in whole numbers."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from domain.events import Event
from domain.luck import UNIT, luck_of
from domain.state import MatchState

THOUSANDTHS: Final = 1000


class ValueFunction(Protocol):
    """The chances to win, by a function that is fixed for a season."""

    digest: str
    """What the season's configuration names it by."""

    def gradient(self, states: Sequence[MatchState]) -> Any:
        """By state and seats i, j: how much the chance of i changes with a coin of j."""


def coin_luck(events: Iterable[Event]) -> tuple[int, ...]:
    """By seat: what the dice brought beyond what they were worth before they fell, against the mean of the
    others, in thousandths of a coin. It sums to zero."""
    return rounded(luck_of(events).totals.luck, THOUSANDTHS, UNIT)


def rounded(parts: Sequence[int], times: int, per: int) -> tuple[int, ...]:
    """Each of the numbers, which sum to zero, times `times` and divided by `per`; these sum to zero too."""
    found = [(2 * times * part + per) // (2 * per) for part in parts]
    # Each is off by half of one at most; whoever has most takes what is left over.
    place = max(range(len(found)), key=lambda seat: abs(found[seat]))
    found[place] -= sum(found)
    return tuple(found)


def win_luck(events: Iterable[Event], values: ValueFunction) -> tuple[int, ...]:
    raise NotImplementedError
