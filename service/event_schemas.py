"""JSON Schema of every event type, written from the domain's own types and what is said of them there."""

import ast
import inspect
import itertools
from functools import cache
from typing import Any, Final

import msgspec

import domain.events
from domain.events import REGISTRY, SCHEMA
from service.schemas.fields import HASH, INSTANT

JsonSchema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_HASH: JsonSchema = {"type": "string", "pattern": f"^{HASH}$"}


def standalone(tag: str) -> JsonSchema:
    """The schema of one event type, for a validator that has nothing else."""
    return {"$schema": DIALECT, "title": tag, **_envelope(tag, REGISTRY[tag])}


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
    about = {"description": description(tag)}
    return about | _closed(members)


def description(tag: str) -> str:
    """What an event of the type says, in one sentence."""
    return inspect.cleandoc(REGISTRY[tag].__doc__ or "")


def _object(struct: type) -> JsonSchema:
    texts = _field_texts().get(struct.__name__, {})
    members = {
        field.encode_name: _schema(field.type)
        | ({"description": texts[field.name]} if field.name in texts else {})
        for field in _fields(struct)
    }
    return _closed(members)


def _closed(members: dict[str, JsonSchema]) -> JsonSchema:
    return {"type": "object", "properties": members, "required": [*members], "additionalProperties": False}


@cache
def _field_texts() -> dict[str, dict[str, str]]:
    """The strings below the fields of the domain's events, by class and field: Python itself forgets them."""
    tree = ast.parse(inspect.getsource(domain.events))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {one.name: _texts_below(one.body) for one in classes}


def _texts_below(body: list[ast.stmt]) -> dict[str, str]:
    found: dict[str, str] = {}
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match text:
                case ast.Expr(value=ast.Constant(value=str(sentence))):
                    found[field.target.id] = inspect.cleandoc(sentence)
    return found


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
