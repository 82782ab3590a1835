"""Checkpoints: signed lines, one for each ended match, that form the checkpoint log.

    hash      = SHA-256 of the canonical JSON (RFC 8785) of all members but `hash` and `signature`
    signature = Ed25519 over the same canonical JSON, in base64

`previous_hash` is the `hash` of the line before; for the first line it is 64 zeros. A line can therefore not
be changed, removed or inserted without changing all lines after it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from domain.canonical import canonical, sha256

TYPE: Final = "match_checkpoint"
NO_HASH: Final = "sha-256:" + "0" * 64
"""The `previous_hash` of the first line, and of the first event of a match."""

CheckSignature: TypeAlias = Callable[[str, bytes, str], bool]
"""Verifies a signature: key id, message, and signature in base64."""


class Head(NamedTuple):
    """The last line of the log."""

    number: int = 0
    hash: str = NO_HASH


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The end of one match, as the service signed it."""

    type: str = TYPE
    number: int
    """The number of the line, from 1, without gaps."""
    match_id: str | None
    """None for matches that are not public; whoever knows the id can compare `match_digest`."""
    match_digest: str
    """`sha-256:` and the SHA-256 of the match id in hex."""
    rules_version: str
    status: str
    """`finished` or `aborted`."""
    version: int
    """The number of the match's events."""
    head_hash: str
    """The hash of the last event."""
    time: str
    """When the last event was recorded, RFC 3339."""
    key_id: str
    previous_hash: str
    hash: str = ""
    signature: str = ""


def message_of(checkpoint: Checkpoint) -> bytes:
    """The message that is hashed and signed."""
    members = msgspec.structs.asdict(checkpoint)
    del members["hash"], members["signature"]
    return canonical(members)


def digest_of_match(match_id: str) -> str:
    """The digest that replaces the id of a match that is not public."""
    return sha256(match_id.encode())


def checkpoint_of(members: Mapping[str, Any]) -> Checkpoint:
    """Parse a checkpoint.

    Raises:
        msgspec.ValidationError: the members are not those of a checkpoint.
    """
    unknown = members.keys() - set(Checkpoint.__struct_fields__)
    if unknown:
        raise msgspec.ValidationError(f"a checkpoint has no {min(unknown)!r}")
    return msgspec.convert(members, Checkpoint)


def fault_of(checkpoint: Checkpoint, is_good: CheckSignature) -> str:
    """What is wrong with the checkpoint itself, in words; empty if it is valid."""
    message = message_of(checkpoint)
    if checkpoint.type != TYPE:
        return f"type {checkpoint.type!r} is not {TYPE!r}"
    if checkpoint.hash != sha256(message):
        return f"the hash of line {checkpoint.number} does not match"
    if not is_good(checkpoint.key_id, message, checkpoint.signature):
        return f"line {checkpoint.number} is not signed by a trusted key {checkpoint.key_id!r}"
    return ""
