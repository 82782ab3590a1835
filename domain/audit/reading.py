"""Reading events as the API shows them: whether each is one, and what its hash should be."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.canonical import canonical, sha256
from domain.match.events import Event
from domain.match.upcast import MEMBERS, event_of


class Shown(Struct, frozen=True, forbid_unknown_fields=True):
    """An event in the form of the API."""

    match_id: str
    sequence: int
    type: str
    schema: int
    time: str
    actor: str
    command_id: str
    rules_version: str
    data: dict[str, Any]
    previous_hash: str
    hash: str


class Read(Struct, frozen=True):
    """An event that could be read."""

    place: int
    """Its place among the events, from 1: where it stands, whatever its own sequence says."""
    shown: Shown
    event: Event
    true_hash: str
    """What its hash should be."""


_TIME: Final = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII)
_ACTOR: Final = re.compile(r"seat:\d|account:\S+|service", re.ASCII)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def read(place: int, members: Mapping[str, Any]) -> Read:
    """The event in that place.

    Raises:
        msgspec.ValidationError: it is none; the message says why.
    """
    shown = msgspec.convert(members, Shown)
    if not is_time(shown.time):
        raise msgspec.ValidationError(f"{shown.time!r} is no time with milliseconds in UTC")
    if not _ACTOR.fullmatch(shown.actor):
        raise msgspec.ValidationError(f"{shown.actor!r} is no actor")
    return Read(place, shown, _event(shown), hash_of(members))


def is_time(text: str) -> bool:
    """Whether it is a time of RFC 3339 as events have it, on a day that there was."""
    found = _TIME.fullmatch(text)
    if found is None:
        return False
    year, month, day = int(found[1]), int(found[2]), int(found[3])
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _DAYS[month - 1] + (month == 2 and is_leap)


def _event(shown: Shown) -> Event:
    names = MEMBERS.get((shown.type, shown.schema))
    if names is None:
        raise msgspec.ValidationError(f"there is no event {shown.type!r} of schema {shown.schema}")
    data = shown.data
    # What was recorded before a member was added ends before it.
    written = names[: len(data)]
    if data.keys() != set(written):
        odd = min(data.keys() ^ set(names))
        raise msgspec.ValidationError(f"{shown.type} is at fault in its member {odd!r}")
    return event_of(shown.type, shown.schema, [data[name] for name in written])


def hash_of(members: Mapping[str, Any]) -> str:
    """What the event's `hash` should be: `sha-256:` and the digest of all other members."""
    return digest_of({name: value for name, value in members.items() if name != "hash"})


def digest_of(value: Any) -> str:
    """The digest of what came from elsewhere; empty if it is no data that can be recorded."""
    try:
        return sha256(canonical(value))
    except (OverflowError, RecursionError, TypeError, ValueError):
        return ""


def batches(found: Sequence[Read]) -> list[Sequence[Read]]:
    """The events by the commands that caused them, in order: neighbours with one command id."""
    groups: list[Sequence[Read]] = []
    start = 0
    for i in range(1, len(found) + 1):
        if i == len(found) or found[i].shown.command_id != found[start].shown.command_id:
            groups.append(found[start:i])
            start = i
    return groups


def time_ms(text: str) -> int:
    """The time of an event in ms since 1970, from RFC 3339 as events have it."""
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    # The day by the Gregorian calendar, in years that begin in March (H. Hinnant, days_from_civil).
    year -= month <= 2
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day
    seconds = int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19])
    return ((days - 719469) * 86400 + seconds) * 1000 + int(text[20:23])
