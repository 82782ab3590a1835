"""The limit on the event streams of a process, and the portions that they share.

Each portion is read and encoded once for all streams at the same sequence.
"""

import threading
from collections import Counter
from typing import Final

from cachetools import FIFOCache

from events.matches.matches import Matches
from service.live.feeds import Feed, Portion, read_on
from service.operations.metrics import STREAMS_NOW

_KEPT: Final = 64
"""The number of portions that are cached, for streams that ask at the same time or a moment later."""


class _Reading:
    """A portion that is being read or was read recently."""

    __slots__ = ("done", "portion")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.portion: Portion | None = None
        """None until it was read, and if reading failed."""


class SharedFeeds:
    """The event streams of this process."""

    def __init__(self, matches: Matches, limit: int) -> None:
        """`limit` is the most streams at a time."""
        self._matches = matches
        self._limit = limit
        self._followers: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._readings: FIFOCache[tuple[Feed, int], _Reading] = FIFOCache(_KEPT)

    def has_room(self) -> bool:
        """Whether one more stream may open."""
        return self._followers.total() < self._limit

    def enter(self, match_id: str) -> None:
        """Count a stream of the match until `leave`."""
        STREAMS_NOW.inc()
        with self._lock:
            self._followers[match_id] += 1

    def leave(self, match_id: str) -> None:
        STREAMS_NOW.dec()
        with self._lock:
            self._followers[match_id] -= 1
            if not self._followers[match_id]:
                del self._followers[match_id]

    def followers(self, match_id: str) -> int:
        """The number of open streams of the match."""
        return self._followers[match_id]

    def read(self, feed: Feed, after: int) -> Portion:
        """The next portion after the sequence `after`, see `read_on`.

        The portion may come from the cache. Its events never change, but there may be newer ones.
        """
        reading = _Reading()
        with self._lock:
            shared = self._readings.setdefault((feed, after), reading)
        if shared is reading:
            self._read(feed, after, reading)
        else:
            shared.done.wait()
        if shared.portion is None:
            return read_on(self._matches, feed, after)
        return shared.portion

    def _read(self, feed: Feed, after: int, reading: _Reading) -> None:
        """Read for all streams that ask meanwhile; cache a portion with events for those that ask later."""
        try:
            reading.portion = read_on(self._matches, feed, after)
        finally:
            reading.done.set()
            if reading.portion is None or reading.portion.after == after:
                with self._lock:
                    self._readings.pop((feed, after), None)
