"""The state of a match from its stream, and a cache of states that the stream's tail brings up to date."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from domain.events import Event
from domain.evolve import fold
from domain.state import MatchState, initial_state
from events.chain import NO_HASH
from events.codec import decode, in_entry
from events.errors import MatchNotFound, RulesChanged, StoreError, StreamCorrupt
from events.records import Conflict, Entry, Store


class Loaded(Struct, frozen=True, eq=False):
    """A match as of one version. The state is shared by all who hold it: read it, or `copy()` it."""

    match_id: str
    state: MatchState
    head_hash: bytes
    """The hash of the last event."""
    created_at_ms: int
    last_at_ms: int
    """The time of the last event."""

    @property
    def version(self) -> int:
        """The number of events so far."""
        return self.state.version


def from_entries(match_id: str, entries: Sequence[Entry]) -> Loaded:
    """The match that all its entries make.

    Raises:
        MatchNotFound: there are none.
        RulesChanged: the tables were edited after the match was made; a change is a new version.
        StreamCorrupt: see `extended`.
    """
    if not entries:
        raise MatchNotFound(match_id)
    empty = Loaded(match_id, initial_state(), NO_HASH, entries[0].time_ms, 0)
    loaded = extended(empty, entries)
    created = loaded.state.created
    if created is not None and created.digest != loaded.state.rules.digest:
        raise RulesChanged(match_id, created.rules_version)
    return loaded


def extended(loaded: Loaded, entries: Sequence[Entry]) -> Loaded:
    """The match with further entries; hashes are not checked.

    Raises:
        StreamCorrupt: an entry cannot be decoded, or does not begin where the one before ended.
    """
    if not entries:
        return loaded
    state = loaded.state.copy()
    for entry in entries:
        fold_entry(loaded.match_id, state, entry)
    tail = entries[-1]
    return Loaded(loaded.match_id, state, tail.hash, loaded.created_at_ms, tail.time_ms)


def fold_entry(match_id: str, state: MatchState, entry: Entry) -> None:
    """Apply the events of one entry to the state that is given.

    Raises:
        StreamCorrupt: see `extended`, or nothing that was written can lead to an event of it.
    """
    events = events_of(match_id, state.version, entry)
    try:
        fold(state, events)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        detail = f"it does not follow from the events before: {error!r}"
        raise StreamCorrupt(match_id, state.version + 1, detail) from error


def events_of(match_id: str, version: int, entry: Entry) -> tuple[Event, ...]:
    """The events of one entry, given the version before it; its hash is not checked.

    Raises:
        StreamCorrupt: see `extended`.
    """
    return in_entry(decode, match_id, version, entry)


class Loader:
    """Loads matches through a cache of bounded size; safe to share among threads."""

    def __init__(self, store: Store, cache_size: int) -> None:
        self._store = store
        self._cache_size = cache_size
        self._cache: OrderedDict[str, Loaded] = OrderedDict()
        self._lock = threading.Lock()

    def cached(self, match_id: str) -> Loaded | None:
        """The match as this process saw it last; the stream may be ahead of it."""
        with self._lock:
            loaded = self._cache.get(match_id)
            if loaded is not None:
                self._cache.move_to_end(match_id)
            return loaded

    def keep(self, loaded: Loaded) -> Loaded:
        """Cache the match unless a later version is there already."""
        with self._lock:
            known = self._cache.get(loaded.match_id)
            if known is None or known.version <= loaded.version:
                self._cache[loaded.match_id] = loaded
            self._cache.move_to_end(loaded.match_id)
            if len(self._cache) > self._cache_size:
                self._cache.popitem(last=False)
        return loaded

    def forget(self, match_id: str) -> None:
        """Drop the match from the cache."""
        with self._lock:
            self._cache.pop(match_id, None)

    def load(self, match_id: str) -> Loaded:
        """The match as of now.

        Raises:
            MatchNotFound, StreamCorrupt, StoreUnavailable.
        """
        cached = self.cached(match_id)
        return self._caught_up(match_id, cached, self._store.read(match_id, _overlap(cached)))

    def load_many(self, match_ids: Sequence[str]) -> list[Loaded | StoreError]:
        """Each match as of now, or why it cannot be loaded, in one round trip.

        Raises:
            StoreUnavailable.
        """
        cached = [self.cached(match_id) for match_id in match_ids]
        wanted = [(match_id, _overlap(one)) for match_id, one in zip(match_ids, cached, strict=True)]
        try:
            replies = self._store.read_many(wanted)
        except StreamCorrupt:  # one of them, which must not keep the others
            return [self._or_error(partial(self.load, match_id)) for match_id in match_ids]
        return [
            self._or_error(partial(self._caught_up, match_id, one, entries))
            for match_id, one, entries in zip(match_ids, cached, replies, strict=True)
        ]

    def _or_error(self, load: Callable[[], Loaded]) -> Loaded | StoreError:
        try:
            return load()
        except (MatchNotFound, RulesChanged, StreamCorrupt) as error:
            return error

    def catch_up(self, loaded: Loaded, conflict: Conflict) -> Loaded:
        """The match as of now, after an append on `loaded` came too late; as a rule the reply tells how.

        Raises:
            MatchNotFound, StreamCorrupt, StoreUnavailable.
        """
        if not conflict.entries:
            self.forget(loaded.match_id)
        elif conflict.entries[-1].last == conflict.current:
            return self.keep(extended(loaded, conflict.entries))
        return self.load(loaded.match_id)

    def _caught_up(self, match_id: str, cached: Loaded | None, entries: Sequence[Entry]) -> Loaded:
        if cached is None:
            return self.keep(from_entries(match_id, entries))
        if not entries or entries[0].last != cached.version or entries[0].hash != cached.head_hash:
            # Not the history that was cached, as after a restore of the store from a backup.
            self.forget(match_id)
            return self.load(match_id)
        return self.keep(extended(cached, entries[1:]))


def _overlap(cached: Loaded | None) -> int:
    """Where to read from so that the last cached entry comes once more and can be compared."""
    return cached.version - 1 if cached else 0


def rules_version_of(state: MatchState) -> str:
    """The rules version that a match was created with."""
    assert state.created is not None, "the match was created"
    return state.created.rules_version
