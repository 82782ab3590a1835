"""Events: everything that has happened in a match, recorded for ever."""

from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import force_setattr

from contract.events import StreamEnd
from domain.match.envelope import Envelope
from machi.answers import HasRaw, RawPage, decoded
from machi.event_data import data_of


class Event(Envelope, HasRaw, frozen=True, dict=True, gc=True):
    """One event of a match."""

    # The rules keep the time as text, because the hash covers the text; readers want a datetime.
    time: datetime  # type: ignore[assignment]
    data: object  # type: ignore[assignment]
    """Of the class in `machi.event_data` for the event's type, or `OtherData`."""

    def __post_init__(self) -> None:
        if isinstance(self.data, dict):
            force_setattr(self, "data", data_of(self.type, self.schema, self.data))


class EventPage(Struct, frozen=True):
    """A page of events, in order."""

    items: tuple[Event, ...]
    next: int | None
    """The `after` of the next page; None at the head of the match."""


def decode_page(raw: bytes) -> EventPage:
    """A page of events. Raises: UnusableAnswer."""
    page = decoded(RawPage, raw)
    following = None if page.next is None else decoded(int, page.next.encode())
    return EventPage(tuple(decoded(Event, item) for item in page.items), following)


class _Line(Struct):
    type: str = ""


def decode_line(raw: bytes) -> Event | StreamEnd:
    """A line of a stream of events. Raises: UnusableAnswer."""
    return decoded(StreamEnd, raw) if decoded(_Line, raw).type == STREAM_END else decoded(Event, raw)


STREAM_END: Final = StreamEnd.__struct_config__.tag
"""The type of the last line of a stream, which is not an event."""
