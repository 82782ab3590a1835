"""Matches, their seats, and invitations."""

from typing import Annotated, Final

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
    described,
    integer,
    text,
)
from domain.match.events import MOST_BANKED_MS
from domain.match.seat_seeds import LONGEST_MS, SHORTEST_MS


class MatchResult(Answer, frozen=True):
    """The reason for the end of a match."""

    reason: EndReason


class ResolvedOptions(Answer, frozen=True):
    """The options of a match, with all defaults filled in."""

    box: Box | None
    market: MarketKind
    max_copies: Annotated[int, integer(2, 2)] | None
    card_costs: CardPrices
    commentary: bool | UnsetType = UNSET
    """Present, and then true, if everybody may see the chances of winning while the match is running. Only
    public matches show them."""
    rated: bool | UnsetType = UNSET
    """Present, and then true, if the match was created as a rated one."""


BANK: Final = (
    "Milliseconds in the bank of each seat when the match starts, 0 by default: what a decision takes beyond "
    "`decision_ms` comes out of it. The deadline of a decision is `decision_ms` and what is left in the bank."
)
INCREMENT: Final = (
    "Milliseconds that the bank of a seat gets at the end of each of its turns, 0 by default. It fills the "
    "bank to 86,400,000 ms at most."
)


class Clock(Answer, frozen=True):
    """The time limit for decisions of people, and the consequence of missing it.

    The clock of a decision starts when the last event of the match is recorded. The service records the
    expiry within about a second after the deadline; a command that arrives before that still counts. The
    service adds the length of its outages to the deadline.
    """

    decision_ms: Annotated[int, integer(1000, 86_400_000)]
    """Milliseconds for each decision, not for a turn or the match."""
    on_timeout: TimeoutPolicy
    bank_ms: Annotated[int, integer(0, MOST_BANKED_MS), described(BANK)] | UnsetType = UNSET
    increment_ms: Annotated[int, integer(0, MOST_BANKED_MS), described(INCREMENT)] | UnsetType = UNSET


class Seat(Answer, frozen=True):
    """A seat of a match and its player."""

    seat: SeatNumber
    kind: SeatKind
    account_id: str | None
    strategy: str | None
    name: str | None
    resigned: bool
    invited: str | None
    """The handle of the account that the open seat is reserved for."""


class DiceSource(Answer, frozen=True):
    """The source of a match's dice."""

    mode: DiceMode
    commitment: str | None
    """The SHA-256 of the secret seed; in a branch with the same dice, the commitment of its origin."""
    throws: tuple[tuple[Die, ...], ...] | UnsetType = UNSET
    """The scripted rolls."""


SEAT_SEED: Final = r"[0-9A-Za-z_-]{32,64}"
"""A seed to which a seat has committed; `domain.match.chance` explains its length."""
SEAT_SEED_WAIT: Final = (
    "The milliseconds that the match waits after its last event: for commitments once every seat is taken, "
    "and then for seeds once every seat has committed."
)


class SeatSeed(Answer, frozen=True):
    """The seed of a seat, and its status."""

    seat: SeatNumber
    status: SeatSeedStatus
    commitment: Hash | None
    seed: Annotated[str, text(SEAT_SEED)] | None
    """Null until the seat opens it."""


class SeatSeeds(Answer, frozen=True):
    """The seeds that the seats add to the dice."""

    within_ms: Annotated[int, integer(SHORTEST_MS, LONGEST_MS), described(SEAT_SEED_WAIT)]
    step: SeatSeedStep | None
    """The step that the match waits for. Null while a seat is open, although seats can commit by then, and
    after the start of the match."""
    deadline: Instant | None
    """When the time for this step ends; null without a step."""
    seats: tuple[SeatSeed, ...]


class Origin(Answer, frozen=True):
    """The origin of a branch."""

    match_id: str
    """The id of the origin, which may be hidden from viewers of the branch."""
    version: Positive
    """The branch begins after this event, the last one of its command."""
    head_hash: Hash
    """The hash of that event."""
    dice: BranchDice


class GivenPlayer(Answer, frozen=True):
    """The coins and the city of a player in a given position."""

    coins: int
    establishments: GivenCounts
    landmarks: tuple[CardId, ...]
    closed: GivenCounts | UnsetType = UNSET
    """Of the establishments, those that are closed for renovation."""
    invested: int | UnsetType = UNSET
    """The coins on the Tech Startup."""


class GivenMarket(Answer, frozen=True):
    """The market of a given position; its members depend on the kind of market."""

    supply: GivenCounts | UnsetType = UNSET
    face_up: GivenCounts | UnsetType = UNSET
    deck: tuple[CardId, ...] | UnsetType = UNSET
    rows: dict[str, GivenCounts] | UnsetType = UNSET
    decks: dict[str, tuple[CardId, ...]] | UnsetType = UNSET


class GivenTable(Answer, frozen=True):
    """The position that a match began with."""

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
    """The first seat as requested; null if the dice choose it."""
    clock: Clock | None
    dice: DiceSource
    position: Annotated[GivenTable, component("Position")] | None
    seat_seeds: SeatSeeds | None
    """Null if seats do not commit to seeds."""
    origin: Origin | None
    """The origin of a branch; null for every other match."""
    visibility: Visibility
    tags: tuple[str, ...]
    creator: str
    created_at: Instant
    turn: TurnNumber
    active_seat: SeatNumber | None
    winner: Winner
    result: MatchResult | None
    rated: bool
    """Whether the result counts for the ratings of the players, or will count once somebody has won."""
    invitation_code: str | UnsetType = UNSET
    """Shown to the creator of a private match only, while the match is open. Anybody who sends it as `code`
    can take an open seat."""


class Joined(Match, frozen=True, kw_only=True):
    """The match, and the seat that the caller has taken."""

    seat: SeatNumber


class ListedSeat(Answer, frozen=True):
    """A seat in a list of matches."""

    seat: SeatNumber
    kind: SeatKind
    name: str | None
    invited: str | None
    """The handle of the account that the open seat is reserved for."""


class ListedMatch(Answer, frozen=True):
    """A match in a list."""

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
    rated: bool
    """Whether the match was created as a rated one."""


class MatchPage(Answer, frozen=True):
    """One page of matches, newest first."""

    items: tuple[ListedMatch, ...]
    next: str | None


class Invitation(Answer, frozen=True):
    """A seat that is reserved for the caller."""

    match_id: str
    seat: SeatNumber
    seats: SeatCount
    """The number of seats in the match."""
    ruleset: RulesetId
    rules_version: str
    clock: Clock | None
    visibility: Visibility
    rated: bool
    """Whether the result will count for the ratings of the players; accepting means to agree to that."""
    invited_by: str | None
    """The handle of the match's creator."""
    created_at: Instant


class InvitationPage(Answer, frozen=True):
    """The pending invitations of the caller."""

    items: tuple[Invitation, ...]
    next: str | None
