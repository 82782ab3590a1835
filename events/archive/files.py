"""The file of an archived match: gzip of lines of JSON, the first about the match, then one for each entry.

The bytes follow from the entries alone. What is read back was written here, bit by bit: its SHA-256 is
compared before anything is decoded.
"""

import gzip
import hashlib
import re
import zlib
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from events.matches.envelope import hash_text
from events.store.errors import StreamCorrupt
from events.store.records import Entry

FORMAT: Final = 1
LARGEST_FILE: Final = 16 << 20
LARGEST_TEXT: Final = 64 << 20
"""Bytes; a match of a thousand turns has less than a hundredth of that."""


class Tombstone(Struct, frozen=True):
    """What stays in Redis in the place of a stream: where its entries are."""

    file: str
    """Below the archive's directory."""
    version: int
    head_hash: str
    """`sha-256:` and the hash of the last event."""
    sha256: str
    """Of the file, in hex."""


class _Head(Struct, frozen=True):
    format: int
    match_id: str
    version: int
    head_hash: str


class _Line(Struct, frozen=True):
    """A stream entry, its fields under the names that they have on Redis."""

    id: str
    e: str
    c: str
    """In hex, as `h`."""
    a: str
    t: int
    h: str


_encoder: Final = msgspec.json.Encoder()
_tombstones: Final = msgspec.json.Decoder(Tombstone)
_heads: Final = msgspec.json.Decoder(_Head)
_lines: Final = msgspec.json.Decoder(_Line)


def file_name(match_id: str) -> str:
    """Where the file of a match lies; the last letters of an id are random, so directories fill evenly.

    Raises:
        ValueError: the id cannot name a file.
    """
    if not re.fullmatch(r"\w+", match_id, re.ASCII):
        raise ValueError(f"no match has the id {match_id!r}")
    return f"{match_id[-2:]}/{match_id}.ndjson.gz"


def encode(match_id: str, entries: Sequence[Entry]) -> bytes:
    """The file that holds these entries, all that the match has.

    Raises:
        ValueError: it would be larger than what is read back.
    """
    tail = entries[-1]
    head = _Head(FORMAT, match_id, tail.last, hash_text(tail.hash))
    text = _encoder.encode_lines([head, *map(_line, entries)])
    data = gzip.compress(text, 9, mtime=0)
    if len(text) > LARGEST_TEXT or len(data) > LARGEST_FILE:
        raise ValueError(f"its entries are {len(text)} bytes, more than an archive file may hold")
    return data


def tombstone_of(match_id: str, entries: Sequence[Entry], data: bytes) -> Tombstone:
    """What points to the file with that content."""
    tail = entries[-1]
    digest = hashlib.sha256(data).hexdigest()
    return Tombstone(file_name(match_id), tail.last, hash_text(tail.hash), digest)


def to_json(tombstone: Tombstone) -> bytes:
    return _encoder.encode(tombstone)


def from_json(match_id: str, stored: bytes) -> Tombstone:
    """The tombstone of a match.

    Raises:
        StreamCorrupt: it is none.
    """
    try:
        return _tombstones.decode(stored)
    except msgspec.MsgspecError as error:
        raise StreamCorrupt(match_id, 0, f"no tombstone: {error}") from error


def decode(match_id: str, tombstone: Tombstone, data: bytes) -> list[Entry]:
    """The entries in a file of which the tombstone was made.

    Raises:
        StreamCorrupt: it is another file, or damaged.
    """
    if hashlib.sha256(data).hexdigest() != tombstone.sha256:
        raise StreamCorrupt(match_id, 0, "the SHA-256 of its archive file does not match")
    try:
        head, *lines = _unpacked(data).splitlines()
        if _heads.decode(head) != _Head(FORMAT, match_id, tombstone.version, tombstone.head_hash):
            raise ValueError("it is about something else")
        entries = [_entry(_lines.decode(line)) for line in lines]
        if not entries or entries[-1].last != tombstone.version:
            raise ValueError("entries are missing")
    except (ValueError, zlib.error) as error:  # msgspec's errors are ValueErrors
        raise StreamCorrupt(match_id, 0, f"its archive file cannot be read: {error}") from error
    return entries


def _unpacked(data: bytes) -> bytes:
    """No more than `LARGEST_TEXT`, whatever the file unpacks to."""
    unpacking = zlib.decompressobj(wbits=31)
    text = unpacking.decompress(data, LARGEST_TEXT)
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("it is cut short, or longer than it may be")
    return text


def _line(entry: Entry) -> _Line:
    return _Line(
        f"{entry.last}-0",
        entry.events.decode(),
        entry.command.hex(),
        entry.actor,
        entry.time_ms,
        entry.hash.hex(),
    )


def _entry(line: _Line) -> Entry:
    return Entry(
        int(line.id.removesuffix("-0")),
        line.e.encode(),
        bytes.fromhex(line.c),
        line.a,
        line.t,
        bytes.fromhex(line.h),
    )
