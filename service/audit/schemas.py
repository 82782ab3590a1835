"""Query parameters of verifications and checkpoints, and the formats of exports."""

from typing import Any, Final

from marshmallow import Schema

from service.openapi.fields import QueryInteger, matching, query_after

RECEIPT_TEXT: Final = r'v=[1-9][0-9]{0,9}; *h="sha-256:[0-9a-f]{64}"'
"""The `Match-Head` of a response."""


class VerificationQuerySchema(Schema):
    """Further evidence for the verification."""

    receipt = matching(
        RECEIPT_TEXT,
        metadata={
            "description": 'A `Match-Head` that you have kept, such as `v=42; h="sha-256:..."`. The events '
            "must match it."
        },
    )


EXPORT_LINES: Final[dict[str, Any]] = {
    "type": "string",
    "description": """\
Lines of JSON, each an object with its `kind`: `manifest` (`format`, `match_id`, `rules_version`, `status`, \
`visibility`, `events`, `head_hash`), `ruleset` (`rules_version`, `digest`, `tables`), one `event` (`event`) \
per event, and once the match is over, `reveal` (`key_id`, `seed`, `commitment`, `seat_seeds`) and \
`signature` (`checkpoint`, `key`).""",
}
"""The schema of an export."""


class CheckpointQuerySchema(Schema):
    """Range of checkpoints."""

    after = query_after("The last number that you have, such as `42`; 0 for all lines.")
    limit = QueryInteger(
        1,
        500,
        metadata={"description": "For pages only: the most checkpoints per page; 100 by default."},
    )


_LINES: Final = "One checkpoint per line, ordered by number, up to the last one at the time of the request."

AS_LINES: Final = {"application/x-ndjson": {"schema": {"type": "string", "description": _LINES}}}
"""The log as lines, in the document."""
