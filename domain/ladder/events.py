"""The events of a ladder.

As with the events of a match, names and members are permanent. A stored event is a JSON array of its tag and
its members in the order of declaration; a new member goes to the end and has a default. Tables name entries
by number, from 0 in the order of entering.
"""

from typing import Final, TypeAlias

from msgspec import Struct

from domain.ladder.config import LadderConfig

Table: TypeAlias = tuple[int, ...]
"""Entry numbers by seat of the block's first match; `STAND_IN` for a player without an entry."""

STAND_IN: Final = -1
"""Fills a seat in probes and tests: the strategy that also plays for absent people."""


class EntryPlayer(Struct, frozen=True, gc=False):
    """The player of an entry; each version has its own entry."""

    kind: str
    """`strategy` or `bot`."""
    name: str
    """The strategy's name, or the handle of the bot's account."""
    version: str
    account: str = ""
    """The bot's account; empty for a strategy."""


class MatchResult(Struct, frozen=True, gc=False):
    """The result of one match of a block; seats are those of the match."""

    match_id: str
    winner: int
    """The seat."""
    turns: int
    version: int
    """The number of events of the match."""
    head: str
    """`sha-256:` and the hex digest: the hash of its last event."""
    timeouts: tuple[int, ...]
    """By seat: decisions that came too late or not at all."""
    errors: tuple[int, ...]
    """By seat: commands that were refused."""
    luck_coins: tuple[int, ...] | None = None
    """By seat, in thousandths of a coin: what the dice brought, less what they were worth, against the mean
    of the others. None where it was not measured."""
    luck_wins: tuple[int, ...] | None = None
    """By seat, in millionths of a win: the control variate of the value function. None without one."""


class MatchFaults(Struct, frozen=True, gc=False):
    """The time-outs and refused commands of a remote bot in one match."""

    match_id: str
    timeouts: int
    errors: int


class SequentialTest(Struct, frozen=True, gc=False):
    """The hypotheses of a sequential test, fixed before its first match."""

    a: int
    """The number of the entry that is tested for being better."""
    b: int
    elo0: int
    """The difference in rating of the hypothesis that A is not better."""
    elo1: int
    alpha_percent: int
    """The probability of the decision `better` if A is only better by `elo0`."""
    beta_percent: int
    """The probability of the decision `not_better` if A is better by `elo1`."""
    most_blocks: int


class PublicValue(Struct, frozen=True, gc=False):
    """What binds the dice of a round before its first match: the round's own secret seed, and a future value
    from elsewhere that nobody knows yet."""

    source: str
    """Where the value will be published, in the owner's words."""
    at_ms: int
    """The time of publication, in ms since 1970; the value is not recorded before it."""
    commitment: str
    """`sha-256:` and the hex digest of the round's seed, from which all match seeds of the round derive."""
    key_id: str
    """The master key from which the round's seed derives."""


class FinalPlace(Struct, frozen=True, gc=False):
    """The place of an entry at the end of a tournament."""

    entry: int
    """The number of the entry."""
    place: int
    """From 1; entries that cannot be told apart share a place."""


class _Event(Struct, frozen=True, array_like=True, gc=False):
    """The base of all events."""


class LadderCreated(_Event, frozen=True, array_like=True, tag="ladder_created"):
    """A ladder was created; nothing is played yet."""

    name: str
    owner: str
    """The account that operates it."""
    config: LadderConfig


class EntryAdded(_Event, frozen=True, array_like=True, tag="entry_added"):
    """A player takes part; its number is the number of entries before it."""

    entry: str
    player: EntryPlayer
    name: str
    """The name in tables."""
    owner: str
    """The account that it belongs to; `service` for a strategy."""


class EntryRemoved(_Event, frozen=True, array_like=True, tag="entry_removed"):
    """An entry is no longer seated; its results remain."""

    entry: str
    reason: str
    """`command` (of the ladder's owner), `withdrawn` (by the bot itself), `new_version` (the bot's next one
    was entered) or `version_gone` (no worker plays it any more).

    In older events, a bot's own withdrawal is a `command`, too.
    """


class SeasonOpened(_Event, frozen=True, array_like=True, tag="season_opened"):
    """From now on, results count for a new season, whose configuration can no longer change."""

    season: int
    config: LadderConfig
    digest: str
    """`sha-256:` and the digest of the configuration's canonical JSON."""


class RoundOpened(_Event, frozen=True, array_like=True, tag="round_opened"):
    """A round was opened: one block for each table, with all its seat rotations."""

    round: int
    season: int
    purpose: str
    """`rated`, `test` or `probe`."""
    first_block: int
    """The number of the first table's block; blocks are numbered through the whole ladder, from 1."""
    tables: tuple[Table, ...]
    opened_at_ms: int
    """When it was opened, in ms since 1970; the ids of the matches begin with this time."""
    job: str
    """The id of the job that shows its progress."""
    test: SequentialTest | None = None
    """The sequential test, if that is the purpose."""
    refined_by: int | None = None
    """The official table that refined the pairing contains the results up to this event of the ladder; 0 if
    there was no table. None in tests and probes, and in rounds from before this was recorded."""
    public_value: PublicValue | None = None
    """What the round waits for before its first block; None if it does not wait."""
    byes: tuple[int, ...] | None = None
    """The entries of a tournament that stay in it without playing in this round. None in other rounds, and in
    rounds from before this was recorded."""


class PublicValueRecorded(_Event, frozen=True, array_like=True, tag="public_value_recorded"):
    """The value that a round waited for was recorded, and its blocks can begin."""

    round: int
    value: str
    at_ms: int
    """When it was recorded, in ms since 1970."""


class BlockFinished(_Event, frozen=True, array_like=True, tag="block_finished"):
    """All matches of a block are over."""

    block: int
    attempt: int
    """The number of the attempt, from 1."""
    results: tuple[MatchResult, ...]
    """By rotation: in rotation r, every entry of the table sits r seats further to the left."""


class BlockVoided(_Event, frozen=True, array_like=True, tag="block_voided"):
    """A block does not count, without a fault of its players; it is restarted or abandoned."""

    block: int
    attempt: int
    reason: str
    """`match_aborted`, `service_fault`, `match_damaged`, `entry_suspended` or `entry_removed`."""
    detail: str
    is_final: bool = False
    """Whether the block is abandoned."""
    matches: tuple[str, ...] = ()
    """Its matches that had begun."""


class RoundStopped(_Event, frozen=True, array_like=True, tag="round_stopped"):
    """No further block of the round is started until it is resumed."""

    round: int
    reason: str
    """`command`, or the reason why it cannot continue."""


class RoundResumed(_Event, frozen=True, array_like=True, tag="round_resumed"):
    """A stopped round continues."""

    round: int


class RoundFinished(_Event, frozen=True, array_like=True, tag="round_finished"):
    """Every block of the round is finished or abandoned, or its test is decided."""

    round: int
    decision: str = ""
    """The decision of a test: `better`, `not_better` or `undecided`."""


class RoundSeedRevealed(_Event, frozen=True, array_like=True, tag="round_seed_revealed"):
    """The seed of a round with a public value was revealed; always after `round_finished`."""

    round: int
    seed: str
    """32 bytes in hex; its SHA-256 is the commitment."""


class EntrySuspended(_Event, frozen=True, array_like=True, tag="entry_suspended"):
    """A remote bot has too many faults, and is not seated until probes reinstate it."""

    entry: str
    faults: tuple[MatchFaults, ...]
    """The evidence."""
    matches: int
    """The number of its last matches that were considered. For a new version of a suspended bot, which has
    none, the number of the matches in `faults`."""


class EntryReinstated(_Event, frozen=True, array_like=True, tag="entry_reinstated"):
    """A suspended bot is seated again."""

    entry: str
    probes: tuple[str, ...]
    """The matches that it played without a fault."""


class TournamentStarted(_Event, frozen=True, array_like=True, tag="tournament_started"):
    """The tournament of a season began, before its first round. Who enters later does not take part."""

    season: int
    field: tuple[int, ...]
    """The numbers of the entries, the best seed first."""
    rounds: int
    """The number of rounds to play. In a knock-out, the number of stages, which replays do not add to."""
    seeded_by: int | None = None
    """The official table that seeded the field contains the results up to this event of the ladder; 0 if
    there was no table. None if the order of entering seeded it."""


class TournamentFinished(_Event, frozen=True, array_like=True, tag="tournament_finished"):
    """The tournament of a season is over."""

    season: int
    places: tuple[FinalPlace, ...]
    """Of the whole field, the first place first."""


Event: TypeAlias = (
    LadderCreated
    | EntryAdded
    | EntryRemoved
    | SeasonOpened
    | RoundOpened
    | PublicValueRecorded
    | BlockFinished
    | BlockVoided
    | RoundStopped
    | RoundResumed
    | RoundFinished
    | RoundSeedRevealed
    | EntrySuspended
    | EntryReinstated
    | TournamentStarted
    | TournamentFinished
)

REGISTRY: Final[dict[str, type[_Event]]] = {str(cls.__struct_config__.tag): cls for cls in Event.__args__}
"""Every event type by its name. Names can be added, but never removed."""


def type_name(event: Event) -> str:
    """The event's name, such as `block_finished`."""
    return str(event.__struct_config__.tag)
