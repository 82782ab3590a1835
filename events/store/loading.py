"""The state of a match from its stream, and a cache of states that the stream's tail brings up to date."""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Generic, Protocol, TypeVar

import structlog
from cachetools import LRUCache
from msgspec import Struct

from domain.match.events import Event
from domain.match.evolve import fold
from domain.match.state import MatchState
from events.matches.codec import decode, in_entry
from events.store.chain import NO_HASH, ChainReader
from events.store.errors import MatchNotFound, RulesChanged, StoreError, StreamCorrupt
from events.store.records import Conflict, Entry, Store
from runtime import metrics

_logger: Final = structlog.get_logger(__name__)


class Loaded(Struct, frozen=True, eq=False):
    """A match as of one version. The state is shared by all who hold it: read it, or `copy()` it."""

    match_id: str
    folded: MatchState | None
    """The state; None before the first event."""
    head_hash: bytes
    """The hash of the last event."""
    created_at_ms: int
    last_at_ms: int
    """The time of the last event."""

    @property
    def id(self) -> str:
        """The id of the match, as of any aggregate."""
        return self.match_id

    @property
    def version(self) -> int:
        """The number of events so far."""
        return self.folded.version if self.folded else 0

    @property
    def state(self) -> MatchState:
        """The state after the first event or a later one."""
        assert self.folded is not None, f"match {self.match_id} has no event yet"
        return self.folded


def from_entries(match_id: str, entries: Sequence[Entry]) -> Loaded:
    """The match that all its entries make, each checked by the hash chain.

    Raises:
        MatchNotFound: there are none.
        RulesChanged: the tables were edited after the match was made; a change is a new version.
        StreamCorrupt: see `extended`.
    """
    if not entries:
        raise MatchNotFound(match_id)
    empty = Loaded(match_id, None, NO_HASH, entries[0].time_ms, 0)
    return _with_its_rules(extended(empty, entries))


def as_stored(match_id: str, entries: Sequence[Entry]) -> Loaded:
    """As `from_entries` without any check by the hash chain: for who shows a record as it is, damaged or not.

    Raises:
        MatchNotFound, RulesChanged: see `from_entries`.
        StreamCorrupt: the entries make no match.
    """
    if not entries:
        raise MatchNotFound(match_id)
    state: MatchState | None = None
    for entry in entries:
        version = state.version if state else 0
        state = _folded(match_id, state, in_entry(decode, match_id, version, entry))
    tail = entries[-1]
    return _with_its_rules(Loaded(match_id, state, tail.hash, entries[0].time_ms, tail.time_ms))


def _with_its_rules(loaded: Loaded) -> Loaded:
    created = loaded.state.created
    if created.digest != loaded.state.rules.digest:
        raise RulesChanged(loaded.match_id, created.rules_version)
    return loaded


def extended(loaded: Loaded, entries: Sequence[Entry]) -> Loaded:
    """The match with further entries, each checked by the hash chain.

    Raises:
        StreamCorrupt: an entry is not what was written, or not the next one.
    """
    if not entries:
        return loaded
    state = loaded.folded.copy() if loaded.folded else None
    rules_version = rules_version_of(state) if state else ""
    reader = ChainReader(loaded.match_id, loaded.version, loaded.head_hash, rules_version)
    for entry in entries:
        state = fold_entry(reader, state, entry)
    tail = entries[-1]
    return Loaded(loaded.match_id, state, tail.hash, loaded.created_at_ms, tail.time_ms)


def fold_entry(reader: ChainReader, state: MatchState | None, entry: Entry) -> MatchState:
    """Apply the events of the reader's next entry to the state that is given, and give it back.

    Raises:
        StreamCorrupt: see `ChainReader.events`, or nothing that was written can lead to an event of it.
    """
    return _folded(reader.match_id, state, reader.events(entry))


def _folded(match_id: str, state: MatchState | None, events: Iterable[Event]) -> MatchState:
    try:
        return fold(state, events)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        detail = f"it does not follow from the events before: {error!r}"
        raise StreamCorrupt(match_id, state.version + 1 if state else 1, detail) from error


class Aggregate(Protocol):
    """A match or a ladder as of one version; its state is shared by all who hold it."""

    @property
    def id(self) -> str:
        """The id of its stream."""

    @property
    def version(self) -> int:
        """The number of events so far."""

    @property
    def head_hash(self) -> bytes:
        """The hash of the last event."""


A = TypeVar("A", bound=Aggregate)


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

    def keep(self, loaded: A) -> A:
        """Cache the aggregate unless a later version is there already."""
        with self._lock:
            known = self._cache.get(loaded.id)
            if known is None or known.version <= loaded.version:
                self._cache[loaded.id] = loaded
        return loaded

    def forget(self, id: str) -> None:
        """Drop the aggregate from the cache: it is read and checked from its first entry on the next time."""
        with self._lock:
            self._cache.pop(id, None)

    def note_damage(self, error: StreamCorrupt) -> None:
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
            self.note_damage(error)
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
            self.note_damage(error)
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
                return self.keep(self._extended(loaded, conflict.entries))
        return self.load(loaded.id)

    def _caught_up(self, id: str, cached: A | None, entries: Sequence[Entry]) -> A:
        if cached is None:
            return self.keep(self._from_entries(id, entries))
        if not entries or entries[0].last != cached.version or entries[0].hash != cached.head_hash:
            return self._loaded_anew(cached)
        return self.keep(self._extended(cached, entries[1:]))

    def _loaded_anew(self, cached: A) -> A:
        """The aggregate where its history is not the one that was cached, as after a restore of the store."""
        self.forget(cached.id)
        entries = self.store.read(cached.id)
        note_other_history(cached.id, cached.version, entries[-1].last if entries else 0)
        return self.keep(self._from_entries(cached.id, entries))


def _overlap(cached: Aggregate | None) -> int:
    """Where to read from so that the last cached entry comes once more and can be compared."""
    return cached.version - 1 if cached else 0


def note_other_history(owner_id: str, known: int, found: int) -> None:
    """Tell the operator that a match or a ladder was at the version `known`, and has another history now."""
    metrics.MISSING_BY_CACHE.inc(max(0, known - found))
    _logger.error("another_history", id=owner_id, known_version=known, version=found)


def rules_version_of(state: MatchState) -> str:
    """The rules version that a match was created with."""
    return state.created.rules_version
