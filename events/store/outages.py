"""Outages: times during which no clock of a decision runs, because the service was not available.

The relay continually records that it is running, can write, and that the web processes answer requests. A
gap between two of these records is an outage, whatever its cause: the service was down, the machine slept, or
its clock was set forward.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, cast

import redis
from msgspec import Struct

from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.keys import now_ms

LONGEST_GAP_MS: Final = 3000
"""The longest time between two records; a longer gap is an outage."""
KEPT_MS: Final = 30 * 86_400_000
GRACE_MS: Final = 15_000
"""The time after an outage for everybody to reconnect."""
LONGEST_DECISION_MS: Final = 3 * 86_400_000
"""More than the longest time for a decision: outages that ended earlier do not affect one that is due."""
_READ_EVERY_S: Final = 1.0


class Outage(Struct, frozen=True):
    """Times in ms since 1970."""

    first_ms: int
    last_ms: int

    def excuses(self, since_ms: int, until_ms: int) -> bool:
        """Whether the outage excuses a decision that was possible from one time to the other."""
        return since_ms <= self.last_ms + GRACE_MS and until_ms >= self.first_ms


class RecentOutages:
    """The outages that may affect pending decisions, for views that show deadlines; read once a second."""

    def __init__(self, client: redis.Redis, clock: Callable[[], int] = now_ms) -> None:
        """`clock` gives the time in ms since 1970."""
        self._client = client
        self._clock = clock
        self._known: Sequence[Outage] = ()
        self._good_until_s = 0.0

    def deadline_ms(self, begun_ms: int, allowed_ms: int) -> int:
        """When the time for a decision ends, as known now; never more than `allowed_ms` ahead.

        Raises:
            StoreUnavailable.
        """
        now_ms = self._clock()
        if time.monotonic() >= self._good_until_s:
            self._known = since(self._client, now_ms - LONGEST_DECISION_MS, now_ms)
            self._good_until_s = time.monotonic() + _READ_EVERY_S
        return min(extended_ms(begun_ms, allowed_ms, self._known), now_ms + allowed_ms)


def passed_ms(client: redis.Redis, begun_ms: int, until_ms: int) -> int:
    """The time between two instants (ms since 1970) that is part of no outage, for banks of time.

    Raises:
        StoreUnavailable.
    """
    return until_ms - begun_ms - lost_ms(begun_ms, until_ms, since(client, begun_ms, until_ms))


def lost_ms(begun_ms: int, until_ms: int, outages: Iterable[Outage]) -> int:
    """How much of the time between two instants these outages cover, which do not overlap."""
    return sum(max(min(outage.last_ms, until_ms) - max(outage.first_ms, begun_ms), 0) for outage in outages)


def extended_ms(begun_ms: int, allowed_ms: int, outages: Iterable[Outage]) -> int:
    """When a decision has had its whole time outside of these outages, which do not overlap."""
    due_ms = begun_ms + allowed_ms
    for outage in sorted(outages, key=_by_first):
        if outage.last_ms > begun_ms and outage.first_ms < due_ms:
            due_ms += outage.last_ms - max(outage.first_ms, begun_ms)
    return due_ms


def _by_first(outage: Outage) -> int:
    return outage.first_ms


def record(client: redis.Redis, now_ms: int) -> Outage | None:
    """Record that the service works, and return the outage that has just ended, if there was one.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        before = cast("bytes | None", client.set(keys.LAST_TICK, now_ms, get=True))
        if before is None:
            return None
        if now_ms < int(before):
            # The clock was set back: outages in the future cannot be right.
            client.zremrangebyscore(keys.OUTAGES, f"({now_ms}", "+inf")
        if now_ms - int(before) <= LONGEST_GAP_MS:
            return None
        outage = Outage(int(before), now_ms)
        client.zadd(keys.OUTAGES, {f"{outage.first_ms}-{outage.last_ms}": outage.last_ms})
        client.zremrangebyscore(keys.OUTAGES, "-inf", now_ms - KEPT_MS)
    return outage


def since(client: redis.Redis, time_ms: int, now_ms: int) -> list[Outage]:
    """The outages that lasted beyond that time, including one that has not ended.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        found = cast("list[bytes]", client.zrangebyscore(keys.OUTAGES, time_ms, "+inf"))
        last = cast("bytes | None", client.get(keys.LAST_TICK))
    outages = [Outage(*[int(part) for part in one.decode().split("-")]) for one in found]
    if last is not None and now_ms - int(last) > LONGEST_GAP_MS:
        outages.append(Outage(int(last), now_ms))
    return outages
