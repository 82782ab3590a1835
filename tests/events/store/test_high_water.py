"""How full the service is, as a process is told once a second."""

from collections.abc import Iterator

import pytest
import redis

from events import RedisStore
from events.store import keys
from events.store.high_water import READ_EVERY_S, HighWater
from ops.servers import Server
from runtime.connection import connect, connect_briefly
from runtime.queue import publish_backlog
from tests.events.example_matches import append

NOWHERE = "redis://127.0.0.1:1"


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def queue(queue_server: Server, queue_redis: redis.Redis) -> Iterator[redis.Redis]:
    with connect(queue_server.url) as found:
        yield found


def test_memory_is_high_from_the_mark_on(client: redis.Redis, queue: redis.Redis) -> None:
    assert HighWater(1e-9, 5, client, queue).is_memory_high()
    assert not HighWater(1.0, 5, client, queue).is_memory_high()


def test_memory_is_measured_by_what_the_server_may_use(
    client: redis.Redis, queue: redis.Redis, events_server: Server
) -> None:
    with redis.Redis.from_url(events_server.admin_url) as admin:
        admin.config_set("maxmemory", int(admin.info("memory")["used_memory"]) * 4)
        try:
            assert HighWater(0.1, 5, client, queue).is_memory_high()
            assert not HighWater(0.9, 5, client, queue).is_memory_high()
        finally:
            admin.config_set("maxmemory", 0)


def test_turns_that_the_relay_keeps_back_and_those_overdue_count_together(
    client: redis.Redis, queue: redis.Redis, redis_store: RedisStore
) -> None:
    redis_store.append(append(0, next="ai", due_ms=1))
    client.zadd(keys.DUE, {"mat_later": 9e15})
    publish_backlog(queue, 4, "{00}")
    assert HighWater(1.0, 5, client, queue).is_backlog_high()
    assert not HighWater(1.0, 6, client, queue).is_backlog_high()


def test_the_servers_are_asked_once_a_second(client: redis.Redis, queue: redis.Redis) -> None:
    clock = Clock()
    mark = HighWater(1.0, 5, client, queue, clock)
    assert not mark.is_backlog_high()
    publish_backlog(queue, 5, "{00}")
    assert not mark.is_backlog_high()
    clock.now_s = READ_EVERY_S
    assert mark.is_backlog_high()


def test_of_servers_that_do_not_answer_nothing_is_known(client: redis.Redis, queue: redis.Redis) -> None:
    away = connect_briefly(NOWHERE)
    publish_backlog(queue, 5, "{00}")
    assert not HighWater(1e-9, 5, away, away).is_memory_high()
    assert not HighWater(1e-9, 5, client, away).is_backlog_high()
    assert HighWater(1e-9, 5, client, away).is_memory_high(), "the other server answers"
