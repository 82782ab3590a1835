"""The client of the event store, which refuses to write to a server that could lose data.

Before a write, the server must have been found as durable as the operator requires, at most a second ago.
After the write, it must still be the same server, or is checked again. So every acknowledged write is kept,
even if the server's settings change or it restarts with other settings. If the operator requires it, a
replica must have confirmed the write, too, so that it survives a failover to the replicas that confirm.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import redis
from redis.client import Pipeline

from events.store import keys
from events.store.durability import Requirements, weaknesses
from events.store.errors import StoreUnavailable
from events.store.partitions import Partitions, divided, partition_problem, record_partitions
from runtime.connection import connect, pool
from runtime.settings import SettingsError

RECHECK_S: Final = 1.0
REPLICA_WAIT_MS: Final = 1000
"""How long a write waits until a replica has it."""

_READS: Final = """
AUTH CLIENT CONFIG EXISTS GET HELLO HEXISTS HGET HGETALL HKEYS HLEN HMGET HSCAN HVALS INFO LRANGE MGET PING
PTTL SCAN SCARD SCRIPT SELECT SISMEMBER SMEMBERS STRLEN TTL TYPE XINFO XLEN XRANGE XREAD XREVRANGE ZCARD
ZCOUNT ZMSCORE ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZREVRANGE ZREVRANGEBYLEX ZSCORE
"""
READS: Final = frozenset(_READS.split())
"""Commands that store nothing; all others are writes."""


class NotDurable(redis.RedisError):
    """The event store could lose data, so nothing is written to it."""


class NotReplicated(redis.RedisError):
    """No replica has confirmed a write in time. It is stored, but a failover could lose it."""


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


class StoreClient(redis.Redis):
    """A client that writes only to a durable server; reads are not restricted."""

    durability: DurabilityCheck

    def execute_command(self, *args: Any, **options: Any) -> Any:
        send: Callable[..., Any] = super().execute_command
        if is_read(args[0]):
            return send(*args, **options)
        if self.durability.required.is_replicated:
            return self._in_pipeline(args, options)
        self.durability.require(self)
        reply = send(*args, **options)
        self.durability.require(self)
        return reply

    def _in_pipeline(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        with self.pipeline(transaction=False) as pipe:
            pipe.execute_command(*args, **options)  # type: ignore[no-untyped-call]  # redis has no type for it
            (reply,) = pipe.execute()
        return reply

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Pipeline:
        made = _StorePipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)
        made.owner, made.is_transaction = self, transaction
        return made


class _StorePipeline(Pipeline):
    owner: StoreClient
    is_transaction: bool

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        if all(is_read(args[0]) for args, _ in self.command_stack):
            return super().execute(raise_on_error)
        self.owner.durability.require(self.owner)
        execute = self._confirmed if self._is_confirmed() else super().execute
        replies = execute(raise_on_error)
        self.owner.durability.require(self.owner)
        return replies

    def _is_confirmed(self) -> bool:
        """WAIT does not wait in transactions. They write only what can be computed again."""
        return self.owner.durability.required.is_replicated and not self.is_transaction

    def _confirmed(self, raise_on_error: bool) -> list[Any]:
        """As `execute`, once a replica has all that this connection has written.

        A command that was carried out before writes nothing, and WAIT would not wait for what it did then. So
        another write follows, and the replica that has it has everything before it, too.
        """
        self.set(keys.CANARY, 1)
        self.wait(1, REPLICA_WAIT_MS)
        *replies, written, confirmed = super().execute(raise_on_error=False)
        raise_first([written, confirmed])
        if not confirmed:
            raise NotReplicated(f"no replica confirmed the write within {REPLICA_WAIT_MS} ms")
        if raise_on_error:
            raise_first(replies)
        return replies


def raise_first(replies: Sequence[Any]) -> None:
    """Raise the first error among the replies, if there is any."""
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply


def is_read(command: str) -> bool:
    """Whether the command stores nothing, as `CONFIG GET` does not."""
    return command.partition(" ")[0].upper() in READS


def connect_store(url: str, required: Requirements, timeout_s: float = 5) -> StoreClient:
    """A client of the event store with the options of `connect`, for all processes that write there."""
    durability = DurabilityCheck(required)
    made = StoreClient.from_pool(pool(url, timeout_s, redis_connect_func=durability.note_connection))
    client = cast(StoreClient, made)
    client.durability = durability
    return divided(client, Partitions(required.partitions))


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
