"""Entries to and from what Redis keeps: the id of a stream entry and its fields."""

from collections.abc import Sequence
from typing import TypeAlias

from events.store.errors import StreamCorrupt
from events.store.records import Entry

RawEntry: TypeAlias = tuple[bytes, dict[bytes, bytes]]
"""The id, `<last>-0`, and the fields e, c, a, t, h; see `append.lua`."""


def to_fields(entry: Entry) -> RawEntry:
    """The entry as the append script wrote it."""
    fields = {
        b"e": entry.events,
        b"c": entry.command,
        b"a": entry.actor.encode(),
        b"t": b"%d" % entry.time_ms,
        b"h": entry.hash,
    }
    return b"%d-0" % entry.last, fields


def from_fields(match_id: str, raw: Sequence[RawEntry]) -> list[Entry]:
    """The entries of a match.

    Raises:
        StreamCorrupt: a field is missing or makes no sense.
    """
    found: list[Entry] = []
    for one in raw:
        try:
            found.append(_entry(one))
        except (KeyError, ValueError) as error:
            first = found[-1].last + 1 if found else 0
            raise StreamCorrupt(match_id, first, "an entry is not as it was written") from error
    return found


def from_flat(raw: tuple[bytes, list[bytes]]) -> Entry:
    """An entry as scripts return it: its fields are a list of names and values in turn."""
    id, flat = raw
    return _entry((id, dict(zip(flat[::2], flat[1::2], strict=True))))


def _entry(raw: RawEntry) -> Entry:
    id, fields = raw
    return Entry(
        int(id[:-2]), fields[b"e"], fields[b"c"], fields[b"a"].decode(), int(fields[b"t"]), fields[b"h"]
    )
