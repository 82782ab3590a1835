"""How events are stored, hashed and shown: the same for every kind of stream, see `Codec`.

The events of one command are one entry: a JSON array of events, each an array itself that begins with a tag.
The hash of an event covers its envelope and, in it, the hash of the event before. The canonical JSON of an
envelope (RFC 8785) is put together from parts that stay the same for a whole entry; a test compares it with
another implementation. Whatever is decided or served from stored events goes through a `ChainReader`, or
through `Codec.envelopes_of`, which compares hashes, too.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import Struct

from domain.match.upcast import parse_tag, upcast
from events.store.errors import StreamCorrupt
from events.store.keys import ai_command_id
from events.store.recorded import (
    EventText,
    Recorded,
    Steps,
    forms,
    plain,
    recorded_form,
    tag_of_class,
    text_of,
)
from events.store.records import Entry

NO_HASH: Final = bytes(32)
"""The hash before the first event."""

E = TypeVar("E")
"""The events of one kind of stream."""
V = TypeVar("V")
"""Their envelopes."""


class Batch(Struct, frozen=True):
    """The events of one command."""

    events: Sequence[Any]
    """At least one."""
    actor: str
    """`seat:0`, `account:acc_…` or `service`."""
    command_id: str = ""
    """Empty for a decision of a built-in player: its id follows from the version it decided on."""
    fingerprint: bytes = b""
    """`events.store.aggregates.fingerprint(…)` of the command; empty without a command id."""


class EntryMetadata(Struct, frozen=True):
    """What all events of one entry have in common."""

    stream_id: str
    rules_version: str
    """Empty for streams that have none."""
    actor: str
    command_id: str
    time_ms: int


class Sealed(Struct, frozen=True):
    """The events of one command, encoded and hashed."""

    metadata: EntryMetadata
    first: int
    """The sequence of the first event."""
    entry: Entry
    events: Sequence[Any]
    hashes: list[bytes]
    """Of each event."""


class Codec(Generic[E, V]):
    """How the events of one kind of stream are stored, hashed and shown."""

    def __init__(
        self,
        id_member: str,
        events: Any,
        registry: Mapping[str, Any],
        envelope: Callable[..., V],
        steps: Steps | None = None,
        rules_version: Callable[[E], str] | None = None,
    ) -> None:
        """`id_member` is the member of envelopes with the id of the stream, `events` the type of a tuple of
        them, `registry` the class of each by its name, and `steps` lead from old schemas to new ones.

        `envelope` makes an envelope of, in this order: the stream's id, sequence, type, schema, time, actor,
        command id, rules version, data, previous hash, hash. `rules_version` takes the
        first event; without it, neither envelopes nor hashes have a rules version.
        """
        self._id_member = id_member.encode()
        self._events = events
        self._decoder = msgspec.json.Decoder(events)
        self._envelope = envelope
        self._steps = steps or {}
        self.forms: Final = forms(registry, self._steps)
        """By every stored tag there ever was."""
        self._written = {cls: parse_tag(tag_of_class(cls)) for cls in registry.values()}
        self._rules_version = rules_version
        self._belongs = lru_cache(maxsize=1024)(self._parts_of_stream)
        self._known_text = lru_cache(maxsize=4096)(self._text)

    encode: Final = msgspec.json.Encoder().encode
    """The bytes to store for the events of one command."""

    def decode(self, stored: bytes) -> tuple[E, ...]:
        """The events, old schemas upcast.

        Raises:
            msgspec.MsgspecError: they are no events.
        """
        found: tuple[E, ...]
        try:
            found = self._decoder.decode(stored)
        except msgspec.ValidationError:
            # An old schema has a tag that no struct has; this way costs nothing while there are none.
            newest = [upcast(event, self._steps) for event in plain(stored)]
            found = msgspec.convert(newest, self._events)
        return found

    def decode_recorded(self, stored: bytes) -> list[Recorded]:
        """The events in the form of the API, with the schema and the members that were written.

        Raises:
            msgspec.MsgspecError: they are no events.
        """
        return [recorded_form(event, self.forms) for event in plain(stored)]

    def recorded(self, event: E) -> Recorded:
        """A new event as it will be read from the store; structs inside it stay structs."""
        name, schema = self._written[type(event)]
        return Recorded(name, schema, msgspec.structs.asdict(event))  # type: ignore[arg-type]  # E is a Struct

    def texts(self, events: Sequence[E]) -> Iterable[EventText]:
        """The texts of new events. Most are equal to one that came lately: a throw, or what a card pays."""
        try:
            return [*map(self._known_text, events)]
        except TypeError:  # one has a dictionary in it
            return map(self._text, events)

    def _text(self, event: E) -> EventText:
        return text_of(self.recorded(event))

    def events_of(self, stream_id: str, version: int, entry: Entry) -> tuple[E, ...]:
        """The events of one entry, given the version before it; its hash is not checked.

        Raises:
            StreamCorrupt: it cannot be decoded, has no events, or does not begin where the one before ended.
        """
        return _whole(self.decode, stream_id, version, entry)

    def sealed(
        self,
        stream_id: str,
        rules_version: str,
        version: int,
        head_hash: bytes,
        batches: Iterable[Batch],
        time_ms: int,
    ) -> list[Sealed]:
        """The batches, ready to be appended after a version and the hash of its last event."""
        found: list[Sealed] = []
        for batch in batches:
            command_id = batch.command_id or ai_command_id(stream_id, version)
            metadata = EntryMetadata(stream_id, rules_version, batch.actor, command_id, time_ms)
            hashes = self.hashes(metadata, version + 1, self.texts(batch.events), head_hash)
            first, version, head_hash = version + 1, version + len(hashes), hashes[-1]
            command = batch.fingerprint + batch.command_id.encode()
            entry = Entry(version, self.encode(batch.events), command, batch.actor, time_ms, head_hash)
            found.append(Sealed(metadata, first, entry, batch.events, hashes))
        return found

    def hashes(
        self, metadata: EntryMetadata, first: int, events: Iterable[EventText], previous: bytes
    ) -> list[bytes]:
        """The hash of each event of an entry whose first event has the sequence `first`."""
        after_data, after_hash = self._belongs(metadata.stream_id, metadata.rules_version)
        head = b'{"actor":%b,"command_id":%b,"data":' % (
            _sorted(metadata.actor),
            _sorted(metadata.command_id),
        )
        time = b',"time":"%b","type":"' % rfc3339(metadata.time_ms).encode()
        found = []
        for sequence, (data, schema, end) in enumerate(events, first):
            digits = previous.hex().encode()
            parts = (head, data, after_data, digits, after_hash, schema, b"%d" % sequence, time, end)
            previous = hashlib.sha256(b"".join(parts)).digest()
            found.append(previous)
        return found

    def _parts_of_stream(self, stream_id: str, rules_version: str) -> tuple[bytes, bytes]:
        """The text between the data and the previous hash, and between that and the schema."""
        after_data = b',"%b":%b,"previous_hash":"sha-256:' % (self._id_member, _sorted(stream_id))
        has_rules = self._rules_version is not None
        return after_data, b'","rules_version":%b,' % _sorted(rules_version) if has_rules else b'",'

    def rules_version_of(self, first: E) -> str:
        """The rules version that the first event of a stream names; empty if it names none."""
        return self._rules_version(first) if self._rules_version is not None else ""

    def envelopes(
        self,
        metadata: EntryMetadata,
        first: int,
        events: Sequence[Recorded],
        previous: bytes,
        hashes: Sequence[bytes] | None = None,
    ) -> list[V]:
        """The events of an entry as the API shows them, given the hash before. `hashes` are computed if not
        given."""
        stream_id = metadata.stream_id
        made_by: tuple[str, ...] = (metadata.actor, metadata.command_id)
        if self._rules_version is not None:
            made_by += (metadata.rules_version,)
        hashes = hashes or self.hashes(metadata, first, map(text_of, events), previous)
        time, before = rfc3339(metadata.time_ms), _HASH + previous.hex()
        found = []
        for sequence, (event, digest) in enumerate(zip(events, hashes, strict=True), first):
            kind, schema, data = event
            after = _HASH + digest.hex()
            found.append(
                self._envelope(stream_id, sequence, kind, schema, time, *made_by, data, before, after)
            )
            before = after
        return found

    def envelopes_of(
        self, stream_id: str, rules_version: str, entry: Entry, version: int, head_hash: bytes
    ) -> list[V]:
        """The events of one entry, given the version before it and the hash of that version's last event.

        Raises:
            StreamCorrupt: the entry is not what was written.
        """
        events = _whole(self.decode_recorded, stream_id, version, entry)
        texts = map(text_of, events)
        metadata, hashes = self.checked(stream_id, rules_version, version, head_hash, entry, texts)
        return self.envelopes(metadata, version + 1, events, head_hash, hashes)

    def checked(
        self,
        stream_id: str,
        rules_version: str,
        version: int,
        head_hash: bytes,
        entry: Entry,
        events: Iterable[EventText],
    ) -> tuple[EntryMetadata, list[bytes]]:
        """What the events of one entry have in common, and their hashes, given the version before the entry
        and the hash of that version's last event.

        Raises:
            StreamCorrupt: the last hash is not the one that was stored.
        """
        first = version + 1
        try:
            command_id = entry.command_id(stream_id, first)
            metadata = EntryMetadata(stream_id, rules_version, entry.actor, command_id, entry.time_ms)
            hashes = self.hashes(metadata, first, events, head_hash)
        except (OverflowError, ValueError) as error:  # there are years beyond a calendar
            raise StreamCorrupt(stream_id, first, f"no command or no time: {error}") from error
        if hashes[-1] != entry.hash:
            raise StreamCorrupt(stream_id, first, f"the hash of event {entry.last} does not match")
        return metadata, hashes

    def reader(
        self, stream_id: str, version: int = 0, head_hash: bytes = NO_HASH, rules_version: str = ""
    ) -> "ChainReader[E, V]":
        """A reader of the entries after a version and the hash of its last event, which must be good."""
        return ChainReader(self, stream_id, version, head_hash, rules_version)


class ChainReader(Generic[E, V]):
    """Reads the entries of a stream in order, and compares the hash of each."""

    def __init__(
        self, codec: Codec[E, V], stream_id: str, version: int, head_hash: bytes, rules_version: str
    ) -> None:
        self.stream_id: Final = stream_id
        self.version = version
        """Of the last event that was read."""
        self.head_hash = head_hash
        """Of the same event."""
        self._codec = codec
        self._rules_version = rules_version

    def events(self, entry: Entry) -> tuple[E, ...]:
        """The events of the next entry.

        Raises:
            StreamCorrupt: it is not what was written, or not the next one.
        """
        id, version, codec = self.stream_id, self.version, self._codec
        events = codec.events_of(id, version, entry)
        if version == 0:
            self._rules_version = codec.rules_version_of(events[0])
        texts = self._texts(entry, events)
        codec.checked(id, self._rules_version, version, self.head_hash, entry, texts)
        self.version, self.head_hash = entry.last, entry.hash
        return events

    def checked(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, tuple[E, ...]]]:
        """The next entries, each with its events.

        Raises:
            StreamCorrupt: see `events`.
        """
        for entry in entries:
            yield entry, self.events(entry)

    def _texts(self, entry: Entry, events: tuple[E, ...]) -> Iterable[EventText]:
        """The events with the members that were written, which those of an old stream may not all have been.

        To encode new events once more costs less than to decode what is stored once more.
        """
        if self._codec.encode(events) == entry.events:
            return self._codec.texts(events)
        return map(text_of, self._codec.decode_recorded(entry.events))


@lru_cache(maxsize=256)
def rfc3339(time_ms: int) -> str:
    """The time in UTC with milliseconds, such as `2026-11-20T14:16:03.123Z`."""
    seconds, ms = divmod(time_ms, 1000)
    return f"{_second(seconds)}.{ms:03}Z"


@lru_cache(maxsize=256)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


_D = TypeVar("_D", list[Recorded], tuple[Any, ...])


def _whole(decode: Callable[[bytes], _D], stream_id: str, version: int, entry: Entry) -> _D:
    try:
        events = decode(entry.events)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StreamCorrupt(stream_id, version + 1, f"no events: {error}") from error
    if not events or version + len(events) != entry.last:
        raise StreamCorrupt(stream_id, version + 1, f"a gap before version {entry.last}")
    return events


_HASH: Final = "sha-256:"
_sorted: Final = msgspec.json.Encoder(order="sorted").encode
