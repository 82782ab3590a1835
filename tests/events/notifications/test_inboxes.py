"""Inboxes and webhooks in a store of several partitions, on one server and on a cluster."""

import pytest
import redis

from contract.notifications import TURN, TYPES, of_match
from events.matches.seeds import Seeds
from events.notifications.deliveries import Deliveries, Settled
from events.notifications.inbox import Inbox, Notice
from events.notifications.webhooks import Known, Once, Webhook, Webhooks, new_secret
from events.store import keys
from events.store.outbox import LOG_START, NOTIFIED, Outbox, inbox_topic

ADA = "acc_ada"
NOW = 1_000


@pytest.fixture(params=["redis", pytest.param("cluster", marks=pytest.mark.long)])
def client(request: pytest.FixtureRequest) -> redis.Redis:
    name = "cluster_client" if request.param == "cluster" else "events_redis"
    found: redis.Redis = request.getfixturevalue(name)
    found.set(keys.account(ADA), b"{}")
    return found


def turn(log_id: str, account_id: str = ADA) -> Notice:
    id = keys.new_id("ntf")
    return Notice(account_id, log_id, TURN, id, of_match(TURN, id, NOW, account_id, "mat_1", 5))


def new_webhook() -> Webhook:
    return Webhook(
        webhook_id=keys.new_id("whk"),
        account_id=ADA,
        url="https://bot.example/",
        types=TYPES,
        description="",
        created_ms=NOW,
        secret=new_secret(Seeds("k1:" + "5e" * 32)),
    )


def test_each_partition_has_its_own_place_in_an_inbox(client: redis.Redis) -> None:
    inbox = Inbox(client)
    inbox.subscribe(ADA)
    first, second = keys.tag(0), keys.tag(1)
    inbox.notify(first, [turn("5-0"), turn("5-1")])
    inbox.notify(second, [turn("5-0")])
    inbox.notify(first, [turn("5-1"), turn("4-9"), turn("5-2")])
    assert inbox.last(ADA) == 4
    assert [one.sequence for one in inbox.after(ADA, 1, 2)] == [2, 3]
    assert b'"sequence":4' in inbox.after(ADA, 3, 1)[0].document


def test_readers_are_woken_by_a_pointer_with_the_sequence(client: redis.Redis) -> None:
    inbox = Inbox(client)
    inbox.subscribe(ADA)
    inbox.notify(keys.HOME, [turn("5-0"), turn("5-1")])
    inbox.notify(keys.HOME, [turn("5-1")])
    (pointer,) = Outbox(client).read_log(LOG_START)
    assert (pointer.match_id, pointer.version, pointer.next) == (inbox_topic(ADA), 2, NOTIFIED)


def test_a_webhook_lives_from_its_creation_to_its_deletion(client: redis.Redis) -> None:
    inbox, webhooks, deliveries = Inbox(client), Webhooks(client), Deliveries(client)
    webhook = new_webhook()
    once = Once(keys.answered("webhooks", "0"), b"made", 60_000)
    assert webhooks.create(webhook, once) is True
    assert webhooks.create(new_webhook(), once) == Known(b"made")
    assert webhooks.of_account(ADA) == [webhook]
    inbox.notify(keys.HOME, [turn("5-0")])
    until_ms = keys.now_ms() + 60_000
    assert deliveries.has_due(until_ms)
    assert deliveries.take(until_ms, until_ms + 1, 5, 5) == [(webhook.webhook_id, False)]
    found = deliveries.due(webhook.webhook_id, until_ms)
    assert found is not None
    settled = Settled(failures=1, failing_since_ms=NOW, not_before_ms=0, is_slow=True)
    deliveries.settle(webhook.webhook_id, found.notification_id, found.delivery, until_ms + 5, settled)
    deliveries.give_back(webhook.webhook_id)
    assert deliveries.take(until_ms + 4, until_ms + 9, 5, 5) == []
    assert deliveries.take(until_ms + 5, until_ms + 9, 5, 0) == [], "slow ones are not wanted"
    assert deliveries.take(until_ms + 5, until_ms + 9, 5, 5) == [(webhook.webhook_id, True)]
    webhooks.delete(ADA, webhook.webhook_id)
    assert webhooks.of_account(ADA) == []
    assert deliveries.page(webhook.webhook_id) == []
    assert not deliveries.has_due(until_ms + 100)
    assert inbox.subscribed([ADA]) == {ADA}, "for some days"


def test_only_subscribers_are_notified(client: redis.Redis) -> None:
    inbox = Inbox(client)
    assert not inbox.has_subscribers()
    inbox.subscribe("acc_other")
    inbox.notify(keys.HOME, [turn("5-0")])
    assert (inbox.subscribed([ADA, "acc_other"]), inbox.last(ADA)) == ({"acc_other"}, 0)
