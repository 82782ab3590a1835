"""Events, the decisions that wait, and what history shows: past states, sentences."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from contract.names import EventTypeName, Language, MatchStatus, PatchOperationName
from contract.states import LegalCommands, State
from contract.values import Answer, Deadline, Event, Instant, Positive, SeatNumber, text


class EventPage(Answer, frozen=True):
    """One page of events."""

    items: tuple[Event, ...]
    next: str | None


class StreamEnd(Answer, frozen=True, tag_field="type", tag="stream_end"):
    """What stands behind the last event of a match that is over."""

    match_id: str
    version: Positive
    status: MatchStatus


class EventType(Answer, frozen=True):
    """A type of events, and the JSON Schema that every event of it fits."""

    type: EventTypeName
    schema: Positive
    """The newest number of its form."""
    description: str
    json_schema: dict[str, object]


class EventTypePage(Answer, frozen=True):
    """All types of events."""

    items: tuple[EventType, ...]
    next: str | None


class MyTurn(Answer, frozen=True):
    """A decision that waits for the caller."""

    match_id: str
    seat: SeatNumber
    version: Positive
    deadline: Deadline
    state: State
    legal_commands: LegalCommands


class MyTurns(Answer, frozen=True):
    """Every decision that waits for the caller."""

    items: tuple[MyTurn, ...]


class PastState(State, frozen=True, kw_only=True):
    """Everything that was on the table after an event, and what was asked for with it."""

    legal_commands: LegalCommands | UnsetType = UNSET
    event: Event | UnsetType = UNSET


class PatchOperation(Answer, frozen=True):
    """One operation of a JSON Patch (RFC 6902)."""

    op: PatchOperationName
    path: Annotated[str, text(r"(/.*)?")]
    """A JSON pointer (RFC 6901)."""
    value: object | UnsetType = UNSET
    """Of all but `remove`."""


class LogLine(Answer, frozen=True):
    """One event in a sentence."""

    sequence: Positive
    """Of the event."""
    type: EventTypeName
    time: Instant
    seat: SeatNumber | None
    """Who throws, pays, builds or wins; null where it is about the table."""
    text: str
    """The sentence, with its full stop."""


class LogPage(Answer, frozen=True):
    """One page of a log."""

    items: tuple[LogLine, ...]
    next: str | None
    language: Language
    """Of the sentences."""
