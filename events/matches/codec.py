"""Events to and from the bytes of a stream entry: a compact JSON array of events, each an array itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from domain.match.events import REGISTRY, Event
from domain.match.upcast import STEPS, Step, Stored, parse_tag, tag_of, upcast
from events.store.errors import StreamCorrupt
from events.store.records import Entry

E = TypeVar("E")


class Recorded(NamedTuple):
    """An event as it was recorded, in the form of the API."""

    type: str
    schema: int
    data: dict[str, Any]


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(tuple[Event, ...])
_plain_decoder: Final = msgspec.json.Decoder(list[list[Any]])


def encode(events: Sequence[Event]) -> bytes:
    """The bytes to store for one command's events."""
    return _encoder.encode(events)


def decode(stored: bytes) -> tuple[Event, ...]:
    """The events, old schemas upcast.

    Raises:
        msgspec.MsgspecError: they are no events.
    """
    try:
        return _decoder.decode(stored)
    except msgspec.ValidationError:
        # An old schema has a tag that no struct has; this way costs nothing while there are none.
        return msgspec.convert([upcast(event) for event in plain(stored)], tuple[Event, ...])


def decode_recorded(stored: bytes) -> list[Recorded]:
    """The events in the form of the API, with the schema and the members that were written.

    Raises:
        msgspec.MsgspecError: they are no events.
    """
    return [recorded_form(event) for event in plain(stored)]


def recorded(event: Event) -> Recorded:
    """A new event as it will be read from the store; structs inside it stay structs."""
    name, schema = _WRITTEN[type(event)]
    return Recorded(name, schema, msgspec.structs.asdict(event))


def in_entry(
    decoded: Callable[[bytes], tuple[E, ...]], owner_id: str, version: int, entry: Entry
) -> tuple[E, ...]:
    """The events of one entry of a match or a ladder, given the version before it; its hash is not checked.

    Raises:
        StreamCorrupt: it cannot be decoded, has no events, or does not begin where the one before ended.
    """
    try:
        events = decoded(entry.events)
    except msgspec.MsgspecError as error:
        raise StreamCorrupt(owner_id, version + 1, f"no events: {error}") from error
    if not events or version + len(events) != entry.last:
        raise StreamCorrupt(owner_id, version + 1, f"a gap before version {entry.last}")
    return events


class Form(NamedTuple):
    """What a stored tag says about the event behind it."""

    type: str
    schema: int
    members: tuple[str, ...]


def forms(
    registry: Mapping[str, Any] = REGISTRY, steps: Mapping[tuple[str, int], Step] = STEPS
) -> dict[str, Form]:
    """The form of an event by its stored tag, for every schema there ever was."""
    found = {tag_of(name, schema): Form(name, schema, step.members) for (name, schema), step in steps.items()}
    for cls in registry.values():
        members = tuple([member.name for member in msgspec.structs.fields(cls)])
        found[_tag(cls)] = Form(*parse_tag(_tag(cls)), members)
    return found


def recorded_form(stored: Stored, forms: Mapping[str, Form] | None = None) -> Recorded:
    """A stored event in the form of the API; an array may end before members that came later.

    Raises:
        msgspec.ValidationError: no type has that tag, or that many members.
    """
    form = (forms or _FORMS).get(stored[0])
    if form is None or len(stored) > len(form.members) + 1:
        raise msgspec.ValidationError(f"no event {stored[0]!r} with {len(stored) - 1} members")
    return Recorded(form.type, form.schema, dict(zip(form.members, stored[1:], strict=False)))


def plain(stored: bytes) -> list[Stored]:
    """The events as arrays that begin with a tag."""
    events = _plain_decoder.decode(stored)
    for event in events:
        if not event or type(event[0]) is not str:
            raise msgspec.ValidationError("an event does not begin with a tag")
    return events


def _tag(cls: Any) -> str:
    return str(cls.__struct_config__.tag)


_FORMS: Final = forms()
_WRITTEN: Final = {cls: parse_tag(_tag(cls)) for cls in REGISTRY.values()}
