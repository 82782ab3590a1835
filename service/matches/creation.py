"""Making a match: once, however often it is asked for under one Idempotency-Key.

First the ids are recorded that the match gets, then the match is made under them. Whatever ends between the
two, a repetition goes on with the same ids; and what the match was like then is in its events.
"""

from collections.abc import Callable
from typing import Final, cast

import msgspec
from msgspec import Struct

from domain.match.commands import CreateMatch
from events.matches.history import Outcome
from events.store.errors import MatchNotFound
from events.store.streams import new_id
from runtime.metrics import REPLAYED
from service.context import services
from service.edge.admission import placed, require_room
from service.edge.idempotency import KEPT_MS, Keyed


class _Record(Struct, frozen=True):
    """What a match gets that is made under an Idempotency-Key."""

    fingerprint: str
    match_id: str
    command_id: str


_records: Final = msgspec.json.Decoder(_Record)


Wish = Callable[[], CreateMatch]
"""The command that a checked body asks for. May refuse by raising what it likes."""


def make_match(wish: Wish, keyed: Keyed | None) -> Outcome:
    """The match that is wished for, as it was when it was made.

    Raises:
        Problem, RuleViolation: the request is refused, and no match is made.
        StreamCorrupt: the match was made before, and cannot be read any more.
        StoreUnavailable.
    """
    known = _known(keyed) if keyed else None
    # Looked for before the body is resolved: what it names may have changed since.
    return (_made(known) if known else None) or _make(wish, keyed)


def _known(keyed: Keyed) -> _Record | None:
    stored = cast("bytes | None", services().events_redis.get(keyed.record))
    return _same(stored, keyed) if stored else None


def _same(stored: bytes, keyed: Keyed) -> _Record:
    record = _records.decode(stored)
    keyed.require_same(record.fingerprint)
    return record


def _made(record: _Record) -> Outcome | None:
    try:
        outcome = services().matches.history.find_command(record.match_id, record.command_id)
    except MatchNotFound:
        return None  # whoever recorded it has not made it yet, or never came to it
    REPLAYED.inc()
    return outcome


def _make(wish: Wish, keyed: Keyed | None) -> Outcome:
    matches = services().matches
    require_room()
    command = wish()
    if keyed is None:
        match_id = new_id("mat")
        with placed(command, match_id):
            return matches.create(command, match_id=match_id)
    matches.check_creation(command)
    record = _recorded(keyed)
    with placed(command, record.match_id):
        return matches.create(command, record.command_id, record.match_id, keyed.fingerprint.encode())


def _recorded(keyed: Keyed) -> _Record:
    """The first record that anybody wrote for the request."""
    record = _Record(keyed.fingerprint, new_id("mat"), new_id("cmd"))
    earlier = services().events_redis.set(
        keyed.record, msgspec.json.encode(record), nx=True, get=True, px=KEPT_MS
    )
    return _same(cast(bytes, earlier), keyed) if earlier else record
