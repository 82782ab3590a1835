"""Ladders in the event store: folded from their stored entries, each checked against the hash chain.

Here are also the commands to ladders, the writes beside their streams, and their events for the API.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias

from msgspec import Struct

from domain.ladder.events import REGISTRY, Event
from domain.ladder.state import RUNNING, LadderState, fold, initial_state
from events.store import keys
from events.store.aggregates import Decided, Loaded, Loader, Unchanged, execute, order_of
from events.store.chain import NO_HASH, Batch, Codec
from events.store.errors import LadderNotFound, StreamCorrupt
from events.store.fields import pointer_to
from events.store.keys import new_id, now_ms
from events.store.records import Append, Entry, Store, Write, member_pages


class LadderEnvelope(Struct, frozen=True):
    """One event of a ladder with its metadata."""

    ladder_id: str
    sequence: int
    type: str
    schema: int
    time: str
    """RFC 3339, UTC, with milliseconds."""
    actor: str
    """`account:acc_…` or `service`."""
    command_id: str
    data: dict[str, Any]
    """The event's members by name."""
    previous_hash: str
    hash: str
    """`sha-256:` and 64 hex digits: the SHA-256 of the canonical JSON (RFC 8785) of all other members."""


CODEC: Final[Codec[Event, LadderEnvelope]] = Codec("ladder_id", tuple[Event, ...], REGISTRY, LadderEnvelope)


class Ladder(Loaded[LadderState], frozen=True, eq=False):
    """A ladder as of one version. The state is shared: only read it."""

    entries: tuple[Entry, ...] = ()
    """Its whole history."""


def empty(ladder_id: str) -> Ladder:
    """A ladder before its first event."""
    return Ladder(ladder_id, 0, initial_state(), NO_HASH, 0, 0)


def _loaded(ladder_id: str, state: LadderState, entries: tuple[Entry, ...]) -> Ladder:
    first, last = entries[0], entries[-1]
    return Ladder(ladder_id, state.version, state, last.hash, first.time_ms, last.time_ms, entries)


def from_entries(ladder_id: str, entries: Sequence[Entry]) -> Ladder:
    """The ladder folded from all its entries.

    Raises:
        LadderNotFound: there are none.
        StreamCorrupt: see `extended`.
    """
    if not entries:
        raise LadderNotFound(ladder_id)
    return extended(empty(ladder_id), entries)


def extended(ladder: Ladder, entries: Sequence[Entry]) -> Ladder:
    """The ladder with further entries.

    Raises:
        StreamCorrupt: an entry is not what was written, or not the next one.
    """
    if not entries:
        return ladder
    state = ladder.state.copy()
    reader = CODEC.reader(ladder.id, ladder.version, ladder.head_hash)
    for _, events in reader.checked(entries):
        fold(state, events)
    return _loaded(ladder.id, state, (*ladder.entries, *entries))


def with_events(ladder: Ladder, entry: Entry, events: Sequence[Event]) -> Ladder:
    """The ladder with a new entry, which contains these events; it is not checked."""
    state = ladder.state.copy()
    fold(state, events)
    return _loaded(ladder.id, state, (*ladder.entries, entry))


def as_of(ladder: Ladder, version: int) -> Ladder:
    """The ladder after the last entry that ends at or before the version."""
    then = tuple([entry for entry in ladder.entries if entry.last <= version])
    state = initial_state()
    for entry in then:
        fold(state, CODEC.events_of(ladder.id, state.version, entry))
    return _loaded(ladder.id, state, then) if then else empty(ladder.id)


def envelopes(ladder: Ladder, after: int = 0, limit: int | None = None) -> list[LadderEnvelope]:
    """The events after the version `after`, at most `limit`, with the members as they were written."""
    found: list[LadderEnvelope] = []
    version, head_hash = 0, NO_HASH
    for entry in ladder.entries:
        if entry.last > after and (limit is None or len(found) < limit):
            shown = CODEC.envelopes_of(ladder.id, "", entry, version, head_hash)
            found += [one for one in shown if one.sequence > after]
        version, head_hash = entry.last, entry.hash
    return found[:limit]


Decide: TypeAlias = Callable[[LadderState], Sequence[Event]]
"""Returns the events of a command on the current state; none if there is nothing to do. Raises to refuse
it."""

_PAGE: Final = 1000
_TRIES: Final = 50
"""The most times that a command is decided, since other appends can come first."""


class LadderOutcome(Struct, frozen=True):
    """The result of a command to a ladder, executed now or under the same id before."""

    ladder: Ladder
    """The current ladder; later than the command if it was executed before."""
    first: int
    """The sequence of the command's first event; greater than `last` if there was nothing to do."""
    last: int
    replayed: bool


class Ladders:
    """Ladders in a store, through a cache; safe to share among threads."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], int] = now_ms,
        cache_ladders: int = 100,
        on_damage: Callable[[StreamCorrupt], None] = lambda error: None,
    ) -> None:
        """`clock` gives the time in ms since 1970; `on_damage` is called for every damage of a ladder that is
        found."""
        self._store = store
        self._clock = clock
        self._loader = Loader(store, from_entries, extended, cache_ladders, on_damage)

    def load(self, ladder_id: str) -> Ladder:
        """The current ladder.

        Raises:
            LadderNotFound, StreamCorrupt, StoreUnavailable.
        """
        return self._loader.load(ladder_id)

    def forget(self, ladder_id: str) -> None:
        """Drop the ladder from the cache, so that the next load reads and checks all its events."""
        self._loader.forget(ladder_id)

    def create(
        self, decide: Callable[[], Sequence[Event]], actor: str, ladder_id: str | None = None
    ) -> LadderOutcome:
        """Create a ladder. To retry safely, use the same id.

        Raises:
            RuleViolation: `decide` raises it.
            StoreUnavailable.
        """
        ladder_id = ladder_id or new_id("lad")
        command_id = f"create-{ladder_id}"
        return self.execute(ladder_id, lambda state: decide(), actor, command_id, b"create", is_new=True)

    def execute(
        self,
        ladder_id: str,
        decide: Decide,
        actor: str,
        command_id: str | None = None,
        request: bytes = b"",
        *,
        is_new: bool = False,
    ) -> LadderOutcome:
        """Execute a command, or return its result if it was executed before under the same id.

        Two commands under one id are the same if their `request` is.

        Raises:
            StaleVersion: other appends came first in every try.
            CommandReused: the command id was used for another command.
            LadderNotFound, StreamCorrupt, StoreUnavailable, and what `decide` raises on the latest state.
        """
        order = order_of(ladder_id, request, command_id)

        def decided(ladder: Ladder) -> Decided[Ladder] | None:
            events = [] if is_new and ladder.version else decide(ladder.state)
            if not events:
                return None
            batch = Batch(events, actor, order.command_id, order.fingerprint)
            sealed = CODEC.sealed(ladder.id, "", ladder.version, ladder.head_hash, [batch], self._clock())
            after = with_events(ladder, sealed[0].entry, events)
            return Decided(ladder, _append(ladder, after), after, sealed)

        done = execute(self._loader, self._load_or_empty(ladder_id, is_new), order, decided, _TRIES)
        if isinstance(done, Decided):
            return LadderOutcome(done.after, done.before.version + 1, done.after.version, False)
        if isinstance(done, Unchanged):
            return LadderOutcome(done.latest, done.latest.version + 1, done.latest.version, False)
        ladder = self.load(ladder_id)
        return LadderOutcome(ladder, _first(ladder, done.last), done.last, True)

    def _load_or_empty(self, ladder_id: str, is_new: bool) -> Ladder:
        """The current ladder; an empty one if it `is_new` and does not exist yet."""
        try:
            return self.load(ladder_id)
        except LadderNotFound:
            if not is_new:
                raise
            return empty(ladder_id)

    def page(self, before: str | None, count: int) -> list[str]:
        """The ids of at most `count` ladders, newest first, below `before` if given.

        Raises:
            StoreUnavailable.
        """
        return self._store.members(keys.LADDERS, before, count)

    def active(self) -> list[str]:
        """The ids of the ladders that have a round to play, oldest first.

        Raises:
            StoreUnavailable.
        """
        pages = member_pages(self._store, keys.ACTIVE_LADDERS, _PAGE)
        return list(chain.from_iterable(pages))[::-1]

    def of_job(self, job_id: str) -> str | None:
        """The id of the ladder whose round the job plays; None without one.

        Raises:
            StoreUnavailable.
        """
        (found,) = self._store.fields(keys.LADDER_JOBS, [job_id])
        return found.decode() if found else None


def _append(ladder: Ladder, after: Ladder) -> Append:
    """The append to a ladder, with the writes beside its stream."""
    is_active = any(round.status == RUNNING for round in after.state.rounds)
    activity = Write("ZADD", keys.ACTIVE_LADDERS, (0, ladder.id))
    writes = [
        pointer_to(ladder.id, after.version, "ladder"),
        activity if is_active else Write("ZREM", keys.ACTIVE_LADDERS, (ladder.id,)),
    ]
    if not ladder.version:
        writes.append(Write("ZADD", keys.LADDERS, (0, ladder.id)))
    opened = after.state.rounds[len(ladder.state.rounds) :]
    writes += [Write("HSET", keys.LADDER_JOBS, (round.job, ladder.id)) for round in opened]
    return Append(ladder.id, ladder.version, ladder.head_hash, after.entries[-1:], tuple(writes))


def _first(ladder: Ladder, last: int) -> int:
    """The first event of the command that led to a version."""
    ends = [entry.last for entry in ladder.entries if entry.last < last]
    return ends[-1] + 1 if ends else 1
