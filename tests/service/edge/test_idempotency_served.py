"""Idempotency-Key with requests at once over real connections, and with lost requests and answers."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from events.store import keys
from ops.servers import Server
from service.accounts.tokens import MOST_TOKENS
from tests.events.lossy_connection import LossyConnection
from tests.service.contract import Account
from tests.service.posts import (
    KEY,
    MATCH,
    POSTS,
    RECORDS,
    Post,
    every_post,
    is_replay,
    keys_like,
    prepared,
    told,
)
from tests.service.served import DEADLINE_S, Answer, Served, posted

AT_ONCE = 5


def written(ada: Account, post: Post, *headers: bytes) -> bytes:
    """The request as it goes over the line."""
    body = json.dumps(post.body).encode()
    lines = (*headers, b"Content-Length: %d" % len(body))
    return posted(post.path, b"\r\n".join(lines), body, ada.token)


def sent_at_once(web: Served, request: bytes) -> list[Answer]:
    answers: list[Answer] = []
    barrier = threading.Barrier(AT_ONCE, timeout=DEADLINE_S)

    def send() -> None:
        with web.connect() as connection:
            barrier.wait()
            connection.sendall(request)
            answers.append(Answer(connection))

    threads = [threading.Thread(target=send) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


TRACES = {
    "seat": "seat_taken",
    "seat_seed_commitment": "seat_seed_committed",
    "seat_seed": "seat_seed_opened",
    "command": "dice_rolled",
    "abort": "match_aborted",
}
"""The event that a request leaves in its match."""


def traces(ada: Account, client: Any, name: str, post: Post) -> int:
    """How many effects of such requests are there."""
    if name == "account":
        assert client.hlen(keys.HANDLES) == len(keys_like(client, keys.account("*")))
        return int(client.hlen(keys.HANDLES))
    if name == "token":
        return len(ada.get("/v1/me/tokens").json["items"])
    if name in ("match", "branch"):
        return len(ada.get("/v1/matches").json["items"])
    if name == "ladder":
        return len(ada.get("/v1/ladders").json["items"])
    events = ada.get(post.path.rpartition("/")[0] + "/events").json["items"]
    return [event["type"] for event in events].count(TRACES[name])


@pytest.mark.parametrize("attempt", range(3))
@every_post
def test_five_equal_requests_at_once_have_one_effect_and_one_answer(
    web: Served, ada: Account, events_redis: redis.Redis, name: str, attempt: int
) -> None:
    post = prepared(ada, name)
    before = traces(ada, events_redis, name, post)
    answers = sent_at_once(web, written(ada, post, b"Idempotency-Key: once-and-never-again-at-all"))
    assert {answer.status for answer in answers} == {200 if name == "abort" else 201}
    assert len({answer.text for answer in answers}) == 1
    for header in ("ETag", "Match-Head", "Location"):
        assert len({answer.headers[header] for answer in answers}) == 1
    replayed = [answer.headers.get("Idempotency-Replayed", "") for answer in answers]
    assert sorted(replayed) == ["", *["true"] * (AT_ONCE - 1)]
    assert traces(ada, events_redis, name, post) == before + 1


@pytest.mark.parametrize("attempt", range(3))
def test_five_at_once_do_not_get_past_the_most_tokens(web: Served, ada: Account, attempt: int) -> None:
    post = POSTS["token"]
    for _ in range(MOST_TOKENS - 2):
        ada.post(post.path, post.body)
    answers = sent_at_once(web, written(ada, post))
    assert sorted(answer.status for answer in answers) == [201, 409, 409, 409, 409]
    assert len(ada.get("/v1/me/tokens").json["items"]) == MOST_TOKENS


def test_a_full_account_gets_the_stored_answer(ada: Account) -> None:
    post = POSTS["token"]
    first = ada.post(post.path, post.body, KEY)
    for _ in range(MOST_TOKENS - 2):
        ada.post(post.path, post.body)
    assert ada.post(post.path, post.body).json["code"] == "too_many_tokens"
    assert told(ada.post(post.path, post.body, KEY)) == told(first)


@every_post
def test_two_header_lines_are_one_key_with_a_comma(web: Served, ada: Account, name: str) -> None:
    post = prepared(ada, name)
    two_lines = (b"Idempotency-Key: one-half-of-it", b"Idempotency-Key: the-other-half")
    first = web.send(written(ada, post, *two_lines))
    assert first.status in (200, 201)
    for headers in (two_lines, (b"Idempotency-Key: one-half-of-it,the-other-half",)):
        again = web.send(written(ada, post, *headers))
        assert (again.text, again.headers["Idempotency-Replayed"]) == (first.text, "true")


@pytest.fixture
def line(app: object, events_server: Server) -> Iterator[LossyConnection]:
    with contextlib.closing(LossyConnection(events_server.url)) as line:
        yield line


@pytest.fixture
def grete(line: LossyConnection, restarted: Callable[..., FlaskClient]) -> Account:
    """An account whose requests reach the store over the line."""
    grete = Account(restarted(events_redis_url=line.url), "grete")
    for name in ("token", "match"):  # so that the store knows the scripts
        grete.post(POSTS[name].path, POSTS[name].body)
    return grete


SENT_BY_THE_SERVICE = 2
"""So often the service itself sends a command to the store whose reply does not come."""


@every_post
def test_a_request_that_got_lost_on_its_way_to_the_store_is_carried_out_when_it_comes_again(
    line: LossyConnection, grete: Account, events_redis: redis.Redis, name: str
) -> None:
    post = prepared(grete, name)
    before = traces(grete, events_redis, name, post)
    line.calls_to_lose = SENT_BY_THE_SERVICE
    assert grete.post(post.path, post.body, KEY).status_code == 503
    assert (line.calls_to_lose, traces(grete, events_redis, name, post)) == (0, before)
    again = grete.post(post.path, post.body, KEY)
    assert (again.status_code < 300, is_replay(again)) == (True, False)
    assert traces(grete, events_redis, name, post) == before + 1
    assert told(grete.post(post.path, post.body, KEY)) == told(again)


@every_post
def test_a_request_whose_answer_got_lost_is_told_what_it_did_when_it_comes_again(
    line: LossyConnection, grete: Account, events_redis: redis.Redis, name: str
) -> None:
    post = prepared(grete, name)
    before = traces(grete, events_redis, name, post)
    line.replies_to_lose = SENT_BY_THE_SERVICE
    assert grete.post(post.path, post.body, KEY).status_code == 503
    again = grete.post(post.path, post.body, KEY)
    assert (line.replies_to_lose, again.status_code < 300, is_replay(again)) == (0, True, True)
    assert traces(grete, events_redis, name, post) == before + 1


@pytest.mark.parametrize("name", ["account", "token"])
@pytest.mark.parametrize("headers", [{}, KEY], ids=["without a key", "under a key"])
def test_what_the_service_sent_twice_itself_is_no_repetition(
    line: LossyConnection, grete: Account, events_redis: redis.Redis, name: str, headers: dict[str, str]
) -> None:
    post = prepared(grete, name)
    before = traces(grete, events_redis, name, post)
    line.replies_to_lose = 1
    answer = grete.post(post.path, post.body, headers)
    assert (line.replies_to_lose, answer.status_code, is_replay(answer)) == (0, 201, False)
    assert traces(grete, events_redis, name, post) == before + 1


def test_the_last_token_of_all_is_not_one_too_many_when_the_service_sent_it_twice(
    line: LossyConnection, grete: Account
) -> None:
    post = POSTS["token"]
    while len(grete.get("/v1/me/tokens").json["items"]) < MOST_TOKENS - 1:
        grete.post(post.path, post.body)
    line.replies_to_lose = 1
    assert (grete.post(post.path, post.body).status_code, line.replies_to_lose) == (201, 0)
    assert grete.post(post.path, post.body).json["code"] == "too_many_tokens"


def test_a_match_that_ended_between_record_and_events_gets_the_recorded_id(
    line: LossyConnection, grete: Account, events_redis: redis.Redis
) -> None:
    line.calls_to_lose = SENT_BY_THE_SERVICE
    grete.post("/v1/matches", MATCH, KEY)
    (record,) = keys_like(events_redis, RECORDS)
    recorded = json.loads(str(events_redis.get(record), "ascii"))
    other = grete.post("/v1/matches", POSTS["match"].other, KEY)
    assert (other.status_code, other.json["code"]) == (422, "idempotency_key_reused")
    made = grete.post("/v1/matches", MATCH, KEY).json
    assert made["match_id"] == recorded["match_id"]
