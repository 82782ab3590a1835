"""Old schemas of events made new when they are read, one step at a time; what is stored is never rewritten.

A stored event is an array that begins with its tag: the type's name for schema 1, `name.2` for schema 2 and
so on. The struct of the newest schema carries that tag too.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

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
