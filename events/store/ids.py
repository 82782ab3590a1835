"""Ids: a prefix that says what is named, and a ULID, so that ids sort by the time of their making."""

from ulid import ULID


def new_id(prefix: str) -> str:
    """A new id such as `mat_01ARZ3NDEKTSV4RRFFQ69G5FAV` for the prefix `mat`."""
    return f"{prefix}_{ULID()}"


def first_id(prefix: str, at_ms: int) -> str:
    """What sorts before every id that was made in that millisecond or later, and behind all others."""
    return f"{prefix}_{ULID.from_bytes(at_ms.to_bytes(6) + bytes(10))}"
