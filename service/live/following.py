"""What all who follow matches at this process share: how many they may be, and what is read for them.

A match that goes on is read and written once for all who are at the same sequence.
"""

import threading
from collections import OrderedDict
from typing import Final

from events.matches.handler import Matches
from service.live.feeds import Feed, Portion, read_on
from service.operations.metrics import STREAMS_NOW

_KEPT: Final = 64
"""As many portions are kept for those who come a moment later."""


class _Reading:
    """A portion that is being read, or was lately."""

    __slots__ = ("done", "portion")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.portion: Portion | None = None
        """None until it is there, and if it could not be read."""


class Following:
    """Everybody who follows a match at this process."""

    def __init__(self, matches: Matches, limit: int) -> None:
        """`limit` is how many may follow."""
        self._matches = matches
        self._limit = limit
        self._count = 0
        self._lock = threading.Lock()
        self._readings: OrderedDict[tuple[Feed, int], _Reading] = OrderedDict()

    def has_room(self) -> bool:
        """Whether one more may follow."""
        return self._count < self._limit

    def enter(self) -> None:
        """Count one who follows, until `leave`."""
        STREAMS_NOW.inc()
        with self._lock:
            self._count += 1

    def leave(self) -> None:
        STREAMS_NOW.dec()
        with self._lock:
            self._count -= 1

    def read(self, feed: Feed, after: int) -> Portion:
        """The next portion behind the sequence `after`, see `read_on`.

        Somebody else may have been given the same: what has happened does not change, but more may have
        happened since.
        """
        reading = _Reading()
        shared = self._readings.setdefault((feed, after), reading)
        if shared is reading:
            self._read(feed, after, reading)
        else:
            shared.done.wait()
        if shared.portion is None:
            return read_on(self._matches, feed, after)
        return shared.portion

    def _read(self, feed: Feed, after: int, reading: _Reading) -> None:
        """Read for all who come meanwhile, and if there is something, for those who come a little later."""
        try:
            reading.portion = read_on(self._matches, feed, after)
        finally:
            reading.done.set()
            if reading.portion is None or reading.portion.after == after:
                self._readings.pop((feed, after), None)
            elif len(self._readings) > _KEPT:
                self._readings.popitem(last=False)
