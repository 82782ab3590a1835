"""Commands, ready to be posted: those of the rules, and those that this version does not know."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec
from msgspec import Struct

from domain.match.commands import PLAY_COMMANDS


@runtime_checkable
class Command(Protocol):
    """A command of a seat: one of those in `domain.match.commands`, or an `OtherCommand`."""

    @property
    def type(self) -> str:
        """The type of the command in the API."""

    @property
    def seat(self) -> int | None:
        """The seat that gives the command."""


class OtherCommand(Struct, frozen=True):
    """A command of a type that this version does not know. It can be posted like any other."""

    members: dict[str, Any]
    """As received, and as they will be posted."""

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
        msgspec.ValidationError: the members do not fit the type of the command.
    """
    if not isinstance(members, dict) or not isinstance(members.get("type"), str):
        raise msgspec.ValidationError("a command has a type")
    kind = PLAY_COMMANDS.get(members["type"])
    command: Command = OtherCommand(members) if kind is None else msgspec.convert(members, kind)
    return command


def members_of(command: Command) -> dict[str, Any]:
    """The members of the command, as they are posted."""
    if isinstance(command, OtherCommand):
        return command.members
    members: dict[str, Any] = msgspec.to_builtins(command)
    return members


def encode_command(command: Command | Mapping[str, Any]) -> bytes:
    """The JSON to post."""
    return msgspec.json.encode(command.members if isinstance(command, OtherCommand) else command)
