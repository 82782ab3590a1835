"""The state after recorded events that the rules would refuse, as long as the rules can continue from it."""

from collections.abc import Iterable, Sequence
from typing import Final

from domain.audit.envelopes import ReadEvent
from domain.match import events as ev
from domain.match.evolve import fold
from domain.match.rulesets import VERSIONS
from domain.match.state import MatchState

_MOST_CARDS: Final = 1000
"""Largest absolute number of copies of a card in one place, and of cards in a given deck order."""
_MOST_COINS: Final = 10**9
"""Largest absolute number of coins in one purse."""


def folded(state: MatchState | None, batch: Sequence[ReadEvent]) -> MatchState | None:
    """The state after these events, even if the rules forbid them. A `state` of None means no match yet.

    None if the events cannot be applied, or if nobody could continue from the result.
    """
    if not all(map(_is_applicable, batch)):
        return None
    try:
        state = fold(state.copy() if state is not None else None, [one.event for one in batch])
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return state if is_playable(state) else None


def _is_applicable(one: ReadEvent) -> bool:
    """Whether the event may be applied: only the first may create a match, with a valid number of seats."""
    made = one.event
    if not isinstance(made, ev.MatchCreated):
        return True
    fewest, most = VERSIONS[made.rules_version].seats if made.rules_version in VERSIONS else (1, 0)
    return one.place == 1 and fewest <= made.seats <= most


def is_playable(state: MatchState) -> bool:
    """Whether every function of the rules terminates on this table."""
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
