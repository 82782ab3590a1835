"""A place with empty Redis servers for each test."""

from collections.abc import Iterator

import pytest
import redis

from ops.servers import Server
from tests.workers.kit import Place


@pytest.fixture
def place(
    events_server: Server, queue_server: Server, events_redis: redis.Redis, queue_redis: redis.Redis
) -> Iterator[Place]:
    found = Place(events_server, queue_server)
    yield found
    found.close()
