"""What lies on the table, who is to act, and what can be done."""

from datetime import datetime

import msgspec
from msgspec import Struct

from machi.commands import Command, decode_command
from machi.decoding import decoded
from machi.events import Event, decode_event
from machi.matches import Options, Result


class Dice(Struct, frozen=True):
    """The throw that counts."""

    values: tuple[int, ...]
    total: int
    """What counts, `added` included."""
    added: int = 0
    rerolled: bool = False


class Player(Struct, frozen=True):
    """A seat's purse and city."""

    seat: int
    coins: int
    establishments: dict[str, int]
    landmarks: tuple[str, ...]
    name: str | None = None


class Market(Struct, frozen=True):
    """What can be built; which members are filled depends on the kind."""

    kind: str
    """`open`, `limited` or `rows`."""
    supply: dict[str, int] = {}
    """In an open market: every stack, empty ones as 0."""
    face_up: dict[str, int] = {}
    deck_remaining: int = 0
    rows: dict[str, dict[str, int]] = {}
    """In machi_koro_2: `low`, `high` and `landmarks`."""
    decks_remaining: dict[str, int] = {}

    @property
    def for_sale(self) -> dict[str, int]:
        """How many lie face up, by card; empty stacks left out."""
        stacks = {**self.supply, **self.face_up}
        for row in self.rows.values():
            stacks.update(row)
        return {card: count for card, count in stacks.items() if count}


class Pending(Struct, frozen=True):
    """The card that an open choice is about."""

    card: str
    copies: int = 1
    """Still to be answered for, this one counted."""


class State(Struct, frozen=True):
    """Everything on the table."""

    match_id: str
    version: int
    status: str
    ruleset: str
    rules_version: str
    options: Options
    turn: int
    players: tuple[Player, ...]
    market: Market
    active_seat: int | None = None
    """None unless the match is running."""
    phase: str | None = None
    """`setup`, `roll`, `reroll`, `add_two`, `take_coins`, `swap`, `give` or `build`."""
    extra_turn: bool = False
    dice: Dice | None = None
    """None before the first throw of a turn."""
    pending: Pending | None = None
    winner: int | None = None
    result: Result | None = None
    deadline: datetime | None = None
    """When the clock of the decision that is due runs out."""


class Unbuildable(Struct, frozen=True):
    """A card that the seat to act cannot build now, and why."""

    card: str
    cost: int
    code: str
    detail: str


class LegalCommands(Struct, frozen=True):
    """What the seat to act can do. `resign` is not listed: every seat always can."""

    version: int
    commands: tuple[Command, ...]
    seat: int | None = None
    phase: str | None = None
    unbuildable: tuple[Unbuildable, ...] = ()
    """Filled when it was asked for."""


class Turn(Struct, frozen=True):
    """A decision that waits for the caller."""

    match_id: str
    seat: int
    version: int
    deadline: datetime | None
    state: State
    legal_commands: LegalCommands

    @property
    def commands(self) -> tuple[Command, ...]:
        """What can be done, ready to be posted."""
        return self.legal_commands.commands


class Next(Struct, frozen=True):
    """Who is to act now."""

    seat: int | None = None
    """None unless the match is running."""
    phase: str | None = None
    deadline: datetime | None = None


class CommandAnswer(Struct, frozen=True):
    """What a command caused."""

    command_id: str
    version: int
    events: tuple[Event, ...]
    next: Next
    state: State | None = None
    """Filled when it was asked for."""
    legal_commands: LegalCommands | None = None
    """Filled when it was asked for."""
    replayed: bool = False
    """The command had come before under its key; this is what was answered then."""


class CommandRecord(Struct, frozen=True):
    """A command that arrived, and what it caused."""

    command_id: str
    status: str
    first_sequence: int
    last_sequence: int
    events: tuple[Event, ...]


class Validated(Struct, frozen=True):
    """The command would be accepted; nothing was changed."""

    version: int
    """What it was checked against."""
    valid: bool = True


class _LegalCommands(Struct):
    """The same with commands as they come; so are the others below."""

    version: int
    commands: tuple[msgspec.Raw, ...]
    seat: int | None = None
    phase: str | None = None
    unbuildable: tuple[Unbuildable, ...] = ()

    def typed(self) -> LegalCommands:
        commands = tuple(decode_command(raw) for raw in self.commands)
        return LegalCommands(self.version, commands, self.seat, self.phase, self.unbuildable)


class _Turn(Struct):
    match_id: str
    seat: int
    version: int
    state: State
    legal_commands: _LegalCommands
    deadline: datetime | None = None

    def typed(self) -> Turn:
        legal = self.legal_commands.typed()
        return Turn(self.match_id, self.seat, self.version, self.deadline, self.state, legal)


class _Turns(Struct):
    items: tuple[_Turn, ...]


class _CommandAnswer(Struct):
    command_id: str
    version: int
    events: tuple[msgspec.Raw, ...]
    next: Next
    state: State | None = None
    legal_commands: _LegalCommands | None = None


class _CommandRecord(Struct):
    command_id: str
    status: str
    first_sequence: int
    last_sequence: int
    events: tuple[msgspec.Raw, ...]


def decode_legal_commands(raw: bytes) -> LegalCommands:
    """Raises: UnusableAnswer."""
    return decoded(_LegalCommands, raw).typed()


def decode_turns(raw: bytes) -> tuple[Turn, ...]:
    """Raises: UnusableAnswer."""
    return tuple(turn.typed() for turn in decoded(_Turns, raw).items)


def decode_command_answer(raw: bytes, replayed: bool) -> CommandAnswer:
    """Raises: UnusableAnswer."""
    came = decoded(_CommandAnswer, raw)
    legal = came.legal_commands.typed() if came.legal_commands else None
    return CommandAnswer(
        came.command_id, came.version, _events(came.events), came.next, came.state, legal, replayed
    )


def decode_command_record(raw: bytes) -> CommandRecord:
    """Raises: UnusableAnswer."""
    came = decoded(_CommandRecord, raw)
    return CommandRecord(
        came.command_id, came.status, came.first_sequence, came.last_sequence, _events(came.events)
    )


def _events(raws: tuple[msgspec.Raw, ...]) -> tuple[Event, ...]:
    return tuple(decode_event(raw) for raw in raws)
