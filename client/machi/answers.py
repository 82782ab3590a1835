"""Decoding of JSON into the types of the contract. Unknown members are ignored."""

import json
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from domain.canonical import parsed_as
from machi.commands import Command, command_of
from machi.errors import UnusableAnswer

T = TypeVar("T")


class HasRaw:
    """A value that keeps its original JSON, which is not a member: comparison and repr ignore it."""

    __slots__ = ()

    @property
    def raw(self) -> bytes:
        """The original JSON; empty for a value that was made here."""
        found: bytes = self.__dict__.get("raw", b"")
        return found


def decoded(kind: type[T], raw: bytes | msgspec.Raw) -> T:
    """The JSON as a value of that type. Raises: UnusableAnswer."""
    try:
        value = msgspec.json.decode(raw, type=kind, dec_hook=_typed)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnusableAnswer(f"not a response of this API: {error}") from None
    if isinstance(value, HasRaw):
        value.__dict__["raw"] = bytes(raw)
    return value


def strictly_decoded(kind: type[T], raw: bytes) -> T:
    """The same for evidence, which all readers must interpret alike (docs/verifying.md).

    Raises:
        UnusableAnswer: also for an object with a member twice, or a number that is not a plain integer.
    """
    try:
        return parsed_as(raw, kind)
    except ValueError as error:
        raise UnusableAnswer(f"not a response of this API: {error}") from None


class RawPage(Struct):
    """One page of a list, its items not yet decoded."""

    items: tuple[msgspec.Raw, ...]
    next: str | None = None


def evidence_page(raw: bytes) -> RawPage:
    """A page without a member twice; its items are not checked. Raises: UnusableAnswer."""
    page = decoded(RawPage, raw)
    try:
        names = [name for name, _ in json.loads(raw, object_pairs_hook=list)]
    except (ValueError, RecursionError) as error:
        raise UnusableAnswer(f"not a response of this API: {error}") from None
    if len(set(names)) < len(names):
        raise UnusableAnswer("not a response of this API: the page has a member twice")
    return page


class WithEvents(Protocol):
    """A value with events among its members."""

    @property
    def events(self) -> tuple[HasRaw, ...]: ...


E = TypeVar("E", bound=WithEvents)


class _Events(Struct):
    events: tuple[msgspec.Raw, ...] = ()


def with_events(kind: type[E], raw: bytes) -> E:
    """The same for an answer whose events keep their JSON as well. Raises: UnusableAnswer."""
    value = decoded(kind, raw)
    for event, came in zip(value.events, decoded(_Events, raw).events, strict=True):
        event.__dict__["raw"] = bytes(came)
    return value


def _typed(kind: type, members: Any) -> Any:
    """The value of a type that msgspec does not know: a command, or any value."""
    return command_of(members) if kind is Command else members
