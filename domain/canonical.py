"""Canonical JSON (RFC 8785) of what this project records: objects, arrays, strings, whole numbers, true,
false and null.

A test holds it against another implementation. Numbers with a fraction are not for it.
"""

import hashlib
from typing import Any, Final

import msgspec

_encode: Final = msgspec.json.Encoder(order="sorted").encode


def canonical(value: Any) -> bytes:
    """The one text of the value: members sorted by name, no spaces, UTF-8."""
    return _encode(value)


def sha256(message: bytes) -> str:
    """`sha-256:` and the SHA-256 of the message in hex."""
    return "sha-256:" + hashlib.sha256(message).hexdigest()
