"""The state of a match: what a fold of its events gives, and nothing that the events do not say.

A `MatchState` is compact and mutable. Whoever folds events owns it; everybody else gets a copy.
"""

from collections.abc import Mapping
from typing import Final

from domain.match.events import MatchCreated, SeatReserved, SeatTaken
from domain.match.rules import Rules

OPEN: Final = "open"
RUNNING: Final = "running"
FINISHED: Final = "finished"
ABORTED: Final = "aborted"


class MatchState:
    """Everything about a match that the rules or a reader may ask for. Seats and cards are indices."""

    rules: Rules
    """The tables; not there before the first event, which names them."""

    def __init__(self) -> None:
        self.version: int = 0
        self.status: str = OPEN
        self.created: MatchCreated | None = None
        self.controllers: list[SeatTaken | None] = []
        """By seat: who plays it."""
        self.reservations: Mapping[int, SeatReserved] = {}
        """By seat: who alone may take it, as long as it is open. Replaced, never changed: copies share it."""
        self.accounts: frozenset[str] = frozenset()
        """The ids of all accounts that ever had a seat."""
        self.seed_commitments: dict[int, str] = {}
        """By seat: what it committed to as its seed, and an empty text where it has forgone one. Never
        changed in place: copies share it."""
        self.coins: list[int] = []
        self.cities: list[list[int]] = []
        """By seat and card index: copies of establishments, and 1 for each built landmark."""
        self.landmarks: list[int] = []
        """By seat: how many landmarks are built."""
        self.resigned: list[bool] = []
        self.supply: list[int] = []
        """By card index: copies for sale, face up."""
        self.decks: list[int] = []
        """By card index: copies that can still be drawn."""
        self.deck_orders: dict[str, list[str]] = {}
        """Decks whose order was given, by row, from the top."""
        self.draws: list[int] = []
        """By row: how many cards have been drawn."""
        self.first_seat: int = -1
        self.turn: int = 0
        self.round: int = 0
        """The building round, from 1; 0 outside of them."""
        self.active: int = -1
        """The seat whose turn it is; every decision of the turn is its own."""
        self.phase: str = ""
        self.extra_turn: bool = False
        """This turn is an extra turn."""
        self.seat_turns: list[int] = []
        """By seat: how many turns it has begun."""
        self.dice: tuple[int, ...] = ()
        """The throw that counts; empty before the first of a turn."""
        self.total: int = 0
        self.added: int = 0
        self.rerolled: bool = False
        self.received: int = 0
        """Coins that came to the active seat since the dice fell."""
        self.extra_turn_due: bool = False
        self.pending_card: str = ""
        """The card that the open choice is about."""
        self.pending_copies: int = 0
        self.throws: int = 0
        """Throws of the whole match, boats and rerolls counted."""
        self.winner: int = -1
        self.result: str = ""
        """Why the match is over: `landmarks`, `resignation`, or the reason of an abort."""

    def copy(self) -> "MatchState":
        """A state that shares nothing that can change."""
        twin = MatchState.__new__(MatchState)
        twin.version = self.version
        twin.status = self.status
        twin.created = self.created
        if self.created is not None:
            twin.rules = self.rules
        twin.controllers = self.controllers.copy()
        twin.reservations = self.reservations
        twin.accounts = self.accounts
        twin.seed_commitments = self.seed_commitments
        twin.coins = self.coins.copy()
        twin.cities = [city.copy() for city in self.cities]
        twin.landmarks = self.landmarks.copy()
        twin.resigned = self.resigned.copy()
        twin.supply = self.supply.copy()
        twin.decks = self.decks.copy()
        twin.deck_orders = {row: order.copy() for row, order in self.deck_orders.items()}
        twin.draws = self.draws.copy()
        twin.first_seat = self.first_seat
        twin.turn = self.turn
        twin.round = self.round
        twin.active = self.active
        twin.phase = self.phase
        twin.extra_turn = self.extra_turn
        twin.seat_turns = self.seat_turns.copy()
        twin.dice = self.dice
        twin.total = self.total
        twin.added = self.added
        twin.rerolled = self.rerolled
        twin.received = self.received
        twin.extra_turn_due = self.extra_turn_due
        twin.pending_card = self.pending_card
        twin.pending_copies = self.pending_copies
        twin.throws = self.throws
        twin.winner = self.winner
        twin.result = self.result
        return twin

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MatchState):
            return NotImplemented
        return facts(self) == facts(other)

    __hash__ = None  # type: ignore[assignment]  # it changes


def initial_state() -> MatchState:
    """The state before the first event."""
    return MatchState()


def facts(state: MatchState) -> dict[str, object]:
    """Every member by name, for comparing and printing."""
    return {
        "version": state.version,
        "status": state.status,
        "created": state.created,
        "controllers": state.controllers,
        "reservations": state.reservations,
        "accounts": state.accounts,
        "seed_commitments": state.seed_commitments,
        "coins": state.coins,
        "cities": state.cities,
        "landmarks": state.landmarks,
        "resigned": state.resigned,
        "supply": state.supply,
        "decks": state.decks,
        "deck_orders": state.deck_orders,
        "draws": state.draws,
        "first_seat": state.first_seat,
        "turn": state.turn,
        "round": state.round,
        "active": state.active,
        "phase": state.phase,
        "extra_turn": state.extra_turn,
        "seat_turns": state.seat_turns,
        "dice": state.dice,
        "total": state.total,
        "added": state.added,
        "rerolled": state.rerolled,
        "received": state.received,
        "extra_turn_due": state.extra_turn_due,
        "pending_card": state.pending_card,
        "pending_copies": state.pending_copies,
        "throws": state.throws,
        "winner": state.winner,
        "result": state.result,
    }


def is_over(state: MatchState) -> bool:
    """Whether the match has ended, won or called off."""
    return state.status not in (OPEN, RUNNING)


def in_force(state: MatchState, seat: int, landmark: int) -> bool:
    """Whether a landmark works for the seat: its own, or an orange one that anybody has built."""
    if not state.rules.everybody[landmark]:
        return state.cities[seat][landmark] > 0
    return any([city[landmark] for city in state.cities])


def is_double(state: MatchState) -> bool:
    """Whether the throw that counts was a double; the Harbor's 2 changes nothing in that."""
    return len(state.dice) == 2 and state.dice[0] == state.dice[1]


def seat_seeds(state: MatchState) -> tuple[str, ...]:
    """What each seat adds to the seed of the dice; empty texts of those that add nothing, or are open."""
    return tuple([taken.seed if taken else "" for taken in state.controllers])
