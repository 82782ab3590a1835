"""Entries to and from what Redis keeps: the id of a stream entry and its fields.

A stream entry has the fields e, c, a, t and h, in one of two formats, which the first byte of e tells. A
stream may hold both, and its hashes are the same in either. Only this module knows the difference.

- e, the events: in format 1 JSON, which begins with `[`. In format 2 the byte 2 and a zstd frame of the JSON,
  see `events.store.compression`.
- c, the command: its fingerprint and its id. In format 1 the fingerprint is longer and the id is text; in
  format 2 ids of our own making are binary. Empty for a built-in player's decision.
- a, the actor: as text; in format 2 a seat is its digit alone.
- t, the time in ms since 1970, and h, the hash of the last event: the same in both.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from events.store.compression import compress_entry, decompress_entry
from events.store.errors import StreamCorrupt
from events.store.ids import packed_id, unpacked_id
from events.store.records import FINGERPRINT_SIZE, LONG_FINGERPRINT_SIZE, Entry

RawEntry: TypeAlias = tuple[bytes, dict[bytes, bytes]]
"""The id, `<last>-0`, and the fields."""

FIELDS: Final = frozenset([b"e", b"c", b"a", b"t", b"h"])
"""The names of all fields."""

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


def from_fields(match_id: str, raw: Sequence[RawEntry]) -> list[Entry]:
    """The entries of a match. What is in them is not checked here.

    Raises:
        StreamCorrupt: a field is missing or makes no sense.
    """
    found: list[Entry] = []
    for one in raw:
        try:
            found.append(_entry(one))
        except (KeyError, ValueError) as error:
            first = found[-1].last + 1 if found else 0
            raise StreamCorrupt(match_id, first, "an entry is not as it was written") from error
    return found


def from_flat(raw: tuple[bytes, list[bytes]]) -> Entry:
    """An entry as scripts return it: its fields are a list of names and values in turn."""
    id, flat = raw
    return _entry((id, dict(zip(flat[::2], flat[1::2], strict=True))))


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
