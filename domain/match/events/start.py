"""Before the first turn: a match is created, seats are taken, seeds are given, the table is laid out."""

from msgspec import field

from domain.match.events.members import Clock, Dice, Options, Origin, Position, Recorded


class MatchCreated(Recorded, frozen=True, array_like=True, tag="match_created"):
    """A match was made, by these rules and with these dice; all that its course depends on stands here."""

    ruleset: str
    rules_version: str
    digest: str
    """`sha-256:` and the digest of the ruleset's tables."""
    options: Options
    seats: int
    first_seat: int | None
    dice: Dice
    creator: str
    """The account that made the match."""
    clock: Clock | None = None
    position: Position | None = None
    visibility: str = "public"
    tags: tuple[str, ...] = ()
    origin: Origin | None = None
    """The match that this one branches off from; None for a match of its own."""


class SeatTaken(Recorded, frozen=True, array_like=True, tag="seat_taken"):
    """An account or a built-in player has a seat."""

    seat: int
    kind: str
    """`account` or `strategy`."""
    id: str
    """The account id, or the strategy's name."""
    name: str
    version: str = ""
    """The strategy's version; empty for an account."""
    seed: str = ""
    """What the seat adds to the seed of the dice."""


class SeatReserved(Recorded, frozen=True, array_like=True, tag="seat_reserved"):
    """A seat is kept free for an account that was invited to it."""

    seat: int
    id: str
    """The account id."""
    name: str


class ReservationEnded(Recorded, frozen=True, array_like=True, tag="reservation_ended"):
    """The account that was invited does not come: the seat is open for anybody."""

    seat: int
    reason: str
    """`declined` by the account, or `withdrawn` by the creator of the match."""


class SeatSeedCommitted(Recorded, frozen=True, array_like=True, tag="seat_seed_committed"):
    """A seat committed to the seed that it will add to the dice."""

    seat: int
    commitment: str
    """`sha-256:` and the hex digest of the canonical JSON of an array: the commitment of the match's
    dice, the seat, and its seed."""


class SeatSeedForgone(Recorded, frozen=True, array_like=True, tag="seat_seed_forgone"):
    """A seat did not commit to a seed in time, and adds none."""

    seat: int


class SeatSeedOpened(Recorded, frozen=True, array_like=True, tag="seat_seed_opened"):
    """A seat told the seed that it had committed to, after every seat had committed or forgone its seed."""

    seat: int
    seed: str


class SeatSeedWithheld(Recorded, frozen=True, array_like=True, tag="seat_seed_withheld"):
    """A seat did not open in time what it had committed to; the match is called off."""

    seat: int


class MatchStarted(Recorded, frozen=True, array_like=True, tag="match_started"):
    """All seats are taken: what everybody has, and what lies on the table."""

    first_seat: int
    coins: tuple[int, ...]
    cities: tuple[dict[str, int], ...]
    """By seat: establishments and built landmarks, by card id."""
    supply: dict[str, int]
    """What lies face up before the rows are filled."""
    decks: dict[str, int]
    """What can still be drawn, by card id."""
    deck_orders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Decks whose order was given, by row, from the top."""


class BranchStarted(Recorded, frozen=True, array_like=True, tag="branch_started"):
    """The match begins as another one stood: here is all that its further course depends on."""

    first_seat: int
    coins: tuple[int, ...]
    cities: tuple[dict[str, int], ...]
    """By seat: establishments and built landmarks, by card id."""
    supply: dict[str, int]
    """What lies face up."""
    decks: dict[str, int]
    """What can still be drawn, by card id."""
    deck_orders: dict[str, tuple[str, ...]]
    """Decks whose order was given and is kept, by row, from the top."""
    draws: dict[str, int]
    """By row: how many cards have been drawn, those of the origin counted."""
    resigned: tuple[int, ...]
    """Seats that play no more."""
    turn: int
    seat: int
    """The active seat."""
    phase: str
    """`setup`, `roll`, `build`, or that of the open choice."""
    extra: bool
    round: int
    """The building round, from 1; 0 outside of them."""
    seat_turns: tuple[int, ...]
    """By seat: how many turns it has begun, this one counted."""
    values: tuple[int, ...]
    """The throw that counts; empty before the first of the turn."""
    total: int
    added: int
    """What the total holds beside the throw."""
    rerolled: bool
    received: int
    """Coins that came to the active seat since the dice fell."""
    extra_turn_due: bool
    """Another turn of the active seat follows this one."""
    card: str
    """The card that the open choice is about; empty if none is open."""
    copies: int
    """How many copies of that card are still to be answered for."""
