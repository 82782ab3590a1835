"""Every event comes back from the store as it went in."""

import types
import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.match.events import REGISTRY, SCHEMA, Event, type_name
from events.matches.entries import CODEC
from events.store.recorded import recorded_form

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_ints = st.integers(-(2**53) + 1, 2**53 - 1)
_plain: dict[Any, st.SearchStrategy[Any]] = {
    int: _ints,
    str: _texts,
    bool: st.booleans(),
    type(None): st.none(),
    msgspec.UnsetType: st.just(msgspec.UNSET),
}


def _values(annotation: Any) -> st.SearchStrategy[Any]:
    if annotation in _plain:
        return _plain[annotation]
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return _structs(annotation)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return st.one_of([_values(one) for one in arguments])
    if origin is dict:
        return st.dictionaries(_values(arguments[0]), _values(arguments[1]), max_size=4)
    assert origin is tuple, annotation
    assert arguments[1] is Ellipsis, annotation
    return st.lists(_values(arguments[0]), max_size=4).map(tuple)


def _structs(cls: type) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(cls)
    return st.builds(
        cls, **{member.name: _values(hints[member.name]) for member in msgspec.structs.fields(cls)}
    )


canonical = msgspec.json.Encoder(order="sorted").encode
events = st.one_of([_structs(cls) for cls in REGISTRY.values()])


@settings(deadline=None)
@given(st.lists(events, min_size=1, max_size=5))
def test_events_of_any_content_come_back_as_they_went_in(batch: list[Event]) -> None:
    assert CODEC.decode(CODEC.encode(batch)) == tuple(batch)


@settings(deadline=None)
@given(st.lists(events, min_size=1, max_size=5))
def test_the_form_of_the_api_is_the_same_before_and_after_storing(batch: list[Event]) -> None:
    for event, stored in zip(batch, CODEC.decode_recorded(CODEC.encode(batch)), strict=True):
        assert stored[:2] == CODEC.recorded(event)[:2]
        assert canonical(stored.data) == canonical(CODEC.recorded(event).data)


@settings(deadline=None)
@given(events)
def test_the_form_of_the_api_names_every_member(event: Event) -> None:
    (stored,) = CODEC.decode_recorded(CODEC.encode([event]))
    assert (stored.type, stored.schema) == (type_name(event), SCHEMA[type_name(event)])
    assert tuple(stored.data) == event.__struct_fields__


def test_a_member_that_came_later_is_not_made_up_for_an_older_event() -> None:
    older = ["turn_started", 7, 1]
    assert recorded_form(older, CODEC.forms).data == {"turn": 7, "seat": 1}
    assert CODEC.decode(msgspec.json.encode([older]))[0] == REGISTRY["turn_started"](7, 1)


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"[[5]]",
        b'[["turn_ended.x",1,0]]',
        b"{}",
        b"[[]]",
        b'[["no_such_event"]]',
        b'[["turn_ended",1]]',
        b'[["turn_ended","1",0]]',
        b'[["turn_ended",1,0',
    ],
)
def test_what_is_no_event_is_not_decoded(stored: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        CODEC.decode(stored)


@pytest.mark.parametrize("stored", [["no_such_event"], ["turn_ended", 1, 0, 0]])
def test_what_is_no_event_has_no_form_in_the_api(stored: list[Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        recorded_form(stored, CODEC.forms)
