"""The types of members of responses, with their limits and descriptions.

Limits and patterns document the values that the service sends. Decoding does not enforce them, so that an
older client can read the responses of a newer service.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta, Struct

from domain.match.envelope import Envelope

GREATEST: Final = 2**31 - 1
CARD: Final = r"[a-z0-9_]{1,40}"
"""The pattern of a card id, and of all other names that the service chooses."""
HASH: Final = r"sha-256:[0-9a-f]{64}"
INSTANT: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
LADDER: Final = r"lad_[0-9A-Z]{26}"
JOB: Final = r"job_[0-9A-Z]{26}"
ENTRY: Final = r"ent_[0-9A-Z]{26}"
MOST_SEATS: Final = 5


class Answer(Struct, frozen=True):
    """An object of a response."""


def integer(low: int = 0, high: int = GREATEST) -> Meta:
    """A whole number within bounds."""
    return Meta(extra_json_schema={"minimum": low, "maximum": high})


def text(pattern: str) -> Meta:
    """A string that matches the pattern from end to end."""
    return Meta(extra_json_schema={"pattern": f"^(?:{pattern})$"})


def length(least: int, most: int | None = None) -> Meta:
    """A list of so many items."""
    return Meta(extra_json_schema={"minItems": least} | ({} if most is None else {"maxItems": most}))


def described(description: str) -> Meta:
    """The description of every member of this type."""
    return Meta(extra_json_schema={"description": description})


def component(name: str) -> Meta:
    """The type is described by the component of that name, which is defined elsewhere."""
    return Meta(extra={"component": name})


class Named(NamedTuple):
    """The component of a type that has the same meaning wherever it stands."""

    component: str
    description: str


def named(component: str, description: str) -> Meta:
    """The component of a type that has the same meaning wherever it stands."""
    return Meta(extra={"component": Named(component, description)})


class Choice(NamedTuple):
    """The component of a union of tagged Structs."""

    component: str
    description: str


def choice(component: str, description: str) -> Meta:
    """The component of a union of tagged Structs."""
    return Meta(extra={"component": Choice(component, description)})


Count = Annotated[int, integer()]
Positive = Annotated[int, integer(1)]
Percent = Annotated[int, integer(0, 100)]
Die = Annotated[int, integer(1, 6)]
SeatNumber = Annotated[int, integer(0, MOST_SEATS - 1)]
SeatCount = Annotated[int, integer(2, MOST_SEATS)]
Share = Annotated[float, Meta(extra_json_schema={"minimum": 0.01, "maximum": 0.49})]
CardId = Annotated[str, text(CARD)]
Hash = Annotated[str, text(HASH)]
Hex = Annotated[str, text(r"[0-9a-f]{64}")]
"""32 bytes in hex."""
LadderId = Annotated[str, text(LADDER)]
JobId = Annotated[str, text(JOB)]
EntryId = Annotated[str, text(ENTRY)]
Address = Annotated[str, Meta(extra_json_schema={"format": "uri-reference"})]
_TIME: Final = Meta(
    extra_json_schema={"format": "date-time", "pattern": f"^(?:{INSTANT})$"},
    extra={"component": Named("Instant", "A time in UTC, with milliseconds.")},
)
Instant = Annotated[datetime, _TIME]
"""A time in UTC with milliseconds; the service creates it as a `Timestamp`."""
SignedTime = Annotated[str, _TIME]
"""A time as text, because the signature covers every character."""
Event = Annotated[Envelope, component("Event")]

TurnNumber = Annotated[
    Count,
    named(
        "TurnNumber",
        "The number of the turn, from 1; extra turns and building rounds count too. 0 before the match "
        "starts.",
    ),
]
Winner = Annotated[
    SeatNumber | None,
    named("Winner", "The winning seat; null before the match is won, and if it was aborted."),
]
Deadline = Annotated[
    Instant | None,
    named(
        "Deadline",
        "When the clock of the due decision expires or, before the match starts, the time for the seeds of "
        "the seats ends. An outage can move it to a later time. Null if the match has no clock, and if no "
        "decision of a person is due.",
    ),
]


class Timestamp(datetime):
    """A time whose text is RFC 3339, in UTC with milliseconds."""

    @classmethod
    def at(cls, time_ms: int) -> "Timestamp":
        """The time at that many milliseconds since 1970."""
        return cls.fromtimestamp(time_ms / 1000, UTC)

    def __str__(self) -> str:
        return self.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _written(value: Any) -> str:
    """Encode times with milliseconds; msgspec would write microseconds."""
    if isinstance(value, Timestamp):
        return str(value)
    raise NotImplementedError(f"no JSON for {type(value)}")


encode: Final = msgspec.json.Encoder(decimal_format="number", enc_hook=_written).encode
"""Encode a response as JSON."""
