"""Times in which the service could not be relied on, so that nobody is blamed for what it did not do.

The relay notes all the time that it is at work, can write, and sees the web processes take connections. A gap
between two notes is an outage, whatever was the matter.
"""

from typing import Final, cast

import redis
from msgspec import Struct

from events import keys
from events.connection import unavailable_as_store_error

LONGEST_GAP_MS: Final = 3000
"""Between two notes; a longer one is an outage."""
KEPT_MS: Final = 30 * 86_400_000
GRACE_MS: Final = 15_000
"""After an outage, for everybody to come back."""


class Outage(Struct, frozen=True):
    """Times in ms since 1970."""

    first_ms: int
    last_ms: int

    def excuses(self, since_ms: int, until_ms: int) -> bool:
        """Whether somebody who had from one time to the other cannot be blamed."""
        return since_ms <= self.last_ms + GRACE_MS and until_ms >= self.first_ms


def note(client: redis.Redis, now_ms: int) -> Outage | None:
    """Say that the service works; the outage that has just ended, if there was one.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        before = cast("bytes | None", client.set(keys.LAST_TICK, now_ms, get=True))
        if before is None or now_ms - int(before) <= LONGEST_GAP_MS:
            return None
        outage = Outage(int(before), now_ms)
        client.zadd(keys.OUTAGES, {f"{outage.first_ms}-{outage.last_ms}": outage.last_ms})
        client.zremrangebyscore(keys.OUTAGES, "-inf", now_ms - KEPT_MS)
    return outage


def since(client: redis.Redis, time_ms: int, now_ms: int) -> list[Outage]:
    """The outages that lasted beyond that time, one that has not ended included.

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
