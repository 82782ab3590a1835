"""A folder of tables: parts of many matches each, and a manifest that names the complete ones.

    manifest.ndjson          a header, then a line for each complete part: its matches, rows and digests
    events/00001.parquet     one folder for each table, with one file for each part

A part is written aside and moved into place when it is complete, and counts once its line is in the manifest.
So whatever interrupts an export, all files in place are whole, and the next export continues after the last
part.
"""

import hashlib
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from machi.tabular.columns import SCHEMA_VERSION
from machi.tabular.csv_files import CsvFile
from machi.tabular.tables import TABLES, MatchRows

if TYPE_CHECKING:
    from machi.tabular.parquet_files import ParquetFile

MANIFEST: Final = "manifest.ndjson"
MATCHES_A_PART: Final = 1000
"""Default number of matches in a part; an interrupted export loses at most these."""
_ASIDE: Final = ".part"
_PIECE: Final = 1024 * 1024


class UnusableFolder(Exception):
    """The tables cannot be written to the folder; the message says why."""


class Header(Struct, frozen=True, kw_only=True):
    """The first line of the manifest: what all parts have in common."""

    schema_version: int = SCHEMA_VERSION
    format: str
    """`parquet` or `csv`, which is also the end of the names of the files."""
    tables: tuple[str, ...] = tuple(TABLES)
    luck: bool = True
    """Whether luck was computed."""


class Part(Struct, frozen=True):
    """A line of the manifest: a complete part."""

    part: int
    """From 1; the files are named by it."""
    matches: tuple[str, ...]
    rows: dict[str, int]
    """By table."""
    sha256: dict[str, str]
    """By table: the digest of its file, in hex."""


class TableFolder:
    """A folder of tables that is being written. Use it in a `with` block."""

    def __init__(
        self, path: Path, header: Header, *, resume: bool = False, matches_a_part: int = MATCHES_A_PART
    ) -> None:
        """Begin a folder, which may exist if it is empty; with `resume`, continue an existing one.

        Raises:
            UnusableFolder: the folder has other content, or cannot be written.
            ImportError: for Parquet, pyarrow is not installed.
        """
        self.path = path
        self.header = header
        self.parts: list[Part] = []
        self._matches_a_part = matches_a_part
        self._new_file = _file_type(header.format)
        self._files: dict[str, CsvFile | ParquetFile] = {}
        self._matches: list[str] = []
        self._rows: dict[str, int] = {}
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._begin(resume)
        except OSError as error:
            raise UnusableFolder(f"cannot write {path}: {error.strerror}") from None
        self.seen: set[str] = {one for part in self.parts for one in part.matches}
        """The matches that are in the folder, or are being written to it."""

    def _begin(self, resume: bool) -> None:
        manifest = self.path / MANIFEST
        if not resume and any(self.path.iterdir()):
            raise UnusableFolder(f"{self.path} is not empty")
        if manifest.exists():
            header, self.parts = read_manifest(self.path)
            if header != self.header:
                raise UnusableFolder(f"{self.path} was begun with other options: {_text(header)}")
        shutil.rmtree(self.path / _ASIDE, ignore_errors=True)
        # A line that was cut off is not a part; what follows must not be appended to it.
        lines = [msgspec.json.encode(one) + b"\n" for one in (self.header, *self.parts)]
        aside = self.path / f".{MANIFEST}"
        aside.write_bytes(b"".join(lines))
        aside.replace(manifest)

    def __enter__(self) -> "TableFolder":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if kind is None:
                self._complete()
        finally:
            for file in self._files.values():
                # The part is given up, whatever is wrong with it.
                with suppress(Exception):
                    file.close()
            shutil.rmtree(self.path / _ASIDE, ignore_errors=True)
            if kind is not None and not self.parts:
                # Nothing was exported: the same command can begin anew.
                (self.path / MANIFEST).unlink(missing_ok=True)
                with suppress(OSError):
                    self.path.rmdir()

    def add(self, match_id: str, rows: MatchRows) -> None:
        """Add a match; it is kept once its part is complete, at the latest at the end of the block.

        Raises:
            UnusableFolder: the folder cannot be written.
        """
        try:
            if not self._files:
                self._open()
            for table, file in self._files.items():
                found: Sequence[Struct] = getattr(rows, table)
                file.write(found)
                self._rows[table] += len(found)
        except OSError as error:
            raise UnusableFolder(f"cannot write {self.path}: {error.strerror}") from None
        self._matches.append(match_id)
        self.seen.add(match_id)
        if len(self._matches) >= self._matches_a_part:
            self._complete()

    def _open(self) -> None:
        aside = self.path / _ASIDE
        aside.mkdir()
        self._rows = dict.fromkeys(self.header.tables, 0)
        self._files = {table: self._new_file(aside / table, table, TABLES[table]) for table in self._rows}

    def _complete(self) -> None:
        """Move the open part into place and note it; nothing to do without matches."""
        if not self._matches:
            return
        number = len(self.parts) + 1
        try:
            digests = {table: self._move(table, number) for table in self._files}
            part = Part(number, tuple(self._matches), self._rows, digests)
            with (self.path / MANIFEST).open("ab") as manifest:
                manifest.write(msgspec.json.encode(part) + b"\n")
                manifest.flush()
                os.fsync(manifest.fileno())
            (self.path / _ASIDE).rmdir()
        except OSError as error:
            raise UnusableFolder(f"cannot write {self.path}: {error.strerror}") from None
        self.parts.append(part)
        self._files, self._matches = {}, []

    def _move(self, table: str, number: int) -> str:
        """The digest of the table's file of this part, which is in its place now."""
        self._files[table].close()
        file = self.path / _ASIDE / table
        digest = hashlib.sha256()
        with file.open("rb") as content:
            while piece := content.read(_PIECE):
                digest.update(piece)
            os.fsync(content.fileno())
        folder = self.path / table
        folder.mkdir(exist_ok=True)
        file.replace(folder / f"{number:05}.{self.header.format}")
        return digest.hexdigest()


def _file_type(ending: str) -> "type[CsvFile | ParquetFile]":
    if ending == "csv":
        return CsvFile
    from machi.tabular.parquet_files import ParquetFile

    return ParquetFile


def read_manifest(path: Path) -> tuple[Header, list[Part]]:
    """The header and the complete parts of a folder.

    Raises:
        UnusableFolder: it has no manifest that can be read.
    """
    try:
        first, *lines = (path / MANIFEST).read_bytes().split(b"\n")
        header = msgspec.json.decode(first, type=Header)
        # Only a line with its end is complete.
        parts = [msgspec.json.decode(line, type=Part) for line in lines[:-1]]
    except (OSError, msgspec.MsgspecError) as error:
        raise UnusableFolder(f"{path} has no manifest of tables: {error}") from None
    if [one.part for one in parts] != list(range(1, len(parts) + 1)):
        raise UnusableFolder(f"the manifest of {path} lacks a part")
    return header, parts


def removed(path: Path) -> None:
    """Remove the tables of a folder that has some, and nothing else.

    Raises:
        UnusableFolder: it has no manifest, so it was not made by an export.
    """
    header, _ = read_manifest(path)
    for name in (*header.tables, _ASIDE):
        if name in (*TABLES, _ASIDE):
            shutil.rmtree(path / name, ignore_errors=True)
    (path / MANIFEST).unlink()


def _text(header: Header) -> str:
    return msgspec.json.encode(header).decode()
