"""Pages of events, and what waits for the caller. Events themselves: `service.event_schemas`."""

from typing import Final

from marshmallow import Schema, fields

from domain.events import REGISTRY
from service.schemas.fields import (
    GREATEST,
    Component,
    QueryInteger,
    QueryList,
    instant,
    integer,
    list_of,
    nested,
)

_AT_ONCE: Final = "Where too many wait already, the answer comes at once."


class EventQuerySchema(Schema):
    """Which events are given."""

    after = QueryInteger(
        0, GREATEST, load_default=0, metadata={"description": "The last sequence already known."}
    )
    limit = QueryInteger(1, 500, load_default=100)
    types = QueryList(REGISTRY, metadata={"description": "Only these types, comma-separated."})
    wait = QueryInteger(
        0,
        30,
        load_default=0,
        metadata={"description": f"Seconds to wait for the next event if there is none yet. {_AT_ONCE}"},
    )


class EventPageSchema(Schema):
    """One page of events."""

    items = list_of(Component("Event"), required=True)
    next = fields.String(required=True, allow_none=True)


class WaitQuerySchema(Schema):
    """How long to wait."""

    wait = QueryInteger(
        0,
        30,
        load_default=0,
        metadata={"description": f"Seconds to wait for a decision if none is due. {_AT_ONCE}"},
    )


class MyTurnSchema(Schema):
    """A decision that waits for the caller."""

    match_id = fields.String(required=True)
    seat = integer(0, 4, required=True)
    version = integer(1, required=True)
    deadline = instant(required=True, allow_none=True)
    state = Component("State", required=True)
    legal_commands = Component("LegalCommands", required=True)


class MyTurnsSchema(Schema):
    """Every decision that waits for the caller."""

    items = list_of(nested(MyTurnSchema()), required=True)
