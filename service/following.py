"""Sending events to everybody who follows a match: one thread a process, however many connections there are.

A match that goes on is read once for all who are at the same sequence. A client that reads slowly gets its
next portion when it has taken the last one; one that takes nothing for a while is cut off.
"""

import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final, NamedTuple

import structlog

from events.errors import StoreError, StoreUnavailable
from events.handler import Matches
from events.watch import LogWatcher
from service.feeds import Feed, FeedBroken, Portion, read_on
from service.outgoing import Outgoing


class Pace(NamedTuple):
    """How often things are done, in seconds."""

    heartbeat_s: float = 10.0
    inspection_s: float = 5.0
    stalled_s: float = 30.0
    """A client that has taken nothing for so long is cut off."""
    retry_s: float = 1.0


PACE: Final = Pace()

_logger: Final = structlog.get_logger(__name__)


class Follower:
    """One client that follows a match, and how far it is."""

    def __init__(
        self, feed: Feed, after: int, out: Outgoing, ticket: object, on_end: Callable[[], None]
    ) -> None:
        """`ticket` is what it was let in with; `on_end` is called once, when it is gone."""
        self.feed: Final = feed
        self.after = after
        self.out: Final = out
        self.ticket: Final = ticket
        self.on_end: Final = on_end
        self.is_behind = True
        """There may be more than it was sent."""
        self.is_told_all = False
        """The match is over, and it was sent the end."""


class Following:
    """Everybody who follows a match at this process; its threads start with the first."""

    def __init__(
        self,
        matches: Matches,
        watcher: LogWatcher,
        lost_tickets: Callable[[Collection[Any]], Collection[Any]],
        limit: int,
        pace: Pace = PACE,
    ) -> None:
        """`lost_tickets` says which of the tickets of all followers hold no longer; it is asked every few
        seconds and may take its time. `limit` is how many may follow."""
        self._matches = matches
        self._watcher = watcher
        self._lost_tickets = lost_tickets
        self._limit = limit
        self._pace = pace
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._selector = selectors.DefaultSelector()
        self._wake_end = -1
        self._arrived: deque[Follower] = deque()
        self._moved: deque[str] = deque()
        self._of_match: dict[str, set[Follower]] = {}
        self._due: set[str] = set()
        self._retries: deque[tuple[float, str]] = deque()
        self._beats: deque[tuple[float, Follower]] = deque()
        self._lost: Collection[Any] = ()
        self._is_to_inspect = threading.Event()

    def count(self) -> int:
        """How many follow now."""
        return sum([len(followers) for followers in [*self._of_match.values()]]) + len(self._arrived)

    def has_room(self) -> bool:
        """Whether one more may follow."""
        return self.count() < self._limit and not self._stopped.is_set()

    def take(self, follower: Follower) -> None:
        """Send to the follower from now on, and close its connection at the end."""
        self._start()
        self._arrived.append(follower)
        self._wake()

    def stop(self) -> None:
        """Cut everybody off, at once and for good; safe in a signal handler."""
        self._stopped.set()
        self._is_to_inspect.set()
        self._wake()

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None:
                return
            wake_end, self._wake_end = os.pipe()
            os.set_blocking(wake_end, False)
            os.set_blocking(self._wake_end, False)
            self._selector.register(wake_end, selectors.EVENT_READ, None)
            self._thread = threading.Thread(target=self._run, name="following", daemon=True)
            self._thread.start()
            threading.Thread(target=self._inspect, name="following-inspection", daemon=True).start()
        self._watcher.listen(self._note)
        self._watcher.when_revoked(self._is_to_inspect.set)

    def _note(self, moved: Collection[str]) -> None:
        """Of all matches that went on, keep those that somebody follows."""
        followed = [match_id for match_id in moved or [*self._of_match] if match_id in self._of_match]
        if followed:
            self._moved.extend(followed)
            self._wake()

    def _wake(self) -> None:
        if self._wake_end >= 0:
            with suppress(BlockingIOError):  # the pipe is full of reasons to wake up
                os.write(self._wake_end, b"\0")

    def _inspect(self) -> None:
        # However often tokens are deleted, all tickets are looked at a few times a second at most.
        while not self._stopped.wait(self._pace.inspection_s / 25):
            self._is_to_inspect.wait(self._pace.inspection_s)
            self._is_to_inspect.clear()
            tickets = [one.ticket for followers in [*self._of_match.values()] for one in [*followers]]
            try:
                self._lost = self._lost_tickets(tickets)
            except Exception:
                _logger.exception("inspection_failed")
            if self._lost:
                self._wake()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._turn()
            except Exception:
                _logger.exception("following_failed")
                self._cut_off_all()
        self._cut_off_all()

    def _turn(self) -> None:
        for key, mask in self._selector.select(self._pause_s()):
            if key.data is None:
                os.read(key.fd, 4096)
            else:
                self._attend(key.data, mask)
        while self._arrived:
            self._admit(self._arrived.popleft())
        while self._moved:
            self._due.add(self._moved.popleft())
        now_s = time.monotonic()
        while self._retries and self._retries[0][0] <= now_s:
            self._due.add(self._retries.popleft()[1])
        self._advance_due(now_s)
        self._beat(now_s)
        if self._lost:
            self._cut_off(lambda follower: follower.ticket in self._lost)
            self._lost = ()

    def _pause_s(self) -> float:
        """Until the next thing that comes by itself."""
        if self._due or self._arrived or self._moved:
            return 0.0
        times = [queue[0][0] for queue in (self._beats, self._retries) if queue]
        return max(0.0, min(times) - time.monotonic()) if times else self._pace.heartbeat_s

    def _admit(self, follower: Follower) -> None:
        self._of_match.setdefault(follower.feed.match_id, set()).add(follower)
        self._selector.register(follower.out, selectors.EVENT_READ, follower)
        self._beats.append((time.monotonic() + self._pace.heartbeat_s, follower))
        self._send(follower, follower.feed.form.opening)
        self._due.add(follower.feed.match_id)

    def _attend(self, follower: Follower, mask: int) -> None:
        """The client takes more, says something, or is gone."""
        if mask & selectors.EVENT_READ and follower.out.is_gone():
            self._drop(follower)
        elif mask & selectors.EVENT_WRITE:
            self._push(follower, follower.out.flush)
            self._let_go(follower)
            if follower.out.is_clear and follower.is_behind:
                self._due.add(follower.feed.match_id)

    def _advance_due(self, now_s: float) -> None:
        due, self._due = [*self._due], set()
        for i, match_id in enumerate(due):
            try:
                self._advance(match_id)
            except StoreUnavailable:
                self._retries.extend([(now_s + self._pace.retry_s, waiting) for waiting in due[i:]])
                return

    def _advance(self, match_id: str) -> None:
        """Send what is new to all who follow the match and have taken what they had.

        Raises:
            StoreUnavailable.
        """
        groups: dict[tuple[Feed, int], list[Follower]] = {}
        for follower in self._of_match.get(match_id, ()):
            follower.is_behind = not follower.is_told_all
            if follower.is_behind and follower.out.is_clear:
                groups.setdefault((follower.feed, follower.after), []).append(follower)
        for (feed, after), followers in groups.items():
            portion = self._read(feed, after)
            for follower in followers:
                if portion is None:
                    self._drop(follower)
                else:
                    self._forward(follower, portion)

    def _read(self, feed: Feed, after: int) -> Portion | None:
        """The next portion, None where there cannot be one; `StoreUnavailable` is raised."""
        try:
            return read_on(self._matches, feed, after)
        except StoreUnavailable:
            raise
        except (StoreError, FeedBroken) as error:
            _logger.warning("stream_cut", match_id=feed.match_id, error=type(error).__name__)
            return None

    def _forward(self, follower: Follower, portion: Portion) -> None:
        follower.after = portion.after
        follower.is_behind = not portion.is_at_head
        follower.is_told_all = portion.is_last
        self._send(follower, portion.data)
        if portion.is_last:
            self._push(follower, follower.out.finish)
            self._let_go(follower)
        elif follower.is_behind and follower.out.is_clear:
            self._due.add(follower.feed.match_id)

    def _send(self, follower: Follower, data: bytes) -> None:
        self._push(follower, lambda: follower.out.send(data))

    def _push(self, follower: Follower, write: Callable[[], None]) -> None:
        """Write, and see to it that the rest goes out when the client takes it."""
        if follower not in self._of_match.get(follower.feed.match_id, ()):
            return
        try:
            write()
        except OSError:
            self._drop(follower)
            return
        wanted = (
            selectors.EVENT_READ if follower.out.is_clear else selectors.EVENT_READ | selectors.EVENT_WRITE
        )
        if self._selector.get_key(follower.out).events != wanted:
            self._selector.modify(follower.out, wanted, follower)

    def _beat(self, now_s: float) -> None:
        """Look after every client once in a while: one that is silent must hear that we are there."""
        while self._beats and self._beats[0][0] <= now_s:
            _, follower = self._beats.popleft()
            if follower not in self._of_match.get(follower.feed.match_id, ()):
                continue
            if self._is_to_go(follower, now_s):
                self._drop(follower)
                continue
            if follower.out.is_clear and not follower.is_told_all:
                self._send(follower, follower.feed.form.heartbeat)
            self._beats.append((now_s + self._pace.heartbeat_s, follower))

    def _let_go(self, follower: Follower) -> None:
        """Whoever was sent everything keeps no place any longer, however long the other end stays open."""
        if follower.out.is_finished:
            self._drop(follower)

    def _is_to_go(self, follower: Follower, now_s: float) -> bool:
        return now_s - follower.out.progress_s > self._pace.stalled_s

    def _drop(self, follower: Follower) -> None:
        followers = self._of_match.get(follower.feed.match_id, set())
        if follower not in followers:
            return
        followers.discard(follower)
        if not followers:
            del self._of_match[follower.feed.match_id]
        with suppress(KeyError, ValueError):  # it may never have been registered
            self._selector.unregister(follower.out)
        follower.out.close()
        _end(follower)

    def _cut_off_all(self) -> None:
        """They come back and go on where they were."""
        while self._arrived:
            follower = self._arrived.popleft()
            follower.out.close()
            _end(follower)
        self._cut_off(lambda follower: True)

    def _cut_off(self, is_meant: Callable[[Follower], bool]) -> None:
        for followers in [*self._of_match.values()]:
            for follower in [*followers]:
                if is_meant(follower):
                    self._drop(follower)


def _end(follower: Follower) -> None:
    """Say that the follower is gone; a fault in what is told so must not end the thread."""
    try:
        follower.on_end()
    except Exception:
        _logger.exception("follower_not_ended")
