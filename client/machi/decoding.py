"""From JSON to the values of the contract; members that this version does not know are left out."""

from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from machi.commands import Command, command_of
from machi.errors import UnusableAnswer

T = TypeVar("T")


class Kept:
    """A value that keeps the JSON it came as. That is no member: it is neither compared nor shown."""

    __slots__ = ()

    @property
    def raw(self) -> bytes:
        """The JSON as it came; empty for a value made here."""
        found: bytes = self.__dict__.get("raw", b"")
        return found


def decoded(kind: type[T], raw: bytes | msgspec.Raw) -> T:
    """The JSON as a value of that kind. Raises: UnusableAnswer."""
    try:
        value = msgspec.json.decode(raw, type=kind, dec_hook=_typed)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnusableAnswer(f"the answer is not what this API gives: {error}") from None
    if isinstance(value, Kept):
        value.__dict__["raw"] = bytes(raw)
    return value


class Page(Struct):
    """One page of a list as it comes."""

    items: tuple[msgspec.Raw, ...]
    next: str | None = None


class WithEvents(Protocol):
    """A value with events among its members."""

    @property
    def events(self) -> tuple[Kept, ...]: ...


E = TypeVar("E", bound=WithEvents)


class _Events(Struct):
    events: tuple[msgspec.Raw, ...] = ()


def with_events(kind: type[E], raw: bytes) -> E:
    """The same for an answer whose events keep their JSON, too. Raises: UnusableAnswer."""
    value = decoded(kind, raw)
    for event, came in zip(value.events, decoded(_Events, raw).events, strict=True):
        event.__dict__["raw"] = bytes(came)
    return value


def _typed(kind: type, members: Any) -> Any:
    """What is asked for where a type is no type of JSON: for a command, or for any value."""
    return command_of(members) if kind is Command else members
