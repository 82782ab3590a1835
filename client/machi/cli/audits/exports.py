"""Files of exports, gzipped or not and of any length, split into matches while they are read.

Only one match is in memory at a time, and no more of it than a match can have.
"""

import gzip
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, Final, NamedTuple, TypeAlias, cast

import msgspec
from msgspec import Struct

from domain.audit.bounds import LONGEST_LINE, Meter, TooMuch

INPUT: Final = "-"
"""The file name that stands for standard input."""

_GZIP: Final = b"\x1f\x8b"


class Group(NamedTuple):
    """The lines of one match."""

    file: str
    line: int
    """The number of the first of them in the file, from 1."""
    match_id: str
    """From the manifest; empty if there is none."""
    lines: tuple[bytes, ...]
    position: int = 0
    """How far the file had been read by then, in bytes on disk."""
    origin: bytes = b""
    """For a branch: the packed lines of the match that it branched off from."""


class Broken(NamedTuple):
    """A file, or the rest of a file, that cannot be read."""

    file: str
    line: int
    """The last line that was read."""
    detail: str


Part: TypeAlias = Group | Broken


class Oversized(Exception):
    """More than a match can have."""

    def __init__(self, line: int, detail: str) -> None:
        super().__init__(detail)
        self.line = line


class _Head(Struct):
    kind: str = ""
    match_id: str = ""


_decode_head: Final = msgspec.json.Decoder(_Head).decode


def parts_of(file: str) -> Iterator[Part]:
    """The matches of a file in order; at the end a `Broken` if something is wrong with the file."""
    line = 0
    try:
        with _opened(file) as raw:
            for group in groups(file, unzipped(raw)):
                line = group.line + len(group.lines) - 1
                yield group._replace(position=_position(raw))
    except (OSError, EOFError, zlib.error) as error:
        yield Broken(file, line, reason(error))
    except Oversized as error:
        yield Broken(file, error.line, str(error))


def packed(group: Group) -> bytes:
    """The lines of a match, compressed to be kept for a while."""
    return zlib.compress(b"\n".join(group.lines), 1)


def unpacked(kept: bytes) -> list[bytes]:
    """The lines of a match that `packed` has compressed."""
    return zlib.decompress(kept).split(b"\n")


def size_of(file: str) -> int | None:
    """The size of the file in bytes; None if it is not known."""
    if file == INPUT:
        return None
    try:
        return Path(file).stat().st_size
    except OSError:
        return None


def _opened(file: str) -> IO[bytes]:
    return open(sys.stdin.fileno(), "rb", closefd=False) if file == INPUT else Path(file).open("rb")


def unzipped(raw: IO[bytes]) -> BinaryIO:
    """What a file that was opened for reading holds, gzipped or not."""
    start: bytes = raw.peek(2)[:2]  # type: ignore[attr-defined]  # a file that is read has a buffer
    return cast(BinaryIO, gzip.GzipFile(fileobj=raw, mode="rb") if start == _GZIP else raw)


def _position(raw: IO[bytes]) -> int:
    return raw.tell() if raw.seekable() else 0


def groups(file: str, stream: IO[bytes]) -> Iterator[Group]:
    """The lines, each manifest with the lines that follow it. A file without manifests is one group.

    Lines before the first manifest belong to no match.
    """
    lines: list[bytes] = []
    first, match_id, meter = 1, "", Meter()
    for number, line in enumerate(lines_of(stream), 1):
        head = _head(line)
        if head.kind == "manifest" and any(map(bytes.strip, lines)):
            yield Group(file, first, match_id, tuple(lines))
            lines, meter = [], Meter()
        if head.kind == "manifest":
            match_id = head.match_id
        if not lines:
            first = number
        lines.append(line)
        try:
            meter.count(line)
        except TooMuch as error:
            raise Oversized(number, str(error)) from None
    if any(map(bytes.strip, lines)) or first == 1:
        yield Group(file, first, match_id, tuple(lines))


def lines_of(stream: IO[bytes]) -> Iterable[bytes]:
    """The lines; of one that is longer than `LONGEST_LINE`, parts that are, too."""
    return iter(lambda: stream.readline(LONGEST_LINE + 1), b"")


def _head(line: bytes) -> _Head:
    """The kind and the match of a line that may be a manifest; empty for all others."""
    if b'"manifest"' not in line:
        return _Head()
    try:
        return _decode_head(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Head()


def reason(error: Exception) -> str:
    """Why a file cannot be read or unpacked, in words."""
    if isinstance(error, EOFError):
        return "the compressed file is truncated"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"damaged: {error}"
