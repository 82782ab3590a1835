"""Idempotency-Key on every POST below a ladder and to a job: one effect, and the first answer for ever."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.service.contract import Account
from tests.service.ladder_kit import finish_blocks
from tests.service.ladder_posts import LADDER_POSTS, operated
from tests.service.posts import KEY, is_replay, told

every_post = pytest.mark.parametrize("name", LADDER_POSTS)


@every_post
def test_a_repetition_gets_the_first_answer_whatever_has_happened_since(
    ada: Account, app: Flask, name: str, restarted: Callable[..., FlaskClient]
) -> None:
    post, ladder = LADDER_POSTS[name], operated(ada)
    path, body = post.path(app, ladder), post.body(ladder)
    first = ada.post(path, body, KEY)
    assert first.status_code in (200, 201, 202), first.text
    ladder.enter("landmark_first")
    finish_blocks(app, ladder.id, 1)
    version = ladder.shown()["version"]
    again = ada.post(path, body, KEY)
    later = restarted().post(path, json=body, headers={**ada.authorization, **KEY})
    assert told(again) == told(later) == told(first)
    assert (is_replay(first), is_replay(again), is_replay(later)) == (False, True, True)
    assert ladder.shown()["version"] == version


@pytest.mark.parametrize("name", [name for name in LADDER_POSTS if LADDER_POSTS[name].other])
def test_a_key_stands_for_one_body(ada: Account, app: Flask, name: str) -> None:
    post, ladder = LADDER_POSTS[name], operated(ada)
    path, body = post.path(app, ladder), post.body(ladder)
    ada.post(path, body, KEY)
    refused = ada.post(path, {**body, **post.other}, KEY)
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")
    assert is_replay(ada.post(path, body, KEY))


@every_post
def test_a_key_has_a_plain_form(ada: Account, app: Flask, name: str) -> None:
    post, ladder = LADDER_POSTS[name], operated(ada)
    refused = ada.post(post.path(app, ladder), post.body(ladder), {"Idempotency-Key": "a b"})
    assert (refused.status_code, refused.json["code"]) == (400, "invalid_parameter")


def test_one_key_on_several_paths_stands_for_as_many_requests(ada: Account, app: Flask) -> None:
    ladder = operated(ada)
    for name in ("entry", "season", "round", "test"):
        post = LADDER_POSTS[name]
        answer = ada.post(post.path(app, ladder), post.body(ladder), KEY)
        assert (answer.status_code < 300, is_replay(answer)) == (True, False)


def test_two_accounts_may_choose_the_same_key(ada: Account, bob: Account) -> None:
    ladder = operated(ada)
    mine = ada.post(f"{ladder.path}/entries", {"kind": "bot", "version": "1"}, KEY)
    theirs = bob.post(f"{ladder.path}/entries", {"kind": "bot", "version": "1"}, KEY)
    assert (mine.status_code, theirs.status_code, is_replay(theirs)) == (201, 201, False)
