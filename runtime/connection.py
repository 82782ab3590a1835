"""Redis clients for each use, and memory figures from the server's INFO.

The URL `redis+sentinel://user:password@host:port,host:port/group` names Sentinels, which know the present
primary of a group of servers; each new connection asks them. `redis+cluster://user:password@host:port,host:port`
names some servers of a cluster, which know the others.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeAlias, cast
from urllib.parse import SplitResult, urlsplit

import redis
from redis._parsers import Encoder
from redis.backoff import ConstantBackoff, NoBackoff
from redis.client import CaseInsensitiveDict
from redis.cluster import ClusterNode, ClusterPipeline, RedisCluster
from redis.connection import BlockingConnectionPool, Connection, parse_url
from redis.driver_info import DriverInfo
from redis.exceptions import RedisClusterException
from redis.retry import Retry
from redis.sentinel import (
    MasterNotFoundError,
    Sentinel,
    SentinelConnectionPool,
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

LONGEST_BLOCK_MS: Final = 5000
"""The longest time that a command may block; the socket times out later, so a dead server is noticed."""

DRIVER: Final = DriverInfo()
"""The client name and version for CLIENT SETINFO, computed once: redis-py needs milliseconds for it."""


_BY_SENTINELS: Final = "+sentinel://"
_OF_CLUSTER: Final = "+cluster://"
REDIS_PORT: Final = 6379
SENTINEL_PORT: Final = 26379
SENTINEL_TIMEOUT_S: Final = 1.0
"""A Sentinel that does not answer in this time is passed over."""
_FOR_SENTINELS: Final = "sentinel_"
"""How those options of a URL begin that are for the Sentinels themselves, such as `sentinel_password`."""

CLUSTER_READ_S: Final = 2.0
"""A server of a cluster that does not answer a reader of its logs in this time is passed over."""
CLUSTER_RETRIES: Final = 3
CLUSTER_PAUSE_S: Final = 0.1
"""How often and after which pause a command to a cluster is sent again: it may have moved, or have a new
primary soon."""

CONNECTIONS: Final = 128
"""The most connections of a client; when all are in use, the next command waits for one."""


def connect(url: str, timeout_s: float = 5) -> redis.Redis:
    """A client for commands that do not block, with a time-out for each answer.

    It retries a command once. That is safe: the store recognises a repeated append by its command id or its
    expected version, and a repeated account or token by its id.
    """
    if is_of_cluster(url):
        return cast(redis.Redis, Cluster(url, timeout_s))
    return redis.Redis.from_pool(pool(url, timeout_s))


def is_of_cluster(url: str) -> bool:
    """Whether a URL names servers of a cluster."""
    return _OF_CLUSTER in url


Kind: TypeAlias = Callable[[type[Any]], type[Any]]
"""Makes a kind of connection out of the usual one for the URL."""


def unconfirmed(kind: type[Any]) -> type[Any]:
    """The usual kind of connection."""
    return kind


def pool(url: str, timeout_s: float, kind: Kind = unconfirmed, **options: Any) -> BlockingConnectionPool:
    """The connections of a client as `connect` makes it.

    An event can wake thousands of waiting requests at once: they take turns instead of failing.

    Raises:
        ValueError: the URL is not one of a Redis server.
    """
    return _pool(
        url,
        kind,
        max_connections=CONNECTIONS,
        timeout=timeout_s,
        socket_timeout=timeout_s,
        socket_connect_timeout=min(2, timeout_s),
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 1),
        **options,
    )


def check_url(url: str) -> None:
    """Require that a URL names a Redis server or Sentinels.

    Raises:
        ValueError: it does not; the message shows nothing of the URL.
    """
    try:
        if is_of_cluster(url):
            _cluster_options(url)
        else:
            pool(url, SENTINEL_TIMEOUT_S).make_connection()  # type: ignore[no-untyped-call]  # connects nothing
    except (ValueError, TypeError):
        raise ValueError(
            "it must be redis://user:password@host:port, "
            "redis+sentinel://user:password@host:port,host:port/group for Sentinels, "
            "or redis+cluster://user:password@host:port,host:port for a cluster"
        ) from None


def check_url_of_server(url: str) -> None:
    """As `check_url`, without Sentinels and clusters."""
    if _BY_SENTINELS in url or is_of_cluster(url):
        raise ValueError("it must name one server: what is in the queue may be lost")
    check_url(url)


def connect_blocking(url: str) -> redis.Redis:
    """A client for one blocking reader. It never retries: the reader handles lost connections."""
    if is_of_cluster(url):
        return cast(redis.Redis, Cluster(url, CLUSTER_READ_S))
    one = _pool(
        url,
        unconfirmed,
        max_connections=1,
        socket_timeout=LONGEST_BLOCK_MS / 1000 + 10,
        socket_connect_timeout=2,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
    )
    return redis.Redis.from_pool(one)


def connect_briefly(url: str) -> redis.Redis:
    """A client for optional reads: it gives up after half a second and never retries."""
    if is_of_cluster(url):
        return cast(redis.Redis, Cluster(url, 0.5))
    one = _pool(
        url,
        unconfirmed,
        max_connections=1,
        timeout=0.5,
        socket_timeout=0.5,
        socket_connect_timeout=0.5,
        retry=Retry(NoBackoff(), 0),
    )
    return redis.Redis.from_pool(one)


class PipelineOfCluster(ClusterPipeline):
    """A pipeline to a cluster; `client` is set to the client that made it."""

    client: "Cluster"

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        with of_cluster():
            replies: list[Any] = super().execute(raise_on_error)
        return replies


class Cluster(RedisCluster):
    """A client of a cluster, which connects when it is used first, as other clients do."""

    pipelines: type[PipelineOfCluster] = PipelineOfCluster

    def __init__(self, url: str, timeout_s: float, kind: Kind = unconfirmed, **options: Any) -> None:
        """`kind` and `options` are those of its connections."""
        self._opening = threading.RLock()
        self._state = "new"
        self._kind = kind
        self._options = {
            "max_connections": CONNECTIONS,
            "timeout": timeout_s,
            "socket_timeout": timeout_s,
            "socket_connect_timeout": min(2, timeout_s),
            "socket_keepalive": True,
            "driver_info": DRIVER,
            **_cluster_options(url),
            **options,
        }

    def __getattr__(self, name: str) -> Any:
        """What is missing until the cluster was asked for its servers."""
        if name.startswith("__") or self.__dict__["_state"] == "open":
            raise AttributeError(name)
        with self._opening:
            if self._state == "opening":  # redis-py looks for something that it has not set yet
                raise AttributeError(name)
            if self._state == "new":
                self._open()
        return getattr(self, name)

    def _open(self) -> None:
        self._state = "opening"
        options = dict(self._options)
        usual = options.pop("connection_class", Connection)
        try:
            super().__init__(
                require_full_coverage=False,
                retry=Retry(ConstantBackoff(CLUSTER_PAUSE_S), CLUSTER_RETRIES),
                connection_class=self._kind(usual),
                connection_pool_class=BlockingConnectionPool,
                **options,
            )
        except RedisClusterException as error:
            self._state = "new"
            raise redis.ConnectionError("no server of the cluster answers") from error
        except BaseException:
            self._state = "new"
            raise
        self._state = "open"

    def get_encoder(self) -> Encoder:
        return Encoder("utf-8", "strict", decode_responses=False)  # type: ignore[no-untyped-call]

    def execute_command(self, *args: Any, **options: Any) -> Any:
        with of_cluster():
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Any:
        callbacks = self.cluster_response_callbacks
        if transaction:
            # Without these, redis-py would give the replies of a transaction as the server sent them.
            node: ClusterNode = self.get_random_node()  # type: ignore[no-untyped-call]
            of_server = self.get_redis_connection(node).response_callbacks
            callbacks = CaseInsensitiveDict({**of_server, **callbacks})
        made = self.pipelines(
            nodes_manager=self.nodes_manager,
            commands_parser=self.commands_parser,
            result_callbacks=self.result_callbacks,
            cluster_response_callbacks=callbacks,
            reinitialize_steps=self.reinitialize_steps,
            retry=self.retry,
            lock=self._lock,
            transaction=transaction,
            event_dispatcher=self._event_dispatcher,
        )
        made.client = self
        return made

    def close(self) -> None:
        if self._state == "open":
            super().close()


@contextmanager
def of_cluster() -> Iterator[None]:
    """Turn errors of the cluster as a whole into those that all clients have."""
    try:
        yield
    except RedisClusterException as error:
        raise redis.ConnectionError(f"the cluster: {error}") from error


def servers_of(client: redis.Redis, asks_anew: bool = False) -> list[redis.Redis]:
    """A client of each server that takes writes: the client itself, unless it is one of a cluster.

    A client learns of a new primary when a command fails. With `asks_anew` the cluster is asked at once.
    """
    if not isinstance(client, Cluster):
        return [client]
    with of_cluster():
        if asks_anew:
            client.nodes_manager.initialize()
        return [client.get_redis_connection(node) for node in client.get_primaries()]


class _Hosts(NamedTuple):
    """The parts of a URL such as `redis+kind://user:password@host:port,host:port/path?query`."""

    scheme: str
    user: str
    """With the password."""
    hosts: list[SplitResult]
    path: str
    query: str


def _split(url: str, kind: str) -> _Hosts:
    """Raises ValueError if it is no such URL. `kind` is what is between the scheme and the user."""
    scheme, _, rest = url.partition(kind)
    parts = urlsplit(f"//{rest}")
    user, _, hosts = parts.netloc.rpartition("@")
    named = [urlsplit(f"//{host}") for host in hosts.split(",")]
    if scheme not in ("redis", "rediss") or not all(host.hostname for host in named):
        raise ValueError("no URL of several hosts")
    return _Hosts(scheme, user, named, parts.path, parts.query)


def _cluster_options(url: str) -> dict[str, Any]:
    """Raises ValueError if it is no URL of a cluster."""
    named = _split(url, _OF_CLUSTER)
    if named.path.strip("/0"):
        raise ValueError("a cluster has only one database")
    first = named.hosts[0]
    options = parse_url(f"{named.scheme}://{named.user}@{first.netloc}?{named.query}")  # type: ignore[no-untyped-call]
    for name in ("host", "port", "db"):
        options.pop(name, None)
    nodes = [ClusterNode(host.hostname, host.port or REDIS_PORT) for host in named.hosts]  # type: ignore[no-untyped-call]
    return {"url": f"{named.scheme}://{first.netloc}", "startup_nodes": nodes, **options}


class _Sentinels(Sentinel):
    def discover_master(self, service_name: str) -> tuple[str, int]:
        try:
            found: tuple[str, int] = super().discover_master(service_name)  # type: ignore[no-untyped-call]
        except MasterNotFoundError:
            # Its own message has all options of all clients.
            raise MasterNotFoundError(f"no Sentinel names a primary of {service_name!r}") from None
        return found


class _SentinelPool(SentinelConnectionPool, BlockingConnectionPool):
    """Connections to the primary that Sentinels name, for which a caller waits when all are in use."""


def _pool(url: str, kind: Kind, **options: Any) -> BlockingConnectionPool:
    options["driver_info"] = DRIVER
    if _BY_SENTINELS not in url:
        usual = parse_url(url).get("connection_class", Connection)  # type: ignore[no-untyped-call]
        return BlockingConnectionPool.from_url(url, connection_class=kind(usual), **options)
    named = _split(url, _BY_SENTINELS)
    group, _, number = named.path.removeprefix("/").partition("/")
    if not group:
        raise ValueError("no group of servers")
    is_encrypted = named.scheme == "rediss"
    if is_encrypted:
        options["ssl"] = True
    # All else means what it does in the URL of one server.
    options |= parse_url(f"redis://{named.user}@/{number}?{named.query}")  # type: ignore[no-untyped-call]
    sentinels = _Sentinels(  # type: ignore[no-untyped-call]
        [(host.hostname, host.port or SENTINEL_PORT) for host in named.hosts],
        sentinel_kwargs=_of_sentinels(options),
    )
    options.pop("ssl", None)
    usual = SentinelManagedSSLConnection if is_encrypted else SentinelManagedConnection
    return _SentinelPool(group, sentinels, connection_class=kind(usual), **options)  # type: ignore[no-untyped-call]


def _of_sentinels(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options for connections to Sentinels: TLS as for the servers, and a user of their own."""
    own = [name for name in options if name.startswith(_FOR_SENTINELS)]
    return {
        "socket_timeout": SENTINEL_TIMEOUT_S,
        "socket_connect_timeout": SENTINEL_TIMEOUT_S,
        "retry": Retry(NoBackoff(), 0),
        **{name: value for name, value in options.items() if name.startswith("ssl")},
        **{name.removeprefix(_FOR_SENTINELS): options.pop(name) for name in own},
    }


def memory_used(info: Mapping[str, Any]) -> int:
    """The bytes that count against `maxmemory`, from INFO: without buffers for replicas and the disk."""
    return int(info.get("used_memory", 0)) - int(info.get("mem_not_counted_for_evict", 0))


def memory_limit(info: Mapping[str, Any]) -> int:
    """The server's `maxmemory` in bytes, from INFO; if none is set, the memory of its machine."""
    return int(info.get("maxmemory", 0)) or int(info.get("total_system_memory", 0))
