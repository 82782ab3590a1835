"""The event as the API shows it and as its hash covers it."""

from datetime import UTC, datetime
from functools import lru_cache

from domain.match.envelope import Envelope as Envelope  # readers of events get it from here


def rfc3339(time_ms: int) -> str:
    """The time in UTC with milliseconds, such as `2026-11-20T14:16:03.123Z`."""
    seconds, ms = divmod(time_ms, 1000)
    return f"{_second(seconds)}.{ms:03}Z"


@lru_cache(maxsize=256)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def hash_text(digest: bytes) -> str:
    """A hash as the API writes it."""
    return f"sha-256:{digest.hex()}"
