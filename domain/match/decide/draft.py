"""The draft of a decision: its events so far and the state after them."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from domain.errors import RuleViolation
from domain.match.events import Event
from domain.match.evolve import APPLY
from domain.match.rules import Rules
from domain.match.state import RUNNING, MatchState, is_over

_Chance_co = TypeVar("_Chance_co", covariant=True)


class Draft:
    """Rules read `state` and emit events; only emitted events change the state."""

    state: MatchState
    events: list[Event]

    def emit(self, event: Event) -> None:
        """Record the event and apply it."""
        state = self.state
        self.events.append(event)
        APPLY[type(event)](state, event)
        state.version += 1

    @property
    def rules(self) -> Rules:
        """The rules of the match."""
        return self.state.rules


class DraftWith(Draft, Generic[_Chance_co]):
    """A draft with the part of a `Chance` that its rules need."""

    def __init__(self, state: MatchState, chance: _Chance_co) -> None:
        self.state = state
        self.events = []
        self.chance = chance


def require_running(state: MatchState) -> None:
    """Raise unless the match is running: `match_not_started` or `match_finished`."""
    if state.status != RUNNING:
        require_not_over(state)
        missing = "players" if None in state.controllers else "the seeds of its seats"
        raise RuleViolation("match_not_started", f"the match is waiting for {missing}")


def require_not_over(state: MatchState) -> None:
    """Raise `match_finished` if the match has ended."""
    if is_over(state):
        raise RuleViolation("match_finished", f"the match is {state.status}")


def require_turn(state: MatchState, seat: int, phases: Sequence[str]) -> None:
    """Raise unless the match is running, it is the seat's turn and the phase is one of `phases`."""
    require_running(state)
    if seat != state.active:
        raise RuleViolation("not_your_turn", f"seat {state.active} is to act", "/seat")
    if state.phase not in phases:
        raise RuleViolation("wrong_phase", f"the phase is {state.phase!r}")


def card_index(state: MatchState, card: str, pointer: str) -> int:
    """The index of a card by id.

    Raises:
        RuleViolation: `unknown_card`.
    """
    index = state.rules.index.get(card)
    if index is None:
        raise RuleViolation("unknown_card", f"this match has no card {card!r}", pointer)
    return index


def opponents(state: MatchState) -> list[int]:
    """The other seats in play, clockwise from the active one."""
    seats = len(state.coins)
    found = []
    for i in range(1, seats):
        seat = (state.active + i) % seats
        if not state.resigned[seat]:
            found.append(seat)
    return found
