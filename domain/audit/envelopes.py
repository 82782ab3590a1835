"""Events in the form of the API: parsing, validation, hashes, and grouping by command."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.canonical import canonical, sha256
from domain.match.envelope import Envelope
from domain.match.events import Event
from domain.match.upcast import MEMBERS, event_of


class StrictEnvelope(Envelope, frozen=True, forbid_unknown_fields=True):
    """An envelope that came from elsewhere: an unknown member is an error."""


class ReadEvent(Struct, frozen=True):
    """An event that was parsed and is valid by itself."""

    place: int
    """Its position in the evidence, from 1. Its own `sequence` may differ."""
    envelope: StrictEnvelope
    event: Event
    true_hash: str
    """The hash recomputed from its members."""


_TIME: Final = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII)
_ACTOR: Final = re.compile(r"seat:\d|account:\S+|service", re.ASCII)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def read(place: int, members: Mapping[str, Any]) -> ReadEvent:
    """Parse the event at that position.

    Raises:
        msgspec.ValidationError: it is not an event; the message says why.
    """
    envelope = msgspec.convert(members, StrictEnvelope)
    if not is_time(envelope.time):
        raise msgspec.ValidationError(f"{envelope.time!r} is no time with milliseconds in UTC")
    if not _ACTOR.fullmatch(envelope.actor):
        raise msgspec.ValidationError(f"{envelope.actor!r} is no actor")
    return ReadEvent(place, envelope, _event(envelope), hash_of(members))


def is_time(text: str) -> bool:
    """Whether it is an RFC 3339 time in UTC with milliseconds, on a day that exists."""
    found = _TIME.fullmatch(text)
    if found is None:
        return False
    year, month, day = int(found[1]), int(found[2]), int(found[3])
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _DAYS[month - 1] + (month == 2 and is_leap)


def _event(envelope: StrictEnvelope) -> Event:
    names = MEMBERS.get((envelope.type, envelope.schema))
    if names is None:
        raise msgspec.ValidationError(f"there is no event {envelope.type!r} of schema {envelope.schema}")
    data = envelope.data
    # Events recorded before a member was added lack it; new members are always last.
    written = names[: len(data)]
    if data.keys() != set(written):
        odd = min(data.keys() ^ set(names))
        raise msgspec.ValidationError(f"{envelope.type} is at fault in its member {odd!r}")
    return event_of(envelope.type, envelope.schema, [data[name] for name in written])


def hash_of(members: Mapping[str, Any]) -> str:
    """The `hash` that the event should have: `sha-256:` and the digest of all other members."""
    return digest_of({name: value for name, value in members.items() if name != "hash"})


def digest_of(value: Any) -> str:
    """The digest of an untrusted value; empty if the value has no canonical JSON."""
    try:
        return sha256(canonical(value))
    except (OverflowError, RecursionError, TypeError, ValueError):
        return ""


def batches(found: Sequence[ReadEvent]) -> list[Sequence[ReadEvent]]:
    """The events grouped by command: each group is a run of events with the same command id."""
    groups: list[Sequence[ReadEvent]] = []
    start = 0
    for i in range(1, len(found) + 1):
        if i == len(found) or found[i].envelope.command_id != found[start].envelope.command_id:
            groups.append(found[start:i])
            start = i
    return groups


def time_ms(text: str) -> int:
    """The time in ms since 1970; `text` is a valid time as `is_time` accepts it."""
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    # The day by the Gregorian calendar, in years that begin in March (H. Hinnant, days_from_civil).
    year -= month <= 2
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day
    seconds = int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19])
    return ((days - 719469) * 86400 + seconds) * 1000 + int(text[20:23])
