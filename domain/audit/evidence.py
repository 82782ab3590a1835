"""What an audit is made from: the events of a match, and what came with them."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

Members: TypeAlias = Mapping[str, Any]
"""A JSON object."""


class Evidence(Struct, frozen=True, kw_only=True):
    """Everything about one match, as it was handed over; nothing in it has been checked."""

    match_id: str
    events: Sequence[Members]
    """As the API shows them."""
    manifest: Members | None = None
    ruleset: Members | None = None
    """The tables that came along, with their digest and version."""
    reveal: Members | None = None
    checkpoint: Members | None = None
    key: Members | None = None
    """The public key that came along. Whoever trusts it must have it from elsewhere."""


class Receipt(Struct, frozen=True):
    """A `Match-Head` that somebody kept."""

    version: int
    hash: str
