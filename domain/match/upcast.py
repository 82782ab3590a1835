"""Upcasting: events of old schemas are converted when they are read; stored events are never rewritten.

A stored event is an array that begins with its tag: the type's name for schema 1, `name.2` for schema 2 and
so on. The struct of the newest schema carries that tag too.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

from domain.match.events import REGISTRY, Event

Stored = list[Any]
"""A decoded stored event: its tag and its members."""


class UpcastStep(Struct, frozen=True):
    """The conversion of an event from one schema to the next."""

    members: tuple[str, ...]
    """The member names of the old schema in order; hashes and the API use the recorded form."""
    upcast: Callable[[list[Any]], list[Any]]
    """Converts the old members to the new ones, both without the tag."""


STEPS: Final[Mapping[tuple[str, int], UpcastStep]] = {}
"""By type name and old schema number. Steps may be added but never changed."""


def tag_of(name: str, schema: int) -> str:
    """The tag of a stored event."""
    return name if schema == 1 else f"{name}.{schema}"


def parse_tag(tag: str) -> tuple[str, int]:
    """The type name and schema number of a stored event."""
    name, _, schema = tag.rpartition(".")
    return (name, int(schema)) if name and schema.isdigit() else (tag, 1)


def upcast(stored: Stored, steps: Mapping[tuple[str, int], UpcastStep] = STEPS) -> Stored:
    """Convert an event to the newest schema."""
    name, schema = parse_tag(stored[0])
    members = stored[1:]
    while step := steps.get((name, schema)):
        members = step.upcast(members)
        schema += 1
    return [tag_of(name, schema), *members]


def _members() -> dict[tuple[str, int], tuple[str, ...]]:
    found = {key: step.members for key, step in STEPS.items()}
    for tag, cls in _CLASSES.items():
        found[parse_tag(tag)] = tuple([member.name for member in msgspec.structs.fields(cls)])
    return found


_CLASSES: Final = {str(cls.__struct_config__.tag): cls for cls in REGISTRY.values()}
MEMBERS: Final = _members()
"""By type and schema, including old ones: the member names of an event in stored order."""


def event_of(type: str, schema: int, written: Sequence[Any]) -> Event:
    """The event in the newest schema, from its recorded members, of which the last ones may be missing.

    Raises:
        msgspec.ValidationError: the members do not fit the event.
    """
    stored = upcast([tag_of(type, schema), *written])
    # Converting to the class is faster than to the union of all events.
    return cast(Event, msgspec.convert(stored, _CLASSES[stored[0]]))
