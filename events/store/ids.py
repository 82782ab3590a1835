"""Ids: a prefix that says what is named, and a ULID, so that ids sort by the time of their making. Where they
are stored often, they are stored in binary.
"""

import base64
import binascii
from typing import Final

from ulid import ULID

_ULID_PREFIXES: Final = {b"\x02": b"cmd_", b"\x03": b"mat_", b"\x04": b"acc_", b"\x05": b"lad_"}
"""By the byte before the 16 bytes of the ULID."""
_DIGEST_KIND, _DIGEST_PREFIX = b"\x01", b"cmd_"
"""Ids of commands that are made from an `Idempotency-Key` are 15 bytes in base64."""
_KINDS: Final = {prefix: kind for kind, prefix in _ULID_PREFIXES.items()}
_PREFIX_SIZE, _ULID_SIZE, _ULID_TEXT_SIZE = 4, 16, 26
_DIGEST_SIZE, _DIGEST_TEXT_SIZE = 15, 20


def new_id(prefix: str) -> str:
    """A new id such as `mat_01ARZ3NDEKTSV4RRFFQ69G5FAV` for the prefix `mat`."""
    return f"{prefix}_{ULID()}"


def first_id(prefix: str, at_ms: int) -> str:
    """What sorts before every id that was made in that millisecond or later, and behind all others."""
    return f"{prefix}_{ULID.from_bytes(at_ms.to_bytes(6) + bytes(10))}"


def packed_id(id: bytes) -> bytes:
    """An id in as few bytes as may be: one of our own making is binary, after a byte that is no visible
    ASCII. Any other id stays as it is.
    """
    prefix, body = id[:_PREFIX_SIZE], id[_PREFIX_SIZE:]
    packed = id
    if len(body) == _ULID_TEXT_SIZE and prefix in _KINDS:
        packed = _KINDS[prefix] + _ulid_in(body)
    elif len(body) == _DIGEST_TEXT_SIZE and prefix == _DIGEST_PREFIX:
        packed = _DIGEST_KIND + _digest_in(body)
    return packed if unpacked_id(packed) == id else id


def unpacked_id(stored: bytes) -> bytes:
    """The id that `packed_id` was given."""
    kind, body = stored[:1], stored[1:]
    if kind == _DIGEST_KIND and len(body) == _DIGEST_SIZE:
        return _DIGEST_PREFIX + base64.urlsafe_b64encode(body)
    if kind in _ULID_PREFIXES and len(body) == _ULID_SIZE:
        return _ULID_PREFIXES[kind] + str(ULID.from_bytes(body)).encode()
    return stored


def _digest_in(body: bytes) -> bytes:
    try:
        return base64.urlsafe_b64decode(body)
    except binascii.Error:
        return b""


def _ulid_in(body: bytes) -> bytes:
    try:
        return ULID.from_str(body.decode()).bytes
    except ValueError:
        return b""
