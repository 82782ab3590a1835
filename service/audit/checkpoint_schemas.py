"""Checkpoints and the keys that sign them."""

from typing import Final

from marshmallow import Schema

from contract.values import GREATEST
from service.contract.fields import QueryInteger


class CheckpointQuerySchema(Schema):
    """Which lines are given."""

    after = QueryInteger(
        0,
        GREATEST,
        load_default=0,
        metadata={"description": "The last number already known, such as `42`; 0 for all lines."},
    )
    limit = QueryInteger(
        1,
        500,
        metadata={"description": "Of a page alone: the most checkpoints in it; 100 if it is not given."},
    )


_LINES: Final = (
    "A checkpoint a line, in the order of numbers, up to the last one there was when the request came."
)

AS_LINES: Final = {"application/x-ndjson": {"schema": {"type": "string", "description": _LINES}}}
"""The log in one piece, as the document describes it."""
