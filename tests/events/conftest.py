"""Both stores for the tests of the contract, and clients of real servers."""

from collections.abc import Iterator

import pytest
import redis

from events import Matches, MemoryStore, Outbox, RedisStore
from events.store.client import connect_store
from events.store.durability import Requirements
from events.store.keys import Partitions, divided
from ops.servers import Server
from runtime.connection import connect
from tests.events.cluster import Cluster, running_cluster
from tests.events.example_matches import SEEDS, Kit, Outboxes


@pytest.fixture
def client(events_redis: redis.Redis, events_server: Server) -> Iterator[redis.Redis]:
    """The store's own kind of client on the emptied server."""
    with connect(events_server.url) as client:
        yield client


@pytest.fixture
def admin(events_redis: redis.Redis, events_server: Server) -> Iterator[redis.Redis]:
    """A client that may do anything, such as forge a stream."""
    with redis.Redis.from_url(events_server.admin_url) as client:
        yield client


@pytest.fixture
def redis_store(client: redis.Redis) -> RedisStore:
    return RedisStore(client)


@pytest.fixture(scope="session")
def cluster_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory) as cluster:
        yield cluster


@pytest.fixture
def cluster_client(cluster_servers: Cluster) -> Iterator[redis.Redis]:
    """A client of a cluster without data, as the service has it."""
    cluster_servers.empty()
    with connect_store(cluster_servers.url, Requirements(partitions=5, is_replicated=True)) as client:
        yield client


@pytest.fixture(params=["memory", "redis", "partitions", pytest.param("cluster", marks=pytest.mark.long)])
def kit(request: pytest.FixtureRequest) -> Kit:
    """A store and its outbox, each kind in turn."""
    if request.param == "memory":
        memory = MemoryStore()
        return Kit(memory, memory)
    if request.param == "cluster":
        client = request.getfixturevalue("cluster_client")
        return Kit(RedisStore(client), Outboxes(client))
    client = request.getfixturevalue("client")
    if request.param == "redis":
        return Kit(RedisStore(client), Outbox(client))
    divided(client, Partitions(3))
    return Kit(RedisStore(client), Outboxes(client))


@pytest.fixture
def matches(kit: Kit) -> Matches:
    return Matches(kit.store, SEEDS)
