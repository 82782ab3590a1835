"""The clock that events are recorded by."""

import time


def now_ms() -> int:
    """The time in ms since 1970."""
    return time.time_ns() // 1_000_000
