"""Webhooks over the API: what may be created, who may see it, and what a change does."""

from typing import Any

import pytest
import redis
from standardwebhooks import Webhook as Verifier
from werkzeug.test import TestResponse

from events.notifications.deliveries import DELIVERED, FAILED, PENDING
from events.notifications.webhooks import FAILING, GONE, MOST_WEBHOOKS, OWNER
from events.store import keys
from service.notifications.webhook_views import EXAMPLE
from tests.receiver import Receiver
from tests.service.contract import Account
from tests.service.notified import Messenger
from tests.service.posts import KEY, is_replay, told

WEBHOOKS = "/v1/me/webhooks"


def created(account: Account, **wishes: Any) -> dict[str, Any]:
    answer = account.post(WEBHOOKS, {**EXAMPLE, **wishes})
    assert answer.status_code == 201, answer.text
    return dict(answer.json)


def refused(answer: TestResponse) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]


def test_a_webhook_is_created_listed_and_shown_and_its_secret_only_once(ada: Account) -> None:
    answer = ada.post(WEBHOOKS, EXAMPLE)
    webhook = dict(answer.json)
    secret = webhook.pop("secret")
    assert secret.startswith("whsec_")
    path = answer.headers["Location"]
    assert path == f"{WEBHOOKS}/{webhook['webhook_id']}"
    assert ada.get(path).json == webhook
    assert ada.get(WEBHOOKS).json == {"items": [webhook], "next": None}
    assert (webhook["enabled"], webhook["disabled_reason"], webhook["failures"]) == (True, None, 0)


def test_no_secret_is_in_the_store(ada: Account, events_redis: redis.Redis) -> None:
    webhook = created(ada)
    (stored,) = [events_redis.hgetall(key) for key in events_redis.scan_iter(keys.webhook("*"))]
    assert webhook["secret"].removeprefix("whsec_").encode() not in b"".join(stored.values())


def test_without_types_all_are_sent(ada: Account) -> None:
    webhook = ada.post(WEBHOOKS, {"url": EXAMPLE["url"]}).json
    assert webhook["types"] == ["turn", "match_finished", "invited", "ladder_round_finished"]


@pytest.mark.parametrize(
    "url",
    [
        "http://bot.example/",
        "https://127.0.0.1/",
        "https://[::ffff:169.254.169.254]/",
        "https://user@bot.example/",
        "nothing",
        "",
    ],
)
def test_a_url_that_nothing_would_be_sent_to_is_refused(ada: Account, url: str) -> None:
    answer = ada.post(WEBHOOKS, {"url": url})
    assert refused(answer) == (422, "validation_failed")
    assert answer.json["errors"][0]["pointer"] == "/url"
    path = f"{WEBHOOKS}/{created(ada)['webhook_id']}"
    assert refused(ada.patch(path, {"url": url})) == (422, "validation_failed")


@pytest.mark.parametrize(
    "body",
    [{"types": []}, {"types": ["test"]}, {"types": "turn"}, {"description": "x" * 101}, {"enabled": 1}],
)
def test_other_malformed_members_are_refused(ada: Account, body: dict[str, Any]) -> None:
    path = f"{WEBHOOKS}/{created(ada)['webhook_id']}"
    assert refused(ada.patch(path, body)) == (422, "validation_failed")


def test_an_account_has_a_limited_number_of_webhooks(ada: Account, bob: Account) -> None:
    first, *_ = [created(ada) for _ in range(MOST_WEBHOOKS)]
    assert refused(ada.post(WEBHOOKS, EXAMPLE)) == (409, "too_many_webhooks")
    created(bob)
    assert ada.delete(f"{WEBHOOKS}/{first['webhook_id']}").status_code == 204
    created(ada)


def test_nobody_else_can_see_or_change_a_webhook(ada: Account, bob: Account) -> None:
    path = f"{WEBHOOKS}/{created(ada)['webhook_id']}"
    for answer in (
        bob.get(path),
        bob.patch(path, {"enabled": False}),
        bob.delete(path),
        bob.post(f"{path}/secret"),
        bob.post(f"{path}/tests"),
        bob.get(f"{path}/deliveries"),
        ada.get(f"{WEBHOOKS}/whk_none"),
    ):
        assert refused(answer) == (404, "webhook_not_found")


def test_a_token_needs_the_scope_of_the_account(ada: Account) -> None:
    bot = ada.post("/v1/me/tokens", {"name": "bot", "scopes": ["play"]}).json["token"]
    headers = {"Authorization": f"Bearer {bot}"}
    path = f"{WEBHOOKS}/{created(ada)['webhook_id']}"
    for found in (WEBHOOKS, path, f"{path}/deliveries"):
        assert refused(ada.client.get(found, headers=headers)) == (403, "scope_missing")
    assert refused(ada.client.post(WEBHOOKS, json=EXAMPLE, headers=headers)) == (403, "scope_missing")
    assert ada.client.get("/v1/me/events", headers=headers).status_code == 200


def test_a_webhook_can_be_changed_member_by_member(ada: Account) -> None:
    webhook = created(ada)
    path = f"{WEBHOOKS}/{webhook['webhook_id']}"
    changed = ada.patch(path, {"url": "https://other.example/", "types": ["invited", "invited"]})
    assert changed.json["url"] == "https://other.example/"
    assert changed.json["types"] == ["invited"]
    assert changed.json["description"] == webhook["description"]
    assert ada.patch(path, {}).json == changed.json
    off = ada.patch(path, {"enabled": False}).json
    assert (off["enabled"], off["disabled_reason"]) == (False, "owner")
    assert ada.patch(path, {"enabled": True}).json == changed.json


def test_a_repeated_creation_under_a_key_returns_the_same_webhook_and_secret(ada: Account) -> None:
    first, second = ada.post(WEBHOOKS, EXAMPLE, KEY), ada.post(WEBHOOKS, EXAMPLE, KEY)
    assert told(first) == told(second)
    assert (is_replay(first), is_replay(second)) == (False, True)
    assert len(ada.get(WEBHOOKS).json["items"]) == 1
    other = ada.post(WEBHOOKS, {**EXAMPLE, "description": "another"}, KEY)
    assert refused(other) == (422, "idempotency_key_reused")


def test_a_secret_is_rotated_once_per_key(ada: Account, messenger: Messenger, receiver: Receiver) -> None:
    webhook = created(ada, url=receiver.url)
    path = f"{WEBHOOKS}/{webhook['webhook_id']}"
    first, second = ada.post(f"{path}/secret", headers=KEY), ada.post(f"{path}/secret", headers=KEY)
    assert told(first) == told(second)
    assert first.json["secret"] != webhook["secret"]
    assert ada.post(f"{path}/tests").status_code == 202
    messenger.deliver()
    (one,) = receiver.received
    for secret in (webhook["secret"], first.json["secret"]):
        Verifier(secret).verify(one.body, one.headers)


@pytest.mark.parametrize("action", ["secret", "tests", "deliveries/ntf_01ARZ3NDEKTSV4RRFFQ69G5FAV/retries"])
def test_an_action_takes_no_other_body_than_an_empty_one(ada: Account, action: str) -> None:
    webhook = created(ada)
    path = f"{WEBHOOKS}/{webhook['webhook_id']}/{action}"
    assert refused(ada.post(path, {"nonsense": 1})) == (422, "unknown_field")
    assert refused(ada.post(path, data=b"z" * 200_000, content_type="text/plain")) == (413, "body_too_large")
    assert refused(ada.post(path, data=b"z", content_type="text/plain")) == (415, "unsupported_media_type")


def test_webhooks_are_deleted_with_their_account(
    ada: Account, messenger: Messenger, receiver: Receiver, events_redis: redis.Redis
) -> None:
    path = f"{WEBHOOKS}/{created(ada, url=receiver.url)['webhook_id']}"
    ada.post(f"{path}/tests")
    ada.create()
    messenger.notify()
    assert ada.delete("/v1/me?handle=ada").status_code == 204
    messenger.deliver()
    assert not receiver.received
    left = {key.decode() for key in events_redis.scan_iter("mk:{acc}:*")}
    assert not [one for one in left if ada.id in one or "webhook" in one or "deliveries" in one]
    assert not events_redis.exists(keys.SUBSCRIBERS, keys.DUE_WEBHOOKS)


def test_what_is_stored_of_a_webhook_is_what_the_document_names(ada: Account) -> None:
    schemas = ada.get("/openapi.json").json["components"]["schemas"]
    assert schemas["DisabledReason"]["enum"] == [OWNER, FAILING, GONE]
    assert schemas["DeliveryStatus"]["enum"] == [PENDING, DELIVERED, FAILED]
