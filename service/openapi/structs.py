"""From msgspec's Structs to JSON Schema: answers, and the data of events.

msgspec's own schemas know nothing of the texts below members, nor of names for sets of values.
"""

import ast
import inspect
import itertools
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect as types

from contract.names import Counts, Names
from contract.values import Choice

JsonSchema = dict[str, Any]
Define = Callable[[str, JsonSchema], None]
"""Puts a component into the document under a name; the same one may come again."""


def reference(name: str) -> JsonSchema:
    """To a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def closed(members: Mapping[str, JsonSchema], optional: tuple[str, ...] = ()) -> JsonSchema:
    """An object with these members and no others."""
    required = [name for name in members if name not in optional]
    return {
        "type": "object",
        "properties": dict(members),
        "required": required,
        "additionalProperties": False,
    }


class Answers:
    """Makes components of the Structs that answers are."""

    def __init__(self, define: Define) -> None:
        self._define = define

    def of(self, kind: Any) -> JsonSchema:
        """The schema of a type; what has a name of its own becomes a component."""
        return self._schema(types.type_info(kind))

    def component(self, kind: Any) -> str:
        """The name of the component that a type with a name of its own becomes."""
        return str(self.of(kind)["$ref"].rpartition("/")[2])

    def _schema(self, kind: types.Type) -> JsonSchema:
        match kind:
            case types.Metadata():
                return self._annotated(kind)
            case types.StructType():
                return self._struct(kind)
            case types.UnionType():
                return self._union(kind)
            case types.VarTupleType() | types.ListType():
                return {"type": "array", "items": self._schema(kind.item_type)}
            case types.TupleType():
                return self._fixed(kind)
            case types.DictType():
                return {"type": "object", "additionalProperties": self._schema(kind.value_type)}
            case types.LiteralType(values=[value]):
                return {"type": "string", "const": value}
            case types.AnyType() | types.CustomType():
                return {}
        return {"type": _JSON_TYPES[type(kind)]}

    def _annotated(self, kind: types.Metadata) -> JsonSchema:
        more = kind.extra_json_schema or {}
        named = (kind.extra or {}).get("component")
        doc: JsonSchema
        match named:
            case Names():
                doc = {"type": "string", "description": named.description, "enum": [*named.names]}
            case Counts():
                numbers = {"type": "integer", "minimum": named.low, "maximum": named.high}
                doc = {"type": "object", "description": named.description, "additionalProperties": numbers}
            case Choice():
                doc = {"description": named.description} | self._choice(kind.type)
            case str():
                return reference(named) | more
            case _:
                return self._schema(kind.type) | more
        self._define(named.component, doc)
        return reference(named.component) | more

    def _choice(self, kind: types.Type) -> JsonSchema:
        """Structs that a tag tells apart."""
        assert isinstance(kind, types.UnionType)
        members = [one for one in kind.types if isinstance(one, types.StructType)]
        refs = {str(one.tag): self._struct(one) for one in members}
        mapping = {tag: ref["$ref"] for tag, ref in refs.items()}
        discriminator = {"propertyName": members[0].tag_field, "mapping": mapping}
        return {"oneOf": [*refs.values()], "discriminator": discriminator}

    def _union(self, kind: types.UnionType) -> JsonSchema:
        """A type or null; whether a member may be missing is said elsewhere."""
        given = [one for one in kind.types if not isinstance(one, types.NoneType)]
        assert len(given) == 1, f"a union without a name: {kind}"
        return _nullable(self._schema(given[0]))

    def _fixed(self, kind: types.TupleType) -> JsonSchema:
        size = len(kind.item_types)
        items = self._schema(kind.item_types[0])
        return {"type": "array", "items": items, "minItems": size, "maxItems": size}

    def _struct(self, kind: types.StructType) -> JsonSchema:
        texts = texts_of(kind.cls)
        members = {
            field.encode_name: self._schema(field.type)
            | ({"description": texts[field.name]} if field.name in texts else {})
            for field in kind.fields
        }
        optional = tuple(field.encode_name for field in kind.fields if not field.required)
        if kind.tag_field is not None:
            members = {kind.tag_field: {"type": "string", "const": kind.tag}} | members
        description = inspect.cleandoc(kind.cls.__doc__ or "")
        self._define(kind.cls.__name__, {"description": description} | closed(members, optional))
        return reference(kind.cls.__name__)


_JSON_TYPES: dict[type, str] = {
    types.IntType: "integer",
    types.FloatType: "number",
    types.StrType: "string",
    types.BoolType: "boolean",
    types.DateTimeType: "string",
}


def _nullable(schema: JsonSchema) -> JsonSchema:
    if "$ref" in schema:
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        return beside | {"anyOf": [{"$ref": schema["$ref"]}, {"type": "null"}]}
    return schema | ({"type": [schema["type"], "null"]} if "type" in schema else {})


def texts_of(cls: type) -> dict[str, str]:
    """The strings below the members of a class and of those it derives from: Python itself forgets them."""
    found: dict[str, str] = {}
    for one in reversed(cls.__mro__):
        if one.__module__ in sys.modules and issubclass(one, msgspec.Struct) and one is not msgspec.Struct:
            found |= _texts_in(one.__module__).get(one.__name__, {})
    return found


@cache
def _texts_in(module: str) -> dict[str, dict[str, str]]:
    """By class and member."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {one.name: _texts_below(one.body) for one in classes}


def _texts_below(body: list[ast.stmt]) -> dict[str, str]:
    found: dict[str, str] = {}
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match text:
                case ast.Expr(value=ast.Constant(value=str(sentence))):
                    found[field.target.id] = " ".join(sentence.split())
    return found
