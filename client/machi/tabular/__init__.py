"""Matches as tables for analysis: events, decisions and results, as CSV or Parquet; see docs/data.md."""

from machi.tabular.columns import SCHEMA_VERSION, Column, columns_of
from machi.tabular.folders import Header, TableFolder, UnusableFolder
from machi.tabular.recorded import Damaged, RecordedMatch, recorded_match
from machi.tabular.tables import TABLES, MatchRows, rows_of

__all__ = [
    "SCHEMA_VERSION",
    "TABLES",
    "Column",
    "Damaged",
    "Header",
    "MatchRows",
    "RecordedMatch",
    "TableFolder",
    "UnusableFolder",
    "columns_of",
    "recorded_match",
    "rows_of",
]
