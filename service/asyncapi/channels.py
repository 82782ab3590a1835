"""The channels of `asyncapi.yaml`: what flows where. All else about them is in the OpenAPI document."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

Doc = dict[str, Any]

SERVER_SENT: Final = "text/event-stream"
LINES: Final = "application/x-ndjson"
JSON: Final = "application/json"


class Stream(NamedTuple):
    """A stream, or a list that grows at its end, by the operation of the OpenAPI document that gives it."""

    operation: str
    messages: tuple[str, ...]
    """The names of `MESSAGES` that flow there."""
    media_types: tuple[str, ...]
    """The forms in which it can be had."""


class Message(NamedTuple):
    """A message: its schema among the components of the OpenAPI document, and what it is."""

    schema: str
    summary: str


STREAMS: Final[Mapping[str, Stream]] = {
    "matchEvents": Stream("list_events", ("event", "streamEnd"), (SERVER_SENT, LINES, JSON)),
    "inbox": Stream("list_my_events", ("notification",), (SERVER_SENT, LINES, JSON)),
    "ladderEvents": Stream("list_ladder_events", ("ladderEvent",), (JSON,)),
    "checkpoints": Stream("list_checkpoints", ("checkpoint",), (LINES, JSON)),
}
"""By the name of the channel."""

MESSAGES: Final[Mapping[str, Message]] = {
    "event": Message("Event", "An event of a match; its sequence is the id of the server-sent event."),
    "streamEnd": Message("StreamEnd", "The match is over: nothing follows, and the connection closes."),
    "notification": Message(
        "Notification", "A notification; its sequence is the id of the server-sent event."
    ),
    "ladderEvent": Message("LadderEvent", "An event of a ladder, in a page."),
    "checkpoint": Message("Checkpoint", "A signed line of the public log of ended matches."),
    "webhookMessage": Message("WebhookMessage", "A notification, or a test, signed by Standard Webhooks."),
}

WEBHOOK: Final = "webhook"
"""The channel of webhooks, whose addresses accounts choose."""
WEBHOOK_TEXT: Final = """\
Each notification is sent by POST to the `url` of each enabled webhook of its account that has its type. \
`POST /v1/me/webhooks` creates one. Any status of 2xx within ten seconds acknowledges a message; otherwise \
it is sent again, with the same `webhook-id`, up to eight times. Messages may come twice and out of order."""

WEBHOOK_HEADERS: Final[Doc] = {
    "type": "object",
    "required": ["webhook-id", "webhook-timestamp", "webhook-signature"],
    "properties": {
        "webhook-id": {
            "type": "string",
            "description": "The id of the notification, the same in each attempt.",
        },
        "webhook-timestamp": {
            "type": "string",
            "pattern": "^[0-9]+$",
            "description": "When this attempt was made, in seconds since 1970.",
        },
        "webhook-signature": {
            "type": "string",
            "pattern": "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$",
            "description": "`v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by "
            "dots; one for each secret in force, separated by blanks.",
        },
    },
}
