"""How much of a file is read as one match: more than twice the longest match that can be played.

A match ends after 2,000 turns at the latest. With five seats that all build, it has 24,000 events of 336,000
values in 11 MB. So a stranger's file takes no more memory and time at once than a few such matches do.
"""

from typing import Final

MOST_BYTES: Final = 32 * 1024 * 1024
MOST_LINES: Final = 100_000
"""The empty ones too."""
MOST_VALUES: Final = 1_000_000
"""Members of objects and arrays: each takes memory, however short its text is."""
LONGEST_LINE: Final = 256 * 1024
"""In bytes; requests have a quarter, and no event is longer than what it was made from by much."""


class TooMuch(Exception):
    """No match has so much; the message says what."""


class Meter:
    """Counts what was read of one match."""

    def __init__(self) -> None:
        self._bytes = self._lines = self._values = 0

    def count(self, line: bytes) -> None:
        """Count a further line.

        Raises:
            TooMuch.
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
