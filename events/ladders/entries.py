"""The history of a ladder as it is stored and shown: entries as those of matches, with a hash chain.

Each event's hash is the SHA-256 of the canonical JSON of its envelope, which names the hash before it.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.ladder.events import REGISTRY, Event
from domain.ladder.state import LadderState, fold, initial_state
from domain.match.envelope import hash_text
from events.matches.codec import Recorded, forms, in_entry, plain, recorded_form
from events.store.chain import NO_HASH, ladder_hashes
from events.store.clock import rfc3339
from events.store.errors import LadderNotFound, StreamCorrupt
from events.store.records import FINGERPRINT_SIZE, Entry

SCHEMA: Final = 1
"""Of every event type: none has changed yet."""

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(tuple[Event, ...]).decode
_FORMS: Final = forms(REGISTRY, {})
_TYPES: Final = {cls: name for name, cls in REGISTRY.items()}


def _recorded(stored: bytes) -> tuple[Recorded, ...]:
    """The events with the members that were written."""
    return tuple([recorded_form(event, _FORMS) for event in plain(stored)])


class LadderEnvelope(Struct, frozen=True):
    """One event of a ladder with all that is known about it."""

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


class Ladder(Struct, frozen=True, eq=False):
    """A ladder as of one version. The state is shared by all who hold it: read it only."""

    id: str
    state: LadderState
    head_hash: bytes
    entries: tuple[Entry, ...]
    """All of its history."""

    @property
    def version(self) -> int:
        """The number of events so far."""
        return self.state.version

    @property
    def created_at_ms(self) -> int:
        """When it was made, in ms since 1970."""
        return self.entries[0].time_ms


def sealed(
    ladder: Ladder, events: Sequence[Event], actor: str, command_id: str, fingerprint: bytes, at_ms: int
) -> Entry:
    """The entry that adds these events, at least one, to a ladder's history."""
    command = fingerprint + command_id.encode()
    bare = Entry(ladder.version + len(events), _encode(events), command, actor, at_ms, b"")
    written = map(_written, events)
    return replace(bare, hash=_hashes(ladder.id, ladder.version, ladder.head_hash, bare, written)[-1])


def empty(ladder_id: str) -> Ladder:
    """A ladder before its first event."""
    return Ladder(ladder_id, initial_state(), NO_HASH, ())


def from_entries(ladder_id: str, entries: Sequence[Entry]) -> Ladder:
    """The ladder that all its entries make, each checked by the hash chain.

    Raises:
        LadderNotFound: there are none.
        StreamCorrupt: see `extended`.
    """
    if not entries:
        raise LadderNotFound(ladder_id)
    return extended(empty(ladder_id), entries)


def extended(ladder: Ladder, entries: Sequence[Entry]) -> Ladder:
    """The ladder with further entries, each checked by the hash chain.

    Raises:
        StreamCorrupt: an entry is not what was written, or not the next one.
    """
    if not entries:
        return ladder
    state, head_hash = ladder.state.copy(), ladder.head_hash
    for entry in entries:
        fold(state, _checked(ladder.id, state.version, head_hash, entry))
        head_hash = entry.hash
    return Ladder(ladder.id, state, head_hash, (*ladder.entries, *entries))


def as_of(ladder: Ladder, version: int) -> Ladder:
    """The ladder as it was at the end of an entry, or a little before that version."""
    then = tuple([entry for entry in ladder.entries if entry.last <= version])
    state = initial_state()
    for entry in then:
        fold(state, events_of(ladder.id, state.version, entry))
    return Ladder(ladder.id, state, then[-1].hash if then else NO_HASH, then)


def _checked(ladder_id: str, version: int, head_hash: bytes, entry: Entry) -> tuple[Event, ...]:
    """The events of one entry, given the version before it and its hash.

    Raises:
        StreamCorrupt: it is not what was written.
    """
    events = events_of(ladder_id, version, entry)
    # To encode once more costs less than to decode once more; old events may have had fewer members.
    is_as_now = _encode(events) == entry.events
    written = map(_written, events) if is_as_now else _recorded(entry.events)
    try:
        found = _hashes(ladder_id, version, head_hash, entry, written)[-1]
    except (OverflowError, ValueError) as error:  # there are years beyond a calendar
        raise StreamCorrupt(ladder_id, version + 1, f"no command or no time: {error}") from error
    if found != entry.hash:
        raise StreamCorrupt(ladder_id, version + 1, f"the hash of event {entry.last} does not match")
    return events


def _hashes(
    ladder_id: str, version: int, head_hash: bytes, entry: Entry, written: Iterable[Recorded]
) -> list[bytes]:
    command_id = entry.command[FINGERPRINT_SIZE:].decode()
    return ladder_hashes(ladder_id, entry.actor, command_id, entry.time_ms, version + 1, written, head_hash)


def _written(event: Event) -> Recorded:
    """A new event as it will be read from the store."""
    return Recorded(_TYPES[type(event)], SCHEMA, msgspec.structs.asdict(event))


def events_of(ladder_id: str, version: int, entry: Entry) -> tuple[Event, ...]:
    """The events of one entry, given the version before it; its hash is not checked.

    Raises:
        StreamCorrupt: see `extended`.
    """
    return in_entry(_decode, ladder_id, version, entry)


def envelopes(ladder: Ladder, after: int = 0, limit: int | None = None) -> list[LadderEnvelope]:
    """The events after the version `after`, at most `limit`."""
    found: list[LadderEnvelope] = []
    version, head_hash = 0, NO_HASH
    for entry in ladder.entries:
        if entry.last > after and (limit is None or len(found) < limit):
            shown = _envelopes(ladder.id, version, head_hash, entry)
            found += [one for one in shown if one.sequence > after]
        version, head_hash = entry.last, entry.hash
    return found[:limit]


def _envelopes(ladder_id: str, version: int, head_hash: bytes, entry: Entry) -> list[LadderEnvelope]:
    """As the events were written: without members that came later, which no hash has covered."""
    events = in_entry(_recorded, ladder_id, version, entry)
    digests = _hashes(ladder_id, version, head_hash, entry, events)
    return [
        LadderEnvelope(
            ladder_id,
            sequence,
            event.type,
            SCHEMA,
            rfc3339(entry.time_ms),
            entry.actor,
            entry.command[FINGERPRINT_SIZE:].decode(),
            event.data,
            hash_text(before),
            hash_text(digest),
        )
        for sequence, (event, before, digest) in enumerate(
            zip(events, (head_hash, *digests), digests, strict=False), version + 1
        )
    ]
