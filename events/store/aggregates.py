"""Aggregates: what streams fold to, loaded through a cache.

A kind of aggregate gives two functions: how entries become one, and how further entries extend it.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Generic, TypeVar

import structlog
from cachetools import LRUCache
from msgspec import Struct

from events.store.errors import MatchNotFound, RulesChanged, StoreError, StreamCorrupt
from events.store.records import Conflict, Entry, Store
from runtime import metrics

_logger: Final = structlog.get_logger(__name__)

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
