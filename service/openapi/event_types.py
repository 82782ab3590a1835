"""JSON Schema of every event type, written from the domain's own types and what is said of them there."""

import ast
import inspect
import itertools
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec

from contract.values import HASH, INSTANT
from domain.match.events import LATER, REGISTRY, SCHEMA, end, members, start, turns

JsonSchema = dict[str, Any]

Nested = msgspec.inspect.StructType | msgspec.inspect.DictType
Shown = Callable[[Nested], JsonSchema]
"""How an object within an event is shown: in its place, or by its name."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_HASH: JsonSchema = {"type": "string", "pattern": f"^{HASH}$"}


_ENVELOPE: Final[dict[str, JsonSchema]] = {
    "match_id": {"type": "string"},
    "sequence": {"type": "integer", "minimum": 1},
    "time": {"type": "string", "format": "date-time", "pattern": f"^{INSTANT}$"},
    "actor": {"type": "string"},
    "command_id": {"type": "string"},
    "rules_version": {"type": "string"},
    "previous_hash": _HASH,
    "hash": _HASH,
}
"""What events of all types have."""


def standalone(tag: str) -> JsonSchema:
    """The schema of one event type, for a validator that has nothing else."""
    members = _ENVELOPE | _own(tag, _in_place)
    return {"$schema": DIALECT, "title": tag, "description": description(tag), **_closed(members)}


def components() -> dict[str, JsonSchema]:
    """`Event`, a union over `type`, one schema for each event type, and those of the objects in them."""
    found: dict[str, JsonSchema] = {}

    def by_name(kind: Nested) -> JsonSchema:
        name, text = _name(kind)
        if name not in found:
            found[name] = {"description": text} | _definition(kind, by_name)
        return _reference(name)

    names = {tag: f"{event.__name__}Event" for tag, event in REGISTRY.items()}
    refs = {tag: _reference(name) for tag, name in names.items()}
    union: JsonSchema = {
        "description": "One fact of a match, for ever.",
        "oneOf": [*refs.values()],
        "discriminator": {"propertyName": "type", "mapping": {tag: ref["$ref"] for tag, ref in refs.items()}},
    }
    envelope: JsonSchema = {"description": "What every event has.", **_open(_ENVELOPE)}
    events = {name: _documented(tag, by_name) for tag, name in names.items()}
    return {"Event": union, "EventEnvelope": envelope} | events | found


def _reference(name: str) -> JsonSchema:
    return {"$ref": f"#/components/schemas/{name}"}


def _name(kind: Nested) -> tuple[str, str]:
    """What the document calls the object, and says of it."""
    match kind:
        case msgspec.inspect.StructType():
            tag = kind.tag
            if tag in REGISTRY:
                return f"{kind.cls.__name__}Data", f"What `{tag}` says."
            return f"Recorded{kind.cls.__name__}", inspect.cleandoc(kind.cls.__doc__ or "")
        case msgspec.inspect.DictType(value_type=msgspec.inspect.IntType()):
            return "RecordedCounts", "Numbers by card id, or by row."
        case msgspec.inspect.DictType(value_type=msgspec.inspect.VarTupleType()):
            return "RecordedDecks", "Cards by row, from the top."
    raise TypeError(f"no name for {kind!r}")


def _documented(tag: str, shown: Shown) -> JsonSchema:
    """The schema of an event type in the document, where all share that of the envelope."""
    # Generators take a single reference in `allOf` for the whole of a schema, whatever stands beside it.
    return {
        "description": description(tag),
        "allOf": [_reference("EventEnvelope"), _open(_own(tag, shown))],
        "unevaluatedProperties": False,
    }


def _own(tag: str, shown: Shown) -> dict[str, JsonSchema]:
    """The members in which events of a type differ from others."""
    return {
        "type": {"type": "string", "const": tag},
        "schema": {"type": "integer", "minimum": 1, "maximum": SCHEMA[tag]},
        "data": _schema(msgspec.inspect.type_info(REGISTRY[tag]), shown),
    }


def description(tag: str) -> str:
    """What an event of the type says, in one sentence."""
    return inspect.cleandoc(REGISTRY[tag].__doc__ or "")


def _in_place(kind: Nested) -> JsonSchema:
    return _definition(kind, _in_place)


def _definition(kind: Nested, shown: Shown) -> JsonSchema:
    if isinstance(kind, msgspec.inspect.DictType):
        return {"type": "object", "additionalProperties": _schema(kind.value_type, shown)}
    texts = _field_texts().get(kind.cls.__name__, {})
    members = {
        field.encode_name: _schema(field.type, shown)
        | ({"description": texts[field.name]} if field.name in texts else {})
        for field in kind.fields
    }
    return _closed(members, LATER.get(kind.cls, ()))


def _open(members: dict[str, JsonSchema], later: tuple[str, ...] = ()) -> JsonSchema:
    """An object with at least these members; those that came later need not be there."""
    required = [name for name in members if name not in later]
    return {"type": "object", "properties": members, "required": required}


def _closed(members: dict[str, JsonSchema], later: tuple[str, ...] = ()) -> JsonSchema:
    """An object with these members and no others; those that came later need not be there."""
    return _open(members, later) | {"additionalProperties": False}


@cache
def _field_texts() -> dict[str, dict[str, str]]:
    """The strings below the fields of the domain's events, by class and field: Python itself forgets them."""
    trees = [ast.parse(inspect.getsource(module)) for module in (members, start, turns, end)]
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    return {one.name: _texts_below(one.body) for one in classes}


def _texts_below(body: list[ast.stmt]) -> dict[str, str]:
    found: dict[str, str] = {}
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match text:
                case ast.Expr(value=ast.Constant(value=str(sentence))):
                    found[field.target.id] = inspect.cleandoc(sentence)
    return found


def _schema(kind: msgspec.inspect.Type, shown: Shown) -> JsonSchema:
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
            return {"type": "array", "items": _schema(kind.item_type, shown)}
        case msgspec.inspect.UnionType():
            return {"anyOf": [_schema(one, shown) for one in kind.types]}
        case msgspec.inspect.DictType() | msgspec.inspect.StructType():
            return shown(kind)
    raise TypeError(f"no schema for {kind!r}")
