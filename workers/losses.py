"""Noticing what the event store has lost, as when the end of its file was cut off by a loss of power.

The relay has the queue's Redis remember the appends that it reads. When it takes its lease, and whenever the
connection to the event store has broken, it looks whether they are still there. What is missing is told in
the log and counted; the service goes on with what there is.
"""

import time
from collections.abc import Sequence
from typing import Final

import redis
import structlog

from events import LogCorrupt, Notary
from events.checkpoints.lines import Head
from events.store.heads import Comparison, Heads
from events.store.records import Pointer
from runtime.metrics import LINES_MISSING, MISSING_BY_LOG

TOLD: Final = 100
"""As many matches are named in one line of the log."""
PAUSE_S: Final = 1.0
"""Between two tries while the queue's Redis does not answer."""

log = structlog.get_logger("workers.losses")


class Losses:
    """Remembers what the relay reads, and compares. Without the queue's Redis it does neither."""

    def __init__(self, heads: Heads, notary: Notary) -> None:
        self._heads = heads
        self._notary = notary
        self._is_compared = False
        self._line = 0
        """The number of the last line that is remembered."""
        self._not_before_s = 0.0

    def begin(self) -> None:
        """Compare before anything more is remembered: the store may not be what it was."""
        self._is_compared = False

    def see(self, pointers: Sequence[Pointer]) -> None:
        """Remember these appends.

        Raises:
            StoreUnavailable.
        """
        if pointers and self._is_ready():
            try:
                self._heads.note(pointers)
            except redis.RedisError as error:
                self._wait(error)

    def run(self) -> None:
        """Compare, if that is still to be done, and remember the last line of the log of checkpoints.

        Raises:
            StoreUnavailable.
        """
        if self._is_ready() and (number := self._notary.last_number()) != self._line:
            try:
                self._remember_line(number)
            except redis.RedisError as error:
                self._wait(error)

    def _is_ready(self) -> bool:
        """Whether the store was compared, by now if need be."""
        if self._is_compared or time.monotonic() < self._not_before_s:
            return self._is_compared
        try:
            self._compare()
        except redis.RedisError as error:
            self._wait(error)
        return self._is_compared

    def _compare(self) -> None:
        found = self._heads.compare()
        self._tell(found)
        self._compare_line()
        self._heads.forget(found.lost)
        self._is_compared = True

    def _tell(self, found: Comparison) -> None:
        if not found.lost:
            log.info("appends_compared", remembered=found.remembered, missing=0)
            return
        MISSING_BY_LOG.inc(found.events)
        named = [f"{one.id} {one.first}-{one.last}" for one in found.missing[:TOLD]]
        log.error(
            "events_missing",
            remembered=found.remembered,
            events=found.events,
            matches=len(found.missing),
            missing=named,
        )

    def _compare_line(self) -> None:
        """Look for the last line of the log of checkpoints that is remembered."""
        known, last = self._heads.line(), self._notary.last_number()
        self._line = known.number
        if known.number > last or self._hash_of(known.number) != known.hash:
            lines = max(1, known.number - last)
            LINES_MISSING.inc(lines)
            log.error("checkpoints_missing", remembered=known.number, last=last, missing=lines)
            self._remember_line(last)

    def _remember_line(self, number: int) -> None:
        self._heads.note_line(Head(number, self._hash_of(number)))
        self._line = number

    def _hash_of(self, number: int) -> str:
        """The hash of a line; that before the first where there is none, or it cannot be read."""
        try:
            line = self._notary.line(number)
        except LogCorrupt:
            return Head().hash
        return line.hash if line else Head().hash

    def _wait(self, error: redis.RedisError) -> None:
        self._not_before_s = time.monotonic() + PAUSE_S
        log.warning("appends_not_remembered", error=str(error))
