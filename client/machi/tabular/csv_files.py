"""Tables as CSV (RFC 4180).

Null is an empty field, an empty text is `""`. Times are written as events have them, true and false as words,
and numbers so that reading them gives the same number. A text that a spreadsheet could take for a formula
gets a `'` in front, and so does a text that begins with one: who takes one leading `'` off each text has the
exact value.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from machi.tabular.columns import Kind, columns_of

_END: Final = "\r\n"
_QUOTED: Final = frozenset(',"\r\n')
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def text_field(text: str) -> str:
    """The text as a field that no spreadsheet computes."""
    if text.startswith(_FORMULA):
        text = f"'{text}"
    if not text or not _QUOTED.isdisjoint(text):
        escaped = text.replace('"', '""')
        return f'"{escaped}"'
    return text


_FIELDS: Final[dict[Kind, Callable[[Any], str]]] = {
    "text": text_field,
    "json": text_field,
    "time": str,
    "integer": str,
    "number": repr,
    "boolean": lambda value: "true" if value else "false",
}


class CsvFile:
    """A CSV file that is being written."""

    def __init__(self, path: Path, name: str, table: type[Struct]) -> None:
        """Create the file for rows of that type; raises OSError."""
        columns = columns_of(table)
        self._fields = [_FIELDS[one.kind] for one in columns]
        self._values = attrgetter(*[one.name for one in columns])
        self._file = path.open("x", encoding="utf-8", newline="")
        self._file.write(",".join([one.name for one in columns]) + _END)

    def write(self, rows: Sequence[Struct]) -> None:
        """Append the rows; raises OSError."""
        self._file.writelines([self._line(self._values(row)) for row in rows])

    def _line(self, values: Sequence[Any]) -> str:
        return (
            ",".join(
                [
                    "" if value is None else field(value)
                    for field, value in zip(self._fields, values, strict=True)
                ]
            )
            + _END
        )

    def close(self) -> None:
        """Complete the file; raises OSError."""
        self._file.close()
