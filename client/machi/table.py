"""What lies on the table, who is to act, and what can be done."""

from msgspec import Struct

import contract.commands
import contract.events
import contract.states
from contract.states import PendingChoice, Unbuildable
from machi.commands import Command
from machi.events import Event


class Market(Struct, frozen=True):
    """What can be built; which members are filled depends on the kind.

    One class for all kinds: a match with a market of another kind does not hide the others that wait.
    """

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


class State(contract.states.State, frozen=True, kw_only=True):
    """Everything on the table."""

    market: Market  # type: ignore[assignment]
    pending: PendingChoice | None = None  # type: ignore[assignment]
    """None unless a choice is open."""


class LegalCommands(contract.states.LegalCommands, frozen=True, kw_only=True):
    """What the seat to act can do; `resign`, which every seat always can, is not listed."""

    commands: tuple[Command, ...]  # type: ignore[assignment]
    unbuildable: tuple[Unbuildable, ...] = ()
    """Filled when it was asked for."""


class Turn(contract.events.MyTurn, frozen=True, kw_only=True):
    """A decision that waits for the caller."""

    state: State
    legal_commands: LegalCommands

    @property
    def commands(self) -> tuple[Command, ...]:
        """What can be done, ready to be posted."""
        return self.legal_commands.commands


class Turns(Struct, frozen=True):
    """Every decision that waits for the caller."""

    items: tuple[Turn, ...]


class CommandAnswer(contract.commands.CommandAnswer, frozen=True, kw_only=True):
    """What a command caused."""

    events: tuple[Event, ...]
    state: State | None = None  # type: ignore[assignment]
    """Filled when it was asked for."""
    legal_commands: LegalCommands | None = None  # type: ignore[assignment]
    """Filled when it was asked for."""
    replayed: bool = False
    """The command had come before under its key; this is what was answered then."""


class CommandRecord(contract.commands.CommandRecord, frozen=True, kw_only=True):
    """A command that arrived, and what it caused."""

    events: tuple[Event, ...]
