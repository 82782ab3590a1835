"""JSON Schema of all event types, generated from the event classes of the domain."""

import inspect
from typing import Any, Final

from msgspec import inspect as types

from contract.values import HASH, INSTANT
from domain.match.events import LATER, REGISTRY, SCHEMA
from service.openapi.structs import Define, Schemas, closed_object, extended, open_object, reference

JsonSchema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_HASH: Final[JsonSchema] = {"type": "string", "pattern": f"^{HASH}$"}

_ENVELOPE: Final[dict[str, JsonSchema]] = {
    "match_id": {"type": "string"},
    "sequence": {"type": "integer", "minimum": 1},
    "schema": {"type": "integer", "minimum": 1},
    "time": {"type": "string", "format": "date-time", "pattern": f"^{INSTANT}$"},
    "actor": {"type": "string"},
    "command_id": {"type": "string"},
    "rules_version": {"type": "string"},
    "previous_hash": _HASH,
    "hash": _HASH,
}
"""The members that all event types share."""


def standalone(tag: str) -> JsonSchema:
    """The schema of an event type, without references to other schemas."""
    members = _ENVELOPE | _own_members(tag, _EventSchemas())
    members["schema"] = {**members["schema"], "maximum": SCHEMA[tag]}
    return {"$schema": DIALECT, "title": tag, "description": description(tag), **closed_object(members)}


def components() -> dict[str, JsonSchema]:
    """The components of events: `Event`, a union over `type`, its members, and the objects in these."""
    found: dict[str, JsonSchema] = {}
    schemas = _EventSchemas(found.setdefault)
    names = {tag: f"{event.__name__}Event" for tag, event in REGISTRY.items()}
    refs = {tag: reference(name) for tag, name in names.items()}
    union: JsonSchema = {
        "description": "An event of a match. It never changes.",
        "oneOf": [*refs.values()],
        "discriminator": {"propertyName": "type", "mapping": {tag: ref["$ref"] for tag, ref in refs.items()}},
    }
    envelope: JsonSchema = {"description": "The members of all events.", **open_object(_ENVELOPE)}
    events = {name: _component(tag, schemas) for tag, name in names.items()}
    return {"Event": union, "EventEnvelope": envelope} | events | found


def description(tag: str) -> str:
    """The description of an event type, in one sentence."""
    return inspect.cleandoc(REGISTRY[tag].__doc__ or "")


def _component(tag: str, schemas: Schemas) -> JsonSchema:
    """The component of an event type, which extends the common envelope."""
    own = open_object(_own_members(tag, schemas))
    return {"description": description(tag), **extended(reference("EventEnvelope"), own)}


def _own_members(tag: str, schemas: Schemas) -> dict[str, JsonSchema]:
    """The members that are specific to an event type."""
    return {"type": {"const": tag}, "data": schemas.schema_of(REGISTRY[tag])}


class _EventSchemas(Schemas):
    """Converts the data of events; objects become components, or stand in place if there is no `define`."""

    def __init__(self, define: Define | None = None) -> None:
        self._define = define

    def struct(self, kind: types.StructType) -> JsonSchema:
        object_of = closed_object if self._define is None else open_object
        schema = object_of(self.members(kind), LATER.get(kind.cls, ()))
        if kind.tag in REGISTRY:
            return self._named(f"{kind.cls.__name__}Data", schema)
        text = inspect.cleandoc(kind.cls.__doc__ or "")
        return self._named(f"Recorded{kind.cls.__name__}", schema, text)

    def dictionary(self, kind: types.DictType) -> JsonSchema:
        schema = super().dictionary(kind)
        match kind.value_type:
            case types.IntType():
                return self._named("RecordedCounts", schema, "Numbers by card id, or by row.")
            case types.VarTupleType():
                return self._named("RecordedDecks", schema, "Cards by row, from the top.")
        raise TypeError(f"no name for {kind!r}")

    def _named(self, name: str, schema: JsonSchema, text: str = "") -> JsonSchema:
        if self._define is None:
            return schema
        self._define(name, {"description": text} | schema if text else schema)
        return reference(name)
