"""Events as they were recorded: their schema and members as they were written, and the text of their hash."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from domain.canonical import canonical
from domain.match.upcast import Stored, UpcastStep, parse_tag, tag_of

Steps: TypeAlias = Mapping[tuple[str, int], UpcastStep]
"""The steps that lead from old schemas to new ones, by type and schema."""


class Recorded(NamedTuple):
    """An event as it was recorded, in the form of the API."""

    type: str
    schema: int
    data: dict[str, Any]


class EventText(NamedTuple):
    """What the hash of an event covers, besides what its entry and its place in the stream give."""

    data: bytes
    """Canonical JSON."""
    schema: bytes
    """The member `schema` and the name of the next one, `sequence`."""
    end: bytes
    """The name of the type, after which the envelope ends."""


class Form(NamedTuple):
    """The meaning of a stored tag."""

    type: str
    schema: int
    members: tuple[str, ...]


def text_of(event: Recorded) -> EventText:
    """The text of an event as it was recorded."""
    schema, end = b'"schema":%d,"sequence":' % event.schema, b'%b"}' % event.type.encode()
    return EventText(canonical(event.data), schema, end)


def forms(registry: Mapping[str, Any], steps: Steps) -> dict[str, Form]:
    """The form of an event by its stored tag, for every schema there ever was."""
    found = {tag_of(name, schema): Form(name, schema, step.members) for (name, schema), step in steps.items()}
    for cls in registry.values():
        members = tuple([member.name for member in msgspec.structs.fields(cls)])
        found[tag_of_class(cls)] = Form(*parse_tag(tag_of_class(cls)), members)
    return found


def recorded_form(stored: Stored, forms: Mapping[str, Form]) -> Recorded:
    """A stored event in the form of the API; an array may end before members that were added later.

    Raises:
        msgspec.ValidationError: no type has that tag, or that many members.
    """
    form = forms.get(stored[0])
    if form is None or len(stored) > len(form.members) + 1:
        raise msgspec.ValidationError(f"no event {stored[0]!r} with {len(stored) - 1} members")
    return Recorded(form.type, form.schema, dict(zip(form.members, stored[1:], strict=False)))


def plain(stored: bytes) -> list[Stored]:
    """The events as arrays that begin with a tag.

    Raises:
        msgspec.MsgspecError: they are no such arrays.
    """
    events = _plain_decoder.decode(stored)
    for event in events:
        if not event or type(event[0]) is not str:
            raise msgspec.ValidationError("an event does not begin with a tag")
    return events


def tag_of_class(cls: Any) -> str:
    """The tag with which events of that class are stored."""
    return str(cls.__struct_config__.tag)


_plain_decoder: Final = msgspec.json.Decoder(list[list[Any]])
