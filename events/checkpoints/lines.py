"""The log of checkpoints as it is stored: lines that are only ever added, by one script."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, cast

import redis
from msgspec import Struct

from domain.audit.checkpoints import NO_HASH
from events.store import keys
from events.store.errors import LogCorrupt, unavailable_as_store_error
from events.store.records import Corrupt

_GREATEST: Final = 2**53
"""No number of a line is greater."""
_PAGE: Final = 1000

_RawLine = tuple[bytes, dict[bytes, bytes]]


class Line(Struct, frozen=True):
    """One line of the log; its number is its place."""

    match_id: str
    """Of every match, whoever may see it: what is shown of a line is in the message."""
    message: bytes
    """What was signed, see `domain.audit.checkpoints`."""
    hash: str
    signature: bytes


class Head(NamedTuple):
    """The last line of the log."""

    number: int = 0
    hash: str = NO_HASH


class Signer(NamedTuple):
    """The key that signed some lines."""

    key_id: str
    public_key: bytes


class Added(Struct, frozen=True):
    """All lines were added."""


class Behind(Struct, frozen=True):
    """Nothing was added: others were faster, or some of the matches have a line already."""

    head: Head
    numbers: tuple[int, ...]
    """The line that each of the matches has; 0 where it has none."""


class KeyTaken(Struct, frozen=True):
    """Nothing was added: the key id stands for another key."""


Answer: TypeAlias = Added | Behind | KeyTaken | Corrupt


class Lines(Protocol):
    """The log, with an index of its matches and the keys that signed it.

    Every method raises `StoreUnavailable` if the store does not answer.
    """

    def add(self, after: Head, signer: Signer, lines: Sequence[Line]) -> Answer:
        """Add lines of different matches; the log is checked first, then that `after` is its head and the
        matches have no lines, then the key."""

    def read(self, after: int, count: int) -> list[Line]:
        """The lines behind the number `after`, at most `count`."""

    def last(self) -> int:
        """The number of the last line; 0 if there is none."""

    def numbers(self, match_ids: Sequence[str]) -> list[int]:
        """The line that each match has; 0 where it has none."""

    def published(self) -> dict[str, bytes]:
        """The public keys that ever signed a line, by key id."""


class RedisLines:
    """See `Lines`; safe to share among threads."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._add = client.register_script((Path(__file__).parent / "notarize.lua").read_bytes())

    def add(self, after: Head, signer: Signer, lines: Sequence[Line]) -> Answer:
        values: list[Any] = [*after, *signer]
        for line in lines:
            values += [line.match_id, line.message, line.hash, line.signature]
        with unavailable_as_store_error():
            reply = self._add(keys=[keys.CHECKPOINT_LOG, keys.LINES, keys.PUBLISHED_KEYS], args=values)
        return _parsed(cast("list[Any]", reply))

    def read(self, after: int, count: int) -> list[Line]:
        if after >= _GREATEST:
            return []
        with unavailable_as_store_error():
            raw = self._client.xrange(keys.CHECKPOINT_LOG, f"({after}-0", "+", count)
        return _lines(after, cast("list[_RawLine]", raw))

    def last(self) -> int:
        with unavailable_as_store_error():
            return int(self._client.xlen(keys.CHECKPOINT_LOG))

    def numbers(self, match_ids: Sequence[str]) -> list[int]:
        if not match_ids:
            return []
        with unavailable_as_store_error():
            found = self._client.hmget(keys.LINES, list(match_ids))
        return [int(number or 0) for number in cast("list[bytes | None]", found)]

    def published(self) -> dict[str, bytes]:
        with unavailable_as_store_error():
            found = cast("dict[bytes, bytes]", self._client.hgetall(keys.PUBLISHED_KEYS))
        return {key_id.decode(): public_key for key_id, public_key in sorted(found.items())}

    def reindex(self) -> None:
        """Build the numbers of lines by match again from the log; lines may be added meanwhile, but none is
        as long as some have no number.

        Raises:
            LogCorrupt, StoreUnavailable.
        """
        for first, page in self._pages():
            numbers = {line.match_id: first + i for i, line in enumerate(page)}
            with unavailable_as_store_error():
                self._client.hset(keys.LINES, mapping=dict(numbers.items()))
        self._forget_what_has_no_line()

    def _pages(self) -> Iterator[tuple[int, list[Line]]]:
        """The whole log, each page with the number of its first line."""
        after = 0
        while page := self.read(after, _PAGE):
            yield after + 1, page
            after += len(page)

    def _forget_what_has_no_line(self) -> None:
        with unavailable_as_store_error():
            for match_id, number in self._client.hscan_iter(keys.LINES, count=_PAGE):
                raw = cast(
                    "list[_RawLine]", self._client.xrange(keys.CHECKPOINT_LOG, f"{int(number)}-0", count=1)
                )
                if not raw or raw[0][1].get(b"m") != match_id:
                    self._client.hdel(keys.LINES, match_id)


def _parsed(reply: list[Any]) -> Answer:
    match reply:
        case [b"added"]:
            return Added()
        case [b"behind", number, head_hash, numbers]:
            return Behind(Head(number, head_hash.decode()) if number else Head(), tuple(numbers))
        case [b"reused"]:
            return KeyTaken()
    return Corrupt(reply[1].decode())


def _lines(after: int, raw: list[_RawLine]) -> list[Line]:
    found = []
    for number, (id, fields) in enumerate(raw, after + 1):
        try:
            line = Line(fields[b"m"].decode(), fields[b"j"], fields[b"h"].decode(), fields[b"s"])
        except (KeyError, UnicodeDecodeError):
            raise LogCorrupt(f"line {number} is not as it was written") from None
        if id != b"%d-0" % number:
            raise LogCorrupt(f"there is no line {number}")
        found.append(line)
    return found
