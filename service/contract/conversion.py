"""From the fields of the schemas to JSON Schema: what apispec does not know of them.

What has a name of its own stands in the document once, and is referred to: the code that others generate from
it then has one type for it, not one for each place where it is used.
"""

import inspect
from typing import Any

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import fields

from service.contract.fields import (
    Component,
    Counts,
    Hundredths,
    Names,
    OneOf,
    QueryFlag,
    QueryInteger,
    QueryList,
    Tally,
    Union,
)

Doc = dict[str, Any]

_BESIDE_A_REFERENCE = ("description", "default")
"""What is said of a member itself, not of all that have its type."""


def make_plugin() -> MarshmallowPlugin:
    """What apispec needs to read the schemas of this service."""
    return _Plugin(schema_name_resolver=_component_name)


class _Converter(OpenAPIConverter):
    """Knows the unions, which apispec would document as empty objects, and what has a name of its own."""

    def init_attribute_functions(self) -> None:
        super().init_attribute_functions()  # type: ignore[no-untyped-call]
        self.attribute_functions += [
            _query_integer,
            _query_flag,
            _query_list,
            _documented_pattern,
            _hundredths,
        ]

    def schema2jsonschema(self, schema: Any) -> Doc:
        if isinstance(schema, Union):
            return self._union(schema)
        doc: Doc = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]
        text = type(schema).__doc__
        if text and not text.startswith("Base schema class"):
            doc.setdefault("description", inspect.cleandoc(text))
        return doc

    def _union(self, schema: Union) -> Doc:
        refs = {
            name: self.resolve_nested_schema(member)  # type: ignore[no-untyped-call]
            for name, member in schema.members.items()
        }
        mapping = {name: ref["$ref"] for name, ref in refs.items()}
        return {
            "description": (type(schema).__doc__ or "").strip(),
            "oneOf": [*refs.values()],
            "discriminator": {"propertyName": schema.tag, "mapping": mapping},
        }

    def field2property(self, field: fields.Field[Any]) -> Doc:
        doc: Doc = super().field2property(field)
        name = self._named(field)
        if not name:
            return doc
        reference = {"$ref": f"#/components/schemas/{name}"}
        beside = {key: doc[key] for key in _BESIDE_A_REFERENCE if key in doc}
        return beside | ({"anyOf": [reference, {"type": "null"}]} if field.allow_none else reference)

    def _named(self, field: fields.Field[Any]) -> str:
        """The component that describes the field; empty where none does."""
        match field:
            case Component():
                return field.component
            case OneOf():
                return self._define(field.names.component, _names(field.names))
            case Counts():
                return self._define(field.tally.component, _tally(field.tally))
        return ""

    def _define(self, name: str, doc: Doc) -> str:
        schemas = self.spec.components.schemas
        if name not in schemas:
            self.spec.components.schema(name, doc)
        assert schemas[name] == doc, f"{name} means two things"
        return name

    def field2choices(self, field: fields.Field[Any], **options: Any) -> Doc:
        """A single choice is a constant."""
        doc: Doc = super().field2choices(field, **options)
        match doc:
            case {"enum": [only]}:
                return {"const": only}
        return doc


class _Plugin(MarshmallowPlugin):
    Converter = _Converter


def _component_name(schema: Any) -> str:
    cls = schema if isinstance(schema, type) else type(schema)
    return cls.__name__.removesuffix("Schema")


def _names(names: Names) -> Doc:
    return {"type": "string", "description": names.description, "enum": [*names.names]}


def _tally(tally: Tally) -> Doc:
    numbers = {"type": "integer", "minimum": tally.low, "maximum": tally.high}
    return {"type": "object", "description": tally.description, "additionalProperties": numbers}


def _query_integer(field: fields.Field[Any], **options: Any) -> Doc:
    if not isinstance(field, QueryInteger):
        return {}
    return {"type": "integer", "minimum": field.low, "maximum": field.high}


def _query_flag(field: fields.Field[Any], **options: Any) -> Doc:
    return {"type": "boolean"} if isinstance(field, QueryFlag) else {}


def _query_list(field: fields.Field[Any], **options: Any) -> Doc:
    if not isinstance(field, QueryList):
        return {}
    names = "|".join(field.names)
    return {"type": "string", "pattern": f"^({names})(,({names}))*$"}


def _hundredths(field: fields.Field[Any], **options: Any) -> Doc:
    if not isinstance(field, Hundredths):
        return {}
    return {"type": "number", "minimum": 0.01, "maximum": 0.49}


def _documented_pattern(field: fields.Field[Any], **options: Any) -> Doc:
    for validator in field.validators:
        pattern = getattr(validator, "documented", None)
        if pattern:
            return {"pattern": pattern}
    return {}
