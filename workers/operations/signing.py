"""The signer: it has every ended match signed whose own process did not do it.

The signer is a second reader of the append log. It shares the pages that the relay reads, and reads itself
only if it is behind. On its first run it also goes through all matches that ended before.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

import structlog
from msgspec import Struct

from domain.match.state import ABORTED, FINISHED
from events import Loaded, Matches, Notary, Outbox, StoreError, StoreUnavailable
from events.store import keys
from events.store.outbox import LOG_START, NOTARY
from events.store.records import Pointer, member_pages
from runtime.metrics import NOT_SIGNED, SIGNED_LATER

FIRST_RUN: Final = "notary-first-run"
"""The name of a reader that keeps the log from where the first run began until that run is complete."""
PAGE: Final = 500
"""Pointers, or earlier matches, per page."""
SIGNED_AT_ONCE: Final = 16
"""Matches signed per run; turns of built-in players wait meanwhile."""
_REMEMBERED_LIMIT: Final = 10_000

log = structlog.get_logger(__name__)


class SigningDelays(Struct, frozen=True):
    """Delays of the signer, in seconds."""

    grace_s: float = 1.0
    """The time that the process that ended a match has to get it signed."""
    pause_s: float = 10.0
    """The pause after an error that only an operator can fix."""


class MatchSigner:
    """Adds missing checkpoints, a few at a time."""

    def __init__(
        self,
        matches: Matches,
        notary: Notary,
        outbox: Outbox,
        delays: SigningDelays,
        is_own: Callable[[str], bool] = lambda match_id: True,
    ) -> None:
        """`is_own` tells the matches of the outbox's partition from others."""
        self._is_own = is_own
        self._matches = matches
        self._notary = notary
        self._outbox = outbox
        self._delays = delays
        self._not_before_s = 0.0
        self._forget()

    def _forget(self) -> None:
        self._seen = LOG_START
        """The last pointer that was read."""
        self._done = LOG_START
        """Up to this pointer, every ended match has a checkpoint or is in `_missing`."""
        self._saved = ""
        """The saved value of `_done`."""
        self._young: deque[tuple[float, Pointer]] = deque()
        """Matches that have just ended, each with the time at which its checkpoint is due."""
        self._missing: deque[str] = deque()
        """Ended matches without a checkpoint."""
        self._earlier: Iterator[list[str]] | None = None
        """On the first run: pages of matches that ended before."""

    def begin(self) -> None:
        """Resume at the saved position of this reader.

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

    def share_page(self, after: str, pointers: Sequence[Pointer]) -> None:
        """Share a page that follows the pointer `after`, if that is where this reader is."""
        if after == self._seen and len(self._young) < _REMEMBERED_LIMIT:
            self._take(pointers)

    def run(self, position: str) -> bool:
        """Sign a few matches; whether more can be done now. `position` is the relay's position in the log.

        Raises:
            StoreUnavailable: the next run continues.
        """
        if time.monotonic() < self._not_before_s:
            return False
        if not self._missing:
            self._save()
            has_more = self._find_more(position)
            if not self._missing:
                return has_more
        try:
            self._sign()
        except StoreUnavailable:
            raise
        except StoreError as error:
            self._not_before_s = time.monotonic() + self._delays.pause_s
            log.error("matches_not_signed", matches=len(self._missing), error=str(error))
            return False
        return True

    def _find_more(self, position: str) -> bool:
        """Find matches without a checkpoint; whether more can be checked at once."""
        has_more = True
        match_ids: list[str] = []
        if self._earlier is not None:
            match_ids = next(self._earlier, [])
            if not match_ids:
                self._earlier = None
        else:
            has_more = self._read_on(position)
            match_ids = self._due()
        self._missing.extend(self._notary.without_line(match_ids))
        return has_more

    def _matches_that_ended(self) -> Iterator[list[str]]:
        for status in (FINISHED, ABORTED):
            for page in member_pages(self._matches.store, keys.index(f"status:{status}"), PAGE):
                if own := [*filter(self._is_own, page)]:
                    yield own

    def _read_on(self, position: str) -> bool:
        """Read ahead of what the relay shares: after a start, or while the relay waits for the queue."""
        if self._seen == position or len(self._young) >= _REMEMBERED_LIMIT:
            return False
        pointers = self._outbox.read_log(self._seen, PAGE)
        self._take(pointers)
        return len(pointers) == PAGE

    def _take(self, pointers: Sequence[Pointer]) -> None:
        if not pointers:
            return
        due_s = time.monotonic() + self._delays.grace_s
        self._young.extend((due_s, pointer) for pointer in pointers if pointer.next == "over")
        self._seen = pointers[-1].id

    def _due(self) -> list[str]:
        """The matches whose grace period is over."""
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
        """Sign a few of the missing matches, except those that cannot be loaded."""
        match_ids = [*islice(self._missing, SIGNED_AT_ONCE)]
        found = [self._loaded(match_id) for match_id in match_ids]
        SIGNED_LATER.inc(self._notary.sign([match for match in found if match is not None]))
        for _ in match_ids:
            self._missing.popleft()

    def _loaded(self, match_id: str) -> Loaded | None:
        try:
            return self._matches.load(match_id)
        except StoreUnavailable:
            raise
        except Exception as error:
            # One match that cannot be loaded must not block the others.
            NOT_SIGNED.inc()
            log.error("match_not_signed", match_id=match_id, error=str(error))
            return None

    def _save(self) -> None:
        """Save the position; during the first run only when that is complete."""
        if self._earlier is not None or self._done == self._saved:
            return
        self._outbox.save_checkpoint(NOTARY, self._done)
        if not self._saved:
            self._outbox.forget_reader(FIRST_RUN)
        self._saved = self._done
