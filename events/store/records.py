"""The records that a store takes and returns, and the interface of a store."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from msgspec import Struct

from events.store.keys import ai_command_id

NextKind: TypeAlias = Literal["human", "ai", "held", "over"]
"""Who acts next: a person (or nobody yet), a built-in player, the worker that made this append, or nobody."""

FINGERPRINT_SIZE: Final = 8
"""In bytes: enough to detect another body under the same key of the same account."""
NO_FINGERPRINT: Final = bytes(FINGERPRINT_SIZE)
"""The fingerprint of a command whose id stands for only one command."""
LONG_FINGERPRINT_SIZE: Final = 16
"""The size of older fingerprints in bytes; their first bytes are the fingerprint of today."""
MISSED_LIMIT: Final = 50
"""The most entries that a conflict returns."""


class Entry(Struct, frozen=True, gc=False):
    """One command and its events, as stored in a stream; the id of the entry is `<last>-0`."""

    last: int
    """The sequence of the last event."""
    events: bytes
    """Compact JSON, see `events.store.chain`."""
    command: bytes
    """The fingerprint of the command, followed by the command id. Empty for a built-in player's decision,
    whose id derives from the version it decided on."""
    actor: str
    time_ms: int
    hash: bytes
    """The hash of the last event."""
    signature: bytes = b""
    """Only for lines of the checkpoint log, which have neither actor nor time; see
    `events.checkpoints.lines`."""

    def command_id(self, match_id: str, first: int) -> str:
        """The command id of this entry, whose first event has the sequence `first`."""
        return self.command[FINGERPRINT_SIZE:].decode() or ai_command_id(match_id, first - 1)


class Precedence(Struct, frozen=True):
    """The order of a built-in player's turn among all waiting turns."""

    creator: str = ""
    """The account that created the match: all waiting accounts get equal shares of the workers."""
    has_people: bool = False
    """Whether an account plays in the match: such turns come first."""


NO_PRECEDENCE: Final = Precedence()


class Write(NamedTuple):
    """A Redis command that is executed together with an append, on a key beside the stream."""

    command: Literal["XADD", "ZADD", "ZREM", "SET", "HSET"]
    key: str
    arguments: tuple[str | bytes | int, ...]


class Binding(NamedTuple):
    """A field of a hash that an append sets, and that keeps this value forever; only for streams in the first
    partition."""

    key: str
    name: str
    value: bytes


class Append(Struct, frozen=True):
    """Entries to add to one stream, and writes beside it: all of it or nothing."""

    stream_id: str
    """The id of the match or ladder, or `keys.CHECKPOINT_STREAM`."""
    expected: int
    """The expected version: the one that the command was decided on; 0 for a new stream."""
    head_hash: bytes
    """The hash of the last event at that version."""
    entries: tuple[Entry, ...]
    """At least one."""
    writes: tuple[Write, ...] = ()
    """The pointer on the log, indexes, and everything else that derives from the events."""
    bindings: tuple[Binding, ...] = ()
    """If one of the names has another value, nothing is appended."""


class Appended(Struct, frozen=True):
    """All entries were added."""

    first: int
    last: int


class Duplicate(Struct, frozen=True):
    """Nothing was added: a command was executed before, with these events."""

    first: int
    last: int


class Reused(Struct, frozen=True):
    """Nothing was added: a command id stands for another command, or a name has another value."""


class Conflict(Struct, frozen=True):
    """Nothing was added: the stream is not at the expected version."""

    current: int
    entries: tuple[Entry, ...]
    """The first entries after the expected version, at most `MISSED_LIMIT`; none if the stream is not ahead
    of that version, or its history differs from the one that the command was decided on."""


class Corrupt(Struct, frozen=True):
    """Nothing was added: entries were removed from the stream, or from its command index."""

    detail: str


Reply: TypeAlias = Appended | Duplicate | Reused | Conflict | Corrupt


class Pointer(Struct, frozen=True):
    """One line of the append log: a match or a ladder has reached a version."""

    id: str
    match_id: str
    """Or the ladder's id."""
    version: int
    next: str
    """A `NextKind`; `ladder` for a ladder, or `events.store.outbox.DAMAGED`."""
    account: str = ""
    """The account whose turn began with this version; empty without one."""
    precedence: Precedence = NO_PRECEDENCE
    """Of the turn that waits for a worker, if `next` is `ai`."""
    invited: tuple[str, ...] = ()
    """The accounts that this version invited."""


class Scored(Struct, frozen=True):
    """A member of a sorted set."""

    member: str
    score: int


class Store(Protocol):
    """Streams with their command indexes, and the keys beside them that appends write.

    Each match and each ladder is a stream, and so is the checkpoint log.

    Every method raises `StoreUnavailable` if the store does not answer.
    """

    def append(self, append: Append) -> Reply:
        """Add to one stream. The command ids are checked first, then the stream, then the version."""

    def append_many(self, appends: Sequence[Append]) -> list[Reply]:
        """Add to several streams, independently of each other, in one round trip."""

    def packed(self, appends: Sequence[Append]) -> Callable[[], list[Reply]]:
        """A call that does what `append_many` would; it mostly waits, so a thread can make it meanwhile."""

    def read(self, match_id: str, after: int = 0, count: int | None = None) -> list[Entry]:
        """The entries that end after the version `after`, at most `count`."""

    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Entry]]:
        """As `read` for several pairs of match id and version, in one round trip."""

    def entry_at(self, match_id: str, version: int) -> Entry | None:
        """The last entry that ends at or before the version."""

    def count_entries(self, stream_id: str) -> int:
        """The number of entries of a stream that is not archived."""

    def find_command(self, match_id: str, command_id: str) -> Entry | None:
        """The entry of a command, by the id that it was sent with; None if there is none."""

    def forget(self, match_id: str) -> None:
        """Drop the match from any cache, so that the next read goes to Redis or to the file."""

    def removals(self, match_id: str) -> str:
        """The evidence that entries were removed from the stream, in words; empty if there is none."""

    def members(self, key: str, before: str | None, count: int) -> list[str]:
        """At most `count` members of a set without scores, in descending order, below `before` if given."""

    def count_members(self, sets: Sequence[str]) -> list[int]:
        """The number of members of each of these sets."""

    def are_members(self, key: str, members: Sequence[str]) -> list[bool]:
        """Whether each is a member of a set."""

    def by_score(self, key: str, after: Scored | None, count: int) -> list[Scored]:
        """At most `count` members of a set with scores, in ascending order, after `after` if given."""

    def values(self, names: Sequence[str]) -> list[bytes | None]:
        """The value of each key, which ends with the id of its match."""

    def fields(self, key: str, fields: Sequence[str]) -> list[bytes | None]:
        """The values of these fields of a hash that only the first partition has."""

    def all_fields(self, key: str) -> dict[bytes, bytes]:
        """All fields of such a hash."""


def member_pages(store: Store, key: str, count: int) -> Iterator[list[str]]:
    """All members of a set without scores, in descending order, in pages of at most `count`, none empty.

    Each page is read when it is asked for.

    Raises:
        StoreUnavailable.
    """
    last: str | None = None
    while page := store.members(key, last, count):
        yield page
        last = page[-1]
