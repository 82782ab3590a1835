"""Events before the first turn: creation, seats, seat seeds and the initial table."""

from msgspec import field

from domain.match.events.members import Clock, Dice, EventBase, Options, Origin, Position


class MatchCreated(EventBase, frozen=True, array_like=True, tag="match_created"):
    """A match was created with these rules and dice; its course depends on nothing else."""

    ruleset: str
    rules_version: str
    digest: str
    """`sha-256:` and the digest of the ruleset's tables."""
    options: Options
    seats: int
    first_seat: int | None
    dice: Dice
    creator: str
    """The account that created the match."""
    clock: Clock | None = None
    position: Position | None = None
    visibility: str = "public"
    tags: tuple[str, ...] = ()
    origin: Origin | None = None
    """The origin of a branch; None for other matches."""


class SeatTaken(EventBase, frozen=True, array_like=True, tag="seat_taken"):
    """An account or a built-in player took a seat."""

    seat: int
    kind: str
    """`account` or `strategy`."""
    id: str
    """The account id, or the strategy's name."""
    name: str
    version: str = ""
    """The strategy's version; empty for an account."""
    seed: str = ""
    """The seed that the seat adds to the dice."""


class SeatReserved(EventBase, frozen=True, array_like=True, tag="seat_reserved"):
    """A seat was reserved for an invited account."""

    seat: int
    id: str
    """The account id."""
    name: str


class ReservationEnded(EventBase, frozen=True, array_like=True, tag="reservation_ended"):
    """The reservation of a seat ended, and the seat is open to anybody."""

    seat: int
    reason: str
    """`declined` by the account, or `withdrawn` by the creator of the match."""


class SeatSeedCommitted(EventBase, frozen=True, array_like=True, tag="seat_seed_committed"):
    """A seat committed to the seed that it adds to the dice."""

    seat: int
    commitment: str
    """`sha-256:` and the hex digest of the canonical JSON of an array: the commitment of the match's
    dice, the seat, and its seed."""


class SeatSeedForgone(EventBase, frozen=True, array_like=True, tag="seat_seed_forgone"):
    """A seat did not commit to a seed in time and adds none."""

    seat: int


class SeatSeedOpened(EventBase, frozen=True, array_like=True, tag="seat_seed_opened"):
    """A seat opened the seed to which it had committed, after every seat had committed or missed the time."""

    seat: int
    seed: str


class SeatSeedWithheld(EventBase, frozen=True, array_like=True, tag="seat_seed_withheld"):
    """A seat did not open its seed in time, and the match is aborted."""

    seat: int


class MatchStarted(EventBase, frozen=True, array_like=True, tag="match_started"):
    """The match started: the coins and cities of all seats, and the market."""

    first_seat: int
    coins: tuple[int, ...]
    cities: tuple[dict[str, int], ...]
    """By seat: establishments and built landmarks, by card id."""
    supply: dict[str, int]
    """The face-up cards before the rows are filled, by card id."""
    decks: dict[str, int]
    """The cards that can still be drawn, by card id."""
    deck_orders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The decks with a given order, by row, from the top."""


class TokensPlaced(EventBase, frozen=True, array_like=True, tag="tokens_placed"):
    """What lies on the cards of the initial table: only if the match starts with any of it."""

    closed: tuple[dict[str, int], ...]
    """By seat: copies of establishments that are closed for renovation, by card id."""
    invested: tuple[int, ...]
    """By seat: the coins that it has invested."""


class BranchStarted(EventBase, frozen=True, array_like=True, tag="branch_started"):
    """A branch started: the complete state at which it continues its origin."""

    first_seat: int
    coins: tuple[int, ...]
    cities: tuple[dict[str, int], ...]
    """By seat: establishments and built landmarks, by card id."""
    supply: dict[str, int]
    """The face-up cards, by card id."""
    decks: dict[str, int]
    """The cards that can still be drawn, by card id."""
    deck_orders: dict[str, tuple[str, ...]]
    """The decks with a given order that is kept, by row, from the top."""
    draws: dict[str, int]
    """The number of cards drawn so far, by row, including those of the origin."""
    resigned: tuple[int, ...]
    """The seats that no longer play."""
    turn: int
    seat: int
    """The active seat."""
    phase: str
    """`setup`, `roll`, `build`, or the phase of the open choice."""
    extra: bool
    round: int
    """The building round, from 1; 0 outside of them."""
    seat_turns: tuple[int, ...]
    """The number of turns that each seat has begun, including this one."""
    values: tuple[int, ...]
    """The current roll; empty before the first roll of the turn."""
    total: int
    added: int
    """The amount in the total that was added to the roll."""
    rerolled: bool
    received: int
    """The coins that the active seat has received since the roll."""
    extra_turn_due: bool
    """Another turn of the active seat follows this one."""
    card: str
    """The card that asks for the open choice; empty if none is open."""
    copies: int
    """The number of copies of that card that still ask for a choice."""
