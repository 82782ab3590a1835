"""Deliveries to webhooks: signed, attempted again, given up, and never in the way of others."""

import json
import threading

import pytest
from msgspec.structs import replace
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from events import StoreUnavailable
from events.notifications import webhooks as stored
from events.notifications.deliveries import DELIVERED, FAILED, PENDING, Deliveries, Settled
from events.notifications.inbox import KEPT_DELIVERIES
from events.notifications.webhooks import FAILING, GONE, OWNER, Webhook, written, written_secret
from events.store import keys
from tests.receiver import LOCAL, Receiver, receiving
from tests.workers.notifications.kit import Office
from workers.notifications import delivering
from workers.notifications.sending import Sender, SendLimits

DAY_MS = 86_400_000
SETTLED = Settled(failures=0, failing_since_ms=0, not_before_ms=0, is_slow=False)


def secret(office: Office, webhook: Webhook) -> str:
    return written_secret(office.seeds, webhook.webhook_id, webhook.secret)


def test_what_arrives_is_verified_by_the_library_of_the_specification(
    office: Office, receiver: Receiver
) -> None:
    webhook = office.webhook(receiver.url)
    (id,) = office.test_of(webhook)
    office.deliver()
    (one,) = receiver.received
    told = Verifier(secret(office, webhook)).verify(one.body, one.headers)
    assert (told["type"], told["notification_id"], one.headers["webhook-id"]) == ("test", id, id)
    assert json.loads(one.body)["data"]["webhook_id"] == webhook.webhook_id
    delivery = office.only(webhook).delivery
    assert (delivery.status, [one.status for one in delivery.attempts]) == (DELIVERED, [200])


def test_a_changed_body_or_another_secret_does_not_verify(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    office.test_of(webhook)
    office.deliver()
    (one,) = receiver.received
    with pytest.raises(WebhookVerificationError):
        Verifier(secret(office, webhook)).verify(one.body + b" ", one.headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(secret(office, office.webhook(receiver.url))).verify(one.body, one.headers)


def test_after_a_rotation_both_secrets_sign_for_a_day(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    old, new = replace(webhook.secret, ends_ms=office.now() + DAY_MS), stored.new_secret(office.seeds)
    changes = {"secret": written(new), "old_secret": written(old)}
    assert office.webhooks.change(webhook.webhook_id, changes) is True
    office.test_of(webhook)
    office.deliver()
    for one in (webhook, office.again(webhook)):
        Verifier(secret(office, one)).verify(receiver.received[0].body, receiver.received[0].headers)
    assert len(receiver.received[0].headers["webhook-signature"].split()) == 2
    office.later_ms = DAY_MS + 1000
    office.test_of(webhook)
    office.deliver()
    assert len(receiver.received[1].headers["webhook-signature"].split()) == 1


def test_a_failed_delivery_is_attempted_again_with_growing_delays_and_the_same_id(
    office: Office, receiver: Receiver
) -> None:
    webhook = office.webhook(receiver.url)
    (id,) = office.test_of(webhook)
    receiver.statuses = [500] * delivering.MOST_TRIES
    delays: list[int] = []
    office.deliver()
    while (found := office.only(webhook)).due_ms is not None:
        assert found.delivery.status == PENDING
        delays.append(found.due_ms - office.now())
        assert delays[-1] > 0
        office.deliver()  # nothing is due yet
        office.later_ms += delays[-1]
        office.deliver()
    assert receiver.ids() == [id] * delivering.MOST_TRIES
    assert (found.delivery.status, found.delivery.tries) == (FAILED, delivering.MOST_TRIES)
    for number, delay in enumerate(delays):
        exact = delivering.FIRST_DELAY_MS * delivering.FACTOR**number
        assert 0.8 * exact - 1000 <= delay <= 1.2 * exact
    assert 20 * 3_600_000 < sum(delays) < 34 * 3_600_000


def test_a_server_that_recovers_gets_what_it_missed(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    (id,) = office.test_of(webhook)
    receiver.statuses = [503]
    office.deliver()
    assert (office.again(webhook).failures, office.only(webhook).delivery.status) == (1, PENDING)
    office.later_ms = 10_000
    office.deliver()
    assert receiver.ids() == [id, id]
    assert (office.again(webhook).failures, office.again(webhook).failing_since_ms) == (0, 0)
    assert office.only(webhook).delivery.status == DELIVERED


def test_while_attempts_fail_only_one_message_at_a_time_asks_whether_the_server_is_back(
    office: Office, receiver: Receiver
) -> None:
    webhook = office.webhook(receiver.url)
    office.test_of(webhook, 5)
    receiver.statuses = [500]
    office.deliver()
    assert len(receiver.received) == 1
    office.deliver()
    assert len(receiver.received) == 1
    office.later_ms = 10_000
    office.deliver()
    assert len(receiver.received) == 6


def test_a_webhook_that_fails_for_three_days_is_disabled(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    office.test_of(webhook)
    receiver.statuses = [500, 500, 500]
    office.deliver()
    office.later_ms = delivering.FAILING_MS - 60_000
    office.deliver()
    assert office.again(webhook).enabled
    office.later_ms = delivering.FAILING_MS + 600_000
    office.deliver()
    found = office.again(webhook)
    assert (found.enabled, found.disabled_for) == (False, FAILING)
    office.later_ms += 30 * DAY_MS
    office.deliver()
    assert len(receiver.received) == 3
    assert office.only(webhook).delivery.status == PENDING


def test_a_server_that_answers_410_is_sent_nothing_more(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    office.test_of(webhook, 2)
    receiver.statuses = [410]
    office.deliver()
    assert office.again(webhook).disabled_for == GONE
    office.later_ms = DAY_MS
    office.deliver()
    assert len(receiver.received) == 1


def test_what_waits_is_sent_when_a_webhook_is_enabled_again(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    office.test_of(webhook)
    office.webhooks.change(webhook.webhook_id, {"enabled": 0, "disabled_for": OWNER})
    office.deliver()
    assert not receiver.received
    office.webhooks.change(webhook.webhook_id, {"enabled": 1, "disabled_for": ""}, is_to_resume=True)
    office.deliver()
    assert len(receiver.received) == 1


def test_a_worker_that_was_killed_while_it_sent_is_replaced_when_its_time_is_over(
    office: Office, receiver: Receiver
) -> None:
    webhook = office.webhook(receiver.url)
    (id,) = office.test_of(webhook)
    now = office.now()
    assert office.deliveries.take(now, now + 60_000, 1, 1) == [(webhook.webhook_id, False)]
    office.deliver()
    assert not receiver.received, "two workers at the same time"
    office.later_ms = 60_000
    office.deliver()
    assert receiver.ids() == [id]


def test_what_was_sent_and_not_recorded_is_sent_again_with_the_same_id(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = office.webhook(receiver.url)
    (id,) = office.test_of(webhook)

    def fail(*args: object) -> None:
        raise StoreUnavailable("away")

    with monkeypatch.context() as patched:
        patched.setattr(Deliveries, "settle", fail)
        with pytest.raises(StoreUnavailable):
            office.deliver()
    office.later_ms = 60_000
    office.deliver()
    assert receiver.ids() == [id, id]


def test_a_message_that_comes_while_a_webhook_is_served_waits_for_the_end_of_that(
    office: Office, receiver: Receiver
) -> None:
    webhook = office.webhook(receiver.url)
    office.test_of(webhook)
    now = office.now()
    office.deliveries.take(now, now + 60_000, 1, 1)
    office.test_of(webhook)
    assert office.deliveries.take(now, now + 60_000, 1, 1) == []
    office.deliveries.give_back(webhook.webhook_id)
    office.deliver()
    assert len(receiver.received) == 2


def test_slow_servers_do_not_hold_up_others(office: Office, receiver: Receiver) -> None:
    sender = Sender(LOCAL, SendLimits(whole_s=30.0))
    with receiving() as slow:
        slow.hold = threading.Event()
        for number in range(3):
            office.place.client.set(keys.account(f"acc_{number}"), b"{}")
            one = office.webhook(slow.url, account_id=f"acc_{number}")
            office.test_of(one)
            office.place.client.hset(keys.webhook(one.webhook_id), "slow", 1)
        job = threading.Thread(target=lambda: office.deliver(sender, slow=2))
        job.start()
        slow.wait_for(2)
        for _ in range(3):
            office.test_of(office.webhook(receiver.url, account_id="acc_0"))
        receiver.wait_for(3)
        assert len(slow.received) == 2, "more slow ones at a time than a job may serve"
        slow.hold.set()
        job.join()
        assert len(slow.received) == 3


def test_ten_messages_in_a_row_are_followed_by_a_pause(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    ids = office.test_of(webhook, 12)
    office.deliver()
    assert receiver.ids() == ids[:10]
    office.later_ms = delivering.PACE_MS
    office.deliver()
    assert receiver.ids() == ids


def test_of_each_webhook_the_last_hundred_deliveries_are_kept(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    ids = office.test_of(webhook, KEPT_DELIVERIES + 3)
    assert [one.notification_id for one in office.deliveries.page(webhook.webhook_id)] == ids[:2:-1]


def test_a_deleted_webhook_is_sent_nothing_and_leaves_nothing(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    office.test_of(webhook)
    now = office.now()
    office.deliveries.take(now, now + 60_000, 1, 1)
    listed = office.only(webhook)
    office.webhooks.delete(webhook.account_id, webhook.webhook_id)
    office.deliveries.settle(webhook.webhook_id, listed.notification_id, listed.delivery, None, SETTLED)
    office.deliveries.give_back(webhook.webhook_id)
    office.later_ms = DAY_MS
    office.deliver()
    assert not receiver.received
    left = {key.decode() for key in office.place.client.scan_iter("mk:{acc}:*")}
    assert not [key for key in left if "webhook" in key or "deliveries" in key or "pending" in key]


def test_without_its_master_key_nothing_is_sent_unsigned(office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    lost = written(replace(webhook.secret, master_key_id="lost"))
    office.webhooks.change(webhook.webhook_id, {"secret": lost})
    office.test_of(webhook)
    office.deliver()
    assert not receiver.received
    assert [one.error for one in office.only(webhook).delivery.attempts] == ["secret_lost"]
