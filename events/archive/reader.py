"""Reads archived matches from their files, as named by the tombstones in Redis, through a small cache."""

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from cachetools import LRUCache
from msgspec import Struct

from events.archive.files import LARGEST_FILE, Tombstone, decode, from_json
from events.store.entries import commands_in
from events.store.errors import StoreUnavailable, StreamCorrupt
from events.store.records import Entry

_CACHED_BYTES: Final = 16 << 20
"""The size of the events; the objects around them take about as much memory again."""

_GONE: Final = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
"""The errors that mean that the file is missing; any other error may be temporary."""


class ArchivedMatch(Struct, frozen=True, eq=False):
    """All entries of a match, and its command index."""

    entries: Sequence[Entry]
    commands: Mapping[str, int]
    size: int
    """The size of its events in bytes."""


class Archive:
    """The files of one directory; safe to share among threads."""

    def __init__(self, directory: Path | None, cached_bytes: int = _CACHED_BYTES) -> None:
        """Without a directory, every archived match counts as damaged."""
        self._directory = directory
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
        if self._directory is None:
            raise StreamCorrupt(match_id, 0, "it is archived, and ARCHIVE_DIR is not set")
        try:
            return read_file(_path(self._directory, tombstone.file))
        except OSError as error:  # its text has the path, which clients must not see
            if isinstance(error, _GONE) and self._directory.is_dir():
                raise StreamCorrupt(match_id, 0, f"its archive file: {error.strerror}") from error
            raise StoreUnavailable(f"the archive: {error.strerror}") from error
        except ValueError as error:
            raise StreamCorrupt(match_id, 0, f"its archive file: {error}") from error

    def _keep(self, key: tuple[str, str], match: ArchivedMatch) -> ArchivedMatch:
        with self._lock:
            if match.size <= self._cache.maxsize:
                self._cache[key] = match
        return match


def read_file(path: Path) -> bytes:
    """The content of a file.

    Raises:
        OSError.
        ValueError: it is larger than an archive file can be.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > LARGEST_FILE:
            raise ValueError("it is too large")
        return file.read(LARGEST_FILE)


def _path(directory: Path, name: str) -> Path:
    """The path of a file; raises ValueError for one outside of the directory."""
    parts = PurePosixPath(name).parts
    if not parts or PurePosixPath(name).is_absolute() or ".." in parts or "\0" in name:
        raise ValueError("the tombstone names no file of the archive")
    return directory.joinpath(*parts)
