"""What goes into a store and comes out of it, and what a store must be able to do."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from msgspec import Struct

NextKind: TypeAlias = Literal["human", "ai", "held", "over"]
"""Who goes on: a person (or nobody yet), a built-in player, the worker that made this append, or nobody."""

FINGERPRINT_SIZE: Final = 8
"""Bytes: enough to notice another body under the same key of the same account."""
NO_FINGERPRINT: Final = bytes(FINGERPRINT_SIZE)
"""Of a command of which there is only one with its id."""
LONG_FINGERPRINT_SIZE: Final = 16
"""Bytes that fingerprints had before; the first of them are the fingerprint of today."""
MISSED_LIMIT: Final = 50
"""As many entries come back with a conflict."""


class Entry(Struct, frozen=True, gc=False):
    """One command and its events as a stream keeps them; the entry's id is `<last>-0`."""

    last: int
    """The sequence of the last event."""
    events: bytes
    """Compact JSON, see `events.store.chain`."""
    command: bytes
    """The fingerprint of the command and, behind it, the command id. Empty for a built-in player's decision,
    whose id follows from the version it decided on."""
    actor: str
    time_ms: int
    hash: bytes
    """The hash of the last event."""
    signature: bytes = b""
    """Of a line of the log of checkpoints, which has no actor and no time; see `events.checkpoints.lines`."""

    def command_id(self, match_id: str, first: int) -> str:
        """The command id of this entry, whose first event has the sequence `first`."""
        return self.command[FINGERPRINT_SIZE:].decode() or ai_command_id(match_id, first - 1)


class Precedence(Struct, frozen=True):
    """What decides when a built-in player's turn comes among all that wait."""

    creator: str = ""
    """The account that made the match: all that wait get equal shares of the workers."""
    has_people: bool = False
    """An account plays in the match: such turns come first."""


NO_PRECEDENCE: Final = Precedence()


class Write(NamedTuple):
    """A command of Redis that is carried out with an append, on a key beside the stream."""

    command: Literal["XADD", "ZADD", "ZREM", "SET", "HSET"]
    key: str
    arguments: tuple[str | bytes | int, ...]


class Binding(NamedTuple):
    """A name that stands for one value for ever, from an append on that says so: a field of a hash."""

    key: str
    name: str
    value: bytes


class Append(Struct, frozen=True):
    """What is to be added to one stream, and written beside it: all of it or nothing."""

    stream_id: str
    """The id of the match or ladder, or `keys.CHECKPOINT_STREAM`."""
    expected: int
    """The version that was decided on; 0 for a new stream."""
    head_hash: bytes
    """The hash of the last event at that version."""
    entries: tuple[Entry, ...]
    """At least one."""
    writes: tuple[Write, ...] = ()
    """The pointer on the log, indexes and whatever else follows from the events."""
    bindings: tuple[Binding, ...] = ()
    """If a name of them stands for another value, nothing is appended."""


class Appended(Struct, frozen=True):
    """All entries were added."""

    first: int
    last: int


class Duplicate(Struct, frozen=True):
    """Nothing was added: a command had been carried out before, with these events."""

    first: int
    last: int


class Reused(Struct, frozen=True):
    """Nothing was added: a command id stands for another command, or a name for another value."""


class Conflict(Struct, frozen=True):
    """Nothing was added: the match is not where it was expected."""

    current: int
    entries: tuple[Entry, ...]
    """The first entries after the expected version, at most `MISSED_LIMIT`; none if the match is not ahead,
    or has another history than the one that was decided on."""


class Corrupt(Struct, frozen=True):
    """Nothing was added: entries were removed from the stream, or from its command index."""

    detail: str


Reply: TypeAlias = Appended | Duplicate | Reused | Conflict | Corrupt


class Pointer(Struct, frozen=True):
    """One line of the log: a match, or a ladder, has come to a version."""

    id: str
    match_id: str
    """Or the ladder's id."""
    version: int
    next: str
    """A `NextKind`; `ladder` for a ladder, or `events.store.outbox.DAMAGED`."""
    account: str = ""
    """The account whose turn began with this version; empty if none did."""
    precedence: Precedence = NO_PRECEDENCE
    """Of the turn that waits for a worker, where `next` is `ai`."""
    invited: tuple[str, ...] = ()
    """The accounts that were invited with this version."""


class Scored(Struct, frozen=True):
    """A member of a sorted set."""

    member: str
    score: int


class Store(Protocol):
    """Streams with their command indexes, and what appends write beside them.

    There is one for each match and each ladder, and the log of checkpoints.

    Every method raises `StoreUnavailable` if the store does not answer.
    """

    def append(self, append: Append) -> Reply:
        """Add to one stream; the command ids are checked first, then the stream, then the version."""

    def append_many(self, appends: Sequence[Append]) -> list[Reply]:
        """Add to several streams, each by itself, in one round trip."""

    def read(self, match_id: str, after: int = 0, count: int | None = None) -> list[Entry]:
        """Entries that end after the version `after`, the first `count` of them."""

    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Entry]]:
        """As `read` for several pairs of match id and version, in one round trip."""

    def entry_at(self, match_id: str, version: int) -> Entry | None:
        """The last entry that ends at or before the version."""

    def count_entries(self, stream_id: str) -> int:
        """How many entries a stream has that is not archived."""

    def find_command(self, match_id: str, command_id: str) -> Entry | None:
        """The entry of a command that came with an id of its own."""

    def forget(self, match_id: str) -> None:
        """Read the match from where it lies the next time, be it at hand or not."""

    def removals(self, match_id: str) -> str:
        """What says that entries were removed from the stream, in words; empty if nothing does."""

    def members(self, key: str, before: str | None, count: int) -> list[str]:
        """Members of a set without scores, the last in order first, from the one below `before` on."""

    def count_members(self, key: str) -> int:
        """How many members a set has."""

    def are_members(self, key: str, members: Sequence[str]) -> list[bool]:
        """Whether each is a member of a set."""

    def by_score(self, key: str, after: Scored | None, count: int) -> list[Scored]:
        """Members of a set with scores, the lowest score first, those behind `after`."""

    def values(self, keys: Sequence[str]) -> list[bytes | None]:
        """The value of each key."""

    def fields(self, key: str, fields: Sequence[str]) -> list[bytes | None]:
        """The values of some fields of a hash."""

    def all_fields(self, key: str) -> dict[bytes, bytes]:
        """All fields of a hash."""


def ai_command_id(match_id: str, version: int) -> str:
    """The command id of a built-in player's decision on that version."""
    return f"ai-{match_id}-{version}"
