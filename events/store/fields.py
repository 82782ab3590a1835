"""The compact form in which Redis stores entries and pointers.

A stream entry has the fields e, c, a, t and h, in one of two formats, which the first byte of e determines. A
stream can contain both, and its hashes are the same in either. Only this module knows the difference.

- e, the events: in format 1, JSON, which begins with `[`. In format 2, the byte 2 and a zstd frame of the
  JSON, compressed with a dictionary of typical events.
- c, the command: its fingerprint and its id. In format 1, the fingerprint is longer and the id is text. In
  format 2, generated ids are binary. Empty for a built-in player's decision.
- a, the actor: as text; in format 2, a seat is only its digit.
- t, the time in ms since 1970, and h, the hash of the last event: the same in both.

A line of the checkpoint log has the fields m, the id of the match; j, the bytes that were signed; h, their
hash as text; and s, the signature. As an entry, it is the command to sign the match.

Data that was compressed with a dictionary can only be read with that dictionary, which is therefore part of
the data: it never changes, and a better one gets its own file and its own format.
"""

import base64
import binascii
import hashlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import zstandard
from ulid import ULID

from events.store import keys
from events.store.errors import StreamCorrupt
from events.store.records import (
    FINGERPRINT_SIZE,
    LONG_FINGERPRINT_SIZE,
    NO_FINGERPRINT,
    NO_PRECEDENCE,
    Entry,
    Pointer,
    Precedence,
    Write,
)

RawEntry: TypeAlias = tuple[bytes, dict[bytes, bytes]]
"""The id, `<last>-0`, and the fields."""

FIELDS: Final = (b"e", b"c", b"a", b"t", b"h")
"""The names of all fields of an entry of a match or a ladder, in the order of `to_values`."""

_FORMAT_2: Final = b"\x02"
_SEAT: Final = b"seat:"

_ULID_PREFIXES: Final = {b"\x02": b"cmd_", b"\x03": b"mat_", b"\x04": b"acc_", b"\x05": b"lad_"}
"""By the byte before the 16 bytes of the ULID."""
_DIGEST_KIND, _DIGEST_PREFIX = b"\x01", b"cmd_"
"""Command ids that derive from an `Idempotency-Key` are 15 bytes in base64."""
_KINDS: Final = {prefix: kind for kind, prefix in _ULID_PREFIXES.items()}
_ULID_ALPHABET: Final = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PREFIX_SIZE, _ULID_SIZE, _ULID_TEXT_SIZE = 4, 16, 26
_DIGEST_SIZE, _DIGEST_TEXT_SIZE = 15, 20
_ULID_DIGITS: Final = bytes(
    b"0123456789abcdefghijklmnopqrstuv"[i] if (i := _ULID_ALPHABET.find(byte)) >= 0 else ord("!")
    for byte in range(256)
)
"""For `bytes.translate`: the digit of `int` in base 32 for each digit of a ULID, none for any other byte."""

DICTIONARY_FILE: Final = Path(__file__).parent / "events-1.zdict"
"""Created by `python -m training.dictionary`."""

LARGEST: Final = 64 << 20
"""The most bytes after decompression; a match of a thousand turns has less than a hundredth of that."""

MAGIC: Final = zstandard.FRAME_HEADER
"""The first bytes of every zstd frame (RFC 8878)."""

_DICTIONARY: Final = zstandard.ZstdCompressionDict(DICTIONARY_FILE.read_bytes())
_ENTRY_LEVEL, _FILE_LEVEL = 3, 19
_DICTIONARY.precompute_compress(_ENTRY_LEVEL)

_for_entries: Final = zstandard.ZstdCompressor(_ENTRY_LEVEL, _DICTIONARY, write_dict_id=False)
_decompressor: Final = zstandard.ZstdDecompressor(_DICTIONARY)
_lock: Final = threading.Lock()
"""No two threads may use either of the two at once; creating new ones each time would take ten times as
long."""


def to_fields(entry: Entry) -> RawEntry:
    """The entry of a match or a ladder as the append script writes it."""
    return b"%d-0" % entry.last, dict(zip(FIELDS, to_values(entry), strict=True))


def to_values(entry: Entry) -> tuple[bytes, ...]:
    """The values of the fields of an entry of a match or a ladder."""
    command = entry.command
    return (
        pack_events(entry.events),
        command and command[:FINGERPRINT_SIZE] + packed_id(command[FINGERPRINT_SIZE:]),
        _packed_actor(entry.actor),
        b"%d" % entry.time_ms,
        entry.hash,
    )


@lru_cache(maxsize=1024)
def _packed_actor(actor: str) -> bytes:
    text = actor.encode()
    seat = text.removeprefix(_SEAT)
    return seat if text != seat and _is_digit(seat) else text


def from_fields(stream_id: str, raw: Sequence[RawEntry]) -> list[Entry]:
    """The entries of a stream. Their content is not checked.

    Raises:
        StreamCorrupt: a field is missing or malformed.
    """
    found: list[Entry] = []
    from_raw = format_of(stream_id).from_fields
    for one in raw:
        try:
            found.append(from_raw(one))
        except (KeyError, ValueError) as error:
            first = found[-1].last + 1 if found else 0
            raise StreamCorrupt(stream_id, first, "an entry is not as it was written") from error
    return found


def from_flat(stream_id: str, raw: Sequence[tuple[bytes, list[bytes]]]) -> list[Entry]:
    """As `from_fields` for entries from scripts, whose fields are a flat list of names and values."""
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


def _values_of_line(entry: Entry) -> tuple[bytes, ...]:
    return entry.command[FINGERPRINT_SIZE:], entry.events, entry.hash, entry.signature


def _line(raw: RawEntry) -> Entry:
    id, fields = raw
    match_id, hash = fields[b"m"], fields[b"h"]
    (match_id + hash).decode()  # both are text
    return Entry(int(id[:-2]), fields[b"j"], NO_FINGERPRINT + match_id, "", 0, hash, fields[b"s"])


def pack_events(events: bytes) -> bytes:
    """Events in the form of the field `e`."""
    return _FORMAT_2 + compress_entry(events)


def unpack_events(stored: bytes) -> bytes:
    """The events of a field `e` as JSON; data that cannot be decompressed is returned unchanged, and every
    reader rejects it."""
    if not stored.startswith(_FORMAT_2):
        return stored
    try:
        return decompress_entry(stored[1:])
    except ValueError:
        return stored


def index_of(entries: Iterable[Entry]) -> dict[bytes, int]:
    """The command index of a stream with these entries: the version that each command with an id led to.

    As in the append script, the key is the short name of the id or, if another id has that name, the id
    itself.
    """
    found: dict[bytes, int] = {}
    for entry in entries:
        if command_id := entry.command[FINGERPRINT_SIZE:]:
            name = short_name(command_id)
            found[command_id if name in found else name] = entry.last
    return found


def short_name(command_id: bytes) -> bytes:
    """Four bytes for a command id in the index. The first is not ASCII, so no id equals a short name."""
    digest = hashlib.sha256(command_id).digest()
    return bytes([digest[0] | 0x80]) + digest[1:4]


def _is_digit(text: bytes) -> bool:
    return len(text) == 1 and text.isdigit()


class EntryFormat(NamedTuple):
    """How the entries of one kind of stream are stored."""

    kind: bytes
    """Its name in the append script."""
    to_values: Callable[[Entry], tuple[bytes, ...]]
    """The values of the fields, in the order of the append script."""
    from_fields: Callable[[RawEntry], Entry]
    short_name: Callable[[bytes], bytes]
    """The first choice for the name of a command id in the index."""


_EVENTS: Final = EntryFormat(b"events", to_values, _entry, short_name)
_LINE: Final = EntryFormat(b"line", _values_of_line, _line, bytes)


def format_of(stream_id: str) -> EntryFormat:
    """How the entries of that stream are stored."""
    return _LINE if stream_id == keys.CHECKPOINT_STREAM else _EVENTS


def pointer_in(id: bytes, fields: Mapping[bytes, bytes]) -> Pointer:
    """The pointer in a line of the log; a line that no append wrote gives an empty pointer."""
    version = fields.get(b"v", b"")
    if not version.isdigit():
        return Pointer(id.decode(), "", 0, "")
    match_id, next, account, creator, invited = [
        _unpacked_text(fields.get(name, b"")) for name in (b"m", b"n", b"a", b"c", b"i")
    ]
    accounts = tuple(invited.split(",")) if invited else ()
    precedence = Precedence(creator, b"p" in fields)
    return Pointer(id.decode(), match_id, int(version), next, account, precedence, accounts)


def pointer_to(
    owner_id: str,
    version: int,
    next: str,
    account: str = "",
    precedence: Precedence = NO_PRECEDENCE,
    invited: str = "",
) -> Write:
    """The write of a pointer to a match or ladder that has reached a version; see `Pointer`.

    `invited` are account ids, separated by commas.
    """
    # Entries with the same fields take the least memory, so the most frequent fields are always present.
    found: list[str | bytes | int] = ["m", _packed_text(owner_id), "v", version, "n", next]
    found += ["a", _packed_text(account), "c", _packed_text(precedence.creator)]
    if precedence.has_people:
        found += ["p", "1"]
    if invited:
        found += ["i", invited]
    return Write("XADD", keys.LOG, ("*", *found))


@lru_cache(maxsize=4096)
def _packed_text(id: str) -> bytes:
    return packed_id(id.encode())


@lru_cache(maxsize=4096)
def _unpacked_text(stored: bytes) -> str:
    return unpacked_id(stored).decode()


def packed_id(id: bytes) -> bytes:
    """An id in as few bytes as possible: a generated id is binary, after a byte that is not visible ASCII.
    Any other id is unchanged.
    """
    prefix, body = id[:_PREFIX_SIZE], id[_PREFIX_SIZE:]
    packed = b""
    if len(body) == _ULID_TEXT_SIZE and prefix in _KINDS:
        packed = _KINDS[prefix] + _ulid_in(body)
    elif len(body) == _DIGEST_TEXT_SIZE and prefix == _DIGEST_PREFIX:
        packed = _DIGEST_KIND + _digest_in(body)
    return packed if len(packed) > 1 else id


def unpacked_id(stored: bytes) -> bytes:
    """The inverse of `packed_id`."""
    kind, body = stored[:1], stored[1:]
    if kind == _DIGEST_KIND and len(body) == _DIGEST_SIZE:
        return _DIGEST_PREFIX + base64.urlsafe_b64encode(body)
    if kind in _ULID_PREFIXES and len(body) == _ULID_SIZE:
        return _ULID_PREFIXES[kind] + str(ULID.from_bytes(body)).encode()
    return stored


def _digest_in(body: bytes) -> bytes:
    """The bytes of a digest; none if it is not as `unpacked_id` would write it."""
    try:
        digest = base64.urlsafe_b64decode(body)
    except binascii.Error:
        return b""
    return digest if base64.urlsafe_b64encode(digest) == body else b""


def _ulid_in(body: bytes) -> bytes:
    """The bytes of a ULID; none if it is not as `unpacked_id` would write it."""
    try:
        return int(body.translate(_ULID_DIGITS), 32).to_bytes(_ULID_SIZE)
    except (OverflowError, ValueError):
        return b""


def compress_entry(data: bytes) -> bytes:
    """A zstd frame without its magic number and the id of its dictionary, which are always the same."""
    with _lock:
        return _for_entries.compress(data)[len(MAGIC) :]


def decompress_entry(data: bytes) -> bytes:
    """The inverse of `compress_entry`.

    Raises:
        ValueError: the data is not such a frame.
    """
    return decompress_file(MAGIC + data)


def compress_file(data: bytes) -> bytes:
    """A complete zstd frame at a high level of compression; it names its dictionary."""
    dictionary = zstandard.ZstdCompressionDict(_DICTIONARY.as_bytes())
    return zstandard.ZstdCompressor(_FILE_LEVEL, dictionary).compress(data)


def decompress_file(data: bytes) -> bytes:
    """The inverse of `compress_file`.

    Raises:
        ValueError: the data is not such a frame, is more than one, or has more than `LARGEST` bytes inside.
    """
    try:
        if not 0 <= zstandard.frame_content_size(data) <= LARGEST:
            raise ValueError("it is longer than it may be")
        with _lock:
            return _decompressor.decompress(data, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
