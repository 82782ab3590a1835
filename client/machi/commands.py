"""Commands: what a seat can say, ready to be posted. They are those of the rules."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec
from msgspec import Struct

from domain.match.commands import PLAY_COMMANDS


@runtime_checkable
class Command(Protocol):
    """What a seat can say: one of the commands in `domain.match.commands`, or an `OtherCommand`."""

    @property
    def type(self) -> str:
        """Its name in the API."""

    @property
    def seat(self) -> int | None:
        """Who says it."""


class OtherCommand(Struct, frozen=True):
    """A command of a type that this version does not know; it can be chosen like any other."""

    members: dict[str, Any]
    """As they came; so they are posted."""

    @property
    def type(self) -> str:
        return str(self.members["type"])

    @property
    def seat(self) -> int | None:
        seat: int | None = self.members.get("seat")
        return seat


def command_of(members: dict[str, Any]) -> Command:
    """The command with these members.

    Raises:
        msgspec.ValidationError: they are not those of its type.
    """
    if not isinstance(members, dict) or not isinstance(members.get("type"), str):
        raise msgspec.ValidationError("a command has a type")
    kind = PLAY_COMMANDS.get(members["type"])
    command: Command = OtherCommand(members) if kind is None else msgspec.convert(members, kind)
    return command


def encode_command(command: Command | Mapping[str, Any]) -> bytes:
    """The JSON to be posted."""
    return msgspec.json.encode(command.members if isinstance(command, OtherCommand) else command)
