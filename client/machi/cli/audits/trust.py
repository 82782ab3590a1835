"""Trusted keys: the public keys that an auditor has pinned, or those in the file."""

import base64
import binascii
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from contract.audit import SigningKey
from domain.canonical import parsed_as
from machi.cli.session import Unusable

ALGORITHM: Final = "Ed25519"


class PublicKey(Struct, frozen=True):
    """A key as exports and saved responses contain it; those of earlier versions lack `is_current`."""

    key_id: str
    algorithm: str
    public_key: str


class _KeyList(Struct, frozen=True):
    items: tuple[PublicKey, ...]


class Keys:
    """Public keys by id; calling it checks a signature."""

    def __init__(self, public_keys: Mapping[str, str]) -> None:
        self._public_keys = public_keys

    def __call__(self, key_id: str, message: bytes, signature: str) -> bool:
        """Whether the signature, in base64, is valid: the domain's `CheckSignature`."""
        public_key = self._public_keys.get(key_id)
        if public_key is None:
            return False
        try:
            raw = base64.b64decode(signature, validate=True)
            _key(public_key).verify(raw, message)
        except (InvalidSignature, ValueError):
            return False
        # The last base64 letter has unused bits: accept only the canonical text of a signature.
        return base64.b64encode(raw).decode() == signature


def keys_in(key: Mapping[str, Any] | None) -> dict[str, str]:
    """The public key of a file by its id; empty if there is none, or it is unusable."""
    try:
        found = msgspec.convert(key, PublicKey)
    except msgspec.ValidationError:
        return {}
    is_usable = found.algorithm == ALGORITHM and fingerprint(found.public_key)
    return {found.key_id: found.public_key} if is_usable else {}


def pinned_keys(path: Path) -> dict[str, str]:
    """The keys in a saved response of `GET /v1/signing-keys`, by id. Raises: Unusable."""
    try:
        keys = parsed_as(path.read_bytes(), _KeyList).items
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise Unusable(f"{path} is not a response of GET /v1/signing-keys") from None
    return by_id(keys, str(path))


def by_id(keys: Sequence[PublicKey | SigningKey], where: str) -> dict[str, str]:
    """The public keys by id. Raises: Unusable if there are none, or one is invalid."""
    for key in keys:
        if key.algorithm != ALGORITHM or not fingerprint(key.public_key):
            raise Unusable(f"the key {key.key_id!r} in {where} is not an {ALGORITHM} key")
    if not keys or len({key.key_id for key in keys}) != len(keys):
        raise Unusable(f"{where} has no keys, or two keys with the same id")
    return {key.key_id: key.public_key for key in keys}


def fingerprint(public_key: str) -> str:
    """16 hex digits of the SHA-256 of the key's 32 bytes; empty if the text is not a key."""
    try:
        _key(public_key)
    except ValueError:
        return ""
    digest = hashlib.sha256(base64.b64decode(public_key)).hexdigest()
    return " ".join(digest[i : i + 4] for i in range(0, 16, 4))


@lru_cache(maxsize=64)
def _key(public_key: str) -> Ed25519PublicKey:
    """Raises: ValueError."""
    try:
        return Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
    except binascii.Error as error:
        raise ValueError(str(error)) from None
