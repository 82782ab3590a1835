"""The relay and a worker for webhooks as processes: a queue that is wiped, a worker that is killed."""

import threading

import msgspec
import pytest
import redis

from events.store import keys
from ops.servers import Server
from runtime import heartbeat
from runtime.queue import WEBHOOKS
from tests.receiver import Receiver
from tests.workers.kit import Place, relaying, running, wait_until
from tests.workers.notifications.kit import Office
from workers.queue.client import count_waiting, open_queue
from workers.turns.partition import RelayIntervals

QUICK = RelayIntervals(block_s=0.02, webhooks_s=0.05)


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes may send to this machine."""
    monkeypatch.setenv("WEBHOOK_HTTP", "yes")
    monkeypatch.setenv("WEBHOOK_NETWORKS", "127.0.0.0/8")


@pytest.mark.long
def test_a_turn_reaches_a_webhook_through_the_relay_and_a_worker(
    place: Place, office: Office, receiver: Receiver, allowed: None
) -> None:
    office.webhook(receiver.url, ["turn"])
    with relaying(place, QUICK), running("workers.main --webhooks", place):
        wait_until(lambda: place.outbox.checkpoint("notifier") != "0-0")
        match_id = place.seats("ada", "random").match_id
        (one,) = receiver.wait_for(1)
        assert msgspec.json.decode(one.body)["data"]["match_id"] == match_id
        assert not heartbeat.alive(place.queue_client, "worker")


@pytest.mark.long
def test_what_was_on_a_queue_that_is_wiped_is_found_again(
    place: Place, office: Office, receiver: Receiver, allowed: None, queue_redis: redis.Redis
) -> None:
    queue = open_queue(place.queue_client, WEBHOOKS)
    office.test_of(office.webhook(receiver.url))
    with relaying(place, QUICK):
        wait_until(lambda: count_waiting(queue))
        queue_redis.flushall()
        wait_until(lambda: count_waiting(queue))
        assert count_waiting(queue) == 1
        with running("workers.main --webhooks", place):
            receiver.wait_for(1)


@pytest.mark.long
def test_what_a_killed_worker_was_sending_is_sent_by_another(
    place: Place, office: Office, receiver: Receiver, allowed: None, events_server: Server
) -> None:
    receiver.hold = threading.Event()
    webhook = office.webhook(receiver.url)
    (id,) = office.test_of(webhook)
    with relaying(place, QUICK):
        with running("workers.main --webhooks", place) as first:
            receiver.wait_for(1)
            first.kill()
        receiver.hold.set()
        assert place.client.zscore(keys.DUE_WEBHOOKS, webhook.webhook_id) > office.now()
        place.client.zadd(keys.DUE_WEBHOOKS, {webhook.webhook_id: office.now()})  # a minute later
        with running("workers.main --webhooks", place):
            receiver.wait_for(2)
            wait_until(lambda: office.only(webhook).delivery.status == "delivered")
    assert receiver.ids() == [id, id]
