"""What is asked of an audit and of the log of checkpoints, and the lines that they give."""

from typing import Any, Final

from marshmallow import Schema

from contract.values import GREATEST
from service.openapi.fields import QueryInteger, matching

RECEIPT_TEXT: Final = r'v=[1-9][0-9]{0,9}; *h="sha-256:[0-9a-f]{64}"'
"""A `Match-Head` as answers carry it."""


class VerificationQuerySchema(Schema):
    """What is checked beyond the record itself."""

    receipt = matching(
        RECEIPT_TEXT,
        metadata={
            "description": 'A `Match-Head` that you kept, as it was: `v=42; h="sha-256:..."`. It must be of '
            "this history."
        },
    )


EXPORT_LINES: Final[dict[str, Any]] = {
    "type": "string",
    "description": """\
Lines of JSON, each an object with its `kind`: `manifest` (`format`, `match_id`, `rules_version`, `status`, \
`visibility`, `events`, `head_hash`), `ruleset` (`rules_version`, `digest`, `tables`), an `event` (`event`) \
for each event, and once the match is over `reveal` (`key_id`, `seed`, `commitment`, `seat_seeds`) and \
`signature` (`checkpoint`, `key`).""",
}
"""What the document says of an export."""


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
