"""Ladders: their configuration, entries, rounds, jobs, events and faults."""

from typing import Annotated

from contract.names import (
    CardPrices,
    EntryStatus,
    JobKind,
    JobStatus,
    LadderEventTypeName,
    LadderLuck,
    MarketKind,
    RatingMethod,
    RoundPurpose,
    RoundStatus,
    RulesetId,
)
from contract.tables import TableProgress
from contract.values import (
    Address,
    Answer,
    CardId,
    Count,
    EntryId,
    Hash,
    Hex,
    Instant,
    JobId,
    LadderId,
    Percent,
    Positive,
    SeatCount,
    SeatNumber,
    choice,
    integer,
    length,
)


class LadderOptions(Answer, frozen=True):
    """The options of all matches, with every default filled in."""

    box: str
    """Empty where the ruleset has one box."""
    market: MarketKind
    max_copies: Annotated[int, integer(2, 2)] | None
    card_costs: CardPrices


class RatingRules(Answer, frozen=True):
    """How ratings are computed."""

    method: RatingMethod
    anchor: str
    anchor_rating: Count
    prior_half_wins: Count
    replicates: Count
    provisional_above: Count


class Suspension(Answer, frozen=True):
    """When a remote bot is no longer seated, and when it comes back."""

    window: Count
    most_faults: Count
    probes: Count


class LadderConfig(Answer, frozen=True):
    """All that matches, tables and ratings depend on; frozen when a season opens."""

    ruleset: RulesetId
    rules_version: str
    rules_digest: Hash
    options: LadderOptions
    seats: SeatCount
    seed: Hex
    """Of pairing and the bootstrap."""
    luck: LadderLuck
    luck_version: str
    """The digest of the value function; empty without one."""
    rating: RatingRules
    meetings: Count
    random_percent: Percent
    clock_ms: Count
    suspension: Suspension


class LadderStrategy(Answer, frozen=True, tag_field="kind", tag="strategy"):
    """A built-in player, in one version."""

    name: CardId
    version: str


class LadderBot(Answer, frozen=True, tag_field="kind", tag="bot"):
    """A remote bot, in one version."""

    handle: str
    account: str
    version: str


LadderPlayer = Annotated[
    LadderStrategy | LadderBot,
    choice("LadderPlayer", "Who plays for an entry; another version is another entry."),
]


class FaultedMatch(Answer, frozen=True):
    """A match in which a bot was late or answered wrongly."""

    match_id: str
    timeouts: Count
    """Decisions that came too late or never."""
    errors: Count
    """Commands that were refused."""
    events: str
    """Where the match can be read."""


class SuspensionEvidence(Answer, frozen=True):
    """Why a bot is suspended."""

    matches: Count
    """As many of its last matches were looked at."""
    faults: tuple[FaultedMatch, ...]
    details: str
    """Where single time-outs and refusals can be read."""


class LadderEntry(Answer, frozen=True):
    """One who takes part."""

    entry_id: EntryId
    player: LadderPlayer
    name: str
    """As tables show it."""
    owner: str
    """The account it belongs to; `service` for a built-in player."""
    status: EntryStatus
    removed_for: str | None
    """`command` (of the ladder's owner), `withdrawn` (by the bot itself, which alone may enter again),
    `new_version` (another one of the bot was entered) or `version_gone` (nobody plays it any more);
    null while it takes part."""
    evidence: SuspensionEvidence | None
    """Of a suspension; else null."""
    good_probes: tuple[str, ...]
    """The matches in a row that it played well since it was suspended."""


class PublicValue(Answer, frozen=True):
    """What a round is bound to: a secret seed of its own, and a value from elsewhere that nobody knew yet."""

    source: str
    """Where the value is published, in the owner's words."""
    at: Instant
    """When; it is recorded not before that."""
    commitment: Hash
    """The SHA-256 of the seed of the round, which its match seeds follow from."""
    key_id: str
    """Of the service's secret key."""
    value: str | None
    """Null until it is recorded."""
    seed: str | None
    """That of the round in hex; null until the round is finished."""


class LadderRound(Answer, frozen=True):
    """Blocks that were ordered together."""

    round: Positive
    season: Positive
    purpose: RoundPurpose
    status: RoundStatus
    stopped_for: str | None
    """`command`, or why it cannot go on; null unless it is stopped."""
    opened_at: Instant
    blocks: Positive
    finished: Count
    """Blocks whose results count."""
    given_up: Count
    """Blocks that will never be played, and cost nobody anything."""
    job_id: JobId
    public_value: PublicValue | None
    """Null where the round is bound to none."""


class Ladder(Answer, frozen=True):
    """A ladder."""

    ladder_id: LadderId
    name: str
    owner: str
    """The account that operates it."""
    created_at: Instant
    version: Positive
    """The number of its events."""
    head: Hash
    """The hash of the last of them."""
    season: Count
    """The one that is open; 0 before the first round."""
    config: LadderConfig
    """Of the open season, or of the first."""
    digest: Hash
    """The SHA-256 of `config` as canonical JSON (RFC 8785)."""
    entries: tuple[LadderEntry, ...]
    rounds: tuple[LadderRound, ...]
    """The last 100, newest first."""


class ListedLadder(Answer, frozen=True):
    """A ladder as lists show it."""

    ladder_id: LadderId
    name: str
    owner: str
    created_at: Instant
    ruleset: RulesetId
    seats: SeatCount
    season: Count
    entries: Count
    """How many take part."""
    is_playing: bool
    """Whether a round is running."""


class LadderPage(Answer, frozen=True):
    """One page of ladders, the newest first."""

    items: tuple[ListedLadder, ...]
    next: str | None


class JobProgress(Answer, frozen=True):
    """How far a job is, in blocks."""

    done: Count
    """Blocks that are finished or given up."""
    total: Positive
    percent: Percent
    """Rounded down; 100 once it is finished."""


class Job(Answer, frozen=True):
    """A round of a ladder as something to wait for."""

    job_id: JobId
    kind: JobKind
    status: JobStatus
    stopped_for: str | None
    """`command`, or why it cannot go on; null unless it is stopped."""
    ladder_id: LadderId
    round: Positive
    opened_at: Instant
    progress: JobProgress
    matches_per_second: float | None
    """Of late; null while too little is finished to tell, or nothing runs."""
    eta_s: Count | None
    """Seconds until it is finished, if it goes on like that."""
    table: TableProgress | None
    """How far the next official table is; null if none is being computed."""
    result: Address
    """Where to look at what comes out."""


class RefusedCommand(Answer, frozen=True):
    """A command of a bot that was refused as wrong."""

    time: Instant
    code: str
    """The code of the problem."""
    pointer: str
    """To the member of the body that was wrong, cut after 200 characters; empty where none is named."""
    version: Count
    """Of the match that the command met: its events tell what was asked of whom."""


class MatchFaults(Answer, frozen=True):
    """A match in which a bot was late or answered wrongly."""

    match_id: str
    round: Positive
    purpose: RoundPurpose
    block: Positive
    seat: SeatNumber
    """Where the bot sat."""
    timeouts: Count
    """Decisions that came too late or never."""
    clock_expired: tuple[Positive, ...]
    """The sequences of the events of the match that tell of them."""
    errors: Count
    """Commands that were refused as wrong."""
    refusals: Annotated[tuple[RefusedCommand, ...], length(0, 20)]
    """The first 20 of them, oldest first. They are kept for a limited time: no part of the ladder's
    history."""
    kept_until: Instant | None
    """`refusals` go a week after the last of them; null where none are kept now."""
    events: str
    """Where the match can be read."""


class EntryFaults(Answer, frozen=True):
    """The faults of an entry."""

    ladder_id: LadderId
    entry_id: EntryId
    items: Annotated[tuple[MatchFaults, ...], length(0, 20)]
    """Its last 20 matches with a fault, the newest first."""


class LadderEvent(Answer, frozen=True):
    """One fact of a ladder, for ever."""

    ladder_id: LadderId
    sequence: Positive
    type: LadderEventTypeName
    schema: Positive
    time: Instant
    actor: str
    """`account:` and an id, or `service`."""
    command_id: str
    data: dict[str, object]
    """The members of the event; docs/ladders.md tells of each type."""
    previous_hash: Hash
    """Of the first event 64 zeros."""
    hash: Hash
    """The SHA-256 of all other members as canonical JSON (RFC 8785)."""


class LadderEventPage(Answer, frozen=True):
    """One page of the history, in its order."""

    items: tuple[LadderEvent, ...]
    next: str | None
