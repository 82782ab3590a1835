"""Commands: what a seat may say, ready to be posted."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

import msgspec

from machi.decoding import converted, decoded


# Dataclasses, and no Structs as most values: what came as JSON is neither shown nor compared.
@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What a seat may say. Its classes are the types of commands."""

    seat: int | None = None
    """Who says it; None for the seat to act."""
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came, with members that this version may not know; empty for one made here."""

    @property
    def type(self) -> str:
        """Its name in the API."""
        return _TYPE_OF[type(self)]


@dataclass(frozen=True, slots=True)
class RollDice(Command):
    """Throw one or two dice."""

    dice: int


@dataclass(frozen=True, slots=True)
class RerollDice(Command):
    """Throw the same dice again."""


@dataclass(frozen=True, slots=True)
class KeepDice(Command):
    """Leave the dice as they lie."""


@dataclass(frozen=True, slots=True)
class AddTwo(Command):
    """Add 2 to the throw."""


@dataclass(frozen=True, slots=True)
class KeepTotal(Command):
    """Add nothing to the throw."""


@dataclass(frozen=True, slots=True)
class TakeCoins(Command):
    """Name the opponent who pays."""

    from_seat: int


@dataclass(frozen=True, slots=True)
class SwapEstablishments(Command):
    """Trade one establishment for one of an opponent."""

    give: str
    with_seat: int
    take: str


@dataclass(frozen=True, slots=True)
class DeclineSwap(Command):
    """Trade nothing."""


@dataclass(frozen=True, slots=True)
class GiveEstablishment(Command):
    """Give an establishment to the previous seat."""

    card: str


@dataclass(frozen=True, slots=True)
class Build(Command):
    """Build one card; it ends the turn."""

    card: str


@dataclass(frozen=True, slots=True)
class Pass(Command):
    """Build nothing; it ends the turn."""


@dataclass(frozen=True, slots=True)
class Resign(Command):
    """Leave the match; never among the legal commands that are listed, and always possible."""


@dataclass(frozen=True, slots=True)
class OtherCommand(Command):
    """A command of a type that this version does not know; it can be chosen like any other."""

    name: str

    @property
    def type(self) -> str:
        return self.name


COMMANDS: Final[dict[str, type[Command]]] = {
    "roll_dice": RollDice,
    "reroll_dice": RerollDice,
    "keep_dice": KeepDice,
    "add_two": AddTwo,
    "keep_total": KeepTotal,
    "take_coins": TakeCoins,
    "swap_establishments": SwapEstablishments,
    "decline_swap": DeclineSwap,
    "give_establishment": GiveEstablishment,
    "build": Build,
    "pass": Pass,
    "resign": Resign,
}
"""By their names in the API."""

_TYPE_OF: Final = {kind: name for name, kind in COMMANDS.items()}


def decode_command(raw: bytes | msgspec.Raw) -> Command:
    """The command. Raises: UnusableAnswer."""
    members = decoded(dict[str, Any], raw)
    name = members.pop("type", "")
    kind = COMMANDS.get(name)
    if kind is None:
        return OtherCommand(str(name), seat=members.get("seat"), raw=bytes(raw))
    return converted(kind, {**members, "raw": bytes(raw)})


def encode_command(command: Command | Mapping[str, Any]) -> bytes:
    """The JSON to be posted: the members as they stand, beside those that came and are not known here."""
    if not isinstance(command, Command):
        return msgspec.json.encode(command)
    came: dict[str, Any] = msgspec.json.decode(command.raw) if command.raw else {}
    members = {member.name: getattr(command, member.name) for member in fields(command)}
    said = {name: value for name, value in members.items() if value is not None and name not in _NOT_SAID}
    return msgspec.json.encode({**came, "type": command.type, **said})


_NOT_SAID: Final = ("raw", "name")
