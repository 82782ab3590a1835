"""Accounts, and tokens that are shown once, scoped and ending."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from events.store import keys
from events.store.keys import now_ms
from service.accounts.tokens import MOST_TOKENS, Issued, Tokens, digest_of
from service.context import EXTENSION
from service.edge.idempotency import DAY_MS
from tests.service.contract import Account


def test_an_account_gets_a_token_that_works_at_once(ada: Account) -> None:
    me = ada.get("/v1/me").json
    assert (me["account_id"], me["handle"]) == (ada.id, "ada")
    assert set(me["token"]["scopes"]) == {"play", "match:create", "ladder:operate", "account:write"}


def test_a_handle_is_taken_in_every_spelling(ada: Account) -> None:
    answer = ada.client.post("/v1/accounts", json={"handle": "ADA"})
    assert (answer.status_code, answer.json["code"]) == (409, "handle_taken")
    assert answer.json["errors"][0]["pointer"] == "/handle"


@pytest.mark.parametrize("handle", ["ab", "a" * 33, "a b c", "žofie", "", 5, None, ["ada"], "ada\n"])
def test_a_handle_has_a_plain_form(client: FlaskClient, handle: Any) -> None:
    answer = client.post("/v1/accounts", json={"handle": handle})
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/handle")


@pytest.mark.parametrize(
    "handle",
    [
        *["acc_1", "ACC_x", "acc_00000000000000000000000000", "greedy", "Random", "LANDMARK_FIRST"],
        *["admin", "service", "system", "root", "moderator", "support", "machi-koro", "Nobody", "null"],
        *["ADMIN", "adm1n", "a-d-m-i-n", "r00t", "sy5tem", "5erv1ce", "_root_", "gr33dy"],
        *["rand0m", "rnoderator", "officiaI", "1earned", "systern"],
    ],
)
def test_a_handle_means_nobody_else(client: FlaskClient, handle: str) -> None:
    answer = client.post("/v1/accounts", json={"handle": handle})
    assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
    assert answer.json["errors"][0]["pointer"] == "/handle"


@pytest.mark.parametrize(
    "handle", ["ada", "adminton", "my-bot", "machinist", "systems-eve", "rootless", "bob1"]
)
def test_a_handle_that_only_begins_like_a_reserved_one_is_free(client: FlaskClient, handle: str) -> None:
    assert client.post("/v1/accounts", json={"handle": handle}).status_code == 201


def test_an_account_keeps_a_handle_that_was_reserved_later(ada: Account, events_redis: redis.Redis) -> None:
    stored = events_redis.get(keys.account(ada.id))
    assert isinstance(stored, bytes)
    events_redis.set(keys.account(ada.id), stored.replace(b'"ada"', b'"admin"'))
    events_redis.hset(keys.HANDLES, "admin", ada.id)
    assert ada.get("/v1/me").json["handle"] == "admin"
    seats = [{"kind": "me"}, {"kind": "account", "handle": "admin"}]
    assert ada.create(seats=seats)["status"] == "running"


@pytest.mark.parametrize(("length", "status"), [(1, 400), (21, 400), (22, 201), (255, 201)])
def test_the_key_of_a_new_account_is_too_long_to_be_guessed(
    client: FlaskClient, length: int, status: int
) -> None:
    answer = client.post("/v1/accounts", json={"handle": "grace"}, headers={"Idempotency-Key": "k" * length})
    assert answer.status_code == status
    if status == 400:
        assert answer.json["code"] == "invalid_parameter"
        assert answer.json["errors"][0]["pointer"] == "/Idempotency-Key"
        assert client.post("/v1/accounts", json={"handle": "grace"}).status_code == 201


def test_no_secret_is_stored(ada: Account, events_redis: redis.Redis) -> None:
    keys = list(events_redis.scan_iter("*"))
    assert keys
    secret = ada.token.encode()
    for key in keys:
        assert secret not in key
        stored = events_redis.dump(key)
        assert secret not in stored


def test_a_token_can_do_what_its_scopes_say(ada: Account) -> None:
    made = ada.post("/v1/me/tokens", {"name": "bot", "scopes": ["play"]})
    assert made.status_code == 201
    bot = {"Authorization": f"Bearer {made.json['token']}"}
    body = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]}
    refused = ada.client.post("/v1/matches", json=body, headers=bot)
    assert (refused.status_code, refused.json["code"]) == (403, "scope_missing")
    match_id = ada.create()["match_id"]
    played = ada.client.post(
        f"/v1/matches/{match_id}/commands", json={"type": "roll_dice", "dice": 1}, headers=bot
    )
    assert played.status_code == 201


def test_a_token_cannot_make_a_mightier_one(ada: Account) -> None:
    refused = ada.post("/v1/me/tokens", {"name": "root", "scopes": ["admin"]})
    assert (refused.status_code, refused.json["code"]) == (403, "scope_missing")


def test_a_deleted_token_stops_at_once(ada: Account) -> None:
    made = ada.post("/v1/me/tokens", {"name": "bot", "scopes": ["play"]}).json
    bot = {"Authorization": f"Bearer {made['token']}"}
    assert ada.client.get("/v1/me", headers=bot).status_code == 200
    assert ada.delete(f"/v1/me/tokens/{made['token_id']}").status_code == 204
    refused = ada.client.get("/v1/me", headers=bot)
    assert (refused.status_code, refused.json["code"]) == (401, "token_invalid")
    assert ada.delete(f"/v1/me/tokens/{made['token_id']}").json["code"] == "token_not_found"


def test_the_list_shows_tokens_without_their_secrets(ada: Account) -> None:
    ada.post("/v1/me/tokens", {"name": "bot", "scopes": ["play"]})
    listed = ada.get("/v1/me/tokens").json
    assert [token["name"] for token in listed["items"]] == ["first", "bot"]
    assert all("token" not in token for token in listed["items"])


@pytest.mark.parametrize(
    "end",
    [
        "2020-01-01T00:00:00Z",
        "2099-01-01T00:00:00Z",
        "tomorrow",
        "2027-01-01",
        "2027-01-01T00:00:00",
        "20270101T000000Z",
        "2027-01-01T00Z",
        "2027-W01-1T00:00:00Z",
        "2027-01-01T00:00:00,5Z",
        "2027-01-01T00:00:00+01",
        "2027-01-01T00:00:00+0100",
        "2027-01-01T00:00:00+24:00",
        "2027-01-01T25:00:00Z",
        "2027-01-01 00:00:00Z",
        "\u0662027-01-01T00:00:00Z",
        5,
    ],
)
def test_a_token_ends_within_a_year(ada: Account, end: Any) -> None:
    refused = ada.post("/v1/me/tokens", {"name": "bot", "scopes": ["play"], "expires_at": end})
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/expires_at")


@pytest.mark.parametrize(
    "form", ["%Y-%m-%dT%H:%M:%S.123456789Z", "%Y-%m-%dt%H:%M:%Sz", "%Y-%m-%dT%H:%M:%S-00:30"]
)
def test_the_end_may_be_any_time_of_rfc_3339(ada: Account, form: str) -> None:
    end = (datetime.now(UTC) + timedelta(days=2)).strftime(form)
    assert (
        ada.post("/v1/me/tokens", {"name": "bot", "scopes": ["play"], "expires_at": end}).status_code == 201
    )


def days_ahead(days: float) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def made_with(client: FlaskClient, secret: str, end: str | None, *scopes: str) -> Any:
    """The answer to a token's wish for another."""
    body = {"name": "bot", "scopes": scopes, "expires_at": end}
    return client.post("/v1/me/tokens", json=body, headers={"Authorization": f"Bearer {secret}"})


def test_a_token_renews_the_account_whatever_its_own_end(ada: Account) -> None:
    short = made_with(ada.client, ada.token, days_ahead(1), "account:write").json["token"]
    year = days_ahead(365.9)
    renewed = made_with(ada.client, short, year, "account:write")
    assert (renewed.status_code, renewed.json["expires_at"]) == (201, year)
    assert made_with(ada.client, renewed.json["token"], year, "account:write").status_code == 201
    refused = made_with(ada.client, short, days_ahead(366.1), "account:write")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/expires_at")


def test_a_token_whose_end_is_not_named_holds_for_90_days(ada: Account) -> None:
    short = made_with(ada.client, ada.token, days_ahead(1), "account:write").json["token"]
    end = made_with(ada.client, short, None, "account:write").json["expires_at"]
    assert days_ahead(89.9) < end < days_ahead(90.1)


def test_a_token_that_renews_gives_no_scope_that_it_lacks(ada: Account) -> None:
    short = made_with(ada.client, ada.token, days_ahead(1), "account:write").json["token"]
    refused = made_with(ada.client, short, None, "account:write", "play")
    assert (refused.status_code, refused.json["code"]) == (403, "scope_missing")
    powerless = made_with(ada.client, ada.token, None, "play").json["token"]
    refused = made_with(ada.client, powerless, None, "play")
    assert (refused.status_code, refused.json["code"]) == (403, "scope_missing")


@pytest.fixture
def tokens(app: Flask) -> Tokens:
    found = app.extensions[EXTENSION].tokens
    assert isinstance(found, Tokens)
    return found


def fill(ada: Account, tokens: Tokens, living: int, ended: int = 0) -> list[Issued]:
    """Further tokens of the account, those that have ended last."""
    owner = tokens.get(digest_of(ada.token))
    assert owner is not None
    ends = [now_ms() + DAY_MS] * living + [now_ms() - 1] * ended
    issued = [tokens.create(owner, "bot", ["play"], end) for end in ends]
    return [one for one in issued if one is not None]


def test_an_account_has_100_tokens_at_most(ada: Account, tokens: Tokens) -> None:
    assert MOST_TOKENS == 100
    made = fill(ada, tokens, 98)
    assert made_with(ada.client, ada.token, None, "play").status_code == 201
    full = made_with(ada.client, ada.token, None, "play")
    assert (full.status_code, full.json["code"]) == (409, "too_many_tokens")
    assert ada.client.get("/v1/me", headers=ada.authorization).status_code == 200
    assert ada.delete(f"/v1/me/tokens/{made[0].token.token_id}").status_code == 204
    assert made_with(ada.client, ada.token, None, "play").status_code == 201
    assert len(ada.get("/v1/me/tokens").json["items"]) == 100


def test_tokens_that_have_ended_do_not_count_and_leave_the_list(
    ada: Account, tokens: Tokens, events_redis: redis.Redis
) -> None:
    made = fill(ada, tokens, 95, ended=4)
    assert len(made) == 99
    assert len(ada.get("/v1/me/tokens").json["items"]) == 96
    assert made_with(ada.client, ada.token, None, "play").status_code == 201
    kept = {token_id.decode() for token_id in cast("list[bytes]", events_redis.hkeys(keys.tokens(ada.id)))}
    assert len(kept) == 97
    assert kept.isdisjoint(one.token.token_id for one in made[95:])


def test_an_ended_token_is_told_from_one_that_never_was(ada: Account, tokens: Tokens) -> None:
    (ended,) = fill(ada, tokens, 0, ended=1)
    assert made_with(ada.client, ada.token, None, "play").status_code == 201
    refused = ada.client.get("/v1/me", headers={"Authorization": f"Bearer {ended.secret}"})
    assert (refused.status_code, refused.json["code"]) == (401, "token_expired")


def test_the_token_of_an_account_that_is_gone_is_refused(ada: Account, events_redis: redis.Redis) -> None:
    events_redis.delete(keys.account(ada.id))
    refused = ada.get("/v1/me")
    assert (refused.status_code, refused.json["code"]) == (401, "token_invalid")
    assert "Bearer" in refused.headers["WWW-Authenticate"]


def test_no_token_and_a_wrong_token_are_told_apart(client: FlaskClient) -> None:
    missing = client.get("/v1/me")
    assert (missing.status_code, missing.json["code"]) == (401, "token_missing")
    assert "Bearer" in missing.headers["WWW-Authenticate"]
    for header in ("Bearer mk_unknown", "Bearer ", "Basic YTpi", "mk_x", "Bearer mk_" + "x" * 500):
        wrong = client.get("/v1/me", headers={"Authorization": header})
        assert (wrong.status_code, wrong.json["code"]) == (401, "token_invalid")
