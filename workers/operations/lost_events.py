"""The detection of events that the event store has lost, as when a power failure truncates its file.

The relay stores the heads of the streams that it reads about on the queue's Redis. When it acquires its
lease, and after the connection to the event store broke, it compares them with the store. Missing events are
logged and counted; the service continues with what is there.
"""

import time
from collections.abc import Sequence
from typing import Final

import redis
import structlog

from domain.audit.checkpoints import Head
from events import LogCorrupt, Notary
from events.store.heads import HeadComparison, Heads
from events.store.records import Pointer
from runtime.metrics import LINES_MISSING, MISSING_BY_LOG

MOST_NAMED: Final = 100
"""Most matches that one line of the log names."""
PAUSE_S: Final = 1.0
"""The pause after a failure of the queue's Redis."""

log = structlog.get_logger(__name__)


class LostEvents:
    """Stores stream heads and compares them; without the queue's Redis it does neither."""

    def __init__(self, heads: Heads, notary: Notary | None) -> None:
        """The relay of the first partition, which has the checkpoint log, passes a notary; without one, only
        appends are compared."""
        self._heads = heads
        self._notary = notary
        self._is_compared = False
        self._line = 0
        """The number of the last stored line of the checkpoint log."""
        self._not_before_s = 0.0

    def begin(self) -> None:
        """Compare before anything more is stored, since the event store may have changed."""
        self._is_compared = False

    def store(self, pointers: Sequence[Pointer]) -> None:
        """Store the heads after these appends.

        Raises:
            StoreUnavailable.
        """
        if pointers and self._is_ready():
            try:
                self._heads.remember(pointers)
            except redis.RedisError as error:
                self._wait(error)

    def run(self) -> None:
        """Compare if that is due, and store the last line of the checkpoint log.

        Raises:
            StoreUnavailable.
        """
        if not self._is_ready() or self._notary is None:
            return
        if (number := self._notary.last_number()) != self._line:
            try:
                self._remember_line(self._notary, number)
            except redis.RedisError as error:
                self._wait(error)

    def _is_ready(self) -> bool:
        """Whether the store was compared; compares it if that is due."""
        if self._is_compared or time.monotonic() < self._not_before_s:
            return self._is_compared
        try:
            self._compare()
        except redis.RedisError as error:
            self._wait(error)
        return self._is_compared

    def _compare(self) -> None:
        found = self._heads.compare()
        self._report(found)
        if self._notary is not None:
            self._compare_line(self._notary)
        self._heads.forget(found.lost)
        self._is_compared = True

    def _report(self, found: HeadComparison) -> None:
        if not found.lost:
            log.info("appends_compared", remembered=found.remembered, missing=0)
            return
        MISSING_BY_LOG.inc(found.events)
        named = [f"{one.id} {one.first}-{one.last}" for one in found.missing[:MOST_NAMED]]
        log.error(
            "events_missing",
            remembered=found.remembered,
            events=found.events,
            matches=len(found.missing),
            missing=named,
        )

    def _compare_line(self, notary: Notary) -> None:
        """Check that the stored last line of the checkpoint log is still there."""
        known, last = self._heads.line(), notary.last_number()
        self._line = known.number
        if known.number > last or _hash_of(notary, known.number) != known.hash:
            lines = max(1, known.number - last)
            LINES_MISSING.inc(lines)
            log.error("checkpoints_missing", remembered=known.number, last=last, missing=lines)
            self._remember_line(notary, last)

    def _remember_line(self, notary: Notary, number: int) -> None:
        self._heads.remember_line(Head(number, _hash_of(notary, number)))
        self._line = number

    def _wait(self, error: redis.RedisError) -> None:
        self._not_before_s = time.monotonic() + PAUSE_S
        log.warning("appends_not_remembered", error=str(error))


def _hash_of(notary: Notary, number: int) -> str:
    """The hash of a line; the initial hash if the line is missing or unreadable."""
    try:
        line = notary.line(number)
    except LogCorrupt:
        return Head().hash
    return line.hash if line else Head().hash
