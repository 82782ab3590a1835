"""When and for how long to retry a request."""

import logging
import random
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Final

from msgspec import Struct

from machi.errors import ApiError, MachiError

_log: Final = logging.getLogger("machi")

RETRIED: Final = frozenset({408, 429, 502, 503, 504})
"""Statuses after which a later try may succeed."""

OnRetry = Callable[[MachiError, float], None]
"""Called before each retry with the failure and the pause in seconds."""


class Retries(Struct, frozen=True):
    """When to give up, and the pauses until then: they double, with jitter."""

    total_s: float = 60.0
    """From the start of a request, or the last sign of life of a stream. A long poll adds its wait."""
    first_s: float = 0.2
    most_s: float = 5.0


class Attempts:
    """The attempts at one request or stream."""

    def __init__(self, retries: Retries, on_retry: OnRetry | None = None, extra_s: float = 0.0) -> None:
        self._retries = retries
        self._on_retry = on_retry
        self._total_s = retries.total_s + extra_s
        self.begin()

    def begin(self) -> None:
        """Restart the time and the backoff: before the first attempt, and after a success."""
        self._failed = 0
        self._end = time.monotonic() + self._total_s

    @property
    def left_s(self) -> float:
        """The seconds that are left."""
        return self._end - time.monotonic()

    def pause(self, failure: MachiError) -> None:
        """Wait before the next attempt. Raises: the failure, if there is no time for another attempt."""
        asked_s = failure.retry_after if isinstance(failure, ApiError) else None
        pause_s = (asked_s or 0.0) + self._back_off_s()
        if pause_s >= self.left_s:
            raise failure
        self._failed += 1
        _log.info("retrying in %.1f s: %s", pause_s, failure)
        if self._on_retry is not None:
            self._on_retry(failure, pause_s)
        time.sleep(pause_s)

    def _back_off_s(self) -> float:
        doubled: float = self._retries.first_s * 2 ** min(self._failed, 30)
        return min(doubled, self._retries.most_s) * random.uniform(0.5, 1.0)


def retry_after_s(header: str | None) -> float | None:
    """The seconds in a `Retry-After` header, which may also be a date; None without a valid one."""
    if not header:
        return None
    if header.isascii() and header.isdigit():
        return float(header[:9])
    try:
        until = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, until.timestamp() - time.time())
