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
    """The number of the entry that is to be better."""
    b: int
    elo0: int
    """The difference in rating of the hypothesis that A is not better."""
    elo1: int
    alpha_percent: int
    """The chance to call an equal A better."""
    beta_percent: int
    """The chance not to call an A better that is so by `elo1`."""
    most_blocks: int


class PublicValue(Struct, frozen=True, gc=False):
    """What a round is bound to before its first match: a secret seed of its own, and a value from elsewhere
    that nobody knows yet."""

    source: str
    """Where the value will be published, in the owner's words."""
    at_ms: int
    """When, in ms since 1970: it is recorded not before that."""
    commitment: str
    """`sha-256:` and the hex digest of the round's seed, from which all match seeds of the round follow."""
    key_id: str
    """The master key that the round's seed comes from."""


class _Event(Struct, frozen=True, array_like=True, gc=False):
    """The shape that all events share."""


class LadderCreated(_Event, frozen=True, array_like=True, tag="ladder_created"):
    """A ladder was made; nothing is played yet."""

    name: str
    owner: str
    """The account that operates it."""
    config: LadderConfig


class EntryAdded(_Event, frozen=True, array_like=True, tag="entry_added"):
    """A player takes part; its number is the number of entries before it."""

    entry: str
    player: EntryPlayer
    name: str
    """As tables show it."""
    owner: str
    """The account that it belongs to; `service` for a strategy."""


class EntryRemoved(_Event, frozen=True, array_like=True, tag="entry_removed"):
    """An entry is seated no more; its results stay."""

    entry: str
    reason: str
    """`command` (of the ladder's owner), `withdrawn` (by the bot itself), `new_version` (the bot's next one
    came in) or `version_gone` (nobody plays it now).

    Before there was `withdrawn`, a bot's own withdrawal was a `command` too.
    """


class SeasonOpened(_Event, frozen=True, array_like=True, tag="season_opened"):
    """From here on results count for a new season, under a configuration that cannot change any more."""

    season: int
    config: LadderConfig
    digest: str
    """`sha-256:` and the digest of the configuration's canonical JSON."""


class RoundOpened(_Event, frozen=True, array_like=True, tag="round_opened"):
    """Blocks are to be played, as many as there are tables, all seat rotations of each."""

    round: int
    season: int
    purpose: str
    """`rated`, `test` or `probe`."""
    first_block: int
    """The number of the first table's block; blocks are counted through the whole ladder, from 1."""
    tables: tuple[Table, ...]
    opened_at_ms: int
    """When, in ms since 1970: the ids of the matches begin with it."""
    job: str
    """The id under which its progress is told."""
    test: SequentialTest | None = None
    """What is asked, where that is the purpose."""
    refined_by: int | None = None
    """Pairing refined by the official table of the results up to this event of the ladder; 0 if there was no
    table. None where nobody was paired, and in rounds from before this was recorded."""
    public_value: PublicValue | None = None
    """What the round waits for before its first block; None where it waits for nothing."""


class PublicValueRecorded(_Event, frozen=True, array_like=True, tag="public_value_recorded"):
    """The value that a round waited for was published: its blocks may begin."""

    round: int
    value: str
    at_ms: int
    """When it was recorded, in ms since 1970."""


class BlockFinished(_Event, frozen=True, array_like=True, tag="block_finished"):
    """All matches of a block are over."""

    block: int
    attempt: int
    """How often the block was begun, from 1."""
    results: tuple[MatchResult, ...]
    """By rotation: in the match of rotation r the table sits r seats further to the left."""


class BlockVoided(_Event, frozen=True, array_like=True, tag="block_voided"):
    """A block does not count, for no fault of those who played; it is begun again or given up."""

    block: int
    attempt: int
    reason: str
    """`match_aborted`, `service_fault`, `match_damaged`, `entry_suspended` or `entry_removed`."""
    detail: str
    is_final: bool = False
    """The block is given up."""
    matches: tuple[str, ...] = ()
    """Its matches, as far as they were begun."""


class RoundStopped(_Event, frozen=True, array_like=True, tag="round_stopped"):
    """No further block of the round is begun until it is resumed."""

    round: int
    reason: str
    """`command`, or why it cannot go on."""


class RoundResumed(_Event, frozen=True, array_like=True, tag="round_resumed"):
    """The round goes on."""

    round: int


class RoundFinished(_Event, frozen=True, array_like=True, tag="round_finished"):
    """Every block of the round is finished or given up, or its test is decided."""

    round: int
    decision: str = ""
    """Of a test: `better`, `not_better` or `undecided`."""


class RoundSeedRevealed(_Event, frozen=True, array_like=True, tag="round_seed_revealed"):
    """The seed that a round with a public value was bound to; behind `round_finished`, never before it."""

    round: int
    seed: str
    """32 bytes in hex; its SHA-256 is the commitment."""


class EntrySuspended(_Event, frozen=True, array_like=True, tag="entry_suspended"):
    """A remote bot made too many faults: it is not seated until it has been probed."""

    entry: str
    faults: tuple[MatchFaults, ...]
    """The evidence."""
    matches: int
    """Among as many of its last matches."""


class EntryReinstated(_Event, frozen=True, array_like=True, tag="entry_reinstated"):
    """A suspended bot is seated again."""

    entry: str
    probes: tuple[str, ...]
    """The matches that it played without a fault."""


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
)

REGISTRY: Final[dict[str, type[_Event]]] = {str(cls.__struct_config__.tag): cls for cls in Event.__args__}
"""Every event type by its name. A name may be added, never lost."""


def type_name(event: Event) -> str:
    """The event's name, such as `block_finished`."""
    return str(event.__struct_config__.tag)
