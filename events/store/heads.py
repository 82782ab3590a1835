"""A copy of the last appends on the queue's Redis, which shows what the event store has lost silently.

The file of the event store can lose its end, for example in a power failure. The server then loads the rest
and continues. The pointers of the lost appends are lost with them, so nothing in the store shows the loss.
The relay therefore copies the pointers that it reads to the queue's Redis, another server with its own file.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias, cast

import redis
from msgspec import Struct

from domain.audit.checkpoints import Head
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.keys import now_ms
from events.store.outbox import DAMAGED, KEPT_MS, NOTIFIED
from events.store.records import Pointer

REMEMBERED: Final = 10_000
"""The number of appends that are remembered, of all matches and ladders together."""
_PAGE: Final = 1000
_SKEW_MS: Final = 60_000
"""The most by which the clock of a relay that has trimmed the log can be ahead."""

_APPENDS: Final = "mk:{heads}:appends"
"""Sorted set on the queue's Redis: `<log id> <match or ladder> <version>` by the time in ms. Those of other
partitions than the first have the partition's tag behind the name."""
_LINE: Final = "mk:{heads}:line"
"""String on the queue's Redis: `<number> <hash>` of the last line of the checkpoint log."""

_LogId: TypeAlias = tuple[int, int]


class RememberedAppend(Struct, frozen=True):
    """An append that is remembered."""

    log_id: str
    owner_id: str
    """The id of the match or the ladder."""
    version: int
    """The version that the append led to."""


class MissingEvents(Struct, frozen=True):
    """Events of a match or a ladder that were stored and are missing now."""

    id: str
    first: int
    """The first event known to be missing; if the match has continued, earlier ones may be missing too."""
    last: int


class HeadComparison(Struct, frozen=True):
    """The remembered appends, compared with the event store."""

    remembered: int
    """The number of appends that could be compared."""
    missing: tuple[MissingEvents, ...]
    lost: tuple[RememberedAppend, ...]
    """The appends that are not in the store."""

    @property
    def events(self) -> int:
        """The number of events known to be missing."""
        return sum([one.last - one.first + 1 for one in self.missing])


class Heads:
    """The appends to a partition that are remembered on the queue's Redis, and their comparison with it."""

    def __init__(
        self,
        queue: redis.Redis,
        events: redis.Redis,
        clock: Callable[[], int] = now_ms,
        tag: str = keys.HOME,
    ) -> None:
        """`clock` gives the time in ms since 1970."""
        self._queue = queue
        self._events = events
        self._clock = clock
        self._tag = tag
        self._log = keys.at(keys.LOG, tag)
        self._appends = _APPENDS if tag == keys.HOME else f"{_APPENDS}:{tag}"

    def remember(self, pointers: Iterable[Pointer]) -> None:
        """Remember the appends of these pointers.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
        """
        members = {
            f"{pointer.id} {pointer.match_id} {pointer.version}": _order(pointer.id)[0]
            for pointer in pointers
            if pointer.match_id and pointer.next not in (DAMAGED, NOTIFIED)
        }
        if members:
            with self._queue.pipeline(transaction=False) as pipe:
                pipe.zadd(self._appends, members)
                pipe.zremrangebyrank(self._appends, 0, -REMEMBERED - 1)
                pipe.execute()

    def forget(self, lost: Sequence[RememberedAppend]) -> None:
        """Forget these appends, once their loss was reported.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
        """
        if lost:
            self._queue.zrem(self._appends, *[f"{one.log_id} {one.owner_id} {one.version}" for one in lost])

    def remember_line(self, head: Head) -> None:
        """Remember the last line of the checkpoint log.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
        """
        self._queue.set(_LINE, f"{head.number} {head.hash}")

    def line(self) -> Head:
        """The remembered last line of the checkpoint log.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
        """
        found = cast("bytes | None", self._queue.get(_LINE))
        if not found:
            return Head()
        number, hash = found.decode().split()
        return Head(int(number), hash)

    def compare(self) -> HeadComparison:
        """Look for the remembered appends in the event store.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
            StoreUnavailable: the event store does not.
        """
        members = cast("list[bytes]", self._queue.zrange(self._appends, 0, -1))
        remembered = sorted([_append(member) for member in members], key=lambda one: _order(one.log_id))
        if not remembered:
            return HeadComparison(0, (), ())
        with unavailable_as_store_error():
            oldest = self._oldest()
            kept = [one for one in remembered if _order(one.log_id) >= oldest]
            there = self._log_ids(kept[0].log_id, kept[-1].log_id) if kept else set()
            lost = tuple([one for one in kept if one.log_id not in there])
            return HeadComparison(len(kept), self._missing(kept, lost), lost)

    def _oldest(self) -> _LogId:
        """The log id from which on nothing can have been trimmed."""
        not_trimmed = (self._clock() - KEPT_MS + _SKEW_MS, 0)
        first = cast("list[tuple[bytes, object]]", self._events.xrange(self._log, count=1))
        return min(_order(first[0][0].decode()), not_trimmed) if first else not_trimmed

    def _log_ids(self, first: str, last: str) -> set[str]:
        found: set[str] = set()
        low = first
        while True:
            page = cast("list[tuple[bytes, object]]", self._events.xrange(self._log, low, last, _PAGE))
            found.update([id.decode() for id, _ in page])
            if len(page) < _PAGE:
                return found
            low = f"({page[-1][0].decode()}"

    def _missing(
        self, kept: Sequence[RememberedAppend], lost: Sequence[RememberedAppend]
    ) -> tuple[MissingEvents, ...]:
        """The events of the lost appends, by match."""
        last = {one.owner_id: one.version for one in lost}
        first_lost = {one.owner_id: one.version for one in reversed(lost)}
        versions = self._versions([*last])
        lost_ids = {one.log_id for one in lost}
        before = {
            one.owner_id: one.version
            for one in kept
            if one.log_id not in lost_ids and one.version < first_lost.get(one.owner_id, 0)
        }
        found = []
        for id, version in versions.items():
            # If the match has continued, its version does not show where its history ended.
            first = before.get(id, min(version, first_lost[id] - 1)) + 1
            found.append(MissingEvents(id, first, last[id]))
        return tuple(found)

    def _versions(self, owner_ids: Sequence[str]) -> dict[str, int]:
        """The current versions of matches and ladders; 0 without a stream."""
        with self._events.pipeline(transaction=False) as pipe:
            for owner_id in owner_ids:
                pipe.xrevrange(keys.at(keys.stream(owner_id), self._tag), count=1)
            tails = cast("list[list[tuple[bytes, object]]]", pipe.execute())
        return {
            owner_id: _order(tail[0][0].decode())[0] if tail else 0
            for owner_id, tail in zip(owner_ids, tails, strict=True)
        }


def _append(member: bytes) -> RememberedAppend:
    log_id, owner_id, version = member.decode().split()
    return RememberedAppend(log_id, owner_id, int(version))


def _order(log_id: str) -> _LogId:
    time_ms, _, number = log_id.partition("-")
    return int(time_ms), int(number)
