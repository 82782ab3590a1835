"""The input of an audit: the events of a match, and what came with them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias, overload

import msgspec
from msgspec import Struct

Members: TypeAlias = Mapping[str, Any]
"""A JSON object."""


_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


class EventLines(Sequence[Members]):
    """The events of a file, decoded from their lines on access: as objects they need ten times the memory."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        """Each line is an object of strict JSON with a member `event`."""
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, place: int) -> Members: ...
    @overload
    def __getitem__(self, place: slice) -> "EventLines": ...
    def __getitem__(self, place: int | slice) -> "Members | EventLines":
        if isinstance(place, slice):
            return EventLines(self._lines[place])
        event: Members = _decode(self._lines[place])["event"]
        return event


class Evidence(Struct, frozen=True, kw_only=True):
    """Everything about one match as it was received; nothing in it has been checked."""

    match_id: str
    events: Sequence[Members]
    """In the form of the API."""
    manifest: Members | None = None
    ruleset: Members | None = None
    """The ruleset's tables, with their digest and version."""
    reveal: Members | None = None
    checkpoint: Members | None = None
    key: Members | None = None
    """The public key. It is only to be trusted if it is also known from another source."""


class Receipt(Struct, frozen=True):
    """A `Match-Head` header that somebody kept."""

    version: int
    hash: str
