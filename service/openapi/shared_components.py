"""Components for the responses and parameters that occur several times in a document."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, count
from typing import Any, NamedTuple

from service.openapi.operations import codes_of

Doc = dict[str, Any]


class _Place(NamedTuple):
    """A place in the document: a key of an object, or an index of a list."""

    holder: Any
    key: Any

    @property
    def part(self) -> Doc:
        found: Doc = self.holder[self.key]
        return found


def with_shared_parts(document: Doc) -> Doc:
    """The document, in which each response and parameter that occurs several times becomes a component."""
    components = document["components"]
    _share("responses", components["responses"], [*_responses(document)], _response_name)
    _share("parameters", components["parameters"], [*_parameters(document)], _parameter_name)
    return document


def _share(kind: str, shared: Doc, places: list[_Place], name_of: Callable[[_Place, Doc], str]) -> None:
    counts = Counter([_text(place.part) for place in places])
    names = {_text(part): name for name, part in shared.items()}
    for place in places:
        text = _text(place.part)
        if "$ref" in place.part or (counts[text] == 1 and text not in names):
            continue
        if text not in names:
            names[text] = name_of(place, shared)
            shared[names[text]] = place.part
        place.holder[place.key] = {"$ref": f"#/components/{kind}/{names[text]}"}


def _responses(document: Doc) -> Iterator[_Place]:
    for item in document["paths"].values():
        for operation in _operations(item):
            yield from [_Place(operation["responses"], status) for status in operation["responses"]]


def _parameters(document: Doc) -> Iterator[_Place]:
    for item in document["paths"].values():
        for part in [item, *_operations(item)]:
            listed = part.get("parameters", [])
            yield from [_Place(listed, number) for number in range(len(listed))]


def _operations(item: Doc) -> list[Doc]:
    """The operations of a path item, which can also have parameters."""
    return [operation for name, operation in item.items() if name != "parameters"]


def _text(part: Doc) -> str:
    return json.dumps(part, sort_keys=True)


def _response_name(place: _Place, taken: Doc) -> str:
    """A name from the status, the problem codes, and a digest that distinguishes all other differences."""
    digest = hashlib.sha256(_text(place.part).encode()).hexdigest()[:4]
    return "_".join(["answer", place.key, *codes_of(place.part)[:3], digest])


def _parameter_name(place: _Place, taken: Doc) -> str:
    name: str = place.part["name"]
    names = chain([name], (f"{name}_{number}" for number in count(2)))
    return next(found for found in names if found not in taken)
