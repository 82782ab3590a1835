"""The background check of all stored matches, which finds damage at rest."""

import time
from contextlib import suppress
from typing import Final

import redis
import structlog

from events import MatchNotFound, StoreUnavailable, StreamCorrupt
from events.ladders.ladders import Ladders
from events.matches.entries import from_entries
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.damaged_streams import DamagedStreams
from events.store.errors import LadderNotFound, RulesChanged
from events.store.records import Store
from workers.operations import metrics

PAGE: Final = 20
"""Most matches checked per run."""
SHARE_S: Final = 0.05
"""A run checks no further match after this time, because turns of built-in players wait for it."""
REST_S: Final = 60.0
"""The pause between two passes over all matches."""

log = structlog.get_logger(__name__)


class Scrub:
    """Checks the hash chains of all matches, newest first; the position survives a change of the relay."""

    def __init__(
        self,
        store: Store,
        ladders: Ladders,
        damages: DamagedStreams,
        client: redis.Redis,
        rest_s: float = REST_S,
    ) -> None:
        """`client` is one of the event store; `rest_s` is the time from the end of a pass to the next."""
        self._store = store
        self._ladders = ladders
        self._damages = damages
        self._client = client
        self._rest_s = rest_s
        self._not_before_s = 0.0

    def run(self) -> None:
        """Check a few matches; if the store or the archive is unavailable, retry at the next run."""
        if time.monotonic() < self._not_before_s:
            return
        try:
            self._check_page()
        except StoreUnavailable as error:
            log.warning("matches_not_scrubbed", error=str(error))

    def _check_page(self) -> None:
        ends_s = time.monotonic() + SHARE_S
        position = self._position()
        match_ids = self._store.members(keys.index("all"), position or None, PAGE)
        known = self._damages.match_ids()
        position = ""
        for match_id in match_ids:
            self._check(match_id, known)
            position = match_id
            if time.monotonic() >= ends_s:
                break
        else:
            if len(match_ids) < PAGE:
                position = ""
                self._withdraw_ladders(known)
                self._not_before_s = time.monotonic() + self._rest_s
        self._save(position)

    def _check(self, match_id: str, known: set[str]) -> None:
        """Read the match from the store, and record or withdraw its damage."""
        try:
            self._store.forget(match_id)
            from_entries(match_id, self._store.read(match_id))
            if removals := self._store.removals(match_id):
                raise StreamCorrupt(match_id, 0, removals)
        except StreamCorrupt as error:
            self._damages.record(error)
        except MatchNotFound:
            self._damages.record(StreamCorrupt(match_id, 1, "its events are gone"))
        except RulesChanged as error:
            log.warning("match_not_scrubbed", match_id=match_id, error=str(error))
        else:
            if match_id in known:
                self._damages.withdraw(match_id)
        metrics.SCRUBBED.inc()

    def _withdraw_ladders(self, known: set[str]) -> None:
        """Withdraw the damage of ladders that are whole again; loading a ladder detects new damage."""
        for ladder_id in sorted(known):
            if ladder_id.startswith("lad_"):
                with suppress(LadderNotFound, StreamCorrupt):
                    self._ladders.load(ladder_id)
                    self._damages.withdraw(ladder_id)

    def _position(self) -> str:
        with unavailable_as_store_error():
            found = self._client.get(keys.SCRUBBED)
        return found.decode() if isinstance(found, bytes) else ""

    def _save(self, position: str) -> None:
        """Save where the next page begins; empty for the newest match."""
        with unavailable_as_store_error():
            self._client.set(keys.SCRUBBED, position)
