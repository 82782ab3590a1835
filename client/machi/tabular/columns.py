"""The declaration of columns: a table is a Struct, and each of its members is a column.

The type of a member is the type of the column, and `None` in it makes the column nullable. `column` adds what
a type cannot say. CSV, Parquet and the documentation all follow this declaration.
"""

from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

from msgspec import Struct

SCHEMA_VERSION: Final = 1
"""Counts up whenever a column is removed or changes its meaning; new columns are added without that."""

Kind: TypeAlias = Literal["text", "json", "time", "integer", "number", "boolean"]
"""`json` is a text with a JSON value, `time` is UTC with milliseconds, `number` is a float of 64 bits."""

_KINDS: Final[dict[type, Kind]] = {str: "text", bool: "boolean", int: "integer", float: "number"}


class Note(Struct, frozen=True):
    """What a column has beside its type."""

    description: str
    unit: str = ""
    kind: Kind | None = None
    """The kind if it does not follow from the type."""


class Column(Struct, frozen=True):
    """A column of a table."""

    name: str
    kind: Kind
    is_nullable: bool
    unit: str
    """Empty for a column without one."""
    description: str


def column(description: str, unit: str = "") -> Note:
    """The note of a column, for `Annotated`."""
    return Note(description, unit)


def json_column(description: str) -> Note:
    """The note of a text column that holds JSON."""
    return Note(description, kind="json")


def time_column(description: str) -> Note:
    """The note of a column of times: RFC 3339 in UTC with milliseconds, as events have them."""
    return Note(description, "UTC", "time")


@cache
def columns_of(table: type[Struct]) -> tuple[Column, ...]:
    """The columns of a table, in order."""
    hints = get_type_hints(table, include_extras=True)
    return tuple([_column(name, hints[name]) for name in table.__struct_fields__])


def _column(name: str, hint: Any) -> Column:
    assert get_origin(hint) is Annotated, f"the column {name} has no description"
    type_, note = get_args(hint)
    is_nullable = isinstance(type_, UnionType)
    if is_nullable:
        (type_,) = [one for one in get_args(type_) if one is not NoneType]
    return Column(name, note.kind or _KINDS[type_], is_nullable, note.unit, note.description)


def documented(table: type[Struct]) -> str:
    """The columns of a table as a Markdown table, as docs/data.md has it."""
    rows = ["| column | type | unit | null | meaning |", "|---|---|---|---|---|"]
    rows += [
        f"| `{one.name}` | {one.kind} | {one.unit} | {'yes' if one.is_nullable else ''} | {one.description} |"
        for one in columns_of(table)
    ]
    return "\n".join(rows)
