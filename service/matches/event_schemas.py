"""Pages of events, and what waits for the caller. Events themselves: `service.openapi.event_types`."""

from typing import Final

from marshmallow import Schema

from contract.values import GREATEST
from domain.match.events import REGISTRY
from service.openapi.fields import (
    QueryFlag,
    QueryInteger,
    QueryList,
)


class EventQuerySchema(Schema):
    """Which events are given."""

    after = QueryInteger(
        0,
        GREATEST,
        load_default=0,
        metadata={"description": "The last sequence already known, such as `42`; 0 for all events."},
    )
    limit = QueryInteger(
        1, 500, metadata={"description": "Of a page alone: the most events in it; 100 if it is not given."}
    )
    types = QueryList(
        REGISTRY,
        metadata={"description": "Send only these types of events, such as `dice_rolled,turn_ended`."},
    )
    wait = QueryInteger(
        0,
        30,
        metadata={
            "description": "Of a page alone: seconds, such as `25`, to wait for the next event if there is "
            "none yet."
        },
    )
    follow = QueryFlag(
        metadata={
            "description": "Of lines alone: with `true` they go on with every event to come. "
            "Server-sent events always do.",
        },
    )


class WaitQuerySchema(Schema):
    """How long to wait."""

    wait = QueryInteger(
        0,
        30,
        load_default=0,
        metadata={"description": "Seconds, such as `25`, to wait for a decision if none is due."},
    )


_SERVER_SENT: Final = """\
Server-sent events. `id` is the sequence and `data` the event as JSON, as in a page. A comment comes every \
10 seconds while nothing happens. Behind the last event of a match that is over comes an event of the type \
`stream_end`, and the connection ends. Without it the stream was cut: ask again with the `Last-Event-ID`, as \
browsers do by themselves."""

_LINES: Final = """\
An event a line, up to the last; with `follow=true` every further one as it happens, and an empty line every \
10 seconds while nothing happens. Behind the last event of a match that is over comes a line of the type \
`stream_end`, and the body ends. Without it there may be more: ask again with `after`."""

STREAMED: Final = {
    "text/event-stream": {
        "schema": {"type": "string", "description": _SERVER_SENT},
    },
    "application/x-ndjson": {
        "schema": {"type": "string", "description": _LINES},
    },
}
"""The forms of events that go on, as the document describes them."""
