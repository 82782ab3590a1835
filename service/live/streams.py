"""The body of a stream: the events of a match, or what else there is, after a sequence, as it happens."""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol

import redis
import structlog

from events.matches.matches import Matches
from events.store.errors import StoreError, StoreUnavailable
from events.store.keys import now_ms
from events.store.watch import Wake
from service.accounts.tokens import Tokens
from service.context import Services
from service.edge.middleware import KIND, BodyCut
from service.live.connections import is_client_gone, when_client_moves
from service.live.feeds import Feed, FeedBroken, Portion, StreamFrame, read_on
from service.live.stream_slots import HELD_S, Slot
from service.operations.metrics import STREAM

_logger: Final = structlog.get_logger(__name__)


class Pace(NamedTuple):
    """Intervals in seconds."""

    heartbeat_s: float = 10.0
    inspection_s: float = 3.0
    """Between checks of the token."""
    renewal_s: float = HELD_S / 3
    """Between renewals of the slot."""
    retry_s: float = 1.0
    """Between tries while the store does not respond."""
    gather_s: float = 0.004
    """Between two portions, for each stream of the match in this process: where many follow, events are sent
    less often and more at a time, which leaves time for commands."""
    longest_gather_s: float = 0.5


PACE: Final = Pace()


class Ticket(NamedTuple):
    """The token and the slot of an admitted stream."""

    digest: str
    """The digest of the token; empty without one."""
    slot: Slot


class Source(Protocol):
    """What a stream is of."""

    @property
    def name(self) -> str:
        """The id of the match, or another name that streams of the same source share."""

    @property
    def format(self) -> StreamFrame:
        """How the stream begins, and what shows that it is alive."""

    def read(self, after: int) -> Portion:
        """The next portion after the sequence `after`.

        Raises:
            FeedBroken, StoreError.
        """

    def wait(self, after: int, timeout_s: float, woken: threading.Event) -> Wake:
        """Wait for something after the sequence `after`. Others may set `woken` to end the wait."""

    def renew(self) -> None:
        """Called now and then while somebody follows. Raises: StoreUnavailable."""


class MatchSource:
    """The events of a match."""

    def __init__(self, services: Services, feed: Feed) -> None:
        self.name: Final = feed.match_id
        self.format: Final = feed.format
        self._services = services
        self._feed = feed

    def read(self, after: int) -> Portion:
        return self._services.shared_feeds.read(self._feed, after)

    def wait(self, after: int, timeout_s: float, woken: threading.Event) -> Wake:
        return self._services.watcher.wait(self.name, after, timeout_s, woken)

    def renew(self) -> None:
        """Nothing is kept for its followers."""


class LiveStream:
    """What comes after a sequence, as it happens; an iterable of bytes for WSGI."""

    def __init__(
        self,
        services: Services,
        environ: dict[str, Any],
        source: Source,
        after: int,
        ticket: Ticket,
        pace: Pace = PACE,
    ) -> None:
        self._services = services
        self._environ = environ
        self._source = source
        self._after = after
        self._ticket = ticket
        self._pace = pace
        self._inspect_s = time.monotonic() + pace.inspection_s
        self._renew_s = time.monotonic() + pace.renewal_s
        self._has_begun = False
        self._sent_s = 0.0
        self._woken = threading.Event()
        """Set by news of the match, or when the client closes or sends more."""
        self._has_client_moved = False
        environ[KIND] = STREAM

    def close(self) -> None:
        """Free the slot; the server calls this at the end of the response."""
        self._services.slots.release(self._ticket.slot)
        if self._has_begun:
            self._services.shared_feeds.leave(self._source.name)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the parts. Raises: BodyCut."""
        self._services.shared_feeds.enter(self._source.name)
        self._has_begun = True
        when_client_moves(self._environ, self._note_client)
        yield self._source.format.opening
        while not (portion := self._next()).is_last:
            self._after = portion.after
            yield portion.data
            self._sent_s = time.monotonic()
            if portion.is_at_head:
                yield from self._wait_for_news()
        yield portion.data

    def _note_client(self) -> None:
        self._has_client_moved = True
        self._woken.set()

    def _next(self) -> Portion:
        while True:
            self._inspect()
            try:
                return self._source.read(self._after)
            except StoreUnavailable:
                time.sleep(self._pace.retry_s)
            except (StoreError, FeedBroken) as error:
                _logger.warning("stream_cut", source=self._source.name, error=type(error).__name__)
                raise BodyCut from None

    def _wait_for_news(self) -> Iterator[bytes]:
        """Wait for news, and yield a heartbeat if none comes in time."""
        beat_s = time.monotonic() + self._pace.heartbeat_s
        while (left_s := beat_s - time.monotonic()) > 0:
            wait_s = min(left_s, self._pace.inspection_s)
            wake = self._source.wait(self._after, wait_s, self._woken)
            if wake is Wake.STOPPED or (self._has_client_moved and is_client_gone(self._environ)):
                raise BodyCut
            if wake is Wake.NEWS:
                self._let_more_come()
                self._woken.clear()
                return
            self._inspect()
        yield self._source.format.heartbeat

    def _let_more_come(self) -> None:
        crowd_s = self._pace.gather_s * self._services.shared_feeds.followers(self._source.name)
        time.sleep(max(0.0, self._sent_s + min(crowd_s, self._pace.longest_gather_s) - time.monotonic()))

    def _inspect(self) -> None:
        """At intervals, end the stream if its token is gone, and renew its slot."""
        now_s = time.monotonic()
        if now_s < self._inspect_s:
            return
        self._inspect_s = now_s + self._pace.inspection_s
        digest = self._ticket.digest
        if digest and not _is_valid(self._services.tokens, digest):
            raise BodyCut
        if now_s >= self._renew_s:
            self._renew_s = now_s + self._pace.renewal_s
            self._services.slots.renew(self._ticket.slot)
            with suppress(StoreUnavailable):
                self._source.renew()


def _is_valid(tokens: Tokens, digest: str) -> bool:
    """Whether the token is valid; it counts as valid while the store does not respond."""
    try:
        token = tokens.get(digest)
    except redis.RedisError:
        return True
    return token is not None and token.expires_ms > now_ms()


def finite_stream(matches: Matches, feed: Feed, first: Portion) -> Iterator[bytes]:
    """The portion, and all further ones up to the last event."""
    portion = first
    yield portion.data
    while not portion.is_at_head:
        portion = read_on(matches, feed, portion.after)
        yield portion.data
