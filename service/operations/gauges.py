"""The gauges of `/metrics` that are read from both Redis servers at each request."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, Literal, get_args

import redis
import structlog
from prometheus_client import generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from domain.match.state import ABORTED, FINISHED, OPEN, RUNNING
from events.notifications.deliveries import Deliveries
from events.store import keys
from events.store.errors import StoreUnavailable
from events.store.keys import Partitions, divided, now_ms, partitions_of
from events.store.outbox import RELAY, Outbox
from events.store.redis_store import RedisStore
from runtime import heartbeat
from runtime.connection import connect_briefly, memory_limit, memory_used, servers_of
from runtime.queue import backlog, jobs_waiting
from runtime.settings import Settings

_STATUSES: Final = (OPEN, RUNNING, FINISHED, ABORTED)

_Read = Callable[[redis.Redis], list[Metric]]


class Readings(Collector):
    """The gauges as of the moment when they are collected."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def collect(self) -> Iterator[Metric]:
        partitions = Partitions(self._settings.partitions)
        yield from _asked("store", self._settings.events_redis_url, _of_store, partitions)
        yield from _asked("queue", self._settings.queue_redis_url, _of_queue, partitions)


def exposition(settings: Settings) -> bytes:
    """The gauges in the text format of Prometheus."""
    return generate_latest(Readings(settings))


def _asked(name: Literal["store", "queue"], url: str, read: _Read, partitions: Partitions) -> list[Metric]:
    """The gauge whether the server responds, and the gauges that are read from it."""
    up = partial(_gauge, f"machi_{name}_up", f"Whether the {name}'s Redis responded within half a second")
    try:
        with connect_briefly(url) as client:
            return [up(1), *read(divided(client, partitions))]
    except (redis.RedisError, StoreUnavailable) as error:
        structlog.get_logger().warning(f"{name}_not_read", error=str(error))
        return [up(0)]


def _of_store(client: redis.Redis) -> list[Metric]:
    outboxes, now = [Outbox(client, tag=tag) for tag in partitions_of(client).tags], now_ms()
    overdue = _gauge(
        "machi_webhooks_overdue_seconds",
        "How long the longest-waiting webhook has been due",
        Deliveries(client).overdue_ms(now) / 1000,
    )
    return [*_of_memory(client), *_of_matches(client), *_of_outboxes(outboxes, now), overdue]


def _of_memory(client: redis.Redis) -> list[Metric]:
    infos = [dict(server.info("memory")) for server in servers_of(client)]
    return [
        _gauge(
            "machi_store_memory_used_bytes",
            "Memory used by the event store",
            sum([memory_used(info) for info in infos]),
        ),
        _gauge(
            "machi_store_memory_limit_bytes",
            "maxmemory of the event store, or the memory of its machine if that is not set",
            sum([memory_limit(info) for info in infos]),
        ),
    ]


def _of_matches(client: redis.Redis) -> list[Metric]:
    matches = GaugeMetricFamily("machi_matches", "Matches by status", labels=["status"])
    store, each = RedisStore(client), partitions_of(client).each
    found = store.count_members([keys.index(f"status:{status}") for status in _STATUSES])
    counts = dict(zip(_STATUSES, found, strict=True))
    for status, count in counts.items():
        matches.add_metric([status], count)
    unsigned = max(0, counts[FINISHED] + counts[ABORTED] - client.xlen(keys.CHECKPOINT_LOG))
    archived = sum([client.hlen(key) for key in each(keys.ARCHIVED)])
    return [
        matches,
        _gauge("machi_matches_without_checkpoint", "Ended matches that have no checkpoint yet", unsigned),
        _gauge("machi_matches_archived", "Matches whose events are in archive files", archived),
        _gauge(
            "machi_matches_damaged",
            "Matches and ladders whose record was found damaged and has not been found intact since",
            sum([client.hlen(key) for key in each(keys.DAMAGED)]),
        ),
    ]


def _of_outboxes(outboxes: Sequence[Outbox], now: int) -> list[Metric]:
    counts = [outbox.count_due(now) for outbox in outboxes]
    due, overdue = [sum(numbers) for numbers in zip(*counts, strict=True)]
    longest_due = [due_ms for outbox in outboxes for _, due_ms in outbox.due_before(now, 1)]
    overdue_ms = now - min(longest_due, default=now)
    return [
        _gauge("machi_matches_due", "Matches that have a due time", due),
        _gauge("machi_matches_overdue", "Matches whose due time has passed", overdue),
        _gauge(
            "machi_matches_overdue_seconds",
            "How long the longest-overdue match has been overdue",
            overdue_ms / 1000,
        ),
        _gauge(
            "machi_relay_lag_seconds",
            "Age of the oldest pointer on the append log that the relay has not processed",
            max([outbox.lag_ms(RELAY, now) for outbox in outboxes]) / 1000,
        ),
    ]


def _of_queue(client: redis.Redis) -> list[Metric]:
    up = GaugeMetricFamily(
        "machi_process_up", "Whether a process of this kind has sent a heartbeat recently", labels=["process"]
    )
    turns = backlog(client, partitions_of(client).tags)
    for name in get_args(heartbeat.Name):
        up.add_metric([name], float(heartbeat.alive(client, name)))
    return [
        _gauge(
            "machi_queue_jobs",
            "Jobs that wait for a worker, without those of reviews and ladders",
            jobs_waiting(client),
        ),
        _gauge("machi_turns_waiting", "Turns that relays hold until workers are free", turns),
        up,
    ]


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value)
