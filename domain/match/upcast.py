"""Old schemas of events made new when they are read, one step at a time; what is stored is never rewritten.

A stored event is an array that begins with its tag: the type's name for schema 1, `name.2` for schema 2 and
so on. The struct of the newest schema carries that tag too.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

from domain.match.events import REGISTRY, Event

Stored = list[Any]
"""A decoded event: its tag and its members."""


class Step(Struct, frozen=True):
    """How an event of one schema becomes one of the next."""

    members: tuple[str, ...]
    """The names of the members in the old schema, in order: hashes and answers show the event as recorded."""
    upcast: Callable[[list[Any]], list[Any]]
    """From the old members to the new ones, both without tag."""


STEPS: Final[Mapping[tuple[str, int], Step]] = {}
"""By type name and old schema number. A step may be added, never changed."""


def tag_of(name: str, schema: int) -> str:
    """The tag of a stored event."""
    return name if schema == 1 else f"{name}.{schema}"


def parse_tag(tag: str) -> tuple[str, int]:
    """The type name and schema number of a stored event."""
    name, _, schema = tag.rpartition(".")
    return (name, int(schema)) if name and schema.isdigit() else (tag, 1)


def upcast(stored: Stored, steps: Mapping[tuple[str, int], Step] = STEPS) -> Stored:
    """The event in the newest schema that the steps lead to."""
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
"""The names of an event's members in the order they are stored, for every type and schema there ever was."""


def event_of(type: str, schema: int, written: Sequence[Any]) -> Event:
    """The event in the newest schema, from its members as they were recorded; later ones may be missing.

    Raises:
        msgspec.ValidationError: they are not members of that event.
    """
    stored = upcast([tag_of(type, schema), *written])
    # By its class: a union of all would be taken apart at each call.
    return cast(Event, msgspec.convert(stored, _CLASSES[stored[0]]))
