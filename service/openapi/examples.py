"""The examples of `openapi.yaml`: responses of the service, recorded by `make golden`.

Each is a component: that of a problem is named by its code, that of another response by operation and name.
"""

import copy
import json
from pathlib import Path
from typing import Any, Final

from service.edge.problems import MIMETYPE
from service.openapi.operations import codes_of

Doc = dict[str, Any]

FILE: Final = Path(__file__).with_name("examples.json")


class OrderedObject(dict[str, Any]):
    """An object whose members keep the order of the response."""


def with_examples(document: Doc) -> Doc:
    """A copy of the document with the recorded responses and the recorded path parameters as examples."""
    recorded = json.loads(FILE.read_text(), object_hook=OrderedObject)
    shown = copy.deepcopy(document)
    shared = shown["components"]["examples"] = dict(recorded["problems"])
    for response in shown["components"]["responses"].values():
        _add_problems(response, shared)
    for item in shown["paths"].values():
        for parameter in item.get("parameters", ()):
            if parameter["name"] in recorded["parameters"]:
                parameter["example"] = recorded["parameters"][parameter["name"]]
        for operation in item.values():
            if isinstance(operation, dict):
                _add_answers(operation, recorded["answers"], shared)
    return shown


def _add_answers(operation: Doc, answers: Doc, shared: Doc) -> None:
    """Refer to the examples of the operation's responses, which become components."""
    operation_id = operation["operationId"]
    recorded = answers.get(operation_id, {})
    for status, response in operation["responses"].items():
        _add_problems(response, shared)
        for media_type, content in response.get("content", {}).items():
            examples = recorded.get(status, {}).get(media_type)
            if examples:
                shared |= {f"{operation_id}.{name}": example for name, example in examples.items()}
                content["examples"] = {name: _reference(f"{operation_id}.{name}") for name in examples}


def _add_problems(response: Doc, shared: Doc) -> None:
    """Refer to an example of each code that the response can carry."""
    codes = codes_of(response)
    if codes:
        response["content"][MIMETYPE]["examples"] = {
            code: _reference(code) for code in codes if code in shared
        }


def _reference(name: str) -> Doc:
    return {"$ref": f"#/components/examples/{name}"}
