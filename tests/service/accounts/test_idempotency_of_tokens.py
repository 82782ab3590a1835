"""Tokens under an Idempotency-Key: shown again to who sent the key, to nobody else, stored nowhere."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from events.matches.seeds import Seeds
from events.store import keys
from service.accounts.tokens import SecretOrigin, derived_secret
from service.edge.idempotency import DAY_MS
from tests.service.contract import Account
from tests.service.posts import KEY, RECORDS, is_replay, keys_like, told
from tests.service.served import wait_until

WISH = {"name": "bot", "scopes": ["play"]}


def bearer(answer: Any) -> dict[str, str]:
    return {"Authorization": f"Bearer {answer.json['token']}"}


def values_in(client: Any, key: bytes) -> Iterable[bytes]:
    """All that is stored under a key, as it was written and not as it is packed."""
    kind = client.type(key)
    if kind == b"string":
        return [client.get(key)]
    if kind == b"hash":
        return [part for pair in client.hgetall(key).items() for part in pair]
    if kind == b"zset":
        return list(client.zrange(key, 0, -1))
    assert kind == b"stream", kind
    return [part for _, entry in client.xrange(key) for pair in entry.items() for part in pair]


def everything_in(client: Any) -> Iterator[bytes]:
    for key in client.scan_iter("*"):
        yield key
        yield from values_in(client, key)


def test_neither_secrets_nor_keys_are_stored(ada: Account, events_redis: redis.Redis) -> None:
    key = "a-key-that-nobody-guesses"
    ada.create()
    named = {"Idempotency-Key": key}
    tokens = [
        ada.post("/v1/accounts", {"handle": "grace"}, named).json["token"],
        ada.post("/v1/me/tokens", WISH, named).json["token"],
        ada.post("/v1/me/tokens", WISH).json["token"],
        ada.token,
    ]
    ada.post("/v1/matches", {"ruleset": "base", "seats": [{"kind": "me"}] * 2}, named)
    assert len(keys_like(events_redis, RECORDS)) == 3
    stored = list(everything_in(events_redis))
    assert any(ada.id.encode() in one for one in stored)
    for secret in (*tokens, *[token.removeprefix("mk_") for token in tokens], key):
        assert not [one for one in stored if secret.encode() in one]


def test_a_derived_secret_needs_the_salt_the_master_key_and_the_idempotency_key() -> None:
    seeds, other = [Seeds(f"k1:{digit * 64}") for digit in "12"]
    secret = derived_secret(seeds, SecretOrigin("k1", "00" * 16), "key")
    assert secret == derived_secret(seeds, SecretOrigin("k1", "00" * 16), "key")
    assert len(secret) == len("mk_") + 43
    others = {
        derived_secret(other, SecretOrigin("k1", "00" * 16), "key"),
        derived_secret(seeds, SecretOrigin("k1", "01" + "00" * 15), "key"),
        derived_secret(seeds, SecretOrigin("k1", "00" * 16), "kez"),
        derived_secret(seeds, SecretOrigin("k1", "00" * 16), ""),
    }
    assert len(others | {secret}) == 5


def test_two_accounts_under_one_key_get_secrets_of_their_own(client: FlaskClient) -> None:
    tokens = {
        client.post(
            "/v1/accounts", json={"handle": "grace"}, headers=KEY, environ_base={"REMOTE_ADDR": address}
        )
        .get_json()
        .get("token")
        for address in ("192.0.2.1", "192.0.2.2")
    }
    assert len(tokens) == 2


def test_a_token_that_is_shown_again_works(ada: Account) -> None:
    for path, body in (("/v1/accounts", {"handle": "grace"}), ("/v1/me/tokens", WISH)):
        ada.post(path, body, KEY)
        again = ada.post(path, body, KEY)
        assert is_replay(again)
        assert ada.client.get("/v1/me", headers=bearer(again)).status_code == 200


def test_answers_are_kept_for_30_days_and_to_an_address_for_24_hours(
    ada: Account, events_redis: redis.Redis
) -> None:
    ada.post("/v1/accounts", {"handle": "grace"}, KEY)
    ada.post("/v1/me/tokens", WISH, KEY)
    ada.post("/v1/matches", {"ruleset": "base", "seats": [{"kind": "me"}] * 2}, KEY)
    for kind, days in (("accounts", 1), ("tokens", 30), ("matches", 30)):
        (key,) = keys_like(events_redis, keys.answered(kind, "*"))
        assert (days - 0.01) * DAY_MS < events_redis.pttl(key) <= days * DAY_MS


def test_when_the_answer_is_forgotten_the_handle_is_taken(ada: Account, events_redis: redis.Redis) -> None:
    ada.post("/v1/accounts", {"handle": "grace"}, KEY)
    events_redis.delete(*keys_like(events_redis, RECORDS))
    assert ada.post("/v1/accounts", {"handle": "grace"}, KEY).json["code"] == "handle_taken"


def test_a_token_is_told_as_before_when_it_was_deleted_and_stays_so(ada: Account) -> None:
    first = ada.post("/v1/me/tokens", WISH, KEY)
    ada.delete(f"/v1/me/tokens/{first.json['token_id']}")
    assert told(ada.post("/v1/me/tokens", WISH, KEY)) == told(first)
    assert ada.client.get("/v1/me", headers=bearer(first)).json["code"] == "token_invalid"


def test_a_token_is_told_as_before_when_its_end_has_come(ada: Account) -> None:
    end = (datetime.now(UTC) + timedelta(seconds=5)).isoformat()
    first = ada.post("/v1/me/tokens", {**WISH, "expires_at": end}, KEY)
    assert first.status_code == 201
    wait_until(lambda: ada.client.get("/v1/me", headers=bearer(first)).status_code == 401)
    assert told(ada.post("/v1/me/tokens", {**WISH, "expires_at": end}, KEY)) == told(first)


def test_a_repetition_shows_no_token_that_is_mightier_than_the_one_in_use(ada: Account) -> None:
    mighty = {"name": "bot", "scopes": ["play", "account:write"]}
    assert ada.post("/v1/me/tokens", mighty, KEY).status_code == 201
    clerk = ada.post("/v1/me/tokens", {"name": "clerk", "scopes": ["account:write"]})
    refused = ada.client.post("/v1/me/tokens", json=mighty, headers={**bearer(clerk), **KEY})
    assert (refused.status_code, refused.json["code"]) == (403, "scope_missing")
    assert "token" not in refused.json


def test_another_token_of_the_account_gets_the_stored_answer_too(ada: Account) -> None:
    first = ada.post("/v1/me/tokens", WISH, KEY)
    other = ada.post("/v1/me/tokens", {"name": "twin", "scopes": ["play", "account:write"]})
    again = ada.client.post("/v1/me/tokens", json=WISH, headers={**bearer(other), **KEY})
    assert told(again) == told(first)


@pytest.mark.parametrize(("path", "body"), [("/v1/accounts", {"handle": "grace"}), ("/v1/me/tokens", WISH)])
def test_without_its_master_key_nothing_is_told_and_nothing_made_twice(
    ada: Account,
    restarted: Callable[..., FlaskClient],
    events_redis: redis.Redis,
    path: str,
    body: Any,
) -> None:
    first = ada.post(path, body, KEY)
    before = sorted(keys_like(events_redis, "*"))
    client = restarted(master_keys=f"k2:{'7a' * 32}")
    refused = client.post(path, json=body, headers={**ada.authorization, **KEY})
    assert (refused.status_code, refused.json["code"]) == (500, "internal_error")
    assert sorted(keys_like(events_redis, "*")) == before
    assert told(ada.post(path, body, KEY)) == told(first)
