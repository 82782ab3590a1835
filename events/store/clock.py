"""The clock that events are recorded by, and how its times are written."""

import time
from datetime import UTC, datetime
from functools import lru_cache


def now_ms() -> int:
    """The time in ms since 1970."""
    return time.time_ns() // 1_000_000


def rfc3339(time_ms: int) -> str:
    """The time in UTC with milliseconds, such as `2026-11-20T14:16:03.123Z`."""
    seconds, ms = divmod(time_ms, 1000)
    return f"{_second(seconds)}.{ms:03}Z"


@lru_cache(maxsize=256)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
