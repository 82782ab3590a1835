"""Checkpoints: what is signed when a match is over, each a line of the log of all matches that ended.

    hash      = SHA-256 of the canonical JSON (RFC 8785) of all members but `hash` and `signature`
    signature = Ed25519 over the same canonical JSON, in base64

`previous_hash` is the `hash` of the line before; that of the first is 64 zeros. So a line cannot be changed,
taken out or put in without changing all that follow.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from domain.canonical import canonical, sha256

TYPE: Final = "match_checkpoint"
NO_HASH: Final = "sha-256:" + "0" * 64
"""What stands for the hash before the first line, and before the first event of a match."""

CheckSignature: TypeAlias = Callable[[str, bytes, str], bool]
"""Whether a signature is good: from the key id, the message and the signature in base64."""


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The end of one match, as the service signed it."""

    type: str = TYPE
    number: int
    """The line of the log, from 1, without gaps."""
    match_id: str | None
    """None for matches that are not public; `match_digest` says which it is to who knows the id."""
    match_digest: str
    """`sha-256:` and the SHA-256 of the match id in hex."""
    rules_version: str
    status: str
    """`finished` or `aborted`."""
    version: int
    """The number of the match's events."""
    head_hash: str
    """The hash of the last of them."""
    time: str
    """When that one was recorded, RFC 3339."""
    key_id: str
    previous_hash: str
    hash: str = ""
    signature: str = ""


def message_of(checkpoint: Checkpoint) -> bytes:
    """What is hashed and signed."""
    members = msgspec.structs.asdict(checkpoint)
    del members["hash"], members["signature"]
    return canonical(members)


def digest_of_match(match_id: str) -> str:
    """What stands for a match id that is not told."""
    return sha256(match_id.encode())


def checkpoint_of(members: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint from JSON.

    Raises:
        msgspec.ValidationError: it is none.
    """
    unknown = members.keys() - set(Checkpoint.__struct_fields__)
    if unknown:
        raise msgspec.ValidationError(f"a checkpoint has no {min(unknown)!r}")
    return msgspec.convert(members, Checkpoint)


def fault_of(checkpoint: Checkpoint, is_good: CheckSignature) -> str:
    """What is wrong with the checkpoint by itself, in words; empty if nothing is."""
    message = message_of(checkpoint)
    if checkpoint.type != TYPE:
        return f"type {checkpoint.type!r} is not {TYPE!r}"
    if checkpoint.hash != sha256(message):
        return f"the hash of line {checkpoint.number} does not match"
    if not is_good(checkpoint.key_id, message, checkpoint.signature):
        return f"line {checkpoint.number} is not signed by a trusted key {checkpoint.key_id!r}"
    return ""
