"""The client of the event store, which refuses to write to a server that could lose data.

Before a write, the server must have been found as durable as the operator requires, at most a second ago.
After the write, it must still be the same server, or is checked again. So every acknowledged write is kept,
even if the server's settings change or it restarts with other settings. If the operator requires it, a
replica must have confirmed the write, too, so that it survives a failover to the replicas that confirm.
"""

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import redis
from redis.client import Pipeline
from redis.connection import AbstractConnection

from events.store import keys
from events.store.durability import Requirements, partition_problem, weaknesses
from events.store.errors import StoreUnavailable
from events.store.keys import Partitions, divided
from runtime.connection import Cluster, Kind, PipelineOfCluster, connect, is_of_cluster, pool, unconfirmed
from runtime.settings import SettingsError

RECHECK_S: Final = 1.0
REPLICA_WAIT_MS: Final = 1000
"""How long a write waits until a replica has it."""

_READS: Final = """
ASKING AUTH CLIENT CLUSTER COMMAND CONFIG DISCARD EXISTS GET HELLO HEXISTS HGET HGETALL HKEYS HLEN HMGET
HSCAN HVALS INFO LRANGE MEMORY MGET PING PTTL READONLY SCAN SCARD SCRIPT SELECT SISMEMBER SMEMBERS STRLEN TTL
TYPE UNWATCH WATCH XINFO XLEN XRANGE XREAD XREVRANGE ZCARD ZCOUNT ZMSCORE ZRANGE ZRANGEBYLEX ZRANGEBYSCORE
ZREVRANGE ZREVRANGEBYLEX ZSCORE
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
        self._are_partitions_known = False
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
        self._weaknesses = weaknesses(client, self.required) or self._partition_problems(client)
        self._known_connections = connections
        self._recheck_s = time.monotonic() + RECHECK_S

    def _partition_problems(self, client: redis.Redis) -> list[str]:
        try:
            problem = partition_problem(client, self.required.partitions)
            if not problem:
                record_partitions(client, self.required.partitions)
                self._are_partitions_known = True
        except (redis.ConnectionError, redis.TimeoutError):
            # Without the primary that has their number, a cluster goes on with the others.
            if not self._are_partitions_known:
                raise
            return []
        return [problem] if problem else []


def is_read(command: Any) -> bool:
    """Whether the command stores nothing, as `CONFIG GET` does not."""
    name = command.decode() if isinstance(command, bytes) else str(command)
    return name.partition(" ")[0].upper() in READS


class _Confirmed(AbstractConnection):
    """Sends two commands after each group with a write, and reads all replies before it gives the first.

    A command that was carried out before writes nothing, and WAIT would not wait for what it did then. So
    another write follows, and the replica that has it has everything before it, too.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self._packed = 0
        """The number of commands in the packed group that is to be sent, if it has a write."""
        self._expected = 0
        """Replies to read before those of the confirmation."""
        self._replies: deque[Any] = deque()
        super().__init__(*args, **options)

    def send_command(self, *args: Any, **options: Any) -> None:
        if is_read(args[0]):
            super().send_command(*args, **options)  # type: ignore[no-untyped-call]
        else:
            self.send_packed_command(self.pack_commands([args]), options.get("check_health", True))

    def pack_commands(self, commands: Iterable[Sequence[Any]]) -> Any:
        group = [*commands]
        self._packed = 0
        if not all(is_read(command[0]) for command in group):
            self._packed = len(group)
            group += [("SET", _canary(group), 1), ("WAIT", 1, REPLICA_WAIT_MS)]
        return super().pack_commands(group)  # type: ignore[no-untyped-call]

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        packed, self._packed, self._expected = self._packed, 0, 0
        self._replies.clear()  # what an error has left behind is not the answer to this
        # This may connect first, and talk to the server before the command is sent.
        super().send_packed_command(command, check_health)  # type: ignore[no-untyped-call]
        self._expected = packed

    def read_response(self, *args: Any, **options: Any) -> Any:
        if self._expected:
            self._read_all(*args, **options)
        if not self._replies:
            return super().read_response(*args, **options)
        reply = self._replies.popleft()
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _read_all(self, *args: Any, **options: Any) -> None:
        expected, self._expected = self._expected, 0
        replies = [self._reply(*args, **options) for _ in range(expected)]
        written, replicas = [self._reply(*args, **options) for _ in range(2)]
        error: Exception | None = None
        # A server that has become a replica refuses both. Where the primary is, its first refusal tells.
        if isinstance(written, Exception):
            error = written
        elif isinstance(replicas, Exception):
            error = replicas
        elif not replicas:
            error = NotReplicated(f"no replica confirmed the write within {REPLICA_WAIT_MS} ms")
        if error is not None:
            replies = [reply if isinstance(reply, Exception) else error for reply in replies]
        self._replies.extend(replies)

    def _reply(self, *args: Any, **options: Any) -> Any:
        """A reply; an error of the server is one, too."""
        try:
            return super().read_response(*args, **options)
        except redis.ResponseError as error:
            return error


def _canary(commands: Iterable[Sequence[Any]]) -> str:
    """A key for the write that follows, in the same slot."""
    for command in commands:
        for argument in command[1:]:
            name = argument.decode(errors="replace") if isinstance(argument, bytes) else str(argument)
            if name.startswith("mk:{"):
                return f"{name.partition('}')[0]}}}:canary"
    return keys.CANARY


def is_confirmed(client: object) -> bool:
    """Whether a write of this client is answered only once a replica has it."""
    durability: DurabilityCheck | None = getattr(client, "durability", None)
    return durability is not None and durability.required.is_replicated


def confirmed(kind: type[Any]) -> type[Any]:
    """The kind of connection, on which writes are answered once a replica has them."""
    return type(f"Confirmed{kind.__name__}", (_Confirmed, kind), {})


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


def record_partitions(client: redis.Redis, count: int) -> None:
    """Fix the number of partitions of a store that is still empty.

    Raises:
        redis.RedisError.
    """
    if count > 1 and client.get(keys.PARTITIONS) is None:
        # The store's own client would first ask whether it may write.
        send = getattr(client, "send", client.execute_command)
        send("SET", keys.PARTITIONS, count, "NX")


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
