"""The examples of `openapi.yaml`: responses of the service, recorded by `make golden`.

Problems are components, because many operations share them.
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
    problems = recorded["problems"]
    shown["components"]["examples"] = dict(problems)
    for response in shown["components"]["responses"].values():
        _add_problems(response, problems)
    for item in shown["paths"].values():
        for parameter in item.get("parameters", ()):
            if parameter["name"] in recorded["parameters"]:
                parameter["example"] = recorded["parameters"][parameter["name"]]
        for operation in item.values():
            if isinstance(operation, dict):
                _add_answers(operation, recorded["answers"], problems)
    return shown


def _add_answers(operation: Doc, answers: Doc, problems: Doc) -> None:
    found = answers.get(operation["operationId"], {})
    for status, response in operation["responses"].items():
        _add_problems(response, problems)
        for media_type, content in response.get("content", {}).items():
            if media_type in found.get(status, {}):
                content["examples"] = found[status][media_type]


def _add_problems(response: Doc, problems: Doc) -> None:
    """Add an example for each code that the response can carry."""
    content = response.get("content", {}).get(MIMETYPE)
    if content is not None:
        content["examples"] = {
            code: {"$ref": f"#/components/examples/{code}"}
            for code in codes_of(content["schema"])
            if code in problems
        }
