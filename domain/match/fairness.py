"""A trace of chance in a match: each roll, each drawn card and the first seat, with the stems that they
derive from (see `domain.match.chance`).

The trace follows from the events alone. With the seed, `die_at` and `pick_at` recompute what each stem gives.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct

from domain.match import events as ev
from domain.match.chance import FIRST_SEAT, draw_stem, throw_stem
from domain.match.evolve import apply, begin
from domain.match.state import MatchState, seat_seeds


class TracedThrow(Struct, frozen=True):
    """A roll."""

    sequence: int
    turn: int
    seat: int
    seat_turn: int
    """The number of turns that the seat has begun, including this one."""
    purpose: str
    values: tuple[int, ...]
    """As recorded."""
    stems: tuple[str, ...]
    """The stem of each die; empty for scripted dice."""


class TracedDraw(Struct, frozen=True):
    """A drawn card."""

    sequence: int
    row: str
    number: int
    """The number of cards drawn from the row, including this one."""
    card: str
    """As recorded."""
    deck: tuple[tuple[str, int], ...]
    """The ids and copies of cards that could be drawn, in the order in which positions are counted."""
    stem: str
    """Empty if the order of the deck was given."""

    @property
    def left(self) -> int:
        """The number of cards that could be drawn; at least 1."""
        return sum([copies for _, copies in self.deck])


class TracedSeatSeed(Struct):
    """The commitment and seed of a seat, in a match whose seats commit to seeds."""

    seat: int
    commitment: str
    """Empty if the seat has forgone its seed."""
    sequence: int
    """The sequence of the event that committed to the seed or has forgone it."""
    seed: str = ""
    """Empty until it is opened."""
    opened: int | None = None
    """The sequence of the event that opened it."""


class TracedFirstSeat(Struct, frozen=True):
    """The first seat, if chance has chosen it."""

    sequence: int
    seat: int
    """As recorded."""
    seats: int
    stem: str = FIRST_SEAT


class Traced:
    """The trace of chance in a match so far."""

    def __init__(self, state: MatchState) -> None:
        self.state = state
        """The state after the last event."""
        self.seeds: dict[int, TracedSeatSeed] = {}
        """By seat, in order of commitment."""
        self.first_seat: TracedFirstSeat | None = None
        self.throws: list[TracedThrow] = []
        self.draws: list[TracedDraw] = []
        self.seed: bytes | None = None
        """None until it is revealed."""

    @property
    def seat_seeds(self) -> tuple[str, ...]:
        return seat_seeds(self.state)


def trace(events: Iterable[ev.Event]) -> Traced:
    """Trace the events of a match, from the first on."""
    rest = iter(events)
    found = Traced(begin(next(rest)))
    for event in rest:
        note = _NOTES.get(type(event))
        if note is not None:
            note(found, event)
        apply(found.state, event)
    return found


def _note_commitment(found: Traced, event: ev.SeatSeedCommitted | ev.SeatSeedForgone) -> None:
    commitment = event.commitment if isinstance(event, ev.SeatSeedCommitted) else ""
    found.seeds[event.seat] = TracedSeatSeed(event.seat, commitment, found.state.version + 1)


def _note_opening(found: Traced, event: ev.SeatSeedOpened) -> None:
    one = found.seeds[event.seat]
    one.seed, one.opened = event.seed, found.state.version + 1


def _note_start(found: Traced, event: ev.MatchStarted) -> None:
    created = found.state.created
    if created.first_seat is None and created.position is None:
        found.first_seat = TracedFirstSeat(found.state.version + 1, event.first_seat, created.seats)


def _note_throw(found: Traced, event: ev.DiceRolled) -> None:
    state = found.state
    seat_turn = state.seat_turns[state.active]
    throw = throw_stem(state.active, seat_turn, event.purpose)
    stems = tuple([f"{throw}|{i}" for i in range(len(event.values))])
    if state.created.dice.mode == "scripted":
        stems = ()
    found.throws.append(
        TracedThrow(
            state.version + 1, state.turn, state.active, seat_turn, event.purpose, event.values, stems
        )
    )


def _note_draws(found: Traced, event: ev.MarketRefilled) -> None:
    state, rules = found.state, found.state.rules
    row = [one.name for one in rules.rows].index(event.row)
    left = {rules.ids[card]: state.decks[card] for card in rules.row_cards[row]}
    is_given = event.row in state.deck_orders
    for number, card in enumerate(event.cards, state.draws[row] + 1):
        deck = tuple([(id, copies) for id, copies in left.items() if copies])
        stem = "" if is_given else draw_stem(event.row, number)
        found.draws.append(TracedDraw(state.version + 1, event.row, number, card, deck, stem))
        left[card] -= 1


def _note_seed(found: Traced, event: ev.DiceRevealed) -> None:
    found.seed = bytes.fromhex(event.seed)


_NOTES: Final[dict[type, Callable[[Traced, Any], None]]] = {
    ev.SeatSeedCommitted: _note_commitment,
    ev.SeatSeedForgone: _note_commitment,
    ev.SeatSeedOpened: _note_opening,
    ev.MatchStarted: _note_start,
    ev.DiceRolled: _note_throw,
    ev.MarketRefilled: _note_draws,
    ev.DiceRevealed: _note_seed,
}
