"""The shape of every error."""

from marshmallow import Schema, fields

from service.contract.fields import Component, integer, list_of, nested, one_of
from service.contract.names import PROBLEM_CODE


class FaultSchema(Schema):
    """One thing that is wrong with a request."""

    pointer = fields.String(
        required=True,
        metadata={
            "description": "JSON pointer into the body; for a query parameter or header, / and its name."
        },
    )
    code = one_of(PROBLEM_CODE, required=True)
    detail = fields.String(required=True)


class ProblemSchema(Schema):
    """An RFC 9457 problem."""

    type = fields.String(required=True, metadata={"format": "uri-reference"})
    title = fields.String(required=True)
    status = integer(400, 599, required=True)
    detail = fields.String(required=True)
    code = one_of(PROBLEM_CODE, required=True)
    request_id = fields.String(required=True)
    errors = list_of(nested(FaultSchema()), required=True)
    expected = integer(metadata={"description": "With stale_version: the version in If-Match."})
    current = integer(metadata={"description": "With stale_version: the version of the match."})
    events = list_of(
        Component("Event"), metadata={"description": "With stale_version: the missed events, at most 50."}
    )
    max_version = integer(
        metadata={"description": "With cursor_ahead, event_not_found and version_not_found: the last event."}
    )
    max_number = integer(
        metadata={"description": "With cursor_ahead and checkpoint_not_found: the last checkpoint."}
    )
    missing = list_of(
        fields.String(),
        metadata={"description": "With not_ready: what is missing before a match can be played."},
    )
