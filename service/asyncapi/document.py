"""The AsyncAPI document, generated from the code: `python -m service asyncapi > asyncapi.yaml`.

Channels, parameters and descriptions come from the operations of the OpenAPI document, and payloads from its
components, so nothing is said twice.
"""

import copy
from collections.abc import Iterable, Iterator
from typing import Any, Final

from flask import Flask

from contract.events import StreamEnd
from service.asyncapi.channels import (
    JSON,
    MESSAGES,
    STREAMS,
    WEBHOOK,
    WEBHOOK_HEADERS,
    WEBHOOK_TEXT,
    Message,
    Stream,
)
from service.openapi.description import CONTACT, LICENSE, TITLE, VERSION
from service.openapi.document import specification
from service.openapi.examples import OrderedObject
from service.openapi.structs import AnswerSchemas
from service.openapi.yaml_text import written

Doc = dict[str, Any]

DIALECT: Final = "3.0.0"
_COMPONENT: Final = "#/components/schemas/"
_BINDING: Final = "0.3.0"
_APACHE: Final = "https://www.apache.org/licenses/LICENSE-2.0"

DESCRIPTION: Final = """\
What this service sends as it happens: the events of matches and the notifications of accounts as streams, \
the events of ladders and the public log as lists that grow at their end, and webhooks.

A stream is an HTTP response that stays open. `Accept` chooses server-sent events or lines of JSON, and \
`after` or `Last-Event-ID` the position to begin after, so that a stream that was cut is resumed. Everything \
else is in the OpenAPI document at `/openapi.yaml`. New types of messages, and new members, may be added: \
ignore what you do not know."""


def document(app: Flask) -> str:
    """The document as YAML, which depends only on the code."""
    openapi = specification(app)
    return written(OrderedObject(_sections(openapi)))


def _sections(openapi: Doc) -> Iterator[tuple[str, Doc | str]]:
    operations = {
        operation["operationId"]: (path, operation)
        for path, item in openapi["paths"].items()
        for operation in item.values()
        if isinstance(operation, dict)
    }
    schemas = openapi["components"]["schemas"]
    AnswerSchemas(schemas.setdefault).schema_of(StreamEnd)  # no page has it
    yield "asyncapi", DIALECT
    yield "info", _info()
    yield "defaultContentType", JSON
    yield "servers", _servers()
    channels = {name: _channel(stream, *operations[stream.operation]) for name, stream in STREAMS.items()}
    yield "channels", channels | {WEBHOOK: _webhook_channel()}
    sends = {
        operations[stream.operation][1]["operationId"]: _sending(
            name, stream, operations[stream.operation][1]
        )
        for name, stream in STREAMS.items()
    }
    yield "operations", sends | {"send_webhook": _webhook_sending()}
    messages = {name: _message(name, message) for name, message in MESSAGES.items()}
    wanted = _needed([message.schema for message in MESSAGES.values()], schemas)
    yield (
        "components",
        {
            "schemas": {name: _adapted(schemas[name]) for name in sorted(wanted)},
            "messages": messages,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "bearerFormat": "mk_..."}},
        },
    )


def _info() -> Doc:
    return {
        "title": f"{TITLE}: streams and webhooks",
        "version": VERSION,
        "description": DESCRIPTION,
        "contact": CONTACT,
        "license": {"name": LICENSE["name"], "url": _APACHE},
    }


def _servers() -> Doc:
    return {
        "service": {
            "host": "{host}",
            "protocol": "https",
            "description": "The service that serves this document.",
            "variables": {"host": {"default": "localhost:8000", "description": "Its host and port."}},
        }
    }


def _channel(stream: Stream, path: str, operation: Doc) -> Doc:
    found: Doc = {
        "address": path,
        "title": operation["summary"].rstrip("."),
        "description": operation.get("description", operation["summary"]),
        "servers": [{"$ref": "#/servers/service"}],
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in stream.messages},
    }
    in_path = [one["name"] for one in _parameters(operation) if one["in"] == "path"]
    in_path += [part[1:-1] for part in path.split("/") if part.startswith("{") and part[1:-1] not in in_path]
    if in_path:
        found["parameters"] = {name: {"description": f"The `{name}` in the API."} for name in in_path}
    return found


def _parameters(operation: Doc) -> list[Doc]:
    return [one for one in operation.get("parameters", ()) if "in" in one]


def _sending(channel: str, stream: Stream, operation: Doc) -> Doc:
    query = {one["name"]: one for one in _parameters(operation) if one["in"] == "query"}
    properties = {name: _member(one) for name, one in query.items()}
    found: Doc = {
        "action": "send",
        "channel": {"$ref": f"#/channels/{channel}"},
        "summary": operation["summary"],
        "messages": [{"$ref": f"#/channels/{channel}/messages/{name}"} for name in stream.messages],
        "bindings": {
            "http": {
                "method": "GET",
                "query": {"type": "object", "properties": properties},
                "bindingVersion": _BINDING,
            }
        },
        "tags": [{"name": media_type} for media_type in stream.media_types],
    }
    if any("token" in one for one in operation.get("security", ())):
        found["security"] = [{"$ref": "#/components/securitySchemes/token"}]
    return found


def _member(parameter: Doc) -> Doc:
    schema: Doc = _adapted(parameter["schema"])
    return schema | {"description": parameter.get("description", "")}


def _webhook_channel() -> Doc:
    return {
        "address": None,
        "title": "The webhooks of an account",
        "description": WEBHOOK_TEXT,
        "messages": {"webhookMessage": {"$ref": "#/components/messages/webhookMessage"}},
    }


def _webhook_sending() -> Doc:
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{WEBHOOK}"},
        "summary": "Send a notification to a webhook.",
        "messages": [{"$ref": f"#/channels/{WEBHOOK}/messages/webhookMessage"}],
        "bindings": {"http": {"method": "POST", "bindingVersion": _BINDING}},
    }


def _message(name: str, message: Message) -> Doc:
    found: Doc = {
        "name": name,
        "title": message.schema,
        "summary": message.summary,
        "contentType": JSON,
        "payload": {"$ref": _COMPONENT + message.schema},
    }
    return found | ({"headers": WEBHOOK_HEADERS} if name == "webhookMessage" else {})


def _needed(names: Iterable[str], schemas: Doc) -> set[str]:
    """These components, and all to which they refer."""
    found: set[str] = set()
    left = [*names]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _references(schemas[name])
    return found


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(reference := part.get("$ref"), str):
            yield reference.removeprefix(_COMPONENT)
        parts = [value for name, value in part.items() if name != "discriminator"]
    else:
        parts = part if isinstance(part, list) else []
    for one in parts:
        yield from _references(one)


def _adapted(schema: Any) -> Any:
    """The schema as AsyncAPI has it: its discriminator is the name of a member alone."""
    if isinstance(schema, list):
        return [_adapted(one) for one in schema]
    if not isinstance(schema, dict):
        return copy.copy(schema)
    found = {name: _adapted(value) for name, value in schema.items()}
    if isinstance(schema.get("discriminator"), dict) and "propertyName" in schema["discriminator"]:
        found["discriminator"] = schema["discriminator"]["propertyName"]
    return found
