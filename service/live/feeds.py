"""The formats of event streams, and the next portion of a stream."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, Protocol

from contract.events import StreamEnd
from contract.values import encode
from domain.match.envelope import Envelope
from domain.match.state import is_over
from events.matches.entries import Loaded
from events.matches.matches import Matches
from events.store.errors import StreamCorrupt

_PAGE: Final = 200
"""The most events that are read and sent at a time."""


class StreamFrame(Protocol):
    """What all streams of a format have, whatever they are of."""

    @property
    def opening(self) -> bytes:
        """The first bytes of the stream."""

    @property
    def heartbeat(self) -> bytes:
        """Bytes that only show that the connection is alive."""


class StreamFormat(NamedTuple):
    """A format of event streams."""

    media_type: str
    content_type: str
    opening: bytes
    """The first bytes of the stream."""
    heartbeat: bytes
    """Bytes that only show that the connection is alive."""
    event: Callable[[Envelope], bytes]
    end: Callable[[Loaded], bytes]
    """The end mark: the match is over, and nothing will follow."""


def _end_mark(loaded: Loaded) -> StreamEnd:
    return StreamEnd(match_id=loaded.match_id, version=loaded.version, status=loaded.state.status)


def _server_sent_event(event: Envelope) -> bytes:
    return b"id: %d\ndata: %b\n\n" % (event.sequence, encode(event))


def _server_sent_end(loaded: Loaded) -> bytes:
    return b"event: stream_end\nid: %d\ndata: %b\n\n" % (loaded.version, encode(_end_mark(loaded)))


def _line(event: Envelope) -> bytes:
    return encode(event) + b"\n"


def _last_line(loaded: Loaded) -> bytes:
    return encode(_end_mark(loaded)) + b"\n"


# Browsers reconnect two seconds after a stream was cut. https://html.spec.whatwg.org/#server-sent-events
SSE: Final = StreamFormat(
    "text/event-stream",
    "text/event-stream; charset=utf-8",
    b"retry: 2000\n\n",
    b": alive\n\n",
    _server_sent_event,
    _server_sent_end,
)
NDJSON: Final = StreamFormat("application/x-ndjson", "application/x-ndjson", b"", b"\n", _line, _last_line)

FORMATS: Final = {one.media_type: one for one in (SSE, NDJSON)}


class Feed(NamedTuple):
    """The request of a subscriber."""

    match_id: str
    format: StreamFormat
    types: frozenset[str] | None
    """The types of events to send; None for all."""


class Portion(NamedTuple):
    """The next bytes of a stream."""

    data: bytes
    after: int
    """The last sequence that was read: the next portion begins after it."""
    is_last: bool
    """Whether this is the end of a match that is over."""
    is_at_head: bool
    """Whether there is nothing more yet."""


class FeedBroken(Exception):
    """The match no longer has the subscriber's last event; the subscriber must ask again."""


def read_on(matches: Matches, feed: Feed, after: int) -> Portion:
    """The next portion after the sequence `after`.

    Raises:
        FeedBroken: the match ends before `after`, as after a restored backup.
        MatchNotFound, StreamCorrupt, StoreUnavailable.
    """
    loaded = matches.load(feed.match_id)
    if after > loaded.version:
        raise FeedBroken(feed.match_id)
    try:
        events = matches.history.events_of(loaded, after, _PAGE)
    except StreamCorrupt as error:
        matches.report_damage(error)
        raise
    after = events[-1].sequence if events else after
    is_at_head = after == loaded.version
    is_last = is_at_head and is_over(loaded.state)
    end = feed.format.end(loaded) if is_last else b""
    return Portion(_written(feed, events) + end, after, is_last, is_at_head)


def _written(feed: Feed, events: Iterable[Envelope]) -> bytes:
    types = feed.types
    return b"".join([feed.format.event(event) for event in events if types is None or event.type in types])
