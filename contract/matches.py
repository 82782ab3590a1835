"""Matches and their seats, as they are shown and listed, and invitations to them."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from contract.names import (
    Box,
    BranchDice,
    CardPrices,
    DiceMode,
    EndReason,
    GivenCounts,
    MarketKind,
    MatchStatus,
    PositionPhase,
    RulesetId,
    SeatKind,
    SeatSeedStatus,
    SeatSeedStep,
    TimeoutPolicy,
    Visibility,
)
from contract.values import (
    Answer,
    CardId,
    Die,
    Hash,
    Instant,
    Positive,
    SeatCount,
    SeatNumber,
    TurnNumber,
    Winner,
    component,
    integer,
    text,
)


class MatchResult(Answer, frozen=True):
    """Why a match is over."""

    reason: EndReason


class ResolvedOptions(Answer, frozen=True):
    """The options of a match, with every default filled in."""

    box: Box | None
    market: MarketKind
    max_copies: Annotated[int, integer(2, 2)] | None
    card_costs: CardPrices


class Clock(Answer, frozen=True):
    """How long a decision of a person may take, and what happens when it takes longer.

    The clock of a decision starts when the last event of the match was recorded. The service records that it
    ran out within about a second after the deadline; a command that arrives before that still counts. Time in
    which the service was away does not count: the deadline moves by as much.
    """

    decision_ms: Annotated[int, integer(1000, 86_400_000)]
    """Milliseconds for each single decision, not for a turn or the match."""
    on_timeout: TimeoutPolicy


class Seat(Answer, frozen=True):
    """A seat of a match and who plays it."""

    seat: SeatNumber
    kind: SeatKind
    account_id: str | None
    strategy: str | None
    name: str | None
    resigned: bool
    invited: str | None
    """Of an open seat that is reserved: the handle of the account that alone may take it."""


class DiceSource(Answer, frozen=True):
    """Where the dice of a match come from."""

    mode: DiceMode
    commitment: str | None
    """sha-256 of the secret seed; of a branch with the same dice, that of its origin's."""
    throws: tuple[tuple[Die, ...], ...] | UnsetType = UNSET
    """The tape of scripted dice."""


class SeatSeed(Answer, frozen=True):
    """What a seat has done about its seed."""

    seat: SeatNumber
    status: SeatSeedStatus
    commitment: Hash | None
    seed: Annotated[str, text(r"[0-9A-Za-z_-]{32,64}")] | None
    """Null until it is opened."""


class SeatSeeds(Answer, frozen=True):
    """How far the seats are with the seeds that they add to the dice."""

    within_ms: Annotated[int, integer(1000, 86_400_000)]
    """Milliseconds that the match waits after its last event: first for commitments, once every seat is
    taken, then for seeds, once every seat has committed."""
    step: SeatSeedStep | None
    """What the match waits for. Null while seats are open, though seats may commit then, and from the
    start of the match on."""
    deadline: Instant | None
    """When the time for this step is over; null without a step."""
    seats: tuple[SeatSeed, ...]


class Origin(Answer, frozen=True):
    """Where a branch comes from."""

    match_id: str
    """The match; not all who see the branch may see it."""
    version: Positive
    """The branch goes on behind this event, the last one of its command."""
    head_hash: Hash
    """The hash of that event."""
    dice: BranchDice


class GivenPlayer(Answer, frozen=True):
    """A purse and a city of a given table."""

    coins: int
    establishments: GivenCounts
    landmarks: tuple[CardId, ...]


class GivenMarket(Answer, frozen=True):
    """The market of a given table; its members are those of the market's kind."""

    supply: GivenCounts | UnsetType = UNSET
    face_up: GivenCounts | UnsetType = UNSET
    deck: tuple[CardId, ...] | UnsetType = UNSET
    rows: dict[str, GivenCounts] | UnsetType = UNSET
    decks: dict[str, tuple[CardId, ...]] | UnsetType = UNSET


class GivenTable(Answer, frozen=True):
    """The table that a match began with."""

    active_seat: SeatNumber
    phase: PositionPhase
    players: tuple[GivenPlayer, ...]
    market: GivenMarket | None


class Match(Answer, frozen=True):
    """A match."""

    match_id: str
    version: Positive
    status: MatchStatus
    ruleset: RulesetId
    rules_version: str
    options: ResolvedOptions
    seats: tuple[Seat, ...]
    first_seat: SeatNumber | None
    """As it was asked for; null where the dice were to choose."""
    clock: Clock | None
    dice: DiceSource
    position: Annotated[GivenTable, component("Position")] | None
    seat_seeds: SeatSeeds | None
    """Null where seats do not commit to seeds."""
    origin: Origin | None
    """What a branch goes on from; null for every other match."""
    visibility: Visibility
    tags: tuple[str, ...]
    creator: str
    created_at: Instant
    turn: TurnNumber
    active_seat: SeatNumber | None
    winner: Winner
    result: MatchResult | None
    invitation_code: str | UnsetType = UNSET
    """For the creator of a private match alone, as long as that is open: whoever sends it as `code` may
    take an open seat."""


class Joined(Match, frozen=True, kw_only=True):
    """The match, and the seat that was taken."""

    seat: SeatNumber


class ListedSeat(Answer, frozen=True):
    """A seat as lists show it."""

    seat: SeatNumber
    kind: SeatKind
    name: str | None
    invited: str | None
    """Of an open seat that is reserved: the handle of the account that alone may take it."""


class ListedMatch(Answer, frozen=True):
    """A match as lists show it."""

    match_id: str
    status: MatchStatus
    ruleset: RulesetId
    rules_version: str
    seats: tuple[ListedSeat, ...]
    visibility: Visibility
    tags: tuple[str, ...]
    creator: str
    created_at: Instant
    winner: Winner


class MatchPage(Answer, frozen=True):
    """One page of matches, the newest first."""

    items: tuple[ListedMatch, ...]
    next: str | None


class Invitation(Answer, frozen=True):
    """A seat that is reserved for the caller."""

    match_id: str
    seat: SeatNumber
    seats: SeatCount
    """How many seats the match has."""
    ruleset: RulesetId
    rules_version: str
    clock: Clock | None
    visibility: Visibility
    invited_by: str | None
    """The handle of the match's creator."""
    created_at: Instant


class InvitationPage(Answer, frozen=True):
    """The invitations that wait for the caller."""

    items: tuple[Invitation, ...]
    next: str | None
