"""What became of a command, and the decisions that wait for the caller."""

from msgspec import UNSET, UnsetType

from contract.names import CommandStatus, Phase
from contract.states import LegalCommands, State
from contract.values import Answer, Deadline, Event, Positive, SeatNumber


class NextDecision(Answer, frozen=True):
    """Who is to act now."""

    seat: SeatNumber | None
    phase: Phase | None
    deadline: Deadline


class CommandAnswer(Answer, frozen=True):
    """What a command caused."""

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
    """The version it was checked against."""


class CommandRecord(Answer, frozen=True):
    """A command that arrived, and what it caused."""

    command_id: str
    status: CommandStatus
    first_sequence: Positive
    last_sequence: Positive
    events: tuple[Event, ...]
