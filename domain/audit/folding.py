"""Following what is recorded where the rules do not lead there: only as far as they can still be asked."""

from collections.abc import Iterable, Sequence
from typing import Final

from domain.audit.reading import Read
from domain.match import events as ev
from domain.match.evolve import fold
from domain.match.rulesets import VERSIONS
from domain.match.state import MatchState

_MOST_CARDS: Final = 1000
"""In either direction: copies of a card in one place, and cards in the given order of a deck."""
_MOST_COINS: Final = 10**9
"""In either direction, in one purse."""


def folded(state: MatchState | None, batch: Sequence[Read]) -> MatchState | None:
    """The state after these events, whether the rules would have them or not. None is for no match yet.

    None if they cannot be followed, or lead to where nobody could go on.
    """
    if not all(map(_can_be_followed, batch)):
        return None
    try:
        state = fold(state.copy() if state is not None else None, [one.event for one in batch])
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return state if is_playable(state) else None


def _can_be_followed(one: Read) -> bool:
    """Whether it makes no match, or the first event one of so many seats as the rules know."""
    made = one.event
    if not isinstance(made, ev.MatchCreated):
        return True
    fewest, most = VERSIONS[made.rules_version].seats if made.rules_version in VERSIONS else (1, 0)
    return one.place == 1 and fewest <= made.seats <= most


def is_playable(state: MatchState) -> bool:
    """Whether the rules come to an end with the table, however they are asked."""
    if not state.coins:
        return True
    by_seat = (state.coins, state.cities, state.resigned, state.seat_turns)
    if any(len(members) != state.rules.seats for members in by_seat) or all(state.resigned):
        return False
    counts = [state.supply, state.decks, *state.cities]
    orders = map(len, state.deck_orders.values())
    return (
        _is_within(state.coins, _MOST_COINS)
        and all(_is_within(cards, _MOST_CARDS) for cards in counts)
        and _is_within(orders, _MOST_CARDS)
    )


def _is_within(numbers: Iterable[int], most: int) -> bool:
    return all(-most <= number <= most for number in numbers)
