"""The client of the event store, which refuses to write to a server that could lose data.

Before a write, the server must have been found as durable as the operator requires, at most a second ago.
After the write, it must still be the same server, or is checked again. So every acknowledged write is kept,
even if the server's settings change or it restarts with other settings. If the operator requires it, a
replica must have confirmed the write, too, so that it survives a failover to the replicas that confirm.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import redis
from redis.client import Pipeline

from events.store.confirmation import confirmed, is_read
from events.store.durability import Requirements, weaknesses
from events.store.errors import StoreUnavailable
from events.store.partitions import Partitions, divided, partition_problem, record_partitions
from runtime.connection import Cluster, Kind, PipelineOfCluster, connect, is_of_cluster, pool, unconfirmed
from runtime.settings import SettingsError

RECHECK_S: Final = 1.0


class NotDurable(redis.RedisError):
    """The event store could lose data, so nothing is written to it."""


class DurabilityCheck:
    """Checks whether a client's server is durable; safe to share among threads."""

    def __init__(self, required: Requirements) -> None:
        self.required: Final = required
        self._connections = 0
        self._known_connections = -1
        self._recheck_s = 0.0
        self._weaknesses: list[str] = []
        self._rechecking = threading.Lock()

    def note_connection(self, connection: Any) -> None:
        """Set up a new connection, whose server may be another one than before."""
        connection.on_connect()
        self.count_connection(connection)

    def count_connection(self, connection: Any) -> None:
        """Note a new connection that is set up already."""
        self._connections += 1

    def require(self, client: redis.Redis) -> None:
        """Require that the server is durable, before and after a write.

        Raises:
            NotDurable: it is not; after a write, whether that was stored is unknown.
            redis.RedisError: the server does not answer.
        """
        connections = self._connections
        if connections != self._known_connections:
            self._ask(client, connections)
        elif time.monotonic() >= self._recheck_s and self._rechecking.acquire(blocking=False):
            try:
                self._ask(client, connections)
            finally:
                self._rechecking.release()
        if self._weaknesses:
            raise NotDurable("; ".join(self._weaknesses))

    def _ask(self, client: redis.Redis, connections: int) -> None:
        self._weaknesses = weaknesses(client, self.required)
        if not self._weaknesses:
            record_partitions(client, self.required.partitions)
        self._known_connections = connections
        self._recheck_s = time.monotonic() + RECHECK_S


class _Checked:
    """The methods of a client that writes only to a durable server; reads are not restricted."""

    durability: DurabilityCheck

    def execute_command(self, *args: Any, **options: Any) -> Any:
        if is_read(args[0]):
            return self.send(*args, **options)
        client = cast(redis.Redis, self)
        self.durability.require(client)
        reply = self.send(*args, **options)
        self.durability.require(client)
        return reply

    def send(self, *args: Any, **options: Any) -> Any:
        """As `execute_command`, without asking whether the server is durable."""
        return super().execute_command(*args, **options)  # type: ignore[misc]  # that of the client


class StoreClient(_Checked, redis.Redis):
    """A client of one server."""

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Pipeline:
        made = _StorePipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)
        made.owner = self
        return made


class _StorePipeline(Pipeline):
    owner: StoreClient

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        if all(is_read(args[0]) for args, _ in self.command_stack):
            return super().execute(raise_on_error)
        self.owner.durability.require(self.owner)
        replies = super().execute(raise_on_error)
        self.owner.durability.require(self.owner)
        return replies


class _StorePipelineOfCluster(PipelineOfCluster):
    _has_writes = False

    def execute_command(self, *args: Any, **options: Any) -> Any:
        self._has_writes |= not is_read(args[0])
        return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        if not self._has_writes:
            return super().execute(raise_on_error)
        client = cast(StoreCluster, self.client)
        client.durability.require(cast(redis.Redis, client))
        replies = super().execute(raise_on_error)
        client.durability.require(cast(redis.Redis, client))
        return replies


class StoreCluster(_Checked, Cluster):
    """A client of a cluster."""

    pipelines = _StorePipelineOfCluster


def raise_first(replies: Sequence[Any]) -> None:
    """Raise the first error among the replies, if there is any."""
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply


def connect_store(url: str, required: Requirements, timeout_s: float = 5) -> redis.Redis:
    """A client of the event store with the options of `connect`, for all processes that write there."""
    durability = DurabilityCheck(required)
    kind: Kind = confirmed if required.is_replicated else unconfirmed
    client: StoreClient | StoreCluster
    if is_of_cluster(url):
        client = StoreCluster(url, timeout_s, kind, redis_connect_func=durability.count_connection)
    else:
        connections = pool(url, timeout_s, kind, redis_connect_func=durability.note_connection)
        client = cast(StoreClient, StoreClient.from_pool(connections))
    client.durability = durability
    return divided(cast(redis.Redis, client), Partitions(required.partitions))


def connect_to_all(url: str, partitions: int) -> redis.Redis:
    """A client for commands of operators, which need no other check.

    Raises:
        SettingsError: the store has another number of partitions.
        StoreUnavailable.
    """
    client = divided(connect(url), Partitions(partitions))
    with unavailable_as_store_error():
        if problem := partition_problem(client, partitions):
            raise SettingsError(problem)
    return client


@contextmanager
def unavailable_as_store_error() -> Iterator[None]:
    """Turn errors of the Redis client into `StoreUnavailable`."""
    try:
        yield
    except redis.RedisError as error:
        raise StoreUnavailable(f"{type(error).__name__}: {error}") from error
