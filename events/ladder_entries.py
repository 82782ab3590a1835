"""The history of a ladder as it is stored and shown: entries as those of matches, with a hash chain.

Each event's hash is the SHA-256 of the canonical JSON of its envelope, which names the hash before it.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.canonical import canonical, sha256
from domain.ladder.events import REGISTRY, Event
from domain.ladder.evolve import fold
from domain.ladder.state import LadderState, initial_state
from events.chain import NO_HASH
from events.codec import Recorded, forms, in_entry, plain, recorded_form
from events.envelope import hash_text, rfc3339
from events.errors import StreamCorrupt
from events.records import FINGERPRINT_SIZE, Entry

SCHEMA: Final = 1
"""Of every event type: none has changed yet."""

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(tuple[Event, ...]).decode
_FORMS: Final = forms(REGISTRY, {})


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
    hash: str = ""
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
    version, head_hash = ladder.version, ladder.head_hash
    command = fingerprint + command_id.encode()
    bare = Entry(version + len(events), _encode(events), command, actor, at_ms, b"")
    last = _envelopes(ladder.id, version, head_hash, bare)[-1]
    return Entry(
        bare.last, bare.events, command, actor, at_ms, bytes.fromhex(last.hash.removeprefix("sha-256:"))
    )


def empty(ladder_id: str) -> Ladder:
    """A ladder before its first event."""
    return Ladder(ladder_id, initial_state(), NO_HASH, ())


def extended(ladder: Ladder, entries: Sequence[Entry]) -> Ladder:
    """The ladder with further entries; hashes are not checked.

    Raises:
        StreamCorrupt: an entry cannot be decoded, or does not begin where the one before ended.
    """
    if not entries:
        return ladder
    state = ladder.state.copy()
    for entry in entries:
        fold(state, events_of(ladder.id, state.version, entry))
    return Ladder(ladder.id, state, entries[-1].hash, (*ladder.entries, *entries))


def events_of(ladder_id: str, version: int, entry: Entry) -> tuple[Event, ...]:
    """The events of one entry, given the version before it; its hash is not checked.

    Raises:
        StreamCorrupt: see `extended`.
    """
    return in_entry(_decode, ladder_id, version, entry)


def envelopes(ladder: Ladder, after: int = 0, limit: int | None = None) -> list[LadderEnvelope]:
    """The events after the version `after`, at most `limit`, their hashes computed and compared.

    Raises:
        StreamCorrupt: an entry is not what was written.
    """
    found: list[LadderEnvelope] = []
    version, head_hash = 0, NO_HASH
    for entry in ladder.entries:
        if entry.last > after and (limit is None or len(found) < limit):
            made = _envelopes(ladder.id, version, head_hash, entry)
            if made[-1].hash != hash_text(entry.hash):
                raise StreamCorrupt(ladder.id, version + 1, "its hash is another one")
            found += [one for one in made if one.sequence > after]
        version, head_hash = entry.last, entry.hash
    return found[:limit]


def _envelopes(ladder_id: str, version: int, head_hash: bytes, entry: Entry) -> list[LadderEnvelope]:
    """As the events were written: without members that came later, which no hash has covered."""
    found = []
    previous = hash_text(head_hash)
    for sequence, event in enumerate(in_entry(_recorded, ladder_id, version, entry), version + 1):
        one = LadderEnvelope(
            ladder_id,
            sequence,
            event.type,
            SCHEMA,
            rfc3339(entry.time_ms),
            entry.actor,
            entry.command[FINGERPRINT_SIZE:].decode(),
            event.data,
            previous,
        )
        covered = msgspec.structs.asdict(one)
        del covered["hash"]
        previous = sha256(canonical(covered))
        found.append(msgspec.structs.replace(one, hash=previous))
    return found
