"""Creation of matches, once per Idempotency-Key.

The ids of the match are recorded under the key before the match is created. If the process dies in between, a
retry creates the match under the same ids. Its first state can always be restored from its events.
"""

from collections.abc import Callable
from typing import Final, cast

import msgspec
from msgspec import Struct

from domain.match.commands import CreateMatch
from events.matches.history import Outcome
from events.store.errors import MatchNotFound
from events.store.keys import new_id
from runtime.metrics import REPLAYED
from service.context import services
from service.edge.admission import permits_for, require_room
from service.edge.idempotency import KEPT_MS, Keyed


class _Record(Struct, frozen=True):
    """The ids of a match that is created under an Idempotency-Key."""

    fingerprint: str
    match_id: str
    command_id: str


_records: Final = msgspec.json.Decoder(_Record)


Resolve = Callable[[], CreateMatch]
"""Returns the command of a validated body. May raise any error to refuse the request."""


def create_once(resolve: Resolve, keyed: Keyed | None) -> Outcome:
    """Create the match of the command, or return the one that was created under the same key.

    Raises:
        Problem, RuleViolation: the request is refused, and no match is created.
        StreamCorrupt: the match was created before and can no longer be read.
        StoreUnavailable.
    """
    known = _known(keyed) if keyed else None
    # Before the body is resolved: the accounts and strategies that it names may have changed since.
    return (_created(known) if known else None) or _create(resolve, keyed)


def _known(keyed: Keyed) -> _Record | None:
    stored = cast("bytes | None", services().events_redis.get(keyed.record))
    return _same(stored, keyed) if stored else None


def _same(stored: bytes, keyed: Keyed) -> _Record:
    record = _records.decode(stored)
    keyed.require_same(record.fingerprint)
    return record


def _created(record: _Record) -> Outcome | None:
    try:
        outcome = services().matches.history.find_command(record.match_id, record.command_id)
    except MatchNotFound:
        return None  # another request has recorded the ids, but not created the match yet, or died
    REPLAYED.inc()
    return outcome


def _create(resolve: Resolve, keyed: Keyed | None) -> Outcome:
    matches = services().matches
    require_room()
    command = resolve()
    if keyed is None:
        match_id = new_id("mat")
        with permits_for(command, match_id):
            return matches.create(command, match_id=match_id)
    matches.check_creation(command)
    record = _recorded(keyed)
    with permits_for(command, record.match_id):
        return matches.create(command, record.command_id, record.match_id, keyed.fingerprint.encode())


def _recorded(keyed: Keyed) -> _Record:
    """The first record for the key, which a concurrent request may have written."""
    record = _Record(keyed.fingerprint, new_id("mat"), new_id("cmd"))
    earlier = services().events_redis.set(
        keyed.record, msgspec.json.encode(record), nx=True, get=True, px=KEPT_MS
    )
    return _same(cast(bytes, earlier), keyed) if earlier else record
