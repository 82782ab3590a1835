"""JSON Schema of msgspec Structs: of responses, and of the data of events.

msgspec's own schemas have neither the descriptions below members nor components for enumerations.
"""

import ast
import inspect
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect as types

from contract.names import Counts, Names
from contract.values import Choice, Named

JsonSchema = dict[str, Any]
Define = Callable[[str, JsonSchema], object]
"""Adds a component to the document. It may be called several times for the same component."""


def reference(name: str) -> JsonSchema:
    """A reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def open_object(members: Mapping[str, JsonSchema], optional: Iterable[str] = ()) -> JsonSchema:
    """An object with at least these members."""
    required = [name for name in members if name not in optional]
    return {"type": "object", "properties": dict(members)} | ({"required": required} if required else {})


def closed_object(members: Mapping[str, JsonSchema], optional: Iterable[str] = ()) -> JsonSchema:
    """An object with these members and no others."""
    return open_object(members, optional) | {"additionalProperties": False}


def extended(base: JsonSchema, own: JsonSchema) -> JsonSchema:
    """An object with the members of a base, which says that it is an object, and its own."""
    # Generators take a single reference in `allOf` for the whole schema, whatever stands beside it.
    return {"allOf": [base, {name: value for name, value in own.items() if name != "type"}]}


class Schemas:
    """Converts types to JSON Schema; subclasses define how Structs and unions are converted."""

    def schema_of(self, kind: Any) -> JsonSchema:
        """The schema of a type."""
        return self.schema(types.type_info(kind))

    def schema(self, kind: types.Type) -> JsonSchema:
        """The schema of a type, as inspected by msgspec."""
        match kind:
            case types.Metadata():
                return self.annotated(kind)
            case types.StructType():
                return self.struct(kind)
            case types.UnionType():
                return self.union(kind)
            case types.DictType():
                return self.dictionary(kind)
            case types.VarTupleType() | types.ListType():
                return {"type": "array", "items": self.schema(kind.item_type)}
            case types.TupleType(item_types=[first, *_]):
                size = len(kind.item_types)
                return {"type": "array", "items": self.schema(first), "minItems": size, "maxItems": size}
            case types.LiteralType(values=[value]):
                return {"const": value}
            case types.AnyType() | types.CustomType():
                return {}
        return {"type": _JSON_TYPES[type(kind)]}

    def annotated(self, kind: types.Metadata) -> JsonSchema:
        return self.schema(kind.type) | (kind.extra_json_schema or {})

    def struct(self, kind: types.StructType) -> JsonSchema:
        raise NotImplementedError

    def union(self, kind: types.UnionType) -> JsonSchema:
        return {"anyOf": [self.schema(one) for one in kind.types]}

    def dictionary(self, kind: types.DictType) -> JsonSchema:
        return {"type": "object", "additionalProperties": self.schema(kind.value_type)}

    def members(self, kind: types.StructType) -> dict[str, JsonSchema]:
        """The schemas of a Struct's members, with their descriptions."""
        texts = texts_of(kind.cls)
        return {
            field.encode_name: self.schema(field.type)
            | ({"description": texts[field.name]} if field.name in texts else {})
            for field in kind.fields
        }


class AnswerSchemas(Schemas):
    """Converts the Structs of responses; each type with a name becomes a component.

    Their objects are open, because later versions of the service may add members. Without `define`, only
    references are made: each process of the service makes them when it starts.
    """

    def __init__(self, define: Define | None = None) -> None:
        self._define = define

    def component(self, kind: Any) -> str:
        """The name of the component of a type that has one."""
        return str(self.schema_of(kind)["$ref"].rpartition("/")[2])

    def annotated(self, kind: types.Metadata) -> JsonSchema:
        more = kind.extra_json_schema or {}
        named = (kind.extra or {}).get("component")
        if named is None:
            return super().annotated(kind)
        if isinstance(named, str):
            return reference(named) | more
        return self.named(named, self._named(named, kind)) | ({} if isinstance(named, Named) else more)

    def named(self, named: Names | Counts | Named | Choice, schema: JsonSchema) -> JsonSchema:
        """A reference to the component of a type with that schema, which is added to the document."""
        if self._define is not None:
            self._define(named.component, {"description": named.description} | schema)
        return reference(named.component)

    def _named(self, named: Names | Counts | Named | Choice, kind: types.Metadata) -> JsonSchema:
        """The schema of a component, without its description."""
        match named:
            case Names():
                return {"type": "string", "enum": [*named.names]}
            case Counts():
                numbers = {"type": "integer", "minimum": named.low, "maximum": named.high}
                return {"type": "object", "additionalProperties": numbers}
            case Named():
                return self.schema(kind.type) | (kind.extra_json_schema or {})
            case Choice():
                return self._choice(kind.type)

    def _choice(self, kind: types.Type) -> JsonSchema:
        """A union of tagged Structs."""
        assert isinstance(kind, types.UnionType)
        members = [one for one in kind.types if isinstance(one, types.StructType)]
        refs = {str(one.tag): self.struct(one) for one in members}
        mapping = {tag: ref["$ref"] for tag, ref in refs.items()}
        discriminator = {"propertyName": members[0].tag_field, "mapping": mapping}
        return {"oneOf": [*refs.values()], "discriminator": discriminator}

    def union(self, kind: types.UnionType) -> JsonSchema:
        """A type or null; `required` lists the members that cannot be absent."""
        given = [one for one in kind.types if not isinstance(one, types.NoneType)]
        assert len(given) == 1, f"a union without a name: {kind}"
        return _nullable(self.schema(given[0]))

    def struct(self, kind: types.StructType) -> JsonSchema:
        if self._define is not None:
            self._define(kind.cls.__name__, self._object(kind))
        return reference(kind.cls.__name__)

    def _object(self, kind: types.StructType) -> JsonSchema:
        """An object. Members of its base class are described once, by the component of that class."""
        cls, base = kind.cls, _base(kind.cls)
        optional = [field.encode_name for field in kind.fields if not field.required]
        inherited = base.__struct_encode_fields__ if base else ()
        members = {name: member for name, member in self.members(kind).items() if name not in inherited}
        if kind.tag_field is not None:
            members = {kind.tag_field: {"const": kind.tag}} | members
        own = open_object(members, optional)
        schema = extended(self.schema_of(base), own) if base else own
        return {"description": inspect.cleandoc(cls.__doc__ or ""), **schema}


def _base(cls: type[msgspec.Struct]) -> type[msgspec.Struct] | None:
    """The class from which a Struct has members."""
    bases = [base for base in cls.__bases__ if issubclass(base, msgspec.Struct)]
    return next((base for base in bases if base.__struct_fields__), None)


_JSON_TYPES: dict[type, str] = {
    types.IntType: "integer",
    types.FloatType: "number",
    types.StrType: "string",
    types.BoolType: "boolean",
    types.DateTimeType: "string",
    types.NoneType: "null",
}


def _nullable(schema: JsonSchema) -> JsonSchema:
    if "$ref" in schema:
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        return beside | {"anyOf": [{"$ref": schema["$ref"]}, {"type": "null"}]}
    return schema | ({"type": [schema["type"], "null"]} if "type" in schema else {})


def texts_of(cls: type) -> dict[str, str]:
    """The strings below the members of a class and its base classes, which Python does not keep."""
    found: dict[str, str] = {}
    for one in reversed(cls.__mro__):
        if one.__module__ in sys.modules and issubclass(one, msgspec.Struct) and one is not msgspec.Struct:
            found |= _texts_in(one.__module__).get(one.__name__, {})
    return found


@cache
def _texts_in(module: str) -> dict[str, dict[str, str]]:
    """The strings below members, by class and member."""
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
