"""Faults of remote bots as they are shown."""

from typing import Final

from marshmallow import Schema, fields

from service.contract.fields import instant, integer, list_of, matching, nested, one_of
from service.contract.names import ROUND_PURPOSE
from service.ladders.ladder_schemas import LADDER_ID
from service.ladders.new_ladder_schemas import ENTRY_ID
from service.matches.match_schemas import MOST_SEATS

_KEPT: Final = (
    "The first 20 of them, oldest first. They are kept for a limited time: no part of the ladder's history."
)


class RefusedCommandSchema(Schema):
    """A command of a bot that was refused as wrong."""

    time = instant(required=True)
    code = fields.String(required=True, metadata={"description": "The code of the problem."})
    pointer = fields.String(
        required=True,
        metadata={
            "description": "To the member of the body that was wrong, cut after 200 characters; empty where "
            "none is named."
        },
    )
    version = integer(
        required=True,
        metadata={
            "description": "Of the match that the command met: its events tell what was asked of whom."
        },
    )


class MatchFaultsSchema(Schema):
    """A match in which a bot was late or answered wrongly."""

    match_id = fields.String(required=True)
    round = integer(1, required=True)
    purpose = one_of(ROUND_PURPOSE, required=True)
    block = integer(1, required=True)
    seat = integer(0, MOST_SEATS - 1, required=True, metadata={"description": "Where the bot sat."})
    timeouts = integer(required=True, metadata={"description": "Decisions that came too late or never."})
    clock_expired = list_of(
        integer(1),
        required=True,
        metadata={"description": "The sequences of the events of the match that tell of them."},
    )
    errors = integer(required=True, metadata={"description": "Commands that were refused as wrong."})
    refusals = list_of(
        nested(RefusedCommandSchema()), most=20, required=True, metadata={"description": _KEPT}
    )
    kept_until = instant(
        required=True,
        allow_none=True,
        metadata={
            "description": "`refusals` go a week after the last of them; null where none are kept now."
        },
    )
    events = fields.String(required=True, metadata={"description": "Where the match can be read."})


class EntryFaultsSchema(Schema):
    """The faults of an entry."""

    ladder_id = matching(LADDER_ID, required=True)
    entry_id = matching(ENTRY_ID, required=True)
    items = list_of(
        nested(MatchFaultsSchema()),
        most=20,
        required=True,
        metadata={"description": "Its last 20 matches with a fault, the newest first."},
    )
