"""The table: its state, the seat to act, and the legal commands."""

from msgspec import Struct

import contract.commands
import contract.events
import contract.states
from contract.states import PendingChoice, Unbuildable
from machi.answers import HasRaw
from machi.commands import Command
from machi.events import Event


class Market(Struct, frozen=True):
    """The cards for sale; the kind decides which members are filled.

    One class serves all kinds, so that a match with an unknown kind of market does not hide the other turns.
    """

    kind: str
    """`open`, `limited` or `rows`."""
    supply: dict[str, int] = {}
    """In an open market: the number of copies of every card, 0 if it is sold out."""
    face_up: dict[str, int] = {}
    deck_remaining: int = 0
    rows: dict[str, dict[str, int]] = {}
    """In machi_koro_2: `low`, `high` and `landmarks`."""
    decks_remaining: dict[str, int] = {}

    @property
    def for_sale(self) -> dict[str, int]:
        """The number of face-up copies of each card, without those sold out."""
        stacks = {**self.supply, **self.face_up}
        for row in self.rows.values():
            stacks.update(row)
        return {card: count for card, count in stacks.items() if count}


class State(contract.states.State, HasRaw, frozen=True, kw_only=True, dict=True):
    """The complete state of the table."""

    market: Market  # type: ignore[assignment]
    pending: PendingChoice | None = None  # type: ignore[assignment]
    """None unless a choice is open."""


class LegalCommands(contract.states.LegalCommands, frozen=True, kw_only=True):
    """The commands of the seat to act; `resign`, which every seat can always post, is not listed."""

    commands: tuple[Command, ...]  # type: ignore[assignment]
    unbuildable: tuple[Unbuildable, ...] = ()
    """Filled if requested."""


class Turn(contract.events.MyTurn, HasRaw, frozen=True, kw_only=True, dict=True):
    """An open decision of the caller."""

    state: State
    legal_commands: LegalCommands

    @property
    def commands(self) -> tuple[Command, ...]:
        """The legal commands, ready to be posted."""
        return self.legal_commands.commands


class CommandAnswer(contract.commands.CommandAnswer, frozen=True, kw_only=True):
    """The result of a command."""

    events: tuple[Event, ...]
    state: State | None = None  # type: ignore[assignment]
    """Filled if requested."""
    legal_commands: LegalCommands | None = None  # type: ignore[assignment]
    """Filled if requested."""
    replayed: bool = False
    """The command had been carried out before under its key; this is the stored response."""


class CommandRecord(contract.commands.CommandRecord, frozen=True, kw_only=True):
    """A command that was carried out, and the events that it caused."""

    events: tuple[Event, ...]
