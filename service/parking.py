"""Requests that wait for something to happen without keeping a thread busy.

Where the server allows it, a view that would wait gives its thread back: the request is parked, and handled
once more from its beginning when the bell rings or its time is over. Elsewhere the thread waits.
"""

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from flask import request

from events.watch import Bell
from service.auth import identify
from service.context import services
from service.departures import HAND_OVER, Parked
from service.edge import BEGUN, KIND, REQUEST_ID
from service.metrics import LONG_POLL, LONG_POLLS_NOW

WAIT_UNTIL: Final = "machi.wait_until"
"""In the environment of a request that was parked: when its wait is over, by the monotonic clock."""

_LOOK_S: Final = 1.0
"""How long the lot may not notice that it was closed."""

Found = TypeVar("Found")


def wait_for(bell: Bell, wait_s: float, look: Callable[[], Found | None]) -> Found | None:
    """What `look` finds, as soon as it finds something; None when the time is over. Closes the bell.

    Raises:
        Problem: `token_invalid` or `token_expired`, the token of the request does not hold any more.
    """
    deadline_s = request.environ.get(WAIT_UNTIL) or time.monotonic() + wait_s
    is_parked = False
    try:
        while True:
            found = look()
            left_s = deadline_s - time.monotonic()
            if found is not None or left_s <= 0 or services().watcher.is_stopped:
                return found
            if request.environ.get(HAND_OVER):
                is_parked = True
                kept = {name: request.environ[name] for name in (REQUEST_ID, BEGUN)}
                raise Parked(bell, deadline_s, {**kept, WAIT_UNTIL: deadline_s, KIND: LONG_POLL})
            is_rung = _wait(bell, left_s)
            identify(services().accounts)  # the token may have been deleted meanwhile
            if not is_rung:
                return None
    finally:
        if not is_parked:
            bell.close()


def _wait(bell: Bell, left_s: float) -> bool:
    """A thread that waits serves nobody else: where too many do already, it must not wait."""
    waiters = services().waiters
    if not waiters.acquire(blocking=False):
        return False
    request.environ[KIND] = LONG_POLL
    try:
        with LONG_POLLS_NOW.track_inprogress():
            return bool(bell.wait(left_s))
    finally:
        waiters.release()


class ParkingLot:
    """The requests that are parked at this process; its thread starts with the first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: list[tuple[float, int, Place]] = []
        self._numbers = itertools.count()
        self._is_started = False
        self._is_stopped = False

    def place(self, parked: Parked, resume: Callable[[], None]) -> "Place":
        """Call `resume` once: when the bell rings, when the time is over, or when the lot is closed."""
        place = Place(parked.bell, resume)
        LONG_POLLS_NOW.inc()
        with self._changed:
            if not self._is_started:
                self._is_started = True
                threading.Thread(target=self._run, name="parking", daemon=True).start()
            heapq.heappush(self._queue, (parked.deadline_s, next(self._numbers), place))
            self._changed.notify()
        parked.bell.when_rung(place.leave)
        return place

    def stop(self) -> None:
        """Have all requests leave within a second, also those to come; safe in a signal handler."""
        self._is_stopped = True

    def _run(self) -> None:
        while True:
            with self._changed:
                leaving = self._pop_leaving(time.monotonic())
                if not leaving:
                    pause_s = self._queue[0][0] - time.monotonic() if self._queue else _LOOK_S
                    self._changed.wait(min(max(pause_s, 0), _LOOK_S))
            for place in leaving:
                place.leave()

    def _pop_leaving(self, now_s: float) -> list["Place"]:
        """Take out those whose time is over, and those that have left."""
        leaving: list[Place] = []
        while self._queue and (self._is_stopped or self._queue[0][0] <= now_s or self._queue[0][2].is_left):
            leaving.append(heapq.heappop(self._queue)[2])
        return leaving


class Place:
    """Where one request stands."""

    def __init__(self, bell: Bell, resume: Callable[[], None]) -> None:
        self._bell = bell
        self._resume: Callable[[], None] | None = resume
        self._lock = threading.Lock()
        self.is_left = False

    def leave(self) -> None:
        """Close the bell and resume the request, the first time."""
        resume = self._taken()
        if resume is not None:
            resume()

    def abandon(self) -> None:
        """Close the bell and resume nothing: nobody is there any more to be answered."""
        self._taken()

    def _taken(self) -> Callable[[], None] | None:
        """What is to be called, for whoever comes first; it is not kept, for it holds the connection."""
        if not self._lock.acquire(blocking=False):
            return None
        resume, self._resume = self._resume, None
        self.is_left = True
        LONG_POLLS_NOW.dec()
        self._bell.close()
        return resume
