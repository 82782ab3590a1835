"""A cache of the luck of matches, so that each process computes the luck of a roll only once."""

import threading
from contextlib import suppress
from typing import Final

from cachetools import LRUCache

from domain.luck import Luck, Tracker, Unexplained
from events.matches.entries import CODEC, Loaded
from events.store.errors import StreamCorrupt
from events.store.records import Entry, Store
from service.edge.native_threads import in_native_thread

_MOST_THROWS: Final = 10_000
"""The most rolls in the cache, each about 1 KB. Matches last about 200 rolls."""
_TABLE: Final = 10
"""The size of the table of a cached match, in the units of the cache: it takes as much as so many rolls."""


class _CachedLuck:
    """The luck of one match, as of the version that was requested last."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.luck: Luck | None = None
        self._tracker = Tracker()
        self._reader = CODEC.reader("")
        """Checks the entries that the tracker has not followed yet."""
        self._loaded: Loaded | None = None

    @property
    def size(self) -> int:
        """The size in the cache, in rolls."""
        return _TABLE + (len(self.luck.throws) if self.luck else 0)

    def update(self, loaded: Loaded, store: Store) -> Luck:
        """Follow the match to the loaded version, and return its luck."""
        known, self._loaded = self._loaded, None
        if known is None or self.luck is None or known.head_hash != loaded.head_hash:
            in_native_thread(self._follow, loaded, self._entries(known, loaded, store))
            self.luck = self._tracker.luck()
        self._loaded = loaded
        return self.luck

    def _entries(self, known: Loaded | None, loaded: Loaded, store: Store) -> list[Entry]:
        """The entries that the tracker has not followed yet; all of them, for a new tracker, if the history
        has changed."""
        if known is not None and known.version < loaded.version:
            # Read the last known entry again, to compare it.
            entries = store.read(loaded.match_id, known.version - 1)
            if entries and (entries[0].last, entries[0].hash) == (known.version, known.head_hash):
                return entries[1:]
        self._tracker, self._reader = Tracker(), CODEC.reader(loaded.match_id)
        return store.read(loaded.match_id)

    def _follow(self, loaded: Loaded, entries: list[Entry]) -> None:
        for entry in entries:
            # Not beyond the loaded version: the receipt names its last event.
            if entry.last <= loaded.version:
                try:
                    self._tracker.follow(self._reader.events(entry))
                except Unexplained as error:
                    raise StreamCorrupt(loaded.match_id, error.sequence, error.detail) from error


class LuckCache:
    """A cache of the luck of the most recently requested matches; thread-safe."""

    def __init__(self, store: Store, most_throws: int = _MOST_THROWS) -> None:
        self._store = store
        self._cached: LRUCache[str, _CachedLuck] = LRUCache(most_throws, getsizeof=lambda one: one.size)
        self._lock = threading.Lock()

    def luck_of(self, loaded: Loaded) -> Luck:
        """The luck of the match as of that version.

        Raises:
            StreamCorrupt: the recorded events do not follow from the rules.
            StoreUnavailable.
        """
        cached = self._cached_of(loaded.match_id)
        with cached.lock:
            luck = cached.update(loaded, self._store)
        with self._lock, suppress(ValueError):  # the match alone is larger than the cache
            self._cached[loaded.match_id] = cached  # it has grown
        return luck

    def _cached_of(self, match_id: str) -> _CachedLuck:
        with self._lock:
            return self._cached.setdefault(match_id, _CachedLuck())
