"""Query parameters of events and pending decisions, and the formats of event streams.

The schemas of the events themselves are in `service.openapi.event_types`.
"""

from typing import Final

from marshmallow import Schema

from domain.match.events import REGISTRY
from service.openapi.fields import QueryFlag, QueryInteger, QueryList, query_after


class EventQuerySchema(Schema):
    """Filters and form of a list of events."""

    after = query_after()
    limit = QueryInteger(
        1, 500, metadata={"description": "For pages only: the most events per page; 100 by default."}
    )
    types = QueryList(
        REGISTRY,
        metadata={"description": "Return only events of these types, such as `dice_rolled,turn_ended`."},
    )
    wait = QueryInteger(
        0,
        30,
        metadata={
            "description": "For pages only: the seconds, such as `25`, to wait for the next event if there "
            "is none yet."
        },
    )
    follow = QueryFlag(
        metadata={
            "description": "For lines only: `true` to stream future events as well. Server-sent events "
            "always do.",
        },
    )


class WaitQuerySchema(Schema):
    """The time to wait."""

    wait = QueryInteger(
        0,
        30,
        load_default=0,
        metadata={"description": "The seconds, such as `25`, to wait for the first item if there is none."},
    )


_SERVER_SENT: Final = """\
Server-sent events. `id` is the sequence, and `data` is the event as JSON, as in a page. While nothing \
happens, a comment follows every 10 seconds. After the last event of a match that is over, an event of the \
type `stream_end` follows, and the connection closes. Without it, the stream was cut: request it again with \
`Last-Event-ID`, as browsers do by themselves."""

_LINES: Final = """\
One event per line, up to the last event. With `follow=true`, future events follow as they happen, and an \
empty line every 10 seconds while nothing happens. After the last event of a match that is over, a line of \
the type `stream_end` follows, and the body ends. Without it, there may be more: request the rest with \
`after`."""

STREAMED: Final = {
    "text/event-stream": {
        "schema": {"type": "string", "description": _SERVER_SENT},
    },
    "application/x-ndjson": {
        "schema": {"type": "string", "description": _LINES},
    },
}
"""The stream formats in the document."""
