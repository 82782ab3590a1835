"""Lookups in the complete entries of one match, from memory or from an archive file."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from events.store.records import (
    FINGERPRINT_SIZE,
    MISSED_LIMIT,
    Append,
    Conflict,
    Duplicate,
    Entry,
    Reply,
    Reused,
)


def after(entries: Sequence[Entry], version: int) -> Sequence[Entry]:
    """As `events.store.records.Store.read`."""
    return entries[bisect_right(entries, version, key=_last) :]


def at(entries: Sequence[Entry], version: int) -> Entry | None:
    """As `events.store.records.Store.entry_at`."""
    end = bisect_right(entries, version, key=_last)
    return entries[end - 1] if end else None


def commands_in(entries: Sequence[Entry]) -> dict[str, int]:
    """The version that each command led to, by command id; only commands that were sent with an id."""
    return {entry.command[FINGERPRINT_SIZE:].decode(): entry.last for entry in entries if entry.command}


def refusal(entries: Sequence[Entry], commands: Mapping[str, int | bytes], append: Append) -> Reply | None:
    """The reply with which the append script would refuse the append; None if it would append.

    `commands` is `commands_in(entries)`, with values of either type.
    """
    for entry in append.entries:
        last = commands.get(entry.command[FINGERPRINT_SIZE:].decode())
        if last:
            return _known(entries, int(last), entry.command)
    current = entries[-1].last if entries else 0
    if current != append.expected:
        return Conflict(current, tuple(after(entries, append.expected)[:MISSED_LIMIT]))
    if entries and entries[-1].hash != append.head_hash:
        return Conflict(current, ())
    return None


def _known(entries: Sequence[Entry], last: int, command: bytes) -> Reply:
    i = bisect_left(entries, last, key=_last)
    if entries[i].command != command:
        return Reused()
    return Duplicate(entries[i - 1].last + 1 if i else 1, last)


def _last(entry: Entry) -> int:
    return entry.last
