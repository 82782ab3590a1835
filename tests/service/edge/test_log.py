"""One line for each request, with what an operator needs and nothing that is secret."""

import json
import socket
import struct
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any

import pytest
from flask import Response
from flask.testing import FlaskClient

from ops.servers import Server
from runtime.settings import Settings
from service.app import create_app
from tests.service.contract import Account
from tests.service.log_lines import logged
from tests.service.served import MASTER_KEYS, SIGNING_KEYS, Served, more_of, wait_until

ROLL = {"type": "roll_dice", "dice": 1}
SSE = b"Accept: text/event-stream\r\n"


def ask(web: Served, path: str, request_id: str, headers: bytes = b"", method: str = "GET") -> socket.socket:
    """A connection over which the request went."""
    connection = web.connect()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: {request_id}\r\n"
    connection.sendall(head.encode() + headers + b"\r\n")
    return connection


def line_of(web: Served, request_id: str) -> dict[str, Any]:
    """The one line of that request, once it is there."""

    wait_until(lambda: web.lines_of(request_id))
    [line] = web.lines_of(request_id)
    return line


def test_a_line_says_who_did_what_for_how_long(ada: Account, events_server: Server) -> None:
    match_id = ada.create()["match_id"]
    token = ada.get("/v1/me").json["token"]
    with logged() as lines:
        app = create_app(Settings(events_server.url, events_server.url, MASTER_KEYS, SIGNING_KEYS))
        headers = {**ada.authorization, "X-Request-Id": "r-1"}
        path = f"/v1/matches/{match_id}/commands"
        answer = FlaskClient(app, Response).post(path, json=ROLL, headers=headers)
        size = len(answer.data)
        answer.close()
    [line] = lines
    assert line.pop("ms") > 0
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "event": "request",
        "method": "POST",
        "path": "/v1/matches/{match_id}/commands",
        "status": 201,
        "bytes": size,
        "request_id": "r-1",
        "account_id": ada.id,
        "token_id": token["token_id"],
        "match_id": match_id,
    }


def test_that_the_service_is_not_ready_is_a_warning(events_server: Server, queue_server: Server) -> None:
    """Without relay and worker; it is an answer, and no error of the service."""
    with logged() as lines:
        app = create_app(Settings(events_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS))
        app.test_client().get("/readyz").close()
    [line] = [line for line in lines if line["path"] == "/readyz"]
    assert (line["level"], line["status"], line["code"]) == ("warning", 503, "not_ready")


def test_a_refusal_leaves_its_code_and_no_secret(ada: Account, events_server: Server) -> None:
    with logged() as lines:
        client = create_app(
            Settings(events_server.url, events_server.url, MASTER_KEYS, SIGNING_KEYS)
        ).test_client()
        client.get("/v1/me/tokens?x=secret", headers=ada.authorization).close()
        client.get("/secret/path").close()
        client.get("/v1/matches/secret").close()
        client.get("/v1/me", headers={"Authorization": "Bearer mk_secret"}).close()
        client.post("/v1/accounts", json={"secret": "secret"}).close()
    requests = [line for line in lines if line["event"] == "request"]
    assert [(line["path"], line["status"], line["code"]) for line in requests] == [
        ("/v1/me/tokens", 400, "invalid_parameter"),
        ("unknown", 404, "not_found"),
        ("/v1/matches/{match_id}", 404, "match_not_found"),
        ("/v1/me", 401, "token_invalid"),
        ("/v1/accounts", 422, "unknown_field"),
    ]
    assert ada.token not in json.dumps(lines)
    assert "secret" not in json.dumps(lines)


@pytest.mark.parametrize(
    ("given", "is_kept"),
    [
        ("018f9f3e-7c4d-7b2a-9c52-2f1f0e8b7a10", True),
        ("a.B_9-" * 10, True),
        ("x" * 65, False),
        ("a b", False),
        ('{"a":1}', False),
        ("é", False),
        ("", False),
    ],
)
def test_a_request_keeps_the_id_that_it_came_with_if_it_can_be_one(
    client: FlaskClient, given: str, is_kept: bool
) -> None:
    for path in ("/healthz", "/nothing"):
        answer = client.get(path, headers={"X-Request-Id": given})
        assert (answer.headers["X-Request-Id"] == given) == is_kept
        assert answer.headers["X-Request-Id"]


def test_the_answer_to_head_has_no_bytes(web: Served) -> None:
    with ask(web, "/openapi.yaml", "head", method="HEAD") as connection:
        response = HTTPResponse(connection, method="HEAD")
        response.begin()
        assert int(response.headers["Content-Length"]) > 10_000
    line = line_of(web, "head")
    assert (line["method"], line["status"], line["bytes"]) == ("HEAD", 200, 0)
    assert "cut" not in line


def test_an_answer_that_the_client_did_not_wait_for_is_no_error(web: Served) -> None:
    connection = socket.socket()
    # So little fits in on the way that the service is still writing when the client goes.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", web.port))
    head = "GET /docs/docs.js HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: gone\r\n\r\n"
    connection.sendall(head.encode())
    connection.recv(1)
    # Close at once, as a process does that is killed: what still comes is refused.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
    line = line_of(web, "gone")
    # Whether it was cut depends on how much the kernel had taken; a stream's line, below, always tells.
    assert (line["status"], line["level"], "error" in line) == (200, "info", False)
    assert web.get("/healthz").status == 200


def test_the_line_of_a_stream_tells_what_went_out_until_its_end(web: Served, ada: Account) -> None:
    match_id = ada.create()["match_id"]
    with ask(web, f"/v1/matches/{match_id}/events?after=0", "stream", SSE) as connection:
        received = connection.recv(4096)
        assert received.startswith(b"HTTP/1.1 200")
        while b"\ndata: " not in received:
            received += more_of(connection)
        assert not web.lines_of("stream")
    line = line_of(web, "stream")
    assert (line["path"], line["match_id"], line["cut"]) == ("/v1/matches/{match_id}/events", match_id, True)
    assert line["bytes"] > len("retry: 2000\n\n")


def test_the_line_of_a_long_poll_counts_all_of_its_wait(web: Served, ada: Account) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}&wait=1"
    with ask(web, path, "poll") as connection:
        response = HTTPResponse(connection)
        response.begin()
        size = len(response.read())
    line = line_of(web, "poll")
    assert (line["status"], line["bytes"]) == (200, size)
    assert line["ms"] >= 1000


def test_a_fault_in_the_middle_of_an_answer_is_told(queue_server: Server) -> None:
    def broken() -> Iterator[bytes]:
        yield b"begun"
        raise KeyError("in the middle")

    with logged() as lines:
        app = create_app(Settings(queue_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS))
        app.add_url_rule("/broken", "broken", lambda: Response(broken()))
        answer = app.test_client().get("/broken")
        with pytest.raises(KeyError):
            _ = answer.data
        answer.close()
    [line] = lines
    assert (line["level"], line["status"], line["bytes"], line["cut"]) == ("error", 200, 5, True)
    assert line["error"] == "KeyError('in the middle')"
    assert "test_log.py" in line["traceback"]
