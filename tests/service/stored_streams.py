"""The stream of a match, read and replaced where it lies."""

from typing import Any

from events.store import keys
from events.store.fields import pack_events, unpack_events

Stream = list[tuple[bytes, dict[bytes, bytes]]]


def stream_of(admin: Any, match_id: str) -> Stream:
    """The stream with its events as JSON."""
    return [
        (id, {**fields, b"e": unpack_events(fields[b"e"])})
        for id, fields in admin.xrange(keys.match(match_id))
    ]


def replace_stream(admin: Any, match_id: str, stream: Stream) -> None:
    """Write another history in the place of the match's own."""
    admin.delete(keys.match(match_id))
    for id, entry in stream:
        admin.xadd(keys.match(match_id), packed(entry), id)


def packed(entry: dict[bytes, bytes]) -> dict[bytes, bytes]:
    return {name: pack_events(value) if name == b"e" else value for name, value in entry.items()}
