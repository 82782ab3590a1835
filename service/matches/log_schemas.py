"""The log of a match."""

from typing import Final

from marshmallow import Schema

from contract.names import Language
from contract.values import GREATEST
from service.contract.fields import QueryInteger, one_of


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
        Language,
        metadata={
            "description": "The language of the sentences, such as `uk`; goes before `Accept-Language`."
        },
    )


AS_TEXT: Final = {
    "text/plain": {
        "schema": {"type": "string", "description": "All sentences behind `after`, one a line, in UTF-8."},
    },
}
"""The other form of a log, as the document describes it."""
