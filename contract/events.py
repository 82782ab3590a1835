"""Events, event types, pending decisions, past states and logs."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from contract.names import EventTypeName, Language, MatchStatus, PatchOperationName
from contract.states import LegalCommands, State
from contract.values import Address, Answer, Deadline, Event, Instant, Positive, SeatNumber, SignedTime, text


class EventPage(Answer, frozen=True):
    """One page of events."""

    items: tuple[Event, ...]
    next: str | None


class CloudEvent(Answer, frozen=True):
    """An event of a match as a CloudEvent 1.0."""

    specversion: Literal["1.0"]
    id: str
    """The match and the sequence of the event, such as `mat_.../42`."""
    source: Address
    """Always `/v1/matches`."""
    type: Annotated[str, text(r"machi_koro\.match\.[a-z_]+")]
    """`machi_koro.match.` and the type of the event."""
    subject: str
    """The id of the match."""
    time: SignedTime
    datacontenttype: Literal["application/json"]
    data: Event
    """The event."""


class StreamEnd(Answer, frozen=True, tag_field="type", tag="stream_end"):
    """The end mark of a stream: it follows the last event of a match that is over."""

    match_id: str
    version: Positive
    status: MatchStatus


class EventType(Answer, frozen=True):
    """An event type, and the JSON Schema of its events."""

    type: EventTypeName
    schema: Positive
    """The newest schema version of the type."""
    description: str
    json_schema: dict[str, object]


class EventTypePage(Answer, frozen=True):
    """All event types."""

    items: tuple[EventType, ...]
    next: str | None


class MyTurn(Answer, frozen=True):
    """A pending decision of the caller."""

    match_id: str
    seat: SeatNumber
    version: Positive
    deadline: Deadline
    state: State
    legal_commands: LegalCommands


class MyTurns(Answer, frozen=True):
    """The pending decisions of the caller."""

    items: tuple[MyTurn, ...]


class PastState(State, frozen=True, kw_only=True):
    """The state after an event, with the embedded parts."""

    legal_commands: LegalCommands | UnsetType = UNSET
    event: Event | UnsetType = UNSET


class PatchOperation(Answer, frozen=True):
    """One operation of a JSON Patch (RFC 6902)."""

    op: PatchOperationName
    path: Annotated[str, text(r"(/.*)?")]
    """A JSON pointer (RFC 6901)."""
    value: object | UnsetType = UNSET
    """Absent for `remove`."""


class LogLine(Answer, frozen=True):
    """An event as a sentence."""

    sequence: Positive
    """The sequence of the event."""
    type: EventTypeName
    time: Instant
    seat: SeatNumber | None
    """The seat that rolls, pays, builds or wins; null for the whole table."""
    text: str
    """The sentence, with its full stop."""


class LogPage(Answer, frozen=True):
    """One page of a log."""

    items: tuple[LogLine, ...]
    next: str | None
    language: Language
    """The language of the sentences."""
