"""The luck of matches, kept by each process: a throw is worked out once, however often it is asked for."""

import threading
from collections import OrderedDict
from typing import Final

from domain.luck import Luck, Tracker, Unexplained
from events.matches.entries import CODEC, Loaded
from events.store.errors import StreamCorrupt
from events.store.records import Entry, Store
from service.edge.aside import aside

_MOST_THROWS: Final = 10_000
"""As many throws are kept, of the matches that were asked for last; about 1 KB each. No match has more."""
_TABLE: Final = 10
"""The table of a match takes as much room as so many throws."""


class _Book:
    """The luck of one match as it was last asked for."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.luck: Luck | None = None
        self._tracker = Tracker()
        self._reader = CODEC.reader("")
        """Of the entries that the tracker has not seen."""
        self._loaded: Loaded | None = None

    @property
    def size(self) -> int:
        """The room it takes, in throws."""
        return _TABLE + (len(self.luck.throws) if self.luck else 0)

    def bring_to(self, loaded: Loaded, store: Store) -> Luck:
        """The luck of the match as of the version that was loaded."""
        known, self._loaded = self._loaded, None
        if known is None or self.luck is None or known.head_hash != loaded.head_hash:
            aside(self._follow, loaded, self._entries(known, loaded, store))
            self.luck = self._tracker.luck()
        self._loaded = loaded
        return self.luck

    def _entries(self, known: Loaded | None, loaded: Loaded, store: Store) -> list[Entry]:
        """What the tracker has not seen; it begins anew where the history is not that of before."""
        if known is not None and known.version < loaded.version:
            # The last entry that is known comes once more, to be compared.
            entries = store.read(loaded.match_id, known.version - 1)
            if entries and (entries[0].last, entries[0].hash) == (known.version, known.head_hash):
                return entries[1:]
        self._tracker, self._reader = Tracker(), CODEC.reader(loaded.match_id)
        return store.read(loaded.match_id)

    def _follow(self, loaded: Loaded, entries: list[Entry]) -> None:
        for entry in entries:
            # Not beyond what was loaded: the receipt is of its last event.
            if entry.last <= loaded.version:
                try:
                    self._tracker.follow(self._reader.events(entry))
                except Unexplained as error:
                    raise StreamCorrupt(loaded.match_id, error.sequence, error.detail) from error


class Lucks:
    """Works out the luck of matches; safe to share among threads."""

    def __init__(self, store: Store, most_throws: int = _MOST_THROWS) -> None:
        self._store = store
        self._most_throws = most_throws
        self._books: OrderedDict[str, _Book] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, loaded: Loaded) -> Luck:
        """The luck of the match as of that version.

        Raises:
            StreamCorrupt: the rules do not lead to what was recorded.
            StoreUnavailable.
        """
        book = self._book(loaded.match_id)
        with book.lock:
            luck = book.bring_to(loaded, self._store)
        self._drop_oldest()
        return luck

    def _book(self, match_id: str) -> _Book:
        with self._lock:
            book = self._books.setdefault(match_id, _Book())
            self._books.move_to_end(match_id)
            return book

    def _drop_oldest(self) -> None:
        with self._lock:
            size = sum([book.size for book in self._books.values()])
            while size > self._most_throws and len(self._books) > 1:
                size -= self._books.popitem(last=False)[1].size
