"""Aggregates: what streams fold to, loaded through a cache, and how commands are executed on them.

A kind of aggregate gives two functions: how entries become one, and how further entries extend it. A command
is decided and appended, and tried again where others were faster. One that comes again under its id, as with
a repeated Idempotency-Key, finds what it did the first time.
"""

import hashlib
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Generic, TypeVar

import structlog
from cachetools import LRUCache
from msgspec import Struct

from events.store.chain import Sealed
from events.store.errors import (
    CommandReused,
    MatchNotFound,
    RulesChanged,
    StaleVersion,
    StoreError,
    StreamCorrupt,
)
from events.store.keys import new_id
from events.store.records import (
    FINGERPRINT_SIZE,
    Append,
    Appended,
    Conflict,
    Corrupt,
    Duplicate,
    Entry,
    Reply,
    Reused,
    Store,
)
from runtime import metrics

_logger: Final = structlog.get_logger(__name__)
_COMMAND_ID: Final = re.compile(r"[\x21-\x7e]{1,255}")

S = TypeVar("S")
"""The state of one kind of aggregate."""


class Loaded(Struct, Generic[S], frozen=True, eq=False):
    """An aggregate as of one version. The state is shared by all who hold it: only read it."""

    id: str
    """The id of its stream."""
    version: int
    """The number of events so far."""
    folded: S | None
    """The state; None before the first event."""
    head_hash: bytes
    """The hash of the last event."""
    created_at_ms: int
    """The time of the first event."""
    last_at_ms: int
    """The time of the last event."""

    @property
    def state(self) -> S:
        """The state after the first event or a later one."""
        assert self.folded is not None, f"{self.id} has no event yet"
        return self.folded


A = TypeVar("A", bound=Loaded[Any])


class Loader(Generic[A]):
    """Loads aggregates of one kind through a cache of bounded size; safe to share among threads.

    What is in the cache was checked when it was loaded, and is not checked again: only what is added to it.
    """

    def __init__(
        self,
        store: Store,
        from_entries: Callable[[str, Sequence[Entry]], A],
        extended: Callable[[A, Sequence[Entry]], A],
        cache_size: int,
        on_damage: Callable[[StreamCorrupt], None] = lambda error: None,
    ) -> None:
        """`from_entries` makes the aggregate of an id from all its entries, `extended` adds further ones.

        Both raise `StreamCorrupt` where an entry is not what was written. `on_damage` is called with what is
        wrong with a stream, each time that it is met.
        """
        self.store: Final = store
        self._from_entries = from_entries
        self._extended = extended
        self._on_damage = on_damage
        self._cache: LRUCache[str, A] = LRUCache(cache_size)
        self._lock = threading.Lock()

    def cached(self, id: str) -> A | None:
        """The aggregate as this process saw it last; the stream may be ahead of it."""
        with self._lock:
            return self._cache.get(id)

    def keep(self, loaded: A, before: A | None = None) -> A:
        """Cache the aggregate unless a later version is there already.

        One that was made from a cached one replaces that and nothing else: `before` may have been dropped
        meanwhile, because its stream was found damaged.
        """
        with self._lock:
            known = self._cache.get(loaded.id)
            if before is not None and before.version:
                is_wanted = known is before
            else:
                is_wanted = known is None or known.version <= loaded.version
            if is_wanted:
                self._cache[loaded.id] = loaded
        return loaded

    def forget(self, id: str) -> None:
        """Drop the aggregate from the cache: it is read and checked from its first entry on the next time."""
        with self._lock:
            self._cache.pop(id, None)

    def report_damage(self, error: StreamCorrupt) -> None:
        """Say what is wrong with a stream, and use no cached state of it."""
        self.forget(error.match_id)
        self._on_damage(error)

    def load(self, id: str) -> A:
        """The aggregate as of now.

        Raises:
            StreamCorrupt, StoreUnavailable, and what says that there is none.
        """
        cached = self.cached(id)
        try:
            return self._caught_up(id, cached, self.store.read(id, _overlap(cached)))
        except StreamCorrupt as error:
            self.report_damage(error)
            raise

    def load_many(self, ids: Sequence[str]) -> list[A | StoreError]:
        """Each aggregate as of now, or why it cannot be loaded, in one round trip.

        Raises:
            StoreUnavailable.
        """
        cached = [self.cached(id) for id in ids]
        wanted = [(id, _overlap(one)) for id, one in zip(ids, cached, strict=True)]
        try:
            replies = self.store.read_many(wanted)
        except StreamCorrupt:  # one of them, which must not keep the others
            return [self._or_error(partial(self.load, id)) for id in ids]
        return [
            self._or_error(partial(self._caught_up, id, one, entries))
            for id, one, entries in zip(ids, cached, replies, strict=True)
        ]

    def _or_error(self, load: Callable[[], A]) -> A | StoreError:
        try:
            return load()
        except StreamCorrupt as error:
            self.report_damage(error)
            return error
        except (MatchNotFound, RulesChanged) as error:
            return error

    def catch_up(self, loaded: A, conflict: Conflict) -> A:
        """The aggregate as of now, after an append on `loaded` came too late; as a rule the reply tells how.

        Raises:
            StreamCorrupt, StoreUnavailable, and what says that there is none.
        """
        if conflict.entries and conflict.entries[-1].last == conflict.current:
            with suppress(StreamCorrupt):  # they may be of another history, which is good in itself
                return self.keep(self._extended(loaded, conflict.entries), loaded)
        return self.load(loaded.id)

    def _caught_up(self, id: str, cached: A | None, entries: Sequence[Entry]) -> A:
        if cached is None:
            return self.keep(self._from_entries(id, entries))
        if not entries or entries[0].last != cached.version or entries[0].hash != cached.head_hash:
            return self._loaded_anew(cached)
        return self.keep(self._extended(cached, entries[1:]), cached)

    def _loaded_anew(self, cached: A) -> A:
        """The aggregate where its history is not the one that was cached, as after a restore of the store."""
        self.forget(cached.id)
        entries = self.store.read(cached.id)
        note_other_history(cached.id, cached.version, entries[-1].last if entries else 0)
        return self.keep(self._from_entries(cached.id, entries))


def _overlap(cached: Loaded[Any] | None) -> int:
    """Where to read from so that the last cached entry comes once more and can be compared."""
    return cached.version - 1 if cached else 0


def note_other_history(owner_id: str, known: int, found: int) -> None:
    """Tell the operator that a match or a ladder was at the version `known`, and has another history now."""
    metrics.MISSING_BY_CACHE.inc(max(0, known - found))
    _logger.error("another_history", id=owner_id, known_version=known, version=found)


class Order(Struct, frozen=True):
    """A command on its way to one stream."""

    stream_id: str
    command_id: str
    fingerprint: bytes
    is_repeatable: bool
    """The client named the command and may send it again."""


def fingerprint(request: bytes) -> bytes:
    """What tells two commands with one command id apart."""
    return hashlib.sha256(request).digest()[:FINGERPRINT_SIZE]


def order_of(stream_id: str, request: bytes, command_id: str | None) -> Order:
    """The order of a command that may have come with an id of its own.

    Raises:
        ValueError: the command id is not 1 to 255 visible ASCII characters.
    """
    if command_id is not None and not _COMMAND_ID.fullmatch(command_id):
        raise ValueError("a command id is 1 to 255 visible ASCII characters")
    is_repeatable = command_id is not None
    return Order(stream_id, command_id or new_id("cmd"), fingerprint(request), is_repeatable)


class Decided(Struct, Generic[A], frozen=True, eq=False):
    """What a command does to an aggregate: ready to be appended, or appended now."""

    before: A
    append: Append
    after: A
    """The aggregate once the append is done."""
    sealed: Sequence[Sealed]
    """The entries of the append with their events."""


class Known(Struct, frozen=True):
    """The command had been carried out before."""

    last: int
    """The version that it led to."""


class Unchanged(Struct, Generic[A], frozen=True):
    """There was nothing to do."""

    latest: A


def execute(
    loader: Loader[A], loaded: A, order: Order, decide: Callable[[A], Decided[A] | None], tries: int
) -> Decided[A] | Known | Unchanged[A]:
    """Carry out a command, or find out that it was carried out before under the same id.

    `decide` returns None if there is nothing to do. It is called again for each version that it meets, at
    most `tries` times. What it raises is raised here if it met the latest version and the command was not
    carried out before.

    Raises:
        StaleVersion: others were faster again and again.
        CommandReused: the command id was used for another command.
        StreamCorrupt, StoreUnavailable.
    """
    expected = loaded.version
    for _ in range(tries):
        expected = loaded.version
        try:
            decided = decide(loaded)
        except Exception:
            latest = loader.load(order.stream_id) if expected else loaded
            if (latest.version, latest.head_hash) != (expected, loaded.head_hash):
                loaded = latest
                continue
            known = _known(loader, order)
            if known is None:
                raise
            return known
        if decided is None:
            return _known(loader, order) or Unchanged(loaded)
        reply = loader.store.append(decided.append)
        if isinstance(reply, Appended):
            loader.keep(decided.after, decided.before)
            return decided
        if isinstance(reply, Duplicate):
            return Known(reply.last)
        if not isinstance(reply, Conflict):
            raise error_of(reply, decided.append, order.command_id)
        loaded = loader.catch_up(loaded, reply)
    raise StaleVersion(order.stream_id, expected, loaded.version)


def _known(loader: Loader[A], order: Order) -> Known | None:
    """What the command did when it came before; None if it did not, or nobody can repeat it.

    Raises:
        CommandReused: its id stands for another command.
    """
    if not order.is_repeatable:
        return None
    entry = loader.store.find_command(order.stream_id, order.command_id)
    if entry is None:
        return None
    if entry.command != order.fingerprint + order.command_id.encode():
        raise CommandReused(order.stream_id, order.command_id)
    return Known(entry.last)


def error_of(reply: Reply, append: Append, command_id: str = "") -> StoreError:
    """Why nothing was added."""
    if isinstance(reply, Corrupt):
        return StreamCorrupt(append.stream_id, 0, reply.detail)
    if isinstance(reply, Reused):
        return CommandReused(append.stream_id, command_id)
    current = reply.current if isinstance(reply, Conflict) else reply.last
    return StaleVersion(append.stream_id, append.expected, current)
