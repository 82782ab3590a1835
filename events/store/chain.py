"""The hash chain: each event's hash covers its envelope and, in it, the hash of the event before.

The canonical JSON of an envelope is put together from parts that stay the same for a whole batch; a test
holds it against another implementation of RFC 8785. Whatever is decided or served from stored events goes
through a `ChainReader`, or through `events.matches.history`, which shows events and compares their hashes,
too.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

import msgspec

from domain.match.envelope import Envelope, hash_text
from domain.match.events import Event, MatchCreated
from events.matches.codec import Recorded, decode, decode_recorded, encode, in_entry, recorded
from events.store.clock import rfc3339
from events.store.errors import StreamCorrupt
from events.store.records import Entry

NO_HASH: Final = bytes(32)
"""What stands for the hash before the first event."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode


class Origin(NamedTuple):
    """What all events of one batch have in common."""

    match_id: str
    rules_version: str
    actor: str
    command_id: str
    time_ms: int


_Parts: TypeAlias = tuple[bytes, bytes, bytes, bytes]
"""What comes before the data, after it, after the hash and after the sequence, in order of names."""


def hashes(origin: Origin, first: int, events: Iterable[Recorded], previous: bytes) -> list[bytes]:
    """The hashes of a batch whose first event has the sequence `first`."""
    belongs = _belongs(origin.match_id, origin.rules_version)
    parts = _parts(belongs, origin.actor, origin.command_id, origin.time_ms)
    return _hashes(parts, first, events, previous)


def ladder_hashes(
    ladder_id: str,
    actor: str,
    command_id: str,
    time_ms: int,
    first: int,
    events: Iterable[Recorded],
    previous: bytes,
) -> list[bytes]:
    """As `hashes`, of events of a ladder: their envelopes name the ladder, and no version of the rules."""
    belongs = (b',"ladder_id":%b,"previous_hash":"sha-256:' % _encode(ladder_id), b'",')
    return _hashes(_parts(belongs, actor, command_id, time_ms), first, events, previous)


def _hashes(parts: _Parts, first: int, events: Iterable[Recorded], previous: bytes) -> list[bytes]:
    head, middle, versions, time = parts
    found = []
    for sequence, (type_name, schema, data) in enumerate(events, first):
        text = b'%b%b%b%b%b"schema":%d,"sequence":%d%b%b"}' % (
            head,
            _encode(data),
            middle,
            previous.hex().encode(),
            versions,
            schema,
            sequence,
            time,
            type_name.encode(),
        )
        previous = hashlib.sha256(text).digest()
        found.append(previous)
    return found


def envelopes(origin: Origin, first: int, events: list[Recorded], previous: bytes) -> list[Envelope]:
    """The batch as the API shows it, hashes computed."""
    match_id, rules_version, actor, command_id, time_ms = origin
    time = rfc3339(time_ms)
    digests = hashes(origin, first, events, previous)
    before = hash_text(previous)
    found = []
    for sequence, (event, digest) in enumerate(zip(events, digests, strict=True), first):
        after = hash_text(digest)
        type_name, schema, data = event
        found.append(
            Envelope(
                match_id,
                sequence,
                type_name,
                schema,
                time,
                actor,
                command_id,
                rules_version,
                data,
                before,
                after,
            )
        )
        before = after
    return found


def _belongs(match_id: str, rules_version: str) -> tuple[bytes, bytes]:
    """What comes after the data, and after the hash: the same in all events of a match."""
    middle = b',"match_id":%b,"previous_hash":"sha-256:' % _encode(match_id)
    return middle, b'","rules_version":%b,' % _encode(rules_version)


def _parts(belongs: tuple[bytes, bytes], actor: str, command_id: str, time_ms: int) -> _Parts:
    head = b'{"actor":%b,"command_id":%b,"data":' % (_encode(actor), _encode(command_id))
    return (head, *belongs, b',"time":"%b","type":"' % rfc3339(time_ms).encode())


class ChainReader:
    """Reads the entries of a match in their order, each once the hash chain has shown that it is as written.

    It begins behind the version and the hash that are given, which must be known to be good.
    """

    def __init__(
        self, match_id: str, version: int = 0, head_hash: bytes = NO_HASH, rules_version: str = ""
    ) -> None:
        """`rules_version` is that of the match; from its first entry on it is found there."""
        self.match_id: Final = match_id
        self.version = version
        """Of the last event that was read."""
        self.head_hash = head_hash
        """Of the same event."""
        self._belongs = _belongs(match_id, rules_version)

    def events(self, entry: Entry) -> tuple[Event, ...]:
        """The events of the next entry.

        Raises:
            StreamCorrupt: it is not what was written, or not the next one.
        """
        first = self.version + 1
        events = in_entry(decode, self.match_id, self.version, entry)
        if self._hash_of(entry, events) != entry.hash:
            raise StreamCorrupt(self.match_id, first, f"the hash of event {entry.last} does not match")
        self.version, self.head_hash = entry.last, entry.hash
        return events

    def _hash_of(self, entry: Entry, events: tuple[Event, ...]) -> bytes:
        first = self.version + 1
        created = events[0] if first == 1 else None
        if isinstance(created, MatchCreated):
            self._belongs = _belongs(self.match_id, created.rules_version)
        try:
            command_id = entry.command_id(self.match_id, first)
            parts = _parts(self._belongs, entry.actor, command_id, entry.time_ms)
            return _hashes(parts, first, _as_recorded(events, entry.events), self.head_hash)[-1]
        except (OverflowError, ValueError) as error:  # there are years beyond a calendar
            raise StreamCorrupt(self.match_id, first, f"no command or no time: {error}") from error


def _as_recorded(events: tuple[Event, ...], stored: bytes) -> Iterable[Recorded]:
    """The events with the members that were written, which those of an old match may not all have been.

    To encode new events once more costs less than to decode what is stored once more.
    """
    return map(recorded, events) if encode(events) == stored else decode_recorded(stored)


def checked(match_id: str, entries: Iterable[Entry]) -> Iterator[tuple[Entry, tuple[Event, ...]]]:
    """All entries of a match from the first on, each with its events.

    Raises:
        StreamCorrupt: see `ChainReader.events`.
    """
    reader = ChainReader(match_id)
    for entry in entries:
        yield entry, reader.events(entry)
