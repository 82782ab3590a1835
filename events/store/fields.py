"""Entries to and from what Redis keeps: the id of a stream entry and its fields.

A stream entry has the fields e, c, a, t and h, in one of two formats, which the first byte of e tells. A
stream may hold both, and its hashes are the same in either. Only this module knows the difference.

- e, the events: in format 1 JSON, which begins with `[`. In format 2 the byte 2 and a zstd frame of the JSON,
  see `events.store.compression`.
- c, the command: its fingerprint and its id. In format 1 the fingerprint is longer and the id is text; in
  format 2 ids of our own making are binary. Empty for a built-in player's decision.
- a, the actor: as text; in format 2 a seat is its digit alone.
- t, the time in ms since 1970, and h, the hash of the last event: the same in both.

A line of the log of checkpoints has the fields m, the id of the match; j, the bytes that were signed; h, the
hash of these as text; and s, the signature. As an entry, it is the command to sign the match.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from events.store import keys
from events.store.compression import compress_entry, decompress_entry
from events.store.errors import StreamCorrupt
from events.store.ids import packed_id, unpacked_id
from events.store.records import FINGERPRINT_SIZE, LONG_FINGERPRINT_SIZE, NO_FINGERPRINT, Entry

RawEntry: TypeAlias = tuple[bytes, dict[bytes, bytes]]
"""The id, `<last>-0`, and the fields."""

FIELDS: Final = frozenset([b"e", b"c", b"a", b"t", b"h"])
"""The names of all fields of a match or a ladder."""

_FORMAT_2: Final = b"\x02"
_SEAT: Final = b"seat:"


def to_fields(entry: Entry) -> RawEntry:
    """The entry as the append script writes it."""
    actor = entry.actor.encode()
    seat = actor.removeprefix(_SEAT)
    fields = {
        b"e": pack_events(entry.events),
        b"c": entry.command[:FINGERPRINT_SIZE] + packed_id(entry.command[FINGERPRINT_SIZE:]),
        b"a": seat if actor != seat and _is_digit(seat) else actor,
        b"t": b"%d" % entry.time_ms,
        b"h": entry.hash,
    }
    return b"%d-0" % entry.last, fields


def from_fields(stream_id: str, raw: Sequence[RawEntry]) -> list[Entry]:
    """The entries of a stream. What is in them is not checked here.

    Raises:
        StreamCorrupt: a field is missing or makes no sense.
    """
    found: list[Entry] = []
    from_raw = codec_of(stream_id).from_fields
    for one in raw:
        try:
            found.append(from_raw(one))
        except (KeyError, ValueError) as error:
            first = found[-1].last + 1 if found else 0
            raise StreamCorrupt(stream_id, first, "an entry is not as it was written") from error
    return found


def from_flat(stream_id: str, raw: Sequence[tuple[bytes, list[bytes]]]) -> list[Entry]:
    """As `from_fields`, of entries as scripts return them: fields are a list of names and values in turn."""
    return from_fields(stream_id, [(id, dict(zip(flat[::2], flat[1::2], strict=True))) for id, flat in raw])


def _entry(raw: RawEntry) -> Entry:
    id, fields = raw
    events, command, actor = fields[b"e"], fields[b"c"], fields[b"a"]
    is_format_2 = events.startswith(_FORMAT_2)
    command_id = unpacked_id(command[FINGERPRINT_SIZE:]) if is_format_2 else command[LONG_FINGERPRINT_SIZE:]
    return Entry(
        int(id[:-2]),
        unpack_events(events),
        command[:FINGERPRINT_SIZE] + command_id,
        (_SEAT + actor if _is_digit(actor) else actor).decode(),
        int(fields[b"t"]),
        fields[b"h"],
    )


def _line_to_fields(entry: Entry) -> RawEntry:
    fields = {
        b"m": entry.command[FINGERPRINT_SIZE:],
        b"j": entry.events,
        b"h": entry.hash,
        b"s": entry.signature,
    }
    return b"%d-0" % entry.last, fields


def _line(raw: RawEntry) -> Entry:
    id, fields = raw
    match_id, hash = fields[b"m"], fields[b"h"]
    (match_id + hash).decode()  # both are text
    return Entry(int(id[:-2]), fields[b"j"], NO_FINGERPRINT + match_id, "", 0, hash, fields[b"s"])


def pack_events(events: bytes) -> bytes:
    """Events as the field `e` has them."""
    return _FORMAT_2 + compress_entry(events)


def unpack_events(stored: bytes) -> bytes:
    """The events of a field `e` as JSON; what cannot be unpacked stays as it is, and no reader takes it for
    events."""
    if not stored.startswith(_FORMAT_2):
        return stored
    try:
        return decompress_entry(stored[1:])
    except ValueError:
        return stored


def index_of(entries: Iterable[Entry]) -> dict[bytes, int]:
    """The command index of a stream with these entries: the version that each command led to that came with
    an id of its own. As the append script writes it: by the short name of the id, or if another has that, by
    the id itself.
    """
    found: dict[bytes, int] = {}
    for entry in entries:
        if command_id := entry.command[FINGERPRINT_SIZE:]:
            name = short_name(command_id)
            found[command_id if name in found else name] = entry.last
    return found


def short_name(command_id: bytes) -> bytes:
    """Four bytes for a command id in the index. The first is no ASCII, so it is never an id itself."""
    digest = hashlib.sha256(command_id).digest()
    return bytes([digest[0] | 0x80]) + digest[1:4]


def _is_digit(text: bytes) -> bool:
    return len(text) == 1 and text.isdigit()


class Codec(NamedTuple):
    """How the entries of one kind of stream are stored."""

    kind: bytes
    """As the append script calls it."""
    to_fields: Callable[[Entry], RawEntry]
    from_fields: Callable[[RawEntry], Entry]
    short_name: Callable[[bytes], bytes]
    """The first choice for the name of a command id in the index."""


_EVENTS: Final = Codec(b"events", to_fields, _entry, short_name)
_LINE: Final = Codec(b"line", _line_to_fields, _line, bytes)


def codec_of(stream_id: str) -> Codec:
    """How the entries of that stream are stored."""
    return _LINE if stream_id == keys.CHECKPOINT_STREAM else _EVENTS
