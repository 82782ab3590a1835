"""Idempotency-Key on every POST: one effect, and the stored answer for every repetition."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.store import keys
from service.openapi.operations import codes_of
from tests.service.contract import Account, Contract
from tests.service.ladder_posts import LADDER_POSTS
from tests.service.posts import (
    KEY,
    MATCH,
    POSTS,
    RECORDS,
    ROLL,
    every_post,
    is_replay,
    keys_like,
    prepared,
    told,
)
from tests.service.served import MASTER_KEYS

ANSWERS = ("accept", "decline")
"""Posts to invitations: see test_seating."""
REVIEWS = ("request",)
"""Posts to reviews, which need no key to be the same: see test_reviews."""
WEBHOOKS = ("creation", "secret", "test", "retry")
"""Posts to webhooks: see tests.service.notifications."""


def test_every_post_says_that_it_may_be_repeated(client: FlaskClient) -> None:
    contract: Contract = client.application.extensions["contract"]
    posts = {path: item["post"] for path, item in contract.document["paths"].items() if "post" in item}
    del posts["/v1/matches/{match_id}/dry-runs"]  # changes nothing, so it needs no key
    assert len(posts) == sum(map(len, (POSTS, LADDER_POSTS, ANSWERS, REVIEWS, WEBHOOKS)))
    for path, post in posts.items():
        assert {"$ref": "#/components/parameters/Idempotency-Key"} in post["parameters"], path
        first = next(
            post["responses"][status]
            for status in ("201", "202", "200", "204")
            if status in post["responses"]
        )
        assert "Idempotency-Replayed" in first["headers"], path
        assert "idempotency_key_reused" in codes_of(post["responses"]["422"]), path


@every_post
def test_a_repetition_gets_the_stored_answer(ada: Account, name: str) -> None:
    post = prepared(ada, name)
    first, again = [ada.post(post.path, post.body, KEY) for _ in range(2)]
    assert first.status_code in (200, 201)
    assert told(again) == told(first)
    assert (is_replay(first), is_replay(again)) == (False, True)


@every_post
def test_a_restart_changes_no_stored_answer(
    ada: Account, name: str, restarted: Callable[..., FlaskClient]
) -> None:
    post = prepared(ada, name)
    first = ada.post(post.path, post.body, KEY)
    rotated = {"master_keys": f"k2:{'7a' * 32},{MASTER_KEYS}"}
    for changed in ({}, rotated):
        client = restarted(**changed)
        again = client.post(post.path, json=post.body, headers={**ada.authorization, **KEY})
        assert told(again) == told(first)
        assert is_replay(again)


@pytest.mark.parametrize("name", [name for name in POSTS if POSTS[name].other])
def test_a_key_stands_for_one_body(ada: Account, name: str) -> None:
    post = prepared(ada, name)
    ada.post(post.path, post.body, KEY)
    refused = ada.post(post.path, post.other, KEY)
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")
    assert is_replay(ada.post(post.path, post.body, KEY))


@every_post
def test_without_a_key_every_request_is_a_new_one(ada: Account, name: str, events_redis: redis.Redis) -> None:
    post = prepared(ada, name)
    first, again = [ada.post(post.path, post.body) for _ in range(2)]
    assert first.status_code in (200, 201)
    assert told(again) != told(first)
    assert not is_replay(again)
    assert not keys_like(events_redis, RECORDS)


@every_post
def test_a_key_has_a_plain_form(ada: Account, name: str) -> None:
    post = prepared(ada, name)
    for key in ("", "a b", "k" * 256, "\u00e9"):
        refused = ada.post(post.path, post.body, {"Idempotency-Key": key})
        assert (refused.status_code, refused.json["code"]) == (400, "invalid_parameter")
        assert refused.json["errors"][0]["pointer"] == "/Idempotency-Key"
    assert ada.post(post.path, post.body, {"Idempotency-Key": "k" * 255}).status_code in (200, 201)


@pytest.mark.parametrize("name", ["account", "token", "match"])
def test_the_same_body_may_be_written_in_another_way(ada: Account, name: str) -> None:
    post = POSTS[name]
    turned = json.dumps(dict(reversed(post.body.items())), indent=3).encode()
    first = ada.post(post.path, post.body, KEY)
    again = ada.post(post.path, headers=KEY, data=turned, content_type="application/json")
    assert told(again) == told(first)


def test_one_key_on_several_paths_stands_for_as_many_requests(ada: Account, bob: Account) -> None:
    for name in POSTS:
        post = prepared(ada, name)
        answer = ada.post(post.path, post.body, KEY)
        assert (answer.status_code < 300, is_replay(answer)) == (True, False)


def test_one_key_may_take_a_seat_and_call_the_same_match_off(ada: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    taken = ada.post(f"/v1/matches/{match_id}/seats", {}, KEY)
    called_off = ada.post(f"/v1/matches/{match_id}/abort", {}, KEY)
    assert (taken.json["status"], called_off.json["status"]) == ("running", "aborted")
    for answer, path in ((taken, "seats"), (called_off, "abort")):
        assert told(ada.post(f"/v1/matches/{match_id}/{path}", {}, KEY)) == told(answer)


@pytest.mark.parametrize("name", ["token", "match"])
def test_two_accounts_may_choose_the_same_key(ada: Account, bob: Account, name: str) -> None:
    post = POSTS[name]
    mine, theirs = [one.post(post.path, post.body, KEY) for one in (ada, bob)]
    assert (mine.status_code, theirs.status_code, is_replay(theirs)) == (201, 201, False)


def test_the_key_of_a_new_account_counts_for_one_address(client: FlaskClient) -> None:
    def sent(address: str, handle: str) -> TestResponse:
        return client.post(
            "/v1/accounts", json={"handle": handle}, headers=KEY, environ_base={"REMOTE_ADDR": address}
        )

    assert sent("192.0.2.1", "grace").status_code == 201
    assert sent("192.0.2.2", "grace").json["code"] == "handle_taken"
    assert sent("192.0.2.2", "edsger").status_code == 201
    assert is_replay(sent("192.0.2.1", "grace"))


def test_a_match_is_told_as_it_was_when_it_was_made(ada: Account) -> None:
    body = {**MATCH, "first_seat": 0}
    first = ada.post("/v1/matches", body, KEY)
    match_id = first.json["match_id"]
    ada.command(match_id, ROLL)
    assert told(ada.post("/v1/matches", body, KEY)) == told(first)
    ada.command(match_id, {"type": "resign", "seat": 0})
    again = ada.post("/v1/matches", body, KEY)
    assert told(again) == told(first)
    assert again.headers["Match-Head"] != ada.get(f"/v1/matches/{match_id}").headers["Match-Head"]


def test_a_match_is_told_though_a_seat_of_it_could_not_be_given_any_more(
    ada: Account, bob: Account, events_redis: redis.Redis
) -> None:
    body = {**MATCH, "seats": [{"kind": "me"}, {"kind": "account", "handle": "bob"}]}
    first = ada.post("/v1/matches", body, KEY)
    events_redis.delete(keys.account(bob.id))
    assert told(ada.post("/v1/matches", body, KEY)) == told(first)
    assert ada.post("/v1/matches", body).status_code == 422


def refused_and_done(account: Account, path: str, wrong: Any, right: Any) -> None:
    """The wrong body is refused twice under a key, and then the right one is taken under the same."""
    for _ in range(2):
        refused = account.post(path, wrong, KEY)
        assert (refused.status_code >= 400, is_replay(refused)) == (True, False)
    done = account.post(path, right, KEY)
    assert (done.status_code, is_replay(done)) == (201, False), done.text


@pytest.mark.parametrize(
    "wrong",
    [
        {**MATCH, "seats": [{"kind": "me"}, {"kind": "account", "handle": "nobody"}]},
        {**MATCH, "seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "wizard"}]},
        {**MATCH, "options": {"market": "rows"}},
        {**MATCH, "first_seat": 4},
        {**MATCH, "seats": [{"kind": "me"}]},
        {
            **MATCH,
            "position": {
                "active_seat": 0,
                "phase": "roll",
                "players": [{"coins": 0, "establishments": {"stadium": 2}, "landmarks": []}] * 2,
            },
        },
    ],
    ids=["handle", "strategy", "option", "first seat", "seats", "table"],
)
def test_a_match_that_is_refused_leaves_no_record(
    ada: Account, events_redis: redis.Redis, wrong: Any
) -> None:
    assert ada.post("/v1/matches", wrong, KEY).status_code == 422
    assert not keys_like(events_redis, RECORDS)
    refused_and_done(ada, "/v1/matches", wrong, MATCH)


def test_a_refused_match_is_judged_anew(
    ada: Account, sign_up: Callable[[str], Account], events_redis: redis.Redis
) -> None:
    body = {**MATCH, "seats": [{"kind": "me"}, {"kind": "account", "handle": "grace"}]}
    assert ada.post("/v1/matches", body, KEY).status_code == 422
    sign_up("grace")
    done = ada.post("/v1/matches", body, KEY)
    assert (done.status_code, is_replay(done)) == (201, False)


def test_a_refused_account_leaves_no_record(ada: Account) -> None:
    refused_and_done(ada, "/v1/accounts", {"handle": "Ada"}, {"handle": "grace"})


def test_a_refused_token_leaves_no_record(ada: Account) -> None:
    wish = {"name": "bot", "scopes": ["play"]}
    refused_and_done(ada, "/v1/me/tokens", {**wish, "expires_at": "2020-01-01T00:00:00Z"}, wish)


def test_a_refused_abort_is_judged_anew(ada: Account, bob: Account) -> None:
    match_id = ada.create()["match_id"]
    path = f"/v1/matches/{match_id}/abort"
    assert bob.post(path, {}, KEY).json["code"] == "not_creator"
    assert not is_replay(ada.post(path, {}, KEY))
    again = bob.post(path, {}, KEY)
    assert (again.json["code"], is_replay(again)) == ("not_creator", False)
