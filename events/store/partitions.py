"""The partitions of a store: which of them a stream is in, and where what they all have is.

All keys of a partition share a hash tag, so that one script can write a match, the log and the indexes on a
Redis Cluster, too. Matches are spread over the partitions; ladders, the checkpoint log and everything else
that there is only once are in the first. The number of partitions is fixed when a store is created.
"""

import zlib
from typing import Final, TypeVar, cast

import redis

from events.store import keys


class Partitions:
    """The partitions of one store."""

    def __init__(self, count: int = 1) -> None:
        """`count` is 1 to `runtime.settings.MOST_PARTITIONS`."""
        self.tags: Final = tuple([keys.tag(number) for number in range(count)])
        """The hash tag of each."""

    def __len__(self) -> int:
        return len(self.tags)

    def of(self, stream_id: str) -> str:
        """The tag of the partition that a match, a ladder or the checkpoint log is in."""
        if len(self.tags) == 1 or not stream_id.startswith(keys.MATCH_PREFIX):
            return keys.HOME
        return self.tags[zlib.crc32(stream_id.encode()) % len(self.tags)]

    def key(self, key: str, stream_id: str) -> str:
        """That key in the partition of the stream."""
        return key if len(self.tags) == 1 else keys.at(key, self.of(stream_id))

    def each(self, key: str) -> tuple[str, ...]:
        """That key in every partition."""
        return tuple([keys.at(key, tag) for tag in self.tags])


SINGLE: Final = Partitions()


_C = TypeVar("_C", bound=redis.Redis)


def divided(client: _C, partitions: Partitions) -> _C:
    """The client, which knows the partitions of its store from now on."""
    client.partitions = partitions  # type: ignore[attr-defined]  # redis-py has no room for more
    return client


def partitions_of(client: redis.Redis) -> Partitions:
    """The partitions of the store that a client talks to; one, unless it knows better."""
    found = getattr(client, "partitions", SINGLE)
    return cast(Partitions, found)


BEING_MOVED: Final = 0
"""In place of the number of partitions: `events.move` has not copied everything yet."""


def partition_problem(client: redis.Redis, count: int) -> str:
    """Why a store cannot be used as one of so many partitions, as text for everybody; empty if it can.

    Raises:
        redis.RedisError.
    """
    found = client.get(keys.PARTITIONS)
    there = int(found) if isinstance(found, bytes) else 1
    if there == count or (found is None and not client.exists(keys.LOG)):
        return ""
    if there == BEING_MOVED:
        return "the event store is not complete: events.move has not come to its end"
    return f"the event store has {there} partitions, and PARTITIONS is {count}"


def record_partitions(client: redis.Redis, count: int) -> None:
    """Fix the number of partitions of a store that is still empty.

    Raises:
        redis.RedisError.
    """
    if count > 1 and client.get(keys.PARTITIONS) is None:
        # The store's own client would first ask whether it may write.
        send = getattr(client, "send", client.execute_command)
        send("SET", keys.PARTITIONS, count, "NX")
