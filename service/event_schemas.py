"""JSON Schema of every event type, written from the domain's own types."""

from typing import Any

import msgspec

from domain.events import REGISTRY, SCHEMA
from service.schemas.fields import HASH, INSTANT

JsonSchema = dict[str, Any]

_HASH: JsonSchema = {"type": "string", "pattern": f"^{HASH}$"}


def components() -> dict[str, JsonSchema]:
    """`Event`, a union over `type`, and one schema for each event type."""
    names = {tag: f"{event.__name__}Event" for tag, event in REGISTRY.items()}
    refs = {tag: f"#/components/schemas/{name}" for tag, name in names.items()}
    union: JsonSchema = {
        "description": "One fact of a match, for ever.",
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "type", "mapping": refs},
    }
    return {"Event": union} | {names[tag]: _envelope(tag, event) for tag, event in REGISTRY.items()}


def _envelope(tag: str, event: type) -> JsonSchema:
    members: dict[str, JsonSchema] = {
        "match_id": {"type": "string"},
        "sequence": {"type": "integer", "minimum": 1},
        "type": {"type": "string", "enum": [tag]},
        "schema": {"type": "integer", "minimum": 1, "maximum": SCHEMA[tag]},
        "time": {"type": "string", "format": "date-time", "pattern": f"^{INSTANT}$"},
        "actor": {"type": "string"},
        "command_id": {"type": "string"},
        "rules_version": {"type": "string"},
        "data": _object(event),
        "previous_hash": _HASH,
        "hash": _HASH,
    }
    return {"type": "object", "properties": members, "required": [*members], "additionalProperties": False}


def _object(struct: type) -> JsonSchema:
    members = {field.encode_name: _schema(field.type) for field in _fields(struct)}
    return {"type": "object", "properties": members, "required": [*members], "additionalProperties": False}


def _fields(struct: type) -> tuple[msgspec.inspect.Field, ...]:
    found = msgspec.inspect.type_info(struct)
    assert isinstance(found, msgspec.inspect.StructType)
    return found.fields


def _schema(kind: msgspec.inspect.Type) -> JsonSchema:
    match kind:
        case msgspec.inspect.IntType():
            return {"type": "integer"}
        case msgspec.inspect.StrType():
            return {"type": "string"}
        case msgspec.inspect.BoolType():
            return {"type": "boolean"}
        case msgspec.inspect.NoneType():
            return {"type": "null"}
        case msgspec.inspect.VarTupleType():
            return {"type": "array", "items": _schema(kind.item_type)}
        case msgspec.inspect.DictType():
            return {"type": "object", "additionalProperties": _schema(kind.value_type)}
        case msgspec.inspect.StructType():
            return _object(kind.cls)
        case msgspec.inspect.UnionType():
            return {"anyOf": [_schema(one) for one in kind.types]}
    raise TypeError(f"no schema for {kind!r}")
