"""What chance decided in a match, found from its events alone: each throw, each card drawn and the first
seat, with the stem of its address, see `domain.match.derivation`.

Stems follow from the state before each event, so nothing but the events has to be believed. What comes out of
them once the seed is known: `die_at` and `pick_at`.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct

from domain.match import events as ev
from domain.match.derivation import FIRST_SEAT, draw_stem, throw_stem
from domain.match.evolve import apply, begin
from domain.match.state import MatchState, seat_seeds


class Throw(Struct, frozen=True):
    """Dice that were thrown."""

    sequence: int
    turn: int
    seat: int
    seat_turn: int
    """The turns that the seat has begun, this one counted."""
    purpose: str
    values: tuple[int, ...]
    """As recorded."""
    stems: tuple[str, ...]
    """Of each die; none of scripted ones."""


class Draw(Struct, frozen=True):
    """A card that was drawn."""

    sequence: int
    row: str
    number: int
    """The cards drawn from that row, this one counted."""
    card: str
    """As recorded."""
    deck: tuple[tuple[str, int], ...]
    """Each kind that could be drawn and its copies, in the order in which they are counted."""
    stem: str
    """Empty where the order of the deck was given."""

    @property
    def left(self) -> int:
        """The cards that could be drawn; at least 1."""
        return sum([copies for _, copies in self.deck])


class SeatSeed(Struct):
    """What a seat did about its seed, where seats commit to theirs."""

    seat: int
    commitment: str
    """Empty where it has forgone its seed."""
    sequence: int
    """Of the event that committed to it or has forgone it."""
    seed: str = ""
    """Empty until it is opened."""
    opened: int | None = None
    """The sequence of the event that opened it."""


class FirstSeat(Struct, frozen=True):
    """The seat that begins, where chance has chosen it."""

    sequence: int
    seat: int
    """As recorded."""
    seats: int
    stem: str = FIRST_SEAT


class Traced:
    """All that chance decided in a match so far, and what it can be recomputed from."""

    def __init__(self, state: MatchState) -> None:
        self.state = state
        """After the last event."""
        self.seeds: dict[int, SeatSeed] = {}
        """By seat, in the order of their commitments."""
        self.first_seat: FirstSeat | None = None
        self.throws: list[Throw] = []
        self.draws: list[Draw] = []
        self.seed: bytes | None = None
        """None until it is revealed."""

    @property
    def seat_seeds(self) -> tuple[str, ...]:
        return seat_seeds(self.state)


def trace(events: Iterable[ev.Event]) -> Traced:
    """What chance decided in the events of a match, given from the first one on."""
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
    found.seeds[event.seat] = SeatSeed(event.seat, commitment, found.state.version + 1)


def _note_opening(found: Traced, event: ev.SeatSeedOpened) -> None:
    one = found.seeds[event.seat]
    one.seed, one.opened = event.seed, found.state.version + 1


def _note_start(found: Traced, event: ev.MatchStarted) -> None:
    created = found.state.created
    if created.first_seat is None and created.position is None:
        found.first_seat = FirstSeat(found.state.version + 1, event.first_seat, created.seats)


def _note_throw(found: Traced, event: ev.DiceRolled) -> None:
    state = found.state
    seat_turn = state.seat_turns[state.active]
    throw = throw_stem(state.active, seat_turn, event.purpose)
    stems = tuple([f"{throw}|{i}" for i in range(len(event.values))])
    if state.created.dice.mode == "scripted":
        stems = ()
    found.throws.append(
        Throw(state.version + 1, state.turn, state.active, seat_turn, event.purpose, event.values, stems)
    )


def _note_draws(found: Traced, event: ev.MarketRefilled) -> None:
    state, rules = found.state, found.state.rules
    row = [one.name for one in rules.rows].index(event.row)
    left = {rules.ids[card]: state.decks[card] for card in rules.row_cards[row]}
    is_given = event.row in state.deck_orders
    for number, card in enumerate(event.cards, state.draws[row] + 1):
        deck = tuple([(id, copies) for id, copies in left.items() if copies])
        stem = "" if is_given else draw_stem(event.row, number)
        found.draws.append(Draw(state.version + 1, event.row, number, card, deck, stem))
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
