"""Redis clients for each use, and memory figures from the server's INFO.

The URL `redis+sentinel://user:password@host:port,host:port/group` names Sentinels, which know the present
primary of a group of servers; each new connection asks them.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.connection import BlockingConnectionPool, parse_url
from redis.driver_info import DriverInfo
from redis.retry import Retry
from redis.sentinel import MasterNotFoundError, Sentinel, SentinelConnectionPool

LONGEST_BLOCK_MS: Final = 5000
"""The longest time that a command may block; the socket times out later, so a dead server is noticed."""

DRIVER: Final = DriverInfo()
"""The client name and version for CLIENT SETINFO, computed once: redis-py needs milliseconds for it."""


_BY_SENTINELS: Final = "+sentinel://"
SENTINEL_PORT: Final = 26379
SENTINEL_TIMEOUT_S: Final = 1.0
"""A Sentinel that does not answer in this time is passed over."""
_FOR_SENTINELS: Final = "sentinel_"
"""How those options of a URL begin that are for the Sentinels themselves, such as `sentinel_password`."""

CONNECTIONS: Final = 128
"""The most connections of a client; when all are in use, the next command waits for one."""


def connect(url: str, timeout_s: float = 5) -> redis.Redis:
    """A client for commands that do not block, with a time-out for each answer.

    It retries a command once. That is safe: the store recognises a repeated append by its command id or its
    expected version, and a repeated account or token by its id.
    """
    return redis.Redis.from_pool(pool(url, timeout_s))


def pool(url: str, timeout_s: float, **options: Any) -> BlockingConnectionPool:
    """The connections of a client as `connect` makes it.

    An event can wake thousands of waiting requests at once: they take turns instead of failing.

    Raises:
        ValueError: the URL is not one of a Redis server.
    """
    return _pool(
        url,
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
        pool(url, SENTINEL_TIMEOUT_S).make_connection()  # type: ignore[no-untyped-call]  # connects nothing
    except (ValueError, TypeError):
        raise ValueError(
            "it must be redis://user:password@host:port, "
            "or redis+sentinel://user:password@host:port,host:port/group for Sentinels"
        ) from None


def check_url_of_server(url: str) -> None:
    """As `check_url`, without Sentinels."""
    if _BY_SENTINELS in url:
        raise ValueError("it must name one server: what is in the queue may be lost")
    check_url(url)


def connect_blocking(url: str) -> redis.Redis:
    """A client for one blocking reader. It never retries: the reader handles lost connections."""
    one = _pool(
        url,
        max_connections=1,
        socket_timeout=LONGEST_BLOCK_MS / 1000 + 10,
        socket_connect_timeout=2,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
    )
    return redis.Redis.from_pool(one)


def connect_briefly(url: str) -> redis.Redis:
    """A client for optional reads: it gives up after half a second and never retries."""
    one = _pool(
        url,
        max_connections=1,
        timeout=0.5,
        socket_timeout=0.5,
        socket_connect_timeout=0.5,
        retry=Retry(NoBackoff(), 0),
    )
    return redis.Redis.from_pool(one)


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


def _pool(url: str, **options: Any) -> BlockingConnectionPool:
    options["driver_info"] = DRIVER
    scheme, is_by_sentinels, rest = url.partition(_BY_SENTINELS)
    if not is_by_sentinels:
        return BlockingConnectionPool.from_url(url, **options)
    parts = urlsplit(f"//{rest}")
    user, _, hosts = parts.netloc.rpartition("@")
    group, _, number = parts.path.removeprefix("/").partition("/")
    asked = [urlsplit(f"//{host}") for host in hosts.split(",")]
    if scheme not in ("redis", "rediss") or not group or not all(host.hostname for host in asked):
        raise ValueError("no URL of Sentinels")
    if scheme == "rediss":
        options["ssl"] = True
    # All else means what it does in the URL of one server.
    options |= parse_url(f"redis://{user}@/{number}?{parts.query}")  # type: ignore[no-untyped-call]
    sentinels = _Sentinels(  # type: ignore[no-untyped-call]
        [(host.hostname, host.port or SENTINEL_PORT) for host in asked],
        sentinel_kwargs=_of_sentinels(options),
    )
    return _SentinelPool(group, sentinels, **options)  # type: ignore[no-untyped-call]


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
