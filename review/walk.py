"""The steps of a match that change the chances of winning: decisions, rolls, draws and resignations."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from domain.audit.inference import command_of
from domain.match import events as ev
from domain.match.commands import (
    AddTwo,
    Build,
    DeclineSwap,
    GiveEstablishment,
    KeepDice,
    KeepTotal,
    Pass,
    PlayCommand,
    RerollDice,
    RollDice,
    SwapEstablishments,
    TakeCoins,
)
from domain.match.events import Event
from domain.match.evolve import apply, begin
from domain.match.state import FINISHED, MatchState
from players.lookahead import RollKind, roll_kind

_DECISIONS = (
    AddTwo,
    Build,
    DeclineSwap,
    GiveEstablishment,
    KeepDice,
    KeepTotal,
    Pass,
    RerollDice,
    RollDice,
    SwapEstablishments,
    TakeCoins,
)


class NotReviewable(Exception):
    """The match has no review: not finished, without a turn, or of a ruleset without a network."""


class Decision(NamedTuple):
    """A command of the seat to act."""

    version: int
    """The version of the event that records it; the same holds for the other steps."""
    state: MatchState
    """The state before it."""
    command: PlayCommand
    roll: RollKind | None
    """The roll that the command brought, if any."""


class Boats(NamedTuple):
    """A roll for the boats."""

    version: int
    state: MatchState
    """The state before the command that caused it."""
    command: PlayCommand
    values: tuple[int, ...]
    """The dice that the command rolled; empty if it rolled none."""
    total: int


class Draw(NamedTuple):
    """A card that was turned over."""

    version: int
    turn: int
    seat: int
    card: int
    deck: tuple[int, ...]
    """By card: the copies in the deck before the draw."""
    before: tuple[int, ...]
    """By card: the copies for sale before the draw."""
    table: MatchState
    """The state at the next decision."""


class Resignation(NamedTuple):
    """A seat that left the match."""

    version: int
    seat: int
    state: MatchState
    """The state before it."""


Step: TypeAlias = Decision | Boats | Draw | Resignation


class Walk(NamedTuple):
    """The steps of a match from its first turn on."""

    first: int
    """The version at which the first turn begins."""
    start: MatchState
    """The state there."""
    steps: tuple[Step, ...]
    end: MatchState
    """The state after the last event."""


def walk(events: Sequence[Event]) -> Walk:
    """Follow the events of a match.

    Raises:
        NotReviewable: nobody has had a turn.
        RuleViolation: an event does not follow from the rules.
    """
    return _Walker().follow(events)


class _Walker:
    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._drawn: list[tuple[int, int, int, int, tuple[int, ...], tuple[int, ...]]] = []
        """The draws whose next decision has not come yet: the members of `Draw` but its table."""
        self._before: MatchState | None = None
        self._command: PlayCommand | None = None
        self._values: tuple[int, ...] = ()

    def follow(self, events: Sequence[Event]) -> Walk:
        state = begin(events[0])
        first, start = 0, state
        for event in events[1:]:
            if first:
                self._note(state, event)
            apply(state, event)
            if not first and state.active >= 0:
                first, start = state.version, state.copy()
            if isinstance(event, ev.TurnStarted):
                self._place_draws(state)
        if not first:
            raise NotReviewable("nobody has had a turn")
        return Walk(first, start, tuple(self._steps), state)

    def _note(self, state: MatchState, event: Event) -> None:
        """Add the step of the event that follows on the state, if the event is a step."""
        version = state.version + 1
        if isinstance(event, ev.MarketRefilled):
            self._note_draws(state, event, version)
        elif isinstance(event, ev.SeatResigned):
            self._steps.append(Resignation(version, event.seat, state.copy()))
        elif isinstance(event, ev.DiceRolled) and event.purpose == "boats":
            assert self._before is not None
            assert self._command is not None
            step = Boats(version, self._before, self._command, self._values, event.total)
            self._steps.append(step)
        else:
            command = command_of(state, (event,))
            if isinstance(command, _DECISIONS):
                rolled = event.values if isinstance(event, ev.DiceRolled) else ()
                self._before, self._command, self._values = state.copy(), command, rolled
                roll = roll_kind(rolled) if rolled else None
                self._steps.append(Decision(version, self._before, command, roll))

    def _note_draws(self, state: MatchState, event: ev.MarketRefilled, version: int) -> None:
        """Add the draws from a shuffled deck; draws from a deck in a given order are not luck."""
        if event.row in state.deck_orders:
            return
        rules = state.rules
        supply, decks = state.supply.copy(), state.decks.copy()
        row = [row.name for row in rules.rows].index(event.row)
        for id in event.cards:
            card = rules.index[id]
            in_row = tuple([decks[one] if one in rules.row_cards[row] else 0 for one in range(rules.size)])
            self._drawn.append((version, state.turn, state.active, card, in_row, tuple(supply)))
            supply[card] += 1
            decks[card] -= 1

    def _place_draws(self, state: MatchState) -> None:
        if self._drawn:
            table = state.copy()
            self._steps += [Draw(*drawn, table) for drawn in self._drawn]
            self._drawn = []


def require_finished(state: MatchState) -> None:
    """Require that a seat has won.

    Raises:
        NotReviewable: none has.
    """
    if state.status != FINISHED:
        raise NotReviewable(f"the match is {state.status}")
