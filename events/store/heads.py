"""The last appends as another server remembers them: what the event store has lost, silently, shows here.

The event store's file may lose its end, as by a loss of power. The server loads what is left and goes on, and
with all the newest appends their pointers are gone too, so nothing in the store tells of them. So the relay
has the queue's Redis, which is another server with a file of its own, remember the pointers that it reads.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias, cast

import redis
from msgspec import Struct

from domain.audit.checkpoints import Head
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.outbox import DAMAGED, KEPT_MS
from events.store.records import Pointer
from events.store.streams import now_ms

REMEMBERED: Final = 10_000
"""As many appends are remembered, of all matches and ladders together."""
_PAGE: Final = 1000
_SKEW_MS: Final = 60_000
"""As much may the clock of a relay that has trimmed the log be ahead."""

_APPENDS: Final = "mk:{heads}:appends"
"""Sorted set on the queue's Redis: `<log id> <match or ladder> <version>` by the time in ms."""
_LINE: Final = "mk:{heads}:line"
"""String on the queue's Redis: `<number> <hash>` of the last line of the log of checkpoints."""

_LogId: TypeAlias = tuple[int, int]


class Append(Struct, frozen=True):
    """An append that is remembered."""

    log_id: str
    owner_id: str
    """The match or the ladder."""
    version: int
    """That it led to."""


class Missing(Struct, frozen=True):
    """Events of a match or a ladder that were stored, and are not there any more."""

    id: str
    first: int
    """The first event that is known to be missing: where the match has gone on since, there may be more."""
    last: int


class Comparison(Struct, frozen=True):
    """What the store has of that which is remembered."""

    remembered: int
    """Appends that could be compared."""
    missing: tuple[Missing, ...]
    lost: tuple[Append, ...]
    """The appends that are not in the store."""

    @property
    def events(self) -> int:
        """How many events are known to be missing."""
        return sum([one.last - one.first + 1 for one in self.missing])


class Heads:
    """What is remembered on the queue's Redis, and what the event store has of it."""

    def __init__(self, queue: redis.Redis, events: redis.Redis, clock: Callable[[], int] = now_ms) -> None:
        """`clock` gives the time in ms since 1970."""
        self._queue = queue
        self._events = events
        self._clock = clock

    def note(self, pointers: Iterable[Pointer]) -> None:
        """Remember the appends that these pointers are of.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
        """
        members = {
            f"{pointer.id} {pointer.match_id} {pointer.version}": _order(pointer.id)[0]
            for pointer in pointers
            if pointer.match_id and pointer.next != DAMAGED
        }
        if members:
            with self._queue.pipeline(transaction=False) as pipe:
                pipe.zadd(_APPENDS, members)
                pipe.zremrangebyrank(_APPENDS, 0, -REMEMBERED - 1)
                pipe.execute()

    def forget(self, lost: Sequence[Append]) -> None:
        """Remember these appends no more: they have been told of.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
        """
        if lost:
            self._queue.zrem(_APPENDS, *[f"{one.log_id} {one.owner_id} {one.version}" for one in lost])

    def note_line(self, head: Head) -> None:
        """Remember the last line of the log of checkpoints.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
        """
        self._queue.set(_LINE, f"{head.number} {head.hash}")

    def line(self) -> Head:
        """The last line of the log of checkpoints that is remembered.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
        """
        found = cast("bytes | None", self._queue.get(_LINE))
        if not found:
            return Head()
        number, hash = found.decode().split()
        return Head(int(number), hash)

    def compare(self) -> Comparison:
        """Look in the event store for the appends that are remembered.

        Raises:
            redis.RedisError: the queue's Redis does not answer.
            StoreUnavailable: the event store does not.
        """
        members = cast("list[bytes]", self._queue.zrange(_APPENDS, 0, -1))
        remembered = sorted([_append(member) for member in members], key=lambda one: _order(one.log_id))
        if not remembered:
            return Comparison(0, (), ())
        with unavailable_as_store_error():
            oldest = self._oldest()
            kept = [one for one in remembered if _order(one.log_id) >= oldest]
            there = self._log_ids(kept[0].log_id, kept[-1].log_id) if kept else set()
            lost = tuple([one for one in kept if one.log_id not in there])
            return Comparison(len(kept), self._missing(kept, lost), lost)

    def _oldest(self) -> _LogId:
        """The first place on the log from which on nothing can have been trimmed."""
        not_trimmed = (self._clock() - KEPT_MS + _SKEW_MS, 0)
        first = cast("list[tuple[bytes, object]]", self._events.xrange(keys.LOG, count=1))
        return min(_order(first[0][0].decode()), not_trimmed) if first else not_trimmed

    def _log_ids(self, first: str, last: str) -> set[str]:
        found: set[str] = set()
        low = first
        while True:
            page = cast("list[tuple[bytes, object]]", self._events.xrange(keys.LOG, low, last, _PAGE))
            found.update([id.decode() for id, _ in page])
            if len(page) < _PAGE:
                return found
            low = f"({page[-1][0].decode()}"

    def _missing(self, kept: Sequence[Append], lost: Sequence[Append]) -> tuple[Missing, ...]:
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
            # Where the match has gone on, its version says nothing of what it was before.
            first = before.get(id, min(version, first_lost[id] - 1)) + 1
            found.append(Missing(id, first, last[id]))
        return tuple(found)

    def _versions(self, owner_ids: Sequence[str]) -> dict[str, int]:
        """The versions of matches and ladders by their streams; 0 where there is none."""
        with self._events.pipeline(transaction=False) as pipe:
            for owner_id in owner_ids:
                pipe.xrevrange(keys.stream(owner_id), count=1)
            tails = cast("list[list[tuple[bytes, object]]]", pipe.execute())
        return {
            owner_id: _order(tail[0][0].decode())[0] if tail else 0
            for owner_id, tail in zip(owner_ids, tails, strict=True)
        }


def _append(member: bytes) -> Append:
    log_id, owner_id, version = member.decode().split()
    return Append(log_id, owner_id, int(version))


def _order(log_id: str) -> _LogId:
    time_ms, _, number = log_id.partition("-")
    return int(time_ms), int(number)
