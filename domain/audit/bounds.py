"""Limits on what is read of a file as one match: more than twice the longest possible match.

A match ends after 2,000 turns at the latest. With five seats that always build, it has 24,000 events with
336,000 values in 11 MB. An untrusted file therefore takes no more memory and time than a few such matches.
"""

from typing import Final

MOST_BYTES: Final = 32 * 1024 * 1024
MOST_LINES: Final = 100_000
"""Including empty lines."""
MOST_VALUES: Final = 1_000_000
"""Members of objects and arrays: each takes memory, however short its text is."""
LONGEST_LINE: Final = 256 * 1024
"""In bytes. Requests have at most a quarter of this, and an event is hardly longer than its request."""


class TooMuch(Exception):
    """The input exceeds a limit; the message says which."""


class Meter:
    """Counts bytes, lines and values of one match."""

    def __init__(self) -> None:
        self._bytes = self._lines = self._values = 0

    def count(self, line: bytes) -> None:
        """Count a line.

        Raises:
            TooMuch: a limit is exceeded.
        """
        self._lines += 1
        self._bytes += len(line)
        self._values += line.count(b",")
        if len(line) > LONGEST_LINE:
            raise TooMuch(f"the line has more than {LONGEST_LINE} bytes")
        if self._bytes > MOST_BYTES:
            raise TooMuch(f"the match has more than {MOST_BYTES} bytes")
        if self._lines > MOST_LINES:
            raise TooMuch(f"the match has more than {MOST_LINES} lines")
        if self._values > MOST_VALUES:
            raise TooMuch(f"the match has more than {MOST_VALUES} values")
