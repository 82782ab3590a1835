"""Invitations to matches, and the answers to them."""

from marshmallow import Schema, fields

from service.contract.fields import instant, integer, list_of, matching, nested, one_of
from service.contract.names import RULESET, VISIBILITY
from service.matches.match_schemas import MOST_SEATS, ClockSchema
from service.matches.new_match_schemas import SEED


class InvitationSchema(Schema):
    """A seat that is reserved for the caller."""

    match_id = fields.String(required=True)
    seat = integer(0, MOST_SEATS - 1, required=True)
    seats = integer(2, MOST_SEATS, required=True, metadata={"description": "How many seats the match has."})
    ruleset = one_of(RULESET, required=True)
    rules_version = fields.String(required=True)
    clock = nested(ClockSchema(), required=True, allow_none=True)
    visibility = one_of(VISIBILITY, required=True)
    invited_by = fields.String(
        required=True, allow_none=True, metadata={"description": "The handle of the match's creator."}
    )
    created_at = instant(required=True)


class InvitationPageSchema(Schema):
    """The invitations that wait for the caller."""

    items = list_of(nested(InvitationSchema()), required=True)
    next = fields.String(required=True, allow_none=True)


class AcceptSchema(Schema):
    """The reserved seat that is taken; without `seat`, the first."""

    seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)
    seed = matching(SEED, metadata={"description": "Enters the dice of the match."})


class DeclineSchema(Schema):
    """The reserved seat that is declined; without `seat`, the first."""

    seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)
