"""The audit of a match: what is asked for, and what comes out."""

from typing import Any, Final

from marshmallow import Schema

from service.contract.fields import matching

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
