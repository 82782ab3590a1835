"""Events: everything that happened in a match, for ever the same."""

from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import force_setattr

from contract.events import StreamEnd
from domain.match.envelope import Envelope
from machi.decoding import Kept, Page, decoded
from machi.event_data import data_of


class Event(Envelope, Kept, frozen=True, dict=True, gc=True):
    """One fact of a match."""

    # What is hashed is the text of the time; who reads events wants the time itself.
    time: datetime  # type: ignore[assignment]
    data: object  # type: ignore[assignment]
    """A value of a class in `machi.event_data`: that of the event's type, or `OtherData`."""

    def __post_init__(self) -> None:
        if isinstance(self.data, dict):
            force_setattr(self, "data", data_of(self.type, self.schema, self.data))


class EventPage(Struct, frozen=True):
    """Some events in their order."""

    items: tuple[Event, ...]
    next: int | None
    """The `after` of the next page; None at the head of the match."""


def decode_page(raw: bytes) -> EventPage:
    """A page of events. Raises: UnusableAnswer."""
    page = decoded(Page, raw)
    following = None if page.next is None else decoded(int, page.next.encode())
    return EventPage(tuple(decoded(Event, item) for item in page.items), following)


class _Line(Struct):
    type: str = ""


def decode_line(raw: bytes) -> Event | StreamEnd:
    """A line of a stream of events. Raises: UnusableAnswer."""
    return decoded(StreamEnd, raw) if decoded(_Line, raw).type == STREAM_END else decoded(Event, raw)


STREAM_END: Final = StreamEnd.__struct_config__.tag
"""The type of the line that is no event."""
