"""The envelope: an event in the form that the API shows and that its hash covers."""

from typing import Any

from msgspec import Struct


class Envelope(Struct, frozen=True, gc=False):
    """One event with all that is known about it."""

    match_id: str
    sequence: int
    type: str
    schema: int
    time: str
    """RFC 3339, UTC, with milliseconds."""
    actor: str
    """`seat:0`, `account:acc_…` or `service`."""
    command_id: str
    rules_version: str
    data: dict[str, Any]
    """The event's members by name, as recorded."""
    previous_hash: str
    hash: str
    """`sha-256:` and 64 hex digits: the SHA-256 of the canonical JSON (RFC 8785) of all other members."""
