"""JSON Schema of the marshmallow schemas, as far as apispec needs help with them.

Each type with a name is one component, so that code generated from the document has one type for it.
"""

import inspect
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import fields

from contract.values import Named
from service.openapi.fields import (
    CountsField,
    Hundredths,
    OneOf,
    QueryFlag,
    QueryInteger,
    QueryList,
    Union,
)
from service.openapi.structs import AnswerSchemas, reference

Doc = dict[str, Any]

_BESIDE_A_REFERENCE = ("description", "default")
"""The keys that belong to a member rather than to its type."""


def make_plugin() -> MarshmallowPlugin:
    """The apispec plugin for the schemas of this service."""
    return _Plugin(schema_name_resolver=_component_name)


def answers_in(spec: APISpec) -> AnswerSchemas:
    """A converter that adds the components of responses to the document."""

    def define(name: str, doc: Doc) -> None:
        schemas = spec.components.schemas
        if name not in schemas:
            spec.components.schema(name, doc)
        assert schemas[name] == doc, f"two different components are called {name}"

    return AnswerSchemas(define)


class _Converter(OpenAPIConverter):
    """Converts unions, which apispec would document as empty objects, and types with a name."""

    def init_attribute_functions(self) -> None:
        super().init_attribute_functions()  # type: ignore[no-untyped-call]
        self.answers = answers_in(self.spec)
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

    def resolve_nested_schema(self, schema: Any) -> Doc:
        """A reference to the component; those of responses are in the document already."""
        name = _component_name(schema)
        if name in self.spec.components.schemas and schema not in self.refs:
            return reference(name)
        doc: Doc = super().resolve_nested_schema(schema)  # type: ignore[no-untyped-call]
        return doc

    def _union(self, schema: Union) -> Doc:
        refs = {name: self.resolve_nested_schema(member) for name, member in schema.members.items()}
        mapping = {name: ref["$ref"] for name, ref in refs.items()}
        return {
            "description": (type(schema).__doc__ or "").strip(),
            "oneOf": [*refs.values()],
            "discriminator": {"propertyName": schema.tag, "mapping": mapping},
        }

    def field2property(self, field: fields.Field[Any]) -> Doc:
        doc: Doc = super().field2property(field)
        if "const" in doc:
            del doc["type"]  # the constant says it
        name = self._named(field, doc)
        if not name:
            return doc
        beside = {key: doc[key] for key in _BESIDE_A_REFERENCE if key in doc}
        named = reference(name)
        return beside | ({"anyOf": [named, {"type": "null"}]} if field.allow_none else named)

    def _named(self, field: fields.Field[Any], doc: Doc) -> str:
        """The component of the field's type, which the field documents so; empty if it has none."""
        if isinstance(field, OneOf | CountsField):
            return self.answers.component(field.kind)
        named: Named | None = field.metadata.get("component")
        if named is None:
            return ""
        own = {key: value for key, value in doc.items() if key not in _BESIDE_A_REFERENCE}
        self.answers.named(named, own)
        return named.component

    def field2choices(self, field: fields.Field[Any], **options: Any) -> Doc:
        """A single choice is a constant."""
        doc: Doc = super().field2choices(field, **options)
        match doc:
            case {"enum": [only]}:
                return {"const": only}
        return doc

    def field2required(self, field: fields.Field[Any], **options: Any) -> Doc:
        """Parameters are optional by default."""
        return {"required": True} if field.required else {}


class _Plugin(MarshmallowPlugin):
    Converter = _Converter


def _component_name(schema: Any) -> str:
    cls = schema if isinstance(schema, type) else type(schema)
    return cls.__name__.removesuffix("Schema")


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
