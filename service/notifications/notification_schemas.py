"""Schemas of requests about notifications and webhooks, and the formats of an inbox."""

from typing import Final

from marshmallow import Schema

from contract.notifications import TYPES, NotificationType
from runtime.webhook_targets import LONGEST_URL
from service.openapi.fields import (
    Flag,
    QueryFlag,
    QueryInteger,
    QueryList,
    list_of,
    one_of,
    prose,
    query_after,
)


class InboxQuerySchema(Schema):
    """Filters and form of an inbox."""

    after = query_after("The last sequence that you have, such as `42`; 0 for all that are kept.")
    limit = QueryInteger(
        1, 500, metadata={"description": "For pages only: the most notifications per page; 100 by default."}
    )
    types = QueryList(
        TYPES, metadata={"description": "Return only notifications of these types, such as `turn,invited`."}
    )
    wait = QueryInteger(
        0,
        30,
        metadata={
            "description": "For pages only: the seconds, such as `25`, to wait for the next notification if "
            "there is none yet."
        },
    )
    follow = QueryFlag(
        metadata={
            "description": "For lines only: `true` to stream future notifications as well. Server-sent "
            "events always do.",
        },
    )


_URL: Final = {
    "format": "uri",
    "description": "An `https` URL with a public host, on the port 443, 80, or one from 1024.",
}
_TYPES: Final = {"description": "The types of notifications to send; all by default."}
_DESCRIPTION: Final = {"description": "For you to tell webhooks apart."}


class NewWebhookSchema(Schema):
    """A new webhook."""

    url = prose(LONGEST_URL, 1, required=True, metadata=_URL)
    types = list_of(one_of(NotificationType), 1, len(TYPES), load_default=TYPES, metadata=_TYPES)
    description = prose(100, load_default="", metadata=_DESCRIPTION)


class ChangedWebhookSchema(Schema):
    """Changes of a webhook; members that are left out stay the same."""

    url = prose(LONGEST_URL, 1, metadata=_URL)
    types = list_of(one_of(NotificationType), 1, len(TYPES))
    description = prose(100, metadata=_DESCRIPTION)
    enabled = Flag(
        metadata={
            "description": "`true` also clears its failures, and has what is pending attempted at once."
        }
    )


_SERVER_SENT: Final = """\
Server-sent events. `id` is the sequence, and `data` is the notification as JSON, as in a page. While \
nothing happens, a comment follows every 10 seconds. The stream has no end: if it is cut, request it again \
with `Last-Event-ID`, as browsers do by themselves."""

_LINES: Final = """\
One notification per line, up to the last one. With `follow=true`, future ones follow as they happen, and an \
empty line every 10 seconds while nothing happens. If the body ends, request the rest with `after`."""

STREAMED: Final = {
    "text/event-stream": {"schema": {"type": "string", "description": _SERVER_SENT}},
    "application/x-ndjson": {"schema": {"type": "string", "description": _LINES}},
}
"""The stream formats in the document."""
