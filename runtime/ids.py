"""New ids, and the clock of the times that are recorded."""

import time

from ulid import ULID


def now_ms() -> int:
    """The time in ms since 1970, by the clock that events are recorded by."""
    return time.time_ns() // 1_000_000


def new_id(prefix: str) -> str:
    """A new id such as `mat_01ARZ3NDEKTSV4RRFFQ69G5FAV` for the prefix `mat`."""
    return f"{prefix}_{ULID()}"


def first_id(prefix: str, at_ms: int) -> str:
    """What sorts before every id that was made in that millisecond or later, and behind all others."""
    return f"{prefix}_{ULID.from_bytes(at_ms.to_bytes(6) + bytes(10))}"
