"""Invitations to matches, and the answers to them."""

from marshmallow import Schema

from contract.values import MOST_SEATS
from service.contract.fields import integer, matching
from service.matches.new_match_schemas import SEED


class AcceptSchema(Schema):
    """The reserved seat that is taken; without `seat`, the first."""

    seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)
    seed = matching(SEED, metadata={"description": "Enters the dice of the match."})


class DeclineSchema(Schema):
    """The reserved seat that is declined; without `seat`, the first."""

    seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)
