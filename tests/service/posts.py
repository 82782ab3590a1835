"""One request for each POST, to be sent again and again under an Idempotency-Key."""

from typing import Any, NamedTuple

import pytest
import redis
from werkzeug.test import TestResponse

from domain.match.chance import seat_commitment
from events.store import keys
from tests.service.contract import Account

SEAT_SEED = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
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
    "seat_seed_commitment": Post(
        "/v1/matches/{}/seat-seed-commitments",
        {"seat": 0, "commitment": "sha-256:" + "0" * 64},
        {"seat": 1, "commitment": "sha-256:" + "1" * 64},
    ),
    "seat_seed": Post(
        "/v1/matches/{}/seat-seeds", {"seat": 0, "seed": SEAT_SEED}, {"seat": 1, "seed": SEAT_SEED}
    ),
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
    dice: Any = {"mode": "committed", "seat_seeds": {}} if "seed" in name else {"mode": "committed"}
    match = ada.create(seats=[{"kind": "me"}, *others], dice=dice)
    if name == "seat_seed":
        for seat in (0, 1):
            commitment = seat_commitment(match["dice"]["commitment"], seat, SEAT_SEED)
            path = POSTS["seat_seed_commitment"].path.format(match["match_id"])
            assert ada.post(path, {"seat": seat, "commitment": commitment}).status_code == 201
    return post._replace(path=post.path.format(match["match_id"]))


def keys_like(client: redis.Redis, pattern: str) -> list[bytes]:
    return sorted(client.scan_iter(pattern))


def told(answer: TestResponse) -> tuple[object, ...]:
    """All that a repetition has in common with what it repeats."""
    headers = [answer.headers.get(name) for name in ("ETag", "Match-Head", "Location", "Content-Type")]
    return (answer.status_code, answer.data, *headers)


def is_replay(answer: TestResponse) -> bool:
    return "Idempotency-Replayed" in answer.headers
