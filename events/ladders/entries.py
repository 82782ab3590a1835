"""Ladders folded from their stored entries, each checked against the hash chain; and their events for the
API."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from domain.ladder.events import REGISTRY, Event
from domain.ladder.state import LadderState, fold, initial_state
from events.store import aggregates
from events.store.chain import NO_HASH, Codec
from events.store.errors import LadderNotFound
from events.store.records import Entry


class LadderEnvelope(Struct, frozen=True):
    """One event of a ladder with its metadata."""

    ladder_id: str
    sequence: int
    type: str
    schema: int
    time: str
    """RFC 3339, UTC, with milliseconds."""
    actor: str
    """`account:acc_…` or `service`."""
    command_id: str
    data: dict[str, Any]
    """The event's members by name."""
    previous_hash: str
    hash: str
    """`sha-256:` and 64 hex digits: the SHA-256 of the canonical JSON (RFC 8785) of all other members."""


CODEC: Final[Codec[Event, LadderEnvelope]] = Codec("ladder_id", tuple[Event, ...], REGISTRY, LadderEnvelope)


class Ladder(aggregates.Loaded[LadderState], frozen=True, eq=False):
    """A ladder as of one version. The state is shared: only read it."""

    entries: tuple[Entry, ...] = ()
    """Its whole history."""


def empty(ladder_id: str) -> Ladder:
    """A ladder before its first event."""
    return Ladder(ladder_id, 0, initial_state(), NO_HASH, 0, 0)


def _loaded(ladder_id: str, state: LadderState, entries: tuple[Entry, ...]) -> Ladder:
    first, last = entries[0], entries[-1]
    return Ladder(ladder_id, state.version, state, last.hash, first.time_ms, last.time_ms, entries)


def from_entries(ladder_id: str, entries: Sequence[Entry]) -> Ladder:
    """The ladder folded from all its entries.

    Raises:
        LadderNotFound: there are none.
        StreamCorrupt: see `extended`.
    """
    if not entries:
        raise LadderNotFound(ladder_id)
    return extended(empty(ladder_id), entries)


def extended(ladder: Ladder, entries: Sequence[Entry]) -> Ladder:
    """The ladder with further entries.

    Raises:
        StreamCorrupt: an entry is not what was written, or not the next one.
    """
    if not entries:
        return ladder
    state = ladder.state.copy()
    reader = CODEC.reader(ladder.id, ladder.version, ladder.head_hash)
    for _, events in reader.checked(entries):
        fold(state, events)
    return _loaded(ladder.id, state, (*ladder.entries, *entries))


def with_events(ladder: Ladder, entry: Entry, events: Sequence[Event]) -> Ladder:
    """The ladder with a new entry, which contains these events; it is not checked."""
    state = ladder.state.copy()
    fold(state, events)
    return _loaded(ladder.id, state, (*ladder.entries, entry))


def as_of(ladder: Ladder, version: int) -> Ladder:
    """The ladder after the last entry that ends at or before the version."""
    then = tuple([entry for entry in ladder.entries if entry.last <= version])
    state = initial_state()
    for entry in then:
        fold(state, CODEC.events_of(ladder.id, state.version, entry))
    return _loaded(ladder.id, state, then) if then else empty(ladder.id)


def envelopes(ladder: Ladder, after: int = 0, limit: int | None = None) -> list[LadderEnvelope]:
    """The events after the version `after`, at most `limit`, with the members as they were written."""
    found: list[LadderEnvelope] = []
    version, head_hash = 0, NO_HASH
    for entry in ladder.entries:
        if entry.last > after and (limit is None or len(found) < limit):
            shown = CODEC.envelopes_of(ladder.id, "", entry, version, head_hash)
            found += [one for one in shown if one.sequence > after]
        version, head_hash = entry.last, entry.hash
    return found[:limit]
