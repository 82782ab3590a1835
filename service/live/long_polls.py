"""Long polls: requests that wait for news."""

import time
from collections.abc import Callable
from typing import TypeVar

from flask import request

from events.store.watch import Subscription, Wake
from service.context import services
from service.edge.guard import identify
from service.edge.middleware import KIND
from service.live.connections import is_client_gone, when_client_moves
from service.operations.metrics import LONG_POLL, LONG_POLLS_NOW

Found = TypeVar("Found")


def wait_for(subscription: Subscription, wait_s: float, look: Callable[[], Found | None]) -> Found | None:
    """Return what `look` finds as soon as it finds something, or None after `wait_s`.

    Closes the subscription.

    Raises:
        Problem: the caller's token was deleted or has expired meanwhile; or `look` raises it.
    """
    waiters = services().waiters
    with subscription:
        found = look()
        if found is None and wait_s and waiters.acquire(blocking=False):
            request.environ[KIND] = LONG_POLL
            try:
                with LONG_POLLS_NOW.track_inprogress():
                    found = _awaited(subscription, time.monotonic() + wait_s, look)
            finally:
                waiters.release()
    return found


def _awaited(subscription: Subscription, deadline_s: float, look: Callable[[], Found | None]) -> Found | None:
    when_client_moves(request.environ, subscription.notify)
    found, left_s = None, deadline_s - time.monotonic()
    while found is None and left_s > 0 and not is_client_gone(request.environ):
        wake = subscription.wait(left_s)
        if wake is Wake.STOPPED:
            break
        left_s = deadline_s - time.monotonic()
        if wake is Wake.NEWS or left_s <= 0:
            identify(is_waiting=True)
            found = look()
    return found
