"""Branches as they are asked for."""

from collections.abc import Mapping
from typing import Final

from marshmallow import Schema

from contract.names import Visibility
from contract.values import MOST_SEATS
from service.matches.match_schemas import ClockSchema
from service.matches.new_match_schemas import (
    AccountSeatSchema,
    BotSeatSchema,
    MySeatSchema,
    StrategySeatSchema,
    given_tags,
    given_throws,
)
from service.openapi.fields import Union, exactly, integer, list_of, nested, one_of


class NewBranchSeatSchema(Union):
    """Who is to sit on a seat of a branch: it begins at once, and no seat is left open."""

    tag = "kind"
    members: Mapping[str, Schema] = {
        "me": MySeatSchema(),
        "account": AccountSeatSchema(),
        "strategy": StrategySeatSchema(),
        "bot": BotSeatSchema(),
    }


class _BranchSchema(Schema):
    """What every branch can be asked for with."""

    from_version = integer(
        1,
        required=True,
        metadata={
            "description": "Any event of the origin. The branch goes on behind the last event "
            "of its command: in between nobody decides."
        },
    )
    seats = list_of(
        nested(NewBranchSeatSchema()),
        2,
        MOST_SEATS,
        load_default=None,
        allow_none=True,
        metadata={"description": "One for each seat of the origin. Without it the caller plays them all."},
    )
    clock = nested(
        ClockSchema(),
        load_default=None,
        allow_none=True,
        metadata={"description": "Without it every decision may take for ever, whatever the origin has."},
    )
    visibility = one_of(
        Visibility,
        load_default=None,
        allow_none=True,
        metadata={"description": "Not more open than that of the origin, and the same where it is left out."},
    )
    tags = given_tags()


class SameDiceBranchSchema(_BranchSchema):
    """A branch with the dice of its origin, which has to be over."""

    dice = exactly("same")


class FreshDiceBranchSchema(_BranchSchema):
    """A branch with a secret seed of its own."""

    dice = exactly("fresh")


class ScriptedDiceBranchSchema(_BranchSchema):
    """A branch that throws these, in this order."""

    dice = exactly("scripted")
    throws = given_throws()


class NewBranchSchema(Union):
    """A branch to be made, and where its dice come from."""

    tag = "dice"
    members: Mapping[str, Schema] = {
        "same": SameDiceBranchSchema(),
        "fresh": FreshDiceBranchSchema(),
        "scripted": ScriptedDiceBranchSchema(),
    }


EXAMPLES: Final = {
    "same": {
        "summary": "What if: the same dice, and the caller on every seat",
        "value": {"from_version": 42, "dice": "same"},
    },
    "fresh": {
        "summary": "Once more from there, against a built-in player",
        "value": {
            "from_version": 42,
            "dice": "fresh",
            "seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "greedy"}],
            "clock": {"decision_ms": 300_000, "on_timeout": "strategy"},
            "tags": ["friendly"],
        },
    },
    "scripted": {
        "summary": "These throws, for the caller alone to see",
        "value": {
            "from_version": 42,
            "dice": "scripted",
            "throws": [[3], [4, 4]],
            "visibility": "private",
        },
    },
}
