"""Seeing to it that every match that ended has a checkpoint, whatever became of the process that ended it.

The witness is a second reader of the log of all appends. It takes over the pages that the relay reads anyway,
and reads by itself only where it is behind. On its first run it goes through all matches that ended before.
"""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import structlog
from msgspec import Struct

from domain.match.state import ABORTED, FINISHED
from events import Loaded, Matches, Notary, Outbox, StoreError, StoreUnavailable
from events.store import keys
from events.store.outbox import LOG_START, NOTARY
from events.store.records import Pointer
from runtime.metrics import NOT_SIGNED, SIGNED_LATER

FIRST_RUN: Final = "notary-first-run"
"""A reader of the log, so that it is kept from where the first run began until that is over."""
PAGE: Final = 500
"""As many pointers, or matches that ended earlier, are looked at in one go."""
SIGNED_AT_ONCE: Final = 16
"""As many matches are loaded in one go: turns of built-in players wait for so long."""
_REMEMBERED_LIMIT: Final = 10_000

log = structlog.get_logger("workers.witness")


class Patience(Struct, frozen=True):
    """How long the witness waits, in seconds."""

    grace_s: float = 1.0
    """For whoever ended a match to have it signed."""
    pause_s: float = 10.0
    """After something that only an operator can put right."""


class Witness:
    """Adds the checkpoints that are missing, a few at a time."""

    def __init__(self, matches: Matches, notary: Notary, outbox: Outbox, patience: Patience) -> None:
        self._matches = matches
        self._notary = notary
        self._outbox = outbox
        self._patience = patience
        self._not_before_s = 0.0
        self._forget()

    def _forget(self) -> None:
        self._seen = LOG_START
        """The last pointer that was looked at."""
        self._done = LOG_START
        """Up to that one no checkpoint is missing, but those in `_missing`."""
        self._saved = ""
        """What `_done` was when it was saved."""
        self._young: deque[tuple[float, Pointer]] = deque()
        """Matches that have just ended, each with the time to look after it."""
        self._missing: deque[str] = deque()
        """Matches that ended and have no checkpoint."""
        self._earlier: Iterator[list[str]] | None = None
        """On the first run: the matches that ended before, page by page."""

    def begin(self) -> None:
        """Go on where this reader was, in whichever process.

        Raises:
            StoreUnavailable.
        """
        self._forget()
        saved = self._outbox.checkpoint(NOTARY)
        if saved == LOG_START:
            saved = self._outbox.checkpoint(FIRST_RUN)
            if saved == LOG_START:
                saved = self._outbox.end()
                self._outbox.save_checkpoint(FIRST_RUN, saved)
            self._earlier = self._matches_that_ended()
        self._seen = self._done = saved

    def see(self, after: str, pointers: Sequence[Pointer]) -> None:
        """Take over a page of the log behind the pointer `after`, if it goes on where the last one ended."""
        if after == self._seen and len(self._young) < _REMEMBERED_LIMIT:
            self._take(pointers)

    def run(self, position: str) -> bool:
        """Look after a few matches; whether there is more to do at once. `position` is where the relay is.

        Raises:
            StoreUnavailable: what was not done is still to be done.
        """
        if time.monotonic() < self._not_before_s:
            return False
        if not self._missing:
            self._save()
            has_more = self._look_after_more(position)
            if not self._missing:
                return has_more
        try:
            self._sign()
        except StoreUnavailable:
            raise
        except StoreError as error:
            self._not_before_s = time.monotonic() + self._patience.pause_s
            log.error("matches_not_signed", matches=len(self._missing), error=str(error))
            return False
        return True

    def _look_after_more(self, position: str) -> bool:
        """Find further matches without a checkpoint; whether more are to be looked at already."""
        has_more = True
        match_ids: list[str] = []
        if self._earlier is not None:
            match_ids = next(self._earlier, [])
            if not match_ids:
                self._earlier = None
        else:
            has_more = self._read_on(position)
            match_ids = self._ripe()
        self._missing.extend(self._notary.without_line(match_ids))
        return has_more

    def _matches_that_ended(self) -> Iterator[list[str]]:
        for status in (FINISHED, ABORTED):
            last: str | None = None
            while page := self._matches.store.members(keys.index(f"status:{status}"), last, PAGE):
                yield page
                last = page[-1]

    def _read_on(self, position: str) -> bool:
        """Read where the relay does not: after a start, or while it waits for the queue."""
        if self._seen == position or len(self._young) >= _REMEMBERED_LIMIT:
            return False
        pointers = self._outbox.read_log(self._seen, PAGE)
        self._take(pointers)
        return len(pointers) == PAGE

    def _take(self, pointers: Sequence[Pointer]) -> None:
        if not pointers:
            return
        ripe_s = time.monotonic() + self._patience.grace_s
        self._young.extend((ripe_s, pointer) for pointer in pointers if pointer.next == "over")
        self._seen = pointers[-1].id

    def _ripe(self) -> list[str]:
        """The matches that have had their time."""
        found = []
        now_s = time.monotonic()
        while self._young and self._young[0][0] <= now_s:
            _, pointer = self._young.popleft()
            found.append(pointer.match_id)
            self._done = pointer.id
        if not self._young:
            self._done = self._seen
        return found

    def _sign(self) -> None:
        """Have a few of those signed that are missing; those that cannot be loaded are left out."""
        match_ids = [*islice(self._missing, SIGNED_AT_ONCE)]
        found = [self._loaded(match_id) for match_id in match_ids]
        SIGNED_LATER.inc(self._notary.note([match for match in found if match is not None]))
        for _ in match_ids:
            self._missing.popleft()

    def _loaded(self, match_id: str) -> Loaded | None:
        try:
            return self._matches.load(match_id)
        except StoreUnavailable:
            raise
        except Exception as error:
            # One match that cannot be helped must not keep the others waiting.
            NOT_SIGNED.inc()
            log.error("match_not_signed", match_id=match_id, error=str(error))
            return None

    def _save(self) -> None:
        """Say how far all is well; on the first run that is said when it is over."""
        if self._earlier is not None or self._done == self._saved:
            return
        self._outbox.save_checkpoint(NOTARY, self._done)
        if not self._saved:
            self._outbox.forget_reader(FIRST_RUN)
        self._saved = self._done
