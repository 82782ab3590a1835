"""Schemas of requests for new branches, and their examples."""

from collections.abc import Mapping
from typing import Final

from marshmallow import Schema

from contract.names import Visibility
from contract.values import MOST_SEATS, Named
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

_ORIGIN_VERSION: Final = Named(
    "OriginVersion",
    "The sequence of any event of the origin. The branch begins after the last event of the same command, "
    "because no decision is due before.",
)


class NewBranchSeatSchema(Union):
    """The player of a seat. A branch begins at once, so no seat can be open."""

    tag = "kind"
    members: Mapping[str, Schema] = {
        "me": MySeatSchema(),
        "account": AccountSeatSchema(),
        "strategy": StrategySeatSchema(),
        "bot": BotSeatSchema(),
    }


class _BranchSchema(Schema):
    """The members of all requests for branches."""

    from_version = integer(
        1,
        required=True,
        metadata={"component": _ORIGIN_VERSION},
    )
    seats = list_of(
        nested(NewBranchSeatSchema()),
        2,
        MOST_SEATS,
        load_default=None,
        allow_none=True,
        metadata={"description": "One per seat of the origin. By default, the caller plays all seats."},
    )
    clock = nested(
        ClockSchema(),
        load_default=None,
        allow_none=True,
        metadata={"description": "By default, decisions have no time limit, whatever the origin has."},
    )
    visibility = one_of(
        Visibility,
        load_default=None,
        allow_none=True,
        metadata={"description": "Not more open than that of the origin, which is the default."},
    )
    tags = given_tags()


class SameDiceBranchSchema(_BranchSchema):
    """A branch with the dice of its origin, which must be over."""

    dice = exactly("same")


class FreshDiceBranchSchema(_BranchSchema):
    """A branch with dice from a new secret seed."""

    dice = exactly("fresh")


class ScriptedDiceBranchSchema(_BranchSchema):
    """A branch with these rolls, in this order."""

    dice = exactly("scripted")
    throws = given_throws()


class NewBranchSchema(Union):
    """A new branch, and the source of its dice."""

    tag = "dice"
    members: Mapping[str, Schema] = {
        "same": SameDiceBranchSchema(),
        "fresh": FreshDiceBranchSchema(),
        "scripted": ScriptedDiceBranchSchema(),
    }


EXAMPLES: Final = {
    "same": {
        "summary": "The same dice, with the caller on every seat",
        "value": {"from_version": 42, "dice": "same"},
    },
    "fresh": {
        "summary": "New dice, against a built-in player",
        "value": {
            "from_version": 42,
            "dice": "fresh",
            "seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "greedy"}],
            "clock": {"decision_ms": 300_000, "on_timeout": "strategy"},
            "tags": ["friendly"],
        },
    },
    "scripted": {
        "summary": "Scripted dice, visible only to the caller",
        "value": {
            "from_version": 42,
            "dice": "scripted",
            "throws": [[3], [4, 4]],
            "visibility": "private",
        },
    },
}
