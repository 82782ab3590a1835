"""The body of a streamed answer: pulled by the request's thread, or handed over to `service.following`.

Any WSGI server can pull it; our worker takes the connection over instead, so that whoever follows a match
keeps no thread busy.
"""

import socket
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, NamedTuple

import redis
import structlog

from events.errors import StoreError
from events.handler import Matches
from events.watch import Wake
from service.accounts import Accounts
from service.context import Services
from service.departures import CLOSE, HAND_OVER, HandedOver
from service.edge import KIND
from service.feeds import Feed, FeedBroken, Portion, read_on
from service.following import PACE, Follower
from service.metrics import STREAM, STREAMS_NOW
from service.outgoing import Outgoing
from service.stream_slots import Slot, Slots

_logger: Final = structlog.get_logger(__name__)


class Ticket(NamedTuple):
    """What a stream was let in with."""

    digest: str
    """Of the token; empty without one."""
    slot: Slot


class EventStream:
    """The events behind a sequence, as they come; WSGI's iterable of bytes."""

    def __init__(
        self, services: Services, environ: dict[str, Any], feed: Feed, after: int, ticket: Ticket
    ) -> None:
        self._services = services
        self._environ = environ
        self._feed = feed
        self._after = after
        self._ticket = ticket
        self._is_handed_over = False
        self._out: Outgoing | None = None
        self._on_close: Callable[[int, bool], None] | None = None
        environ[KIND] = STREAM

    def __iter__(self) -> Iterator[bytes]:
        if self._environ.get(HAND_OVER):
            self._environ[CLOSE]()
            yield b""  # has the server send the head
            self._is_handed_over = True
            raise HandedOver(self._take)
        with STREAMS_NOW.track_inprogress():
            yield self._feed.form.opening
            yield from self._pulled()

    def postpone(self, on_close: Callable[[int, bool], None]) -> bool:
        """Whether the stream outlives its request.

        If so, `on_close` is called at its end: with the bytes that went out, and whether these are all.
        """
        self._on_close = on_close
        return self._is_handed_over

    def close(self) -> None:
        """The server is done with it."""
        if not self._is_handed_over:
            self._services.slots.release(self._ticket.slot)

    def _take(self, connection: socket.socket) -> None:
        is_chunked = self._environ["SERVER_PROTOCOL"] != "HTTP/1.0"
        self._out = out = Outgoing(connection, is_chunked)
        STREAMS_NOW.inc()
        self._services.following.take(Follower(self._feed, self._after, out, self._ticket, self._end))

    def _end(self) -> None:
        STREAMS_NOW.dec()
        self._services.slots.release(self._ticket.slot)
        if self._on_close is not None and self._out is not None:
            self._on_close(self._out.bytes_sent, self._out.is_finished)

    def _pulled(self) -> Iterator[bytes]:
        watcher = self._services.watcher
        while True:
            portion = self._next()
            if portion is None:
                return
            self._after = portion.after
            yield portion.data
            if portion.is_last:
                return
            if portion.is_at_head:
                wake = watcher.wait(self._feed.match_id, self._after, PACE.heartbeat_s)
                if wake is Wake.STOPPED or lost_tickets(
                    self._services.accounts, self._services.slots, [self._ticket]
                ):
                    return
                if wake is Wake.TIME_OVER:
                    yield self._feed.form.heartbeat

    def _next(self) -> Portion | None:
        try:
            return read_on(self._services.matches, self._feed, self._after)
        except (StoreError, FeedBroken) as error:
            _logger.warning("stream_cut", match_id=self._feed.match_id, error=type(error).__name__)
            return None


def lost_tickets(accounts: Accounts, slots: Slots, tickets: Collection[Ticket]) -> set[Ticket]:
    """The tickets whose token is gone or has expired; the slots of the others are held for another while."""
    holding = _holding(accounts, {one.digest for one in tickets if one.digest})
    lost = {one for one in tickets if one.digest and one.digest not in holding}
    slots.renew([one.slot for one in tickets if one not in lost])
    return lost


def _holding(accounts: Accounts, digests: Collection[str]) -> Collection[str]:
    """Those of the tokens that hold; nobody is cut off because the store cannot be asked."""
    try:
        return accounts.holding(digests)
    except redis.RedisError:
        return digests


def what_there_is(matches: Matches, feed: Feed, first: Portion) -> Iterator[bytes]:
    """The portion, and all that follow it by now."""
    portion = first
    yield portion.data
    while not portion.is_at_head:
        portion = read_on(matches, feed, portion.after)
        yield portion.data
