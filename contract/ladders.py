"""Ladders: configuration, entries, rounds, jobs, events and faults."""

from typing import Annotated

from msgspec import UNSET, UnsetType

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
from contract.standings import TableProgress
from contract.tournaments import Schedule, ScheduleKind
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
    """The options of all matches of a ladder, with all defaults filled in."""

    box: str
    """Empty if the ruleset has only one box."""
    market: MarketKind
    max_copies: Annotated[int, integer(2, 2)] | None
    card_costs: CardPrices


class RatingRules(Answer, frozen=True):
    """The parameters of the ratings."""

    method: RatingMethod
    anchor: str
    anchor_rating: Count
    prior_half_wins: Count
    replicates: Count
    provisional_above: Count


class Suspension(Answer, frozen=True):
    """The rules for suspending and reinstating remote bots."""

    window: Count
    most_faults: Count
    probes: Count


class LadderConfig(Answer, frozen=True):
    """The configuration of matches, tables and ratings; frozen when a season opens."""

    ruleset: RulesetId
    rules_version: str
    rules_digest: Hash
    options: LadderOptions
    seats: SeatCount
    seed: Hex
    """The seed of pairing and the bootstrap."""
    luck: LadderLuck
    luck_version: str
    """For `wins`, the digest of the value function, an `@`, and the version of the measure; else empty."""
    rating: RatingRules
    meetings: Count
    random_percent: Percent
    clock_ms: Count
    suspension: Suspension
    schedule: Schedule | UnsetType = UNSET
    """Present if the season is a tournament."""


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
    choice("LadderPlayer", "The player of an entry. Each version of a player is an entry of its own."),
]


class FaultedMatch(Answer, frozen=True):
    """A match in which a bot timed out or sent invalid commands."""

    match_id: str
    timeouts: Count
    """The number of decisions that the bot did not make in time."""
    errors: Count
    """The number of refused commands."""
    events: str
    """The address of the match's events."""


class SuspensionEvidence(Answer, frozen=True):
    """The evidence for the suspension of a bot."""

    matches: Count
    """The number of its last matches that were examined."""
    faults: tuple[FaultedMatch, ...]
    details: str
    """The address of the individual time-outs and refused commands."""


class LadderEntry(Answer, frozen=True):
    """An entry of a ladder."""

    entry_id: EntryId
    player: LadderPlayer
    name: str
    """The name in tables."""
    owner: str
    """The account that owns the entry; `service` for a built-in player."""
    status: EntryStatus
    removed_for: str | None
    """Why the entry was removed: `command` (by the ladder's owner), `withdrawn` (by the bot, which alone can
    enter again), `new_version` (another version of the bot was entered) or `version_gone` (nobody plays
    this version any more). Null for other entries."""
    evidence: SuspensionEvidence | None
    """The evidence for a suspension, if any."""
    good_probes: tuple[str, ...]
    """The consecutive matches without a fault since the suspension."""


class PublicValue(Answer, frozen=True):
    """The public value of a round. The dice derive from it and from a secret seed of the round, to which the
    service commits before anybody can know the value."""

    source: str
    """The source that publishes the value, in the owner's words."""
    at: Instant
    """When the value is published; it cannot be recorded earlier."""
    commitment: Hash
    """The SHA-256 of the round's seed, from which the match seeds derive."""
    key_id: str
    """The id of the service's secret key."""
    value: str | None
    """Null until it is recorded."""
    seed: str | None
    """The round's seed in hex; null until the round is finished."""


class LadderRound(Answer, frozen=True):
    """A round: blocks that were opened together."""

    round: Positive
    season: Positive
    purpose: RoundPurpose
    status: RoundStatus
    stopped_for: str | None
    """`command`, or the reason why the round cannot continue; null unless it is stopped."""
    opened_at: Instant
    blocks: Positive
    finished: Count
    """The number of blocks whose results count."""
    given_up: Count
    """The number of abandoned blocks, which affect nobody's rating."""
    job_id: JobId
    public_value: PublicValue | None
    """Null if the round has no public value."""


class Ladder(Answer, frozen=True):
    """A ladder."""

    ladder_id: LadderId
    name: str
    owner: str
    """The account that operates the ladder."""
    created_at: Instant
    version: Positive
    """The number of its events."""
    head: Hash
    """The hash of its last event."""
    season: Count
    """The open season; 0 before the first round."""
    config: LadderConfig
    """The configuration of the open season or, before that, of the first one."""
    digest: Hash
    """The SHA-256 of `config` as canonical JSON (RFC 8785)."""
    entries: tuple[LadderEntry, ...]
    rounds: tuple[LadderRound, ...]
    """The last 100 rounds, newest first."""


class ListedLadder(Answer, frozen=True):
    """A ladder in a list."""

    ladder_id: LadderId
    name: str
    owner: str
    created_at: Instant
    ruleset: RulesetId
    seats: SeatCount
    season: Count
    entries: Count
    """The number of entries that take part."""
    is_playing: bool
    """Whether a round is running."""
    tournament: ScheduleKind | None
    """The kind of tournament that the season is; null if it is none."""


class LadderPage(Answer, frozen=True):
    """One page of ladders, newest first."""

    items: tuple[ListedLadder, ...]
    next: str | None


class JobProgress(Answer, frozen=True):
    """The progress of a job, in blocks."""

    done: Count
    """The number of finished or abandoned blocks."""
    total: Positive
    percent: Percent
    """Rounded down; 100 once the job is finished."""


class Job(Answer, frozen=True):
    """A job: workers play a round of a ladder."""

    job_id: JobId
    kind: JobKind
    status: JobStatus
    stopped_for: str | None
    """`command`, or the reason why the job cannot continue; null unless it is stopped."""
    ladder_id: LadderId
    round: Positive
    opened_at: Instant
    progress: JobProgress
    matches_per_second: float | None
    """The recent speed; null unless the job is running and enough is finished to measure it."""
    eta_s: Count | None
    """The seconds until the job is finished, at this speed."""
    table: TableProgress | None
    """The progress of the next official table; null if none is being computed."""
    result: Address
    """The address of the result."""


class RefusedCommand(Answer, frozen=True):
    """A command of a bot that was refused as invalid."""

    time: Instant
    code: str
    """The code of the problem."""
    pointer: str
    """A JSON pointer to the invalid member of the body, cut after 200 characters; empty if none is named."""
    version: Count
    """The version of the match when the command arrived; its events show which decision was due."""


class MatchFaults(Answer, frozen=True):
    """The faults of a bot in a match: time-outs and invalid commands."""

    match_id: str
    round: Positive
    purpose: RoundPurpose
    block: Positive
    seat: SeatNumber
    """The seat of the bot."""
    timeouts: Count
    """The number of decisions that the bot did not make in time."""
    clock_expired: tuple[Positive, ...]
    """The sequences of the match's `clock_expired` events for these decisions."""
    errors: Count
    """The number of commands that were refused as invalid."""
    refusals: Annotated[tuple[RefusedCommand, ...], length(0, 20)]
    """The first 20 of these commands, oldest first. They are kept for a limited time and are not part of the
    ladder's history."""
    kept_until: Instant | None
    """When `refusals` expire, a week after the last of them; null if none are kept."""
    events: str
    """The address of the match's events."""


class EntryFaults(Answer, frozen=True):
    """The faults of an entry."""

    ladder_id: LadderId
    entry_id: EntryId
    items: Annotated[tuple[MatchFaults, ...], length(0, 20)]
    """The last 20 matches with a fault, newest first."""


class LadderEvent(Answer, frozen=True):
    """An event of a ladder. It never changes."""

    ladder_id: LadderId
    sequence: Positive
    type: LadderEventTypeName
    schema: Positive
    time: Instant
    actor: str
    """`account:` and an account id, or `service`."""
    command_id: str
    data: dict[str, object]
    """The data of the event; docs/ladders.md describes each type."""
    previous_hash: Hash
    """64 zeros in the first event."""
    hash: Hash
    """The SHA-256 of all other members as canonical JSON (RFC 8785)."""


class LadderEventPage(Answer, frozen=True):
    """One page of a ladder's events, in order."""

    items: tuple[LadderEvent, ...]
    next: str | None
