"""Events: everything that happened in a match, for ever the same."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import msgspec
from msgspec import Struct

from machi.decoding import decoded
from machi.event_data import DATA, Data, OtherData


# A dataclass, and no Struct as most values: what came as JSON is neither shown nor compared.
@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One fact of a match."""

    match_id: str
    sequence: int
    """From 1; the version of a match is the sequence of its last event."""
    type: str
    schema: int
    time: datetime
    actor: str
    """`seat:0`, `account:acc_…` or `service`."""
    command_id: str
    rules_version: str
    data: Data
    previous_hash: str
    hash: str
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came."""


class _Envelope(Struct):
    """The event as it comes; `type` says what `data` holds."""

    match_id: str
    sequence: int
    type: str
    schema: int
    time: datetime
    actor: str
    command_id: str
    rules_version: str
    data: msgspec.Raw
    previous_hash: str
    hash: str


class _Page(Struct):
    items: tuple[msgspec.Raw, ...]
    next: str | None = None


class EventPage(Struct, frozen=True):
    """Some events in their order."""

    items: tuple[Event, ...]
    next: int | None
    """The `after` of the next page; None at the head of the match."""


def decode_event(raw: bytes | msgspec.Raw) -> Event:
    """The event. Raises: UnusableAnswer."""
    envelope = decoded(_Envelope, raw)
    members = msgspec.structs.asdict(envelope)
    return Event(**{**members, "data": _data(envelope), "raw": bytes(raw)})


def _data(envelope: _Envelope) -> Data:
    kind = DATA.get(envelope.type)
    return decoded(kind, envelope.data) if kind else OtherData(decoded(dict[str, Any], envelope.data))


def decode_page(raw: bytes) -> EventPage:
    """A page of events. Raises: UnusableAnswer."""
    page = decoded(_Page, raw)
    following = None if page.next is None else decoded(int, page.next.encode())
    return EventPage(tuple(decode_event(item) for item in page.items), following)


class StreamEnd(Struct, frozen=True):
    """What stands behind the last event of a match that is over."""

    version: int
    status: str


class _Line(Struct):
    type: str = ""


def decode_line(raw: bytes) -> Event | StreamEnd:
    """A line of a stream of events. Raises: UnusableAnswer."""
    return decoded(StreamEnd, raw) if decoded(_Line, raw).type == STREAM_END else decode_event(raw)


STREAM_END: Final = "stream_end"
"""The type of the line that is no event."""
