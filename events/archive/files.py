"""The files of archived matches, in two formats, which their first bytes determine. docs/archive.md specifies
both for readers in other languages.

Format 2, in which new files are written, is a zstd frame of lines of JSON, the first about the match, then
one for each entry. It has no hashes of entries, since they derive from the events. Format 1 is gzip of lines
of JSON, including the hashes.

The SHA-256 of a file is compared before anything is decoded, so only unchanged files are decoded.
"""

import base64
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from domain.canonical import hash_text
from events.matches.entries import CODEC
from events.store.chain import NO_HASH, EntryMetadata
from events.store.errors import StreamCorrupt
from events.store.fields import LARGEST, MAGIC, compress_file, decompress_file
from events.store.recorded import text_of
from events.store.records import FINGERPRINT_SIZE, LONG_FINGERPRINT_SIZE, Entry

FORMAT: Final = 2
LARGEST_FILE: Final = 16 << 20
"""In bytes."""


class Tombstone(Struct, frozen=True):
    """The record that replaces an archived stream in Redis and names its file."""

    file: str
    """The path below the archive's directory."""
    version: int
    head_hash: str
    """`sha-256:` and the hash of the last event."""
    sha256: str
    """The SHA-256 of the file, in hex."""


class _Head(Struct, frozen=True):
    format: int
    match_id: str
    version: int
    head_hash: str


class _Line(Struct, frozen=True, array_like=True):
    """One entry, as a JSON array."""

    since_ms: int
    """Since the previous entry; for the first entry, since 1970."""
    actor: str
    command_id: str
    """Empty for a built-in player's decision, as is the fingerprint."""
    fingerprint: str
    """In base64."""
    events: msgspec.Raw
    """As they were stored."""


class _Line1(Struct, frozen=True):
    """One entry in a file of format 1: its fields under their names on Redis."""

    id: str
    e: str
    c: str
    """In hex, as is `h`."""
    a: str
    t: int
    h: str


_encoder: Final = msgspec.json.Encoder()
_tombstones: Final = msgspec.json.Decoder(Tombstone)
_heads: Final = msgspec.json.Decoder(_Head)
_lines: Final = msgspec.json.Decoder(_Line)
_lines_1: Final = msgspec.json.Decoder(_Line1)


def file_name(match_id: str) -> str:
    """The path of a match's file. The last letters of an id are random, so the directories fill evenly.

    Raises:
        ValueError: the id is not suitable for a path.
    """
    if not re.fullmatch(r"\w+", match_id, re.ASCII):
        raise ValueError(f"no match has the id {match_id!r}")
    return f"{match_id[-2:]}/{match_id}.ndjson.zst"


def encode(match_id: str, entries: Sequence[Entry]) -> bytes:
    """The file with these entries, which are all entries of the match.

    Raises:
        ValueError: it would be too large to be read back.
    """
    tail = entries[-1]
    head = _Head(FORMAT, match_id, tail.last, hash_text(tail.hash))
    text = _encoder.encode_lines([head, *_lines_of(entries)])
    data = compress_file(text)
    if len(text) > LARGEST or len(data) > LARGEST_FILE:
        raise ValueError(f"its entries are {len(text)} bytes, more than an archive file may hold")
    return data


def tombstone_of(match_id: str, entries: Sequence[Entry], data: bytes) -> Tombstone:
    """The tombstone of the file with that content."""
    tail = entries[-1]
    digest = hashlib.sha256(data).hexdigest()
    return Tombstone(file_name(match_id), tail.last, hash_text(tail.hash), digest)


def to_json(tombstone: Tombstone) -> bytes:
    return _encoder.encode(tombstone)


def from_json(match_id: str, stored: bytes) -> Tombstone:
    """The tombstone of a match.

    Raises:
        StreamCorrupt: it is malformed.
    """
    try:
        return _tombstones.decode(stored)
    except msgspec.MsgspecError as error:
        raise StreamCorrupt(match_id, 0, f"no tombstone: {error}") from error


def decode(match_id: str, tombstone: Tombstone, data: bytes) -> list[Entry]:
    """The entries in the file of the tombstone.

    Raises:
        StreamCorrupt: it is another file, or damaged.
    """
    if hashlib.sha256(data).hexdigest() != tombstone.sha256:
        raise StreamCorrupt(match_id, 0, "the SHA-256 of its archive file does not match")
    try:
        number, unpacked, entries_in = _FORMATS[_GZIP if data.startswith(_GZIP) else MAGIC]
        head, *lines = unpacked(data).splitlines()
        if _heads.decode(head) != _Head(number, match_id, tombstone.version, tombstone.head_hash):
            raise ValueError("it is about something else")
        entries = [*entries_in(match_id, lines)]
        if not entries or entries[-1].last != tombstone.version:
            raise ValueError("entries are missing")
        if hash_text(entries[-1].hash) != tombstone.head_hash:
            raise ValueError("its events do not lead to its last hash")
    except (ValueError, LookupError, OverflowError, zlib.error) as error:  # msgspec's errors are ValueErrors
        raise StreamCorrupt(match_id, 0, f"its archive file cannot be read: {error}") from error
    return entries


def _lines_of(entries: Iterable[Entry]) -> Iterator[_Line]:
    at_ms = 0
    for entry in entries:
        fingerprint, command_id = entry.command[:FINGERPRINT_SIZE], entry.command[FINGERPRINT_SIZE:]
        yield _Line(
            entry.time_ms - at_ms,
            entry.actor,
            command_id.decode(),
            base64.b64encode(fingerprint).decode(),
            msgspec.Raw(entry.events),
        )
        at_ms = entry.time_ms


def _entries_in(match_id: str, lines: Iterable[bytes]) -> Iterator[Entry]:
    """The entries with their hashes, of which the file contains only the last."""
    at_ms, last, rules_version, head_hash = 0, 0, "", NO_HASH
    for since_ms, actor, command_id, fingerprint, stored in map(astuple, map(_lines.decode, lines)):
        events = CODEC.decode_recorded(bytes(stored))
        rules_version = rules_version or events[0].data["rules_version"]
        command = base64.b64decode(fingerprint) + command_id.encode()
        at_ms += since_ms
        bare = Entry(last + len(events), bytes(stored), command, actor, at_ms, b"")
        metadata = EntryMetadata(match_id, rules_version, actor, bare.command_id(match_id, last + 1), at_ms)
        head_hash = CODEC.hashes(metadata, last + 1, map(text_of, events), head_hash)[-1]
        last = bare.last
        yield replace(bare, hash=head_hash)


def _entries_in_1(match_id: str, lines: Iterable[bytes]) -> Iterator[Entry]:
    for line in map(_lines_1.decode, lines):
        command = bytes.fromhex(line.c)
        yield Entry(
            int(line.id.removesuffix("-0")),
            line.e.encode(),
            command[:FINGERPRINT_SIZE] + command[LONG_FINGERPRINT_SIZE:],
            line.a,
            line.t,
            bytes.fromhex(line.h),
        )


def _gunzipped(data: bytes) -> bytes:
    """The decompressed file, of at most `LARGEST` bytes."""
    unpacking = zlib.decompressobj(wbits=31)
    text = unpacking.decompress(data, LARGEST)
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("it is cut short, or longer than it may be")
    return text


_GZIP: Final = b"\x1f\x8b"
_FORMATS: Final = {_GZIP: (1, _gunzipped, _entries_in_1), MAGIC: (FORMAT, decompress_file, _entries_in)}
"""The number of each format, its decompressor and its line decoder, by the first bytes of the file."""
