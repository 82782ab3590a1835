"""Reads archived matches from their files, as named by the tombstones in Redis, through a small cache."""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from cachetools import LRUCache
from msgspec import Struct

from events.archive.files import Tombstone, decode, from_json
from events.archive.places import Missing, place_of
from events.store.entries import commands_in
from events.store.errors import StoreUnavailable, StreamCorrupt
from events.store.records import Entry
from runtime.settings import Bucket

_CACHED_BYTES: Final = 16 << 20
"""The size of the events; the objects around them take about as much memory again."""


class ArchivedMatch(Struct, frozen=True, eq=False):
    """All entries of a match, and its command index."""

    entries: Sequence[Entry]
    commands: Mapping[str, int]
    size: int
    """The size of its events in bytes."""


class Archive:
    """The files of one place; safe to share among threads."""

    def __init__(self, where: Path | Bucket | None, cached_bytes: int = _CACHED_BYTES) -> None:
        """Without a place, every archived match counts as damaged."""
        self._place = place_of(where) if where else None
        self._lock = threading.Lock()
        self._cache: LRUCache[tuple[str, str], ArchivedMatch] = LRUCache(
            cached_bytes, getsizeof=lambda match: match.size
        )

    def match(self, match_id: str, stored: bytes) -> ArchivedMatch:
        """The match of the stored tombstone.

        Raises:
            StreamCorrupt: its file is missing, damaged, or that of another match.
            StoreUnavailable: the archive cannot be read for now.
        """
        tombstone = from_json(match_id, stored)
        key = (match_id, tombstone.sha256)
        with self._lock:
            if found := self._cache.get(key):
                return found
        entries = tuple(decode(match_id, tombstone, self._bytes(match_id, tombstone)))
        size = sum([len(entry.events) for entry in entries])
        return self._keep(key, ArchivedMatch(entries, commands_in(entries), size))

    def forget(self, match_id: str) -> None:
        """Drop the match from the cache."""
        with self._lock:
            for key in [key for key in self._cache if key[0] == match_id]:
                del self._cache[key]

    def _bytes(self, match_id: str, tombstone: Tombstone) -> bytes:
        if self._place is None:
            raise StreamCorrupt(match_id, 0, "it is archived, and ARCHIVE_DIR is not set")
        try:
            return self._place.read(tombstone.file)
        except Missing as error:
            raise StreamCorrupt(match_id, 0, f"its archive file: {error}") from error
        except OSError as error:  # its text has the path, which clients must not see
            raise StoreUnavailable(f"the archive: {error.strerror}") from error
        except ValueError as error:
            raise StreamCorrupt(match_id, 0, f"its archive file: {error}") from error

    def _keep(self, key: tuple[str, str], match: ArchivedMatch) -> ArchivedMatch:
        with self._lock:
            if match.size <= self._cache.maxsize:
                self._cache[key] = match
        return match
