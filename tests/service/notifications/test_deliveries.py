"""Deliveries over the API: what was sent, what came of it, and sending it again."""

import json
from typing import Any

from tests.receiver import Receiver
from tests.service.contract import Account
from tests.service.notifications.test_webhooks import WEBHOOKS, created, refused
from tests.service.notified import Messenger
from tests.service.posts import KEY, is_replay, told


def path_of(account: Account, **wishes: Any) -> str:
    return f"{WEBHOOKS}/{created(account, **wishes)['webhook_id']}"


def test_a_turn_is_sent_and_its_delivery_shown(
    ada: Account, messenger: Messenger, receiver: Receiver
) -> None:
    path = path_of(ada, url=receiver.url)
    match = ada.create()
    messenger.notify()
    (pending,) = ada.get(f"{path}/deliveries").json["items"]
    assert (pending["status"], pending["attempts"]) == ("pending", [])
    assert pending["next_attempt_at"] is not None
    messenger.deliver()
    (delivered,) = ada.get(f"{path}/deliveries").json["items"]
    assert (delivered["status"], delivered["next_attempt_at"]) == ("delivered", None)
    assert [(one["status"], one["error"]) for one in delivered["attempts"]] == [(200, None)]
    assert ada.get(f"{path}/deliveries/{delivered['delivery_id']}").json == delivered
    sent = json.loads(receiver.received[0].body)
    assert delivered["notification"] == sent
    assert (sent["type"], sent["data"]["match_id"]) == ("turn", match["match_id"])
    assert ada.client.get(sent["data"]["match_url"], headers=ada.authorization).status_code == 200


def test_a_message_tells_nothing_secret(ada: Account, messenger: Messenger, receiver: Receiver) -> None:
    path_of(ada, url=receiver.url, types=["match_finished"])
    match = ada.create(visibility="private", seats=[{"kind": "me"}, {"kind": "open"}])
    assert ada.post(f"/v1/matches/{match['match_id']}/abort").status_code == 200
    messenger.notify()
    messenger.deliver()
    text = receiver.received[0].body.decode() + str(receiver.received[0].headers)
    assert ada.token not in text
    assert match["invitation_code"] not in text
    assert {*json.loads(receiver.received[0].body)} == {
        *("type", "sequence", "notification_id", "timestamp", "account_id", "data")
    }


def test_a_delivery_is_sent_again_on_request_with_the_same_id(
    ada: Account, messenger: Messenger, receiver: Receiver
) -> None:
    path = path_of(ada, url=receiver.url)
    ada.create()
    messenger.notify()
    messenger.deliver()
    (id,) = receiver.ids()
    retries = f"{path}/deliveries/{id}/retries"
    first, second = ada.post(retries, headers=KEY), ada.post(retries, headers=KEY)
    assert (first.status_code, first.json["status"], is_replay(second)) == (202, "pending", True)
    assert told(first) == told(second)
    assert first.headers["Location"] == f"{path}/deliveries/{id}"
    messenger.deliver()
    assert receiver.ids() == [id, id]
    assert len(ada.get(first.headers["Location"]).json["attempts"]) == 2
    assert ada.post(retries).status_code == 202
    messenger.deliver()
    assert receiver.ids() == [id, id, id]


def test_a_test_is_sent_whatever_the_types_are(
    ada: Account, messenger: Messenger, receiver: Receiver
) -> None:
    path = path_of(ada, url=receiver.url, types=["invited"])
    answer = ada.post(f"{path}/tests", headers=KEY)
    assert told(answer) == told(ada.post(f"{path}/tests", headers=KEY))
    messenger.deliver()
    (one,) = receiver.received
    assert json.loads(one.body)["type"] == "test"
    assert ada.get(answer.headers["Location"]).json["status"] == "delivered"
    assert ada.get("/v1/me/events").json["items"] == []


def test_a_disabled_webhook_is_sent_nothing_on_request(ada: Account, receiver: Receiver) -> None:
    path = path_of(ada, url=receiver.url)
    test = ada.post(f"{path}/tests").json
    ada.patch(path, {"enabled": False})
    assert refused(ada.post(f"{path}/tests")) == (409, "webhook_disabled")
    retries = f"{path}/deliveries/{test['delivery_id']}/retries"
    assert refused(ada.post(retries)) == (409, "webhook_disabled")


def test_a_delivery_that_there_is_not_is_not_found(ada: Account) -> None:
    path = path_of(ada)
    assert refused(ada.get(f"{path}/deliveries/ntf_none")) == (404, "delivery_not_found")
    assert refused(ada.post(f"{path}/deliveries/ntf_none/retries")) == (404, "delivery_not_found")


def test_a_failed_attempt_is_shown_with_its_reason(
    ada: Account, messenger: Messenger, receiver: Receiver
) -> None:
    path = path_of(ada, url=receiver.url)
    receiver.statuses = [503]
    ada.post(f"{path}/tests")
    messenger.deliver()
    (found,) = ada.get(f"{path}/deliveries").json["items"]
    assert (found["status"], found["attempts"][0]["status"]) == ("pending", 503)
    shown = ada.get(path).json
    assert (shown["enabled"], shown["failures"]) == (True, 1)
    assert shown["failing_since"] is not None
