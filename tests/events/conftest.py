"""Both stores for the tests of the contract, and clients of real servers."""

from collections.abc import Iterator

import pytest
import redis

from events import Matches, MemoryStore, Outbox, RedisStore
from events.store.partitions import Partitions, divided
from ops.servers import Server
from runtime.connection import connect
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


@pytest.fixture(params=["memory", "redis", "partitions"])
def kit(request: pytest.FixtureRequest) -> Kit:
    """A store and its outbox, each kind in turn."""
    if request.param == "memory":
        memory = MemoryStore()
        return Kit(memory, memory)
    client = request.getfixturevalue("client")
    if request.param == "redis":
        return Kit(RedisStore(client), Outbox(client))
    divided(client, Partitions(3))
    return Kit(RedisStore(client), Outboxes(client))


@pytest.fixture
def matches(kit: Kit) -> Matches:
    return Matches(kit.store, SEEDS)
