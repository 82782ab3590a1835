"""The audit of a match: what is asked for, and what comes out."""

from typing import Any, Final

from marshmallow import Schema, fields

from service.contract.fields import integer, list_of, matching, nested, one_of
from service.contract.names import AUDIT_CHECK, AUDIT_STATUS, AUDIT_VERDICT

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


class AuditCheckSchema(Schema):
    """One thing that was checked."""

    name = one_of(AUDIT_CHECK, required=True)
    status = one_of(AUDIT_STATUS, required=True)
    first_failed_sequence = integer(
        1,
        required=True,
        allow_none=True,
        metadata={
            "description": "The first event that fails; null where none does, or the fault is in no event."
        },
    )
    detail = fields.String(
        required=True, metadata={"description": "In words, for people; empty where all is well."}
    )


class VerificationSchema(Schema):
    """The outcome of an audit."""

    match_id = fields.String(required=True)
    version = integer(0, required=True, metadata={"description": "As many events were there to be checked."})
    verdict = one_of(AUDIT_VERDICT, required=True)
    first_failed_sequence = integer(
        1, required=True, allow_none=True, metadata={"description": "The least of all checks."}
    )
    checks = list_of(nested(AuditCheckSchema()), required=True)


EXPORT_LINES: Final[dict[str, Any]] = {
    "type": "string",
    "description": """\
Lines of JSON, each an object with its `kind`: `manifest` (`format`, `match_id`, `rules_version`, `status`, \
`visibility`, `events`, `head_hash`), `ruleset` (`rules_version`, `digest`, `tables`), an `event` (`event`) \
for each event, and once the match is over `reveal` (`key_id`, `seed`, `commitment`, `seat_seeds`) and \
`signature` (`checkpoint`, `key`).""",
}
"""What the document says of an export."""
