"""A place with empty Redis servers for each test."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import redis

from ops.servers import Server
from tests.workers.kit import Place
from workers import jobs


@pytest.fixture
def place(
    events_server: Server, queue_server: Server, events_redis: redis.Redis, queue_redis: redis.Redis
) -> Iterator[Place]:
    found = Place(events_server, queue_server)
    yield found
    found.close()


@pytest.fixture
def prepared_jobs(place: Place) -> Iterator[None]:
    """Jobs use the servers of the place, and leave no connection behind."""
    jobs.prepare(replace(place.settings, ai_grace_s=3600))
    yield
    for client in (jobs._context.events, jobs._context.queue, jobs._waiting):
        client.close()


@pytest.fixture
def admin(events_server: Server) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(events_server.admin_url) as client:
        yield client
