"""Results of commands."""

from msgspec import UNSET, UnsetType

from contract.names import CommandStatus, Phase
from contract.states import LegalCommands, State
from contract.values import Answer, Deadline, Event, Positive, SeatNumber


class NextDecision(Answer, frozen=True):
    """The next decision: the seat to act, the phase and the deadline."""

    seat: SeatNumber | None
    phase: Phase | None
    deadline: Deadline


class CommandAnswer(Answer, frozen=True):
    """The result of a command."""

    command_id: str
    version: Positive
    events: tuple[Event, ...]
    next: NextDecision
    state: State | UnsetType = UNSET
    legal_commands: LegalCommands | UnsetType = UNSET


class Validated(Answer, frozen=True):
    """The command would be accepted; nothing was appended."""

    valid: bool
    version: Positive
    """The version that the command was checked against."""


class CommandRecord(Answer, frozen=True):
    """An executed command and its events."""

    command_id: str
    status: CommandStatus
    first_sequence: Positive
    last_sequence: Positive
    events: tuple[Event, ...]
