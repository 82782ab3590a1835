"""The log of a match."""

from typing import Final

from marshmallow import Schema, fields

from service.contract.fields import GREATEST, QueryInteger, instant, integer, list_of, nested, one_of
from service.contract.names import EVENT_TYPE, LANGUAGE


class LogQuerySchema(Schema):
    """Which events are told, and how."""

    after = QueryInteger(
        0,
        GREATEST,
        load_default=0,
        metadata={"description": "The last sequence already known, such as `42`; 0 for all events."},
    )
    limit = QueryInteger(
        1, 500, metadata={"description": "Of a page alone: the most lines in it; 100 if it is not given."}
    )
    lang = one_of(
        LANGUAGE,
        metadata={
            "description": "The language of the sentences, such as `uk`; goes before `Accept-Language`."
        },
    )


class LogLineSchema(Schema):
    """One event in a sentence."""

    sequence = integer(1, required=True, metadata={"description": "Of the event."})
    type = one_of(EVENT_TYPE, required=True)
    time = instant(required=True)
    seat = integer(
        0,
        4,
        required=True,
        allow_none=True,
        metadata={"description": "Who throws, pays, builds or wins; null where it is about the table."},
    )
    text = fields.String(required=True, metadata={"description": "The sentence, with its full stop."})


class LogPageSchema(Schema):
    """One page of a log."""

    items = list_of(nested(LogLineSchema()), required=True)
    next = fields.String(required=True, allow_none=True)
    language = one_of(LANGUAGE, required=True, metadata={"description": "Of the sentences."})


AS_TEXT: Final = {
    "text/plain": {
        "schema": {"type": "string", "description": "All sentences behind `after`, one a line, in UTF-8."},
    },
}
"""The other form of a log, as the document describes it."""
