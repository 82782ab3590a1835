"""Tables as Parquet, with the schema and its version in the metadata of each file. Needs pyarrow."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from domain.audit.envelopes import time_ms
from machi.tabular.columns import SCHEMA_VERSION, Kind, columns_of

ROW_GROUP: Final = 20_000
"""The most rows in memory of a file, and in a row group."""

_TYPES: Final[dict[Kind, pa.DataType]] = {
    "text": pa.string(),
    "json": pa.string(),
    "time": pa.timestamp("ms", tz="UTC"),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
}


def schema_of(name: str, table: type[Struct]) -> pa.Schema:
    """The Arrow schema of the table with that name, with its metadata."""
    fields = [
        pa.field(
            one.name,
            _TYPES[one.kind],
            one.is_nullable,
            {"description": one.description, "unit": one.unit, "kind": one.kind},
        )
        for one in columns_of(table)
    ]
    return pa.schema(fields, {"machi_koro.table": name, "machi_koro.schema_version": str(SCHEMA_VERSION)})


class ParquetFile:
    """A Parquet file that is being written."""

    def __init__(self, path: Path, name: str, table: type[Struct]) -> None:
        """Create the file for rows of that type; raises OSError."""
        self._schema = schema_of(name, table)
        self._columns: list[tuple[Callable[[Any], Any], str]] = [
            (attrgetter(one.name), one.kind) for one in columns_of(table)
        ]
        self._rows: list[Struct] = []
        self._file = path.open("xb")
        self._writer = pq.ParquetWriter(self._file, self._schema, compression="zstd")

    def write(self, rows: Sequence[Struct]) -> None:
        """Append the rows; raises OSError."""
        for start in range(0, len(rows), ROW_GROUP):
            self._rows += rows[start : start + ROW_GROUP]
            if len(self._rows) >= ROW_GROUP:
                self._write(self._rows[:ROW_GROUP])
                self._rows = self._rows[ROW_GROUP:]

    def _write(self, rows: Sequence[Struct]) -> None:
        arrays = [
            pa.array(_column([value(row) for row in rows], kind), field.type)
            for (value, kind), field in zip(self._columns, self._schema, strict=True)
        ]
        self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))

    def close(self) -> None:
        """Complete the file; raises OSError."""
        if self._rows:
            self._write(self._rows)
            self._rows = []
        self._writer.close()
        self._file.close()


def _column(values: list[Any], kind: str) -> list[Any]:
    if kind != "time":
        return values
    return [None if value is None else time_ms(value) for value in values]
