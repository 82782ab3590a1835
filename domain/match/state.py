"""The state of a match, which is a fold of its events.

A `MatchState` is compact and mutable. Its owner changes it by folding events; everybody else gets a copy.
"""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from domain.match.events import MatchCreated, SeatReserved, SeatTaken
from domain.match.rules import Rules

OPEN: Final = "open"
RUNNING: Final = "running"
FINISHED: Final = "finished"
ABORTED: Final = "aborted"


class MatchState:
    """The state of a match; seats and cards are indices."""

    def __init__(self, created: MatchCreated, rules: Rules) -> None:
        """The state after the first event of a match."""
        self.version: int = 1
        self.status: str = OPEN
        self.created = created
        self.rules = rules
        self.controllers: list[SeatTaken | None] = [None] * created.seats
        """By seat: its player."""
        self.reservations: Mapping[int, SeatReserved] = {}
        """By open seat: the only account that may take it. Replaced, never mutated: copies share it."""
        self.accounts: frozenset[str] = frozenset()
        """The ids of all accounts that ever had a seat."""
        self.seed_commitments: dict[int, str] = {}
        """By seat: the commitment to its seed; empty if it has forgone one. Replaced, never mutated, because
        copies share it."""
        self.coins: list[int] = []
        self.cities: list[list[int]] = []
        """By seat and card index: copies of establishments, and 1 for each built landmark."""
        self.landmarks: list[int] = []
        """By seat: the number of built landmarks."""
        self.closed: list[list[int]] = []
        """By seat and card index: copies that are closed for renovation; empty if none can ever be."""
        self.invested: list[int] = []
        """By seat: the coins on the card that it invests in; empty if the ruleset has none."""
        self.resigned: list[bool] = []
        self.supply: list[int] = []
        """By card index: copies for sale, face up."""
        self.decks: list[int] = []
        """By card index: copies that can still be drawn."""
        self.deck_orders: dict[str, list[str]] = {}
        """Decks whose order was given, by row, from the top."""
        self.draws: list[int] = []
        """By row: the number of cards drawn."""
        clock = created.clock
        self.banks: list[int] = [clock.bank_ms] * created.seats if clock and clock.has_banks else []
        """By seat: the ms left in its bank of time; empty in a match without banks."""
        self.first_seat: int = -1
        self.turn: int = 0
        self.round: int = 0
        """The building round, from 1; 0 outside of building rounds."""
        self.active: int = -1
        """The seat whose turn it is; it makes every decision of the turn."""
        self.phase: str = ""
        self.extra_turn: bool = False
        """Whether this turn is an extra turn."""
        self.seat_turns: list[int] = []
        """By seat: the number of turns begun."""
        self.dice: tuple[int, ...] = ()
        """The current roll; empty before the first roll of a turn."""
        self.total: int = 0
        self.added: int = 0
        self.rerolled: bool = False
        self.received: int = 0
        """Coins that the active seat has received since the roll."""
        self.extra_turn_due: bool = False
        self.pending_card: str = ""
        """The card that the open choice is about."""
        self.pending_copies: int = 0
        self.throws: int = 0
        """Rolls of the whole match, including boats and rerolls."""
        self.winner: int = -1
        self.result: str = ""
        """Why the match is over: `landmarks`, `resignation`, or the reason of an abort."""

    def copy(self) -> "MatchState":
        """A copy that shares nothing mutable."""
        # The interpreter does not call `__init__` here; mypyc does, and needs its arguments.
        twin = MatchState.__new__(MatchState, self.created, self.rules)  # type: ignore[call-arg]
        twin.version = self.version
        twin.status = self.status
        twin.created = self.created
        twin.rules = self.rules
        twin.controllers = self.controllers.copy()
        twin.reservations = self.reservations
        twin.accounts = self.accounts
        twin.seed_commitments = self.seed_commitments
        twin.coins = self.coins.copy()
        twin.cities = [city.copy() for city in self.cities]
        twin.landmarks = self.landmarks.copy()
        twin.closed = [city.copy() for city in self.closed]
        twin.invested = self.invested.copy()
        twin.resigned = self.resigned.copy()
        twin.supply = self.supply.copy()
        twin.decks = self.decks.copy()
        twin.deck_orders = {row: order.copy() for row, order in self.deck_orders.items()}
        twin.draws = self.draws.copy()
        twin.banks = self.banks.copy()
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

    __hash__ = None  # type: ignore[assignment]  # it is mutable


def facts(state: MatchState) -> dict[str, object]:
    """All members by name, for comparison and printing, without the rules, which follow from `created`."""
    members = {name: getattr(state, name) for name in dir(state) if not name.startswith("_")}
    return {name: value for name, value in members.items() if name != "rules" and not callable(value)}


def seat_to_act(state: MatchState) -> int | None:
    """The seat that a running match waits for; None if it is not running, or before its first turn."""
    return state.active if state.status == RUNNING and state.active >= 0 else None


def decision_time_ms(state: MatchState) -> int | None:
    """The time that a person at the seat to act has for the decision, bank included; None without a clock."""
    clock = state.created.clock
    if clock is None:
        return None
    return clock.decision_ms + (state.banks[state.active] if state.banks else 0)


def is_over(state: MatchState) -> bool:
    """Whether the match is finished or aborted."""
    return state.status not in (OPEN, RUNNING)


def open_copies(state: MatchState, seat: int, card: int) -> int:
    """The copies of an establishment in the seat's city that are not closed for renovation."""
    copies = state.cities[seat][card]
    return copies - state.closed[seat][card] if state.closed else copies


def in_force(state: MatchState, seat: int, landmark: int) -> bool:
    """Whether a landmark works for the seat: its own, or an orange landmark of any seat."""
    if not state.rules.everybody[landmark]:
        return state.cities[seat][landmark] > 0
    return any([city[landmark] for city in state.cities])


def wins(rules: Rules, landmarks: int, landmark: int) -> bool:
    """Whether a player with that many landmarks, including `landmark`, has won."""
    return landmarks >= rules.goal or rules.firings[landmark].kind == "win"


def is_double(state: MatchState) -> bool:
    """Whether the current roll is a double; adding 2 does not change that."""
    return len(state.dice) == 2 and state.dice[0] == state.dice[1]


def seat_seeds(state: MatchState) -> tuple[str, ...]:
    """By seat: the seed that it adds to the dice; empty if it adds none."""
    return tuple([taken.seed if taken else "" for taken in state.controllers])


def view(state: MatchState) -> MatchState:
    """What a player may see: the state without given deck orders and scripted dice.

    If a match has neither, this is the state itself, which the player must not change.
    """
    created = state.created
    if not state.deck_orders and not created.dice.throws:
        return state
    seen = state.copy()
    seen.deck_orders = {}
    seen.created = replace(created, dice=replace(created.dice, throws=()), position=None)
    return seen
