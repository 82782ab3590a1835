"""Events that are followed: server-sent events and lines, from any sequence on, cut and taken up again."""

import json
import os
import random
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPResponse, IncompleteRead
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from ops.servers import Server
from tests.marks import long_unless
from tests.service.contract import Account
from tests.service.open_streams import LINES, SSE, Stream
from tests.service.served import (
    ACCOUNT_STREAMS,
    Answer,
    Served,
    environment,
    gunicorn,
    more_of,
    wait_until,
)

TOO_MANY = b"HTTP/1.0 429"
ROLL = {"type": "roll_dice", "dice": 1}


@pytest.fixture
def finished(ada: Account) -> str:
    """A match that is over."""
    rich = {"coins": 99, "landmarks": ["train_station", "shopping_mall", "amusement_park"]}
    match_id = ada.board([[1]], rich, {"coins": 3})
    ada.command(match_id, ROLL)
    assert ada.command(match_id, {"type": "build", "card": "radio_tower"}).status_code == 201
    return match_id


def page(account: Account, match_id: str) -> list[dict[str, Any]]:
    return list(account.get(f"/v1/matches/{match_id}/events?limit=500").json["items"])


def test_server_sent_events_are_the_events_of_the_page_and_then_the_end(
    web: Served, ada: Account, finished: str
) -> None:
    events = page(ada, finished)
    with Stream(web, finished, Accept=SSE) as stream:
        assert stream.response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        blocks = list(stream.blocks())
    opening, *told, end = blocks
    assert opening == {"retry": "2000"}
    assert [int(block["id"]) for block in told] == [event["sequence"] for event in events]
    assert [json.loads(block["data"]) for block in told] == events
    assert end["event"] == "stream_end"
    assert json.loads(end["data"]) == {
        "type": "stream_end",
        "match_id": finished,
        "version": len(events),
        "status": "finished",
    }


@pytest.mark.parametrize("query", ["", "?follow=false", "?follow=true"])
def test_lines_are_the_events_of_the_page_and_then_the_end(
    web: Served, ada: Account, finished: str, query: str
) -> None:
    events = page(ada, finished)
    with Stream(web, finished, query, Accept=LINES) as stream:
        *told, end = stream.lines()
    assert told == events
    assert (end["type"], end["version"]) == ("stream_end", len(events))


def test_a_stream_that_has_ended_keeps_no_slot_and_its_connection_can_be_used_again(
    web: Served, finished: str
) -> None:
    with web.connect() as connection:
        for _ in range(3 * ACCOUNT_STREAMS):
            head = f"GET /v1/matches/{finished}/events HTTP/1.1\r\nHost: localhost\r\nAccept: {SSE}\r\n\r\n"
            connection.sendall(head.encode())
            answer = Answer(connection)
            assert (answer.status, answer.headers["Connection"]) == (200, "keep-alive")
            assert "event: stream_end" in answer.text


def test_a_queue_that_hangs_holds_up_no_stream(
    web: Served, ada: Account, queue_server: Server, queue_redis: redis.Redis
) -> None:
    match = ada.create()
    streams = [Stream(web, match["match_id"], f"?after={match['version']}", Accept=SSE) for _ in range(4)]
    assert queue_server.pid is not None
    os.kill(queue_server.pid, signal.SIGSTOP)
    try:
        for stream in streams[1:]:
            stream.__exit__()
        caused = ada.command(match["match_id"], ROLL).json["events"]
        with streams[0] as stream, Stream(web, match["match_id"], Accept=SSE) as another:
            assert another.status == 200
            assert json.loads(next(block for block in stream.blocks() if "id" in block)["data"]) == caused[0]
    finally:
        os.kill(queue_server.pid, signal.SIGCONT)


def test_lines_that_are_not_followed_end_at_the_head_without_an_end_mark(web: Served, ada: Account) -> None:
    match_id = ada.create()["match_id"]
    with Stream(web, match_id, Accept=LINES) as stream:
        assert list(stream.lines()) == page(ada, match_id)


def test_each_event_arrives_as_it_happens(web: Served, ada: Account) -> None:
    match = ada.create()
    with Stream(web, match["match_id"], f"?follow=true&after={match['version']}", Accept=LINES) as stream:
        lines = stream.lines()
        for command in (ROLL, {"type": "pass"}, ROLL):
            caused = ada.command(match["match_id"], command).json["events"]
            assert [next(lines) for _ in caused] == caused


def test_the_last_event_id_wins_over_after(web: Served, ada: Account, finished: str) -> None:
    version = len(page(ada, finished))
    with Stream(web, finished, "?after=1", Accept=SSE, Last_Event_ID=str(version - 1)) as stream:
        ids = [int(block["id"]) for block in stream.blocks() if "id" in block]
    assert ids == [version, version]


def test_types_can_be_picked_and_the_end_comes_all_the_same(web: Served, ada: Account, finished: str) -> None:
    with Stream(web, finished, "?types=dice_rolled", Accept=LINES) as stream:
        assert [line["type"] for line in stream.lines()] == ["dice_rolled", "stream_end"]


@pytest.mark.parametrize("accept", [SSE, LINES])
def test_a_cursor_ahead_of_the_match_is_refused(
    web: Served, ada: Account, finished: str, accept: str
) -> None:
    version = len(page(ada, finished))
    with Stream(web, finished, f"?after={version + 1}", Accept=accept) as stream:
        assert stream.status == 400
        problem = json.loads(stream.response.read())
    assert (problem["code"], problem["max_version"]) == ("cursor_ahead", version)


@pytest.mark.parametrize(
    ("accept", "query"),
    [(SSE, "?limit=5"), (SSE, "?wait=5"), (LINES, "?wait=5"), (LINES, "?limit=5"), (SSE, "?follow=true")],
)
def test_what_belongs_to_another_form_is_refused(
    web: Served, ada: Account, finished: str, accept: str, query: str
) -> None:
    with Stream(web, finished, query, Accept=accept) as stream:
        problem = json.loads(stream.response.read())
    assert (problem["status"], problem["code"]) == (400, "invalid_parameter")
    assert problem["errors"][0]["pointer"] == "/" + query[1:].partition("=")[0]


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("*/*", "application/json"),
        ("text/html, application/json;q=0.1", "application/json"),
        ("application/json;q=0.5, application/x-ndjson", LINES),
        ("text/event-stream, application/json;q=0.9", SSE),
    ],
)
def test_the_form_is_what_the_client_likes_best(
    web: Served, ada: Account, finished: str, accept: str, form: str
) -> None:
    with Stream(web, finished, Accept=accept) as stream:
        assert stream.response.headers.get_content_type() == form


def test_a_form_that_there_is_not_is_refused(web: Served, ada: Account, finished: str) -> None:
    with Stream(web, finished, Accept="text/html") as stream:
        assert json.loads(stream.response.read())["code"] == "not_acceptable"


@pytest.mark.parametrize("accept", long_unless([SSE], [SSE, LINES]))
def test_a_stream_cut_fifty_times_while_it_goes_on_gives_every_event_once(
    web: Served, ada: Account, accept: str
) -> None:
    """Cut in the middle of anything: of a line, of an event, of the head of the answer."""
    match_id = ada.create()["match_id"]
    chance = random.Random(accept)
    player = threading.Thread(target=ada.play_on, args=(match_id, 400))
    player.start()
    known: list[dict[str, Any]] = []
    for _ in range(50):
        known += cut_short(web, match_id, accept, len(known), chance.randrange(1, 6000))
    player.join()
    known += the_rest(web, match_id, accept, len(known), len(page_to_the_end(ada, match_id)))
    assert known == page_to_the_end(ada, match_id)


@pytest.mark.parametrize("most", [100, pytest.param(1000, marks=pytest.mark.long)])
def test_cuts_at_random_bytes_lose_and_double_no_event(web: Served, ada: Account, most: int) -> None:
    match_id = ada.create()["match_id"]
    ada.play_on(match_id, 300)
    wanted = page_to_the_end(ada, match_id)
    chance = random.Random(1000)
    cuts = 0
    while cuts < most:
        accept, known = chance.choice((SSE, LINES)), list[dict[str, Any]]()
        while len(known) < len(wanted):
            known += cut_short(web, match_id, accept, len(known), chance.randrange(1, 20_000))
            assert known == wanted[: len(known)]
            cuts += 1


def request_head(match_id: str, accept: str, after: int) -> bytes:
    query, resume = (
        (f"?follow=true&after={after}", "") if accept == LINES else ("", f"Last-Event-ID: {after}\r\n")
    )
    target = f"/v1/matches/{match_id}/events{query}"
    return f"GET {target} HTTP/1.0\r\nHost: localhost\r\nAccept: {accept}\r\n{resume}\r\n".encode()


def cut_short(web: Served, match_id: str, accept: str, after: int, size: int) -> list[dict[str, Any]]:
    """The whole events in the first `size` bytes of the answer, or in what comes within a moment.

    A stream that was cut counts as open until the service notices: what is refused for that is asked again.
    """
    received = TOO_MANY
    while received.startswith(TOO_MANY):
        received = start_of(web, request_head(match_id, accept, after), size)
    return events_in(received, accept)


def start_of(web: Served, request: bytes, size: int) -> bytes:
    received = b""
    with web.connect() as connection:
        connection.settimeout(0.05)
        connection.sendall(request)
        with suppress(TimeoutError):
            while len(received) < size and (part := connection.recv(size - len(received))):
                received += part
    return received


def the_rest(web: Served, match_id: str, accept: str, after: int, version: int) -> list[dict[str, Any]]:
    received = b""
    with web.connect() as connection:
        connection.sendall(request_head(match_id, accept, after))
        while len(events_in(received, accept)) < version - after:
            received += more_of(connection)
    return events_in(received, accept)


def events_in(received: bytes, accept: str) -> list[dict[str, Any]]:
    """The events that are there whole."""
    body = received.partition(b"\r\n\r\n")[2]
    if accept == LINES:
        return [json.loads(line) for line in body.split(b"\n")[:-1] if line]
    whole = [block for block in body.split(b"\n\n")[:-1] if b"\ndata: " in block]
    return [json.loads(block.partition(b"\ndata: ")[2]) for block in whole]


def page_to_the_end(account: Account, match_id: str) -> list[dict[str, Any]]:
    client = FlaskClient(account.client.application)
    found: list[dict[str, Any]] = []
    while True:
        items = client.get(f"/v1/matches/{match_id}/events?limit=500&after={len(found)}").json["items"]
        if not items:
            return found
        found += items


def test_so_many_streams_are_open_for_one_token_and_no_more(web: Served, ada: Account, bob: Account) -> None:
    match_id = ada.create()["match_id"]
    mine = {"Accept": SSE, "Authorization": f"Bearer {ada.token}"}
    streams = [Stream(web, match_id, **mine) for _ in range(ACCOUNT_STREAMS)]
    try:
        assert [stream.status for stream in streams] == [200] * ACCOUNT_STREAMS
        with Stream(web, match_id, **mine) as refused:
            problem = json.loads(refused.response.read())
        assert (problem["status"], problem["code"]) == (429, "too_many_streams")
        assert refused.response.headers["Retry-After"] == "10"
        with Stream(web, match_id, Accept=SSE, Authorization=f"Bearer {bob.token}") as other:
            assert other.status == 200
        streams.pop().__exit__()
        ada.command(match_id, ROLL)  # the service notices when it writes, or sooner

        def is_let_in() -> bool:
            with Stream(web, match_id, **mine) as again:
                return again.status == 200

        wait_until(is_let_in)
    finally:
        for stream in streams:
            stream.__exit__()


@pytest.mark.long
def test_a_stream_of_a_private_match_ends_when_its_token_is_deleted(web: Served, ada: Account) -> None:
    match_id = ada.create(visibility="private")["match_id"]
    with Stream(web, match_id, Accept=SSE) as stranger:
        assert stranger.status == 404
    made = ada.post("/v1/me/tokens", {"name": "reader", "scopes": ["play"]}).json
    with Stream(web, match_id, "?after=4", Accept=SSE, Authorization=f"Bearer {made['token']}") as stream:
        assert stream.status == 200
        assert ada.delete(f"/v1/me/tokens/{made['token_id']}").status_code == 204
        with pytest.raises(IncompleteRead) as cut:
            stream.response.read()
        assert b"stream_end" not in cut.value.partial


def test_the_head_of_a_stream_alone_can_be_asked_for(web: Served, ada: Account) -> None:
    match_id = ada.create()["match_id"]
    request = f"HEAD /v1/matches/{match_id}/events HTTP/1.1\r\nHost: localhost\r\nAccept: {SSE}\r\n\r\n"
    with web.connect() as connection:
        for _ in range(2 * ACCOUNT_STREAMS):
            connection.sendall(request.encode())
            response = HTTPResponse(connection, method="HEAD")
            response.begin()
            assert (response.status, response.headers.get_content_type()) == (200, SSE)
            response.read()


def test_a_client_that_reads_nothing_holds_up_nobody(web: Served, ada: Account) -> None:
    match_id = ada.create()["match_id"]
    ada.play_on(match_id, 200)
    deaf = web.connect()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.sendall(request_head(match_id, LINES, 0))
    with deaf, Stream(web, match_id, "?follow=true", Accept=LINES) as stream:
        lines = stream.lines()
        version = ada.state(match_id)["version"]
        assert [next(lines)["sequence"] for _ in range(version)] == [*range(1, version + 1)]
        caused = ada.command(match_id, ROLL if ada.state(match_id)["phase"] == "roll" else {"type": "pass"})
        assert next(lines) == caused.json["events"][0]


@pytest.mark.long
def test_streams_end_and_long_polls_are_answered_when_the_service_stops(
    events_server: Server,
    queue_server: Server,
    queue_redis: redis.Redis,
    ada: Account,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    environ = environment(events_server, queue_server)
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}&wait=30"
    ended: list[bytes] = []
    with gunicorn(tmp_path_factory.mktemp("stopping") / "log", **environ) as web:
        stream = Stream(web, match["match_id"], f"?after={match['version']}", Accept=SSE)
        poll = web.connect()
        poll.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert stream.response.readline() == b"retry: 2000\n"
        wait_until(lambda: "machi_http_long_polls 1.0" in web.get("/metrics").text)
        reader = threading.Thread(target=lambda: ended.append(poll.recv(4096)))
        reader.start()
    reader.join(25)
    assert ended
    assert ended[0].startswith(b"HTTP/1.1 200")
    with stream, poll:
        assert b"stream_end" not in rest_of(stream)


def rest_of(stream: Stream) -> bytes:
    """What was still on its way; a cut stream has no last chunk."""
    read: Callable[[], bytes] = stream.connection.makefile("rb").read
    return read()
