"""One request for each POST, to be sent again and again under an Idempotency-Key."""

from typing import Any, NamedTuple

import pytest
import redis
from werkzeug.test import TestResponse

from service import keys
from tests.service.contract import Account

ROLL = {"type": "roll_dice", "dice": 1}
MATCH = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]}
KEY = {"Idempotency-Key": "a/key?of=mine#~,1-and-long-enough"}

RECORDS = keys.answered("*", "*")
"""What matches the keys of all stored answers."""


class Post(NamedTuple):
    """A request that changes something. `{}` in the path is a match: open for seats, else running."""

    path: str
    body: dict[str, Any]
    other: dict[str, Any] | None
    """Another body that would do as well, if there is one."""


POSTS = {
    "account": Post("/v1/accounts", {"handle": "grace"}, {"handle": "edsger"}),
    "token": Post(
        "/v1/me/tokens", {"name": "bot", "scopes": ["play"]}, {"name": "other", "scopes": ["play"]}
    ),
    "match": Post("/v1/matches", MATCH, {**MATCH, "visibility": "private"}),
    "ladder": Post(
        "/v1/ladders",
        {"name": "One", "ruleset": "base", "seats": 2},
        {"name": "Two", "ruleset": "base", "seats": 2},
    ),
    "branch": Post(
        "/v1/matches/{}/branches",
        {"from_version": 1, "dice": "fresh"},
        {"from_version": 1, "dice": "scripted", "throws": [[3]]},
    ),
    "seat": Post("/v1/matches/{}/seats", {"seat": 1}, {"seat": 2}),
    "command": Post("/v1/matches/{}/commands", ROLL, {"type": "resign"}),
    "abort": Post("/v1/matches/{}/abort", {}, None),
}

every_post = pytest.mark.parametrize("name", POSTS)


def prepared(ada: Account, name: str) -> Post:
    """The request, with a match that it can be sent to."""
    post = POSTS[name]
    if "{}" not in post.path:
        return post
    others: Any = [{"kind": "open"}] * 3 if name == "seat" else [{"kind": "me"}]
    return post._replace(path=post.path.format(ada.create(seats=[{"kind": "me"}, *others])["match_id"]))


def keys_like(client: redis.Redis, pattern: str) -> list[bytes]:
    return sorted(client.scan_iter(pattern))


def told(answer: TestResponse) -> tuple[object, ...]:
    """All that a repetition has in common with what it repeats."""
    headers = [answer.headers.get(name) for name in ("ETag", "Match-Head", "Location", "Content-Type")]
    return (answer.status_code, answer.data, *headers)


def is_replay(answer: TestResponse) -> bool:
    return "Idempotency-Replayed" in answer.headers
