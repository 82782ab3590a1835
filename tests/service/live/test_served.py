"""What only shows behind a real server: bodies as they come in, requests that are none, and many waiters."""

import select
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from ops.servers import Server
from tests.service.contract import Account, Contract
from tests.service.served import (
    ADDRESS_UNFINISHED,
    Answer,
    Served,
    environment,
    gunicorn,
    more_of,
    posted,
    wait_until,
)

LIMIT = 65_536
"""Of one address in one process."""


@pytest.fixture
def is_problem(client: FlaskClient) -> Callable[[Answer, int, str], None]:
    """Fails unless the answer is that documented problem."""
    contract: Contract = client.application.extensions["contract"]

    def check(answer: Answer, status: int, code: str) -> None:
        assert (answer.status, answer.headers["Content-Type"]) == (status, "application/problem+json")
        assert answer.json["code"] == code
        assert answer.json["request_id"] == answer.headers["X-Request-Id"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        contract.check_problem(answer.json)

    return check


def chunked(*chunks: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in (*chunks, b""))


CHUNKED = b"Transfer-Encoding: chunked"


def test_a_chunked_body_is_read_whole(web: Served, app: object) -> None:
    body = chunked(b'{"handle"', b': "chunks"}', b" " * (LIMIT - 20))
    assert web.send(posted("/v1/accounts", CHUNKED, body)).status == 201


@pytest.mark.parametrize("junk", [1, 1_000_000])
def test_a_chunked_body_beyond_the_limit_is_refused(
    web: Served, client: FlaskClient, junk: int, is_problem: Callable[[Answer, int, str], None]
) -> None:
    start = b'{"handle": "padded"}'
    body = chunked(start + b" " * (LIMIT - len(start)), b"x" * junk)
    is_problem(web.send(posted("/v1/accounts", CHUNKED, body)), 413, "body_too_large")
    assert client.post("/v1/accounts", json={"handle": "padded"}).status_code == 201


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (CHUNKED, b'zz\r\n{"handle": "broken"}\r\n0\r\n\r\n'),
        (CHUNKED, b'14\r\n{"handle": "broken"}0\r\n\r\n'),
        (CHUNKED, b'14\r\n{"handle": "broken"}\r\n'),
        (CHUNKED, b'14;=\r\n{"handle": "broken"}\r\n0\r\n\r\n'),
        (b"Content-Length: 21", b'{"handle": "broken"}'),
    ],
    ids=["no size", "no end of the chunk", "no last chunk", "a wrong extension", "short"],
)
def test_a_body_that_does_not_come_as_announced_does_nothing(
    web: Served,
    client: FlaskClient,
    headers: bytes,
    body: bytes,
    is_problem: Callable[[Answer, int, str], None],
) -> None:
    answer = web.send(posted("/v1/accounts", headers, body), is_whole=False)
    is_problem(answer, 400, "malformed_request")
    assert client.post("/v1/accounts", json={"handle": "broken"}).status_code == 201


def test_a_broken_body_of_a_match_is_answered_with_its_receipt(web: Served, ada: Account) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/commands"
    answer = web.send(posted(path, CHUNKED, b"zz\r\n", ada.token), is_whole=False)
    assert answer.status == 400
    assert answer.headers["Match-Head"].startswith(f"v={match['version']};")


def test_nothing_follows_an_answer_to_a_body_that_was_not_read(web: Served, app: object) -> None:
    with web.connect() as connection:
        connection.sendall(posted("/v1/me/tokens", CHUNKED, b"zz\r\n"))
        received = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert received.startswith(b"HTTP/1.1 401 ")
    assert received.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"GET /" + b"secret" * 2000 + b" HTTP/1.1\r\n\r\n", 414, "uri_too_long"),
        (b"secret\r\n\r\n", 400, "malformed_request"),
        (b"GET / HTTP/9.secret\r\n\r\n", 400, "malformed_request"),
        (b"GET / HTTP/1.1\r\nsecret\r\n\r\n", 400, "malformed_request"),
        (b"GET / HTTP/1.1\r\n" + b"X: secret\r\n" * 200 + b"\r\n", 431, "headers_too_large"),
        (b"GET / HTTP/1.1\r\nX: " + b"secret" * 2000 + b"\r\n\r\n", 431, "headers_too_large"),
        (b"POST / HTTP/1.1\r\nContent-Length: secret\r\n\r\n", 400, "malformed_request"),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "malformed_request"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: secret\r\n\r\n", 501, "unsupported_transfer_coding"),
        *[
            (
                b"POST / HTTP/1.1\r\nHost: secret\r\n%b\r\n\r\n0\r\n\r\n" % coding,
                501,
                "unsupported_transfer_coding",
            )
            for coding in (
                b"Transfer-Encoding: gzip, chunked",
                b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
                b"Transfer-Encoding: identity, chunked",
            )
        ],
        (b"POST / HTTP/1.1\r\nHost: secret\r\nTransfer-Encoding: gzip\r\n\r\n", 400, "malformed_request"),
        (b"GET /healthz HTTP/1.1\r\nX: secret\r\n\r\n", 400, "malformed_request"),
        (b"GET /healthz HTTP/1.1\r\nHost: secret\r\nHost: secret\r\n\r\n", 400, "malformed_request"),
        (b"GET / HTTP/1.1\r\nExpect: secret\r\n\r\n", 417, "expectation_failed"),
    ],
    ids=lambda value: ascii(value[:40]) if isinstance(value, bytes) else str(value),
)
def test_what_is_no_request_is_answered_with_a_problem_that_repeats_nothing(
    web: Served,
    request_bytes: bytes,
    status: int,
    code: str,
    is_problem: Callable[[Answer, int, str], None],
) -> None:
    known = len(web.lines())
    answer = web.send(request_bytes)
    is_problem(answer, status, code)
    assert "secret" not in answer.text
    assert answer.headers["Connection"] == "close"
    new = web.lines()[known:]
    assert answer.json["request_id"] in [line["request_id"] for line in new]
    assert "secret" not in str(new)


def test_a_probe_of_http_1_0_needs_no_host(web: Served) -> None:
    assert web.send(b"GET /healthz HTTP/1.0\r\n\r\n").status == 200


@pytest.mark.parametrize("key", ["/a", "//", "a/", "a%2Fb", "/../x?#"])
def test_a_command_is_found_under_any_key(web: Served, ada: Account, key: str) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, {"type": "roll_dice", "dice": 1}, Idempotency_Key=key)
    path = f"/v1/matches/{match_id}/commands/{quote(key, safe='')}"
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ada.token}\r\n\r\n"
    assert web.send(head.encode()).status == 200


def answered(polls: list[socket.socket]) -> list[socket.socket]:
    """Those that have got something."""
    poller = select.poll()
    for connection in polls:
        poller.register(connection, select.POLLIN)
    ready = {fd for fd, _ in poller.poll(0)}
    return [connection for connection in polls if connection.fileno() in ready]


@pytest.mark.long
def test_requests_that_wait_hold_up_no_others(web: Served, ada: Account) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}&wait=30"
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    polls = [opened(web, head) for _ in range(500)]
    try:
        assert web.get(f"/v1/matches/{match['match_id']}").status == 200
        assert answered(polls) == []
        rolled = ada.command(match["match_id"], {"type": "roll_dice", "dice": 1}).json
        assert [Answer(poll).json["items"] for poll in polls] == [rolled["events"]] * len(polls)
    finally:
        for poll in polls:
            poll.close()


def test_a_wait_ends_in_time_and_its_connection_can_be_used_again(web: Served, ada: Account) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}"
    with web.connect() as connection:
        connection.sendall(f"GET {path}&wait=1 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert Answer(connection).json["items"] == []
        rolled = ada.command(match["match_id"], {"type": "roll_dice", "dice": 1}).json
        connection.sendall(f"GET {path}&wait=30 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert Answer(connection).json["items"] == rolled["events"]
    line = next(
        line for line in web.lines() if line.get("ms", 0) > 900 and line.get("match_id") == match["match_id"]
    )
    assert (line["path"], line["status"]) == ("/v1/matches/{match_id}/events", 200)


def test_a_bot_that_waits_is_told_of_its_turn(web: Served, ada: Account, bob: Account) -> None:
    match = ada.create(seats=[{"kind": "me"}, {"kind": "account", "handle": "bob"}], first_seat=0)
    with web.connect() as connection:
        bearer = f"Authorization: Bearer {bob.token}\r\n"
        connection.sendall(f"GET /v1/me/turns?wait=30 HTTP/1.1\r\nHost: localhost\r\n{bearer}\r\n".encode())
        ada.command(match["match_id"], {"type": "roll_dice", "dice": 1})
        ada.command(match["match_id"], {"type": "pass"})
        (turn,) = Answer(connection).json["items"]
    assert (turn["match_id"], turn["seat"]) == (match["match_id"], 1)


def waiting(web: Served) -> int:
    """How many requests wait now."""
    lines = web.get("/metrics").text.splitlines()
    return int(float(next(line for line in lines if line.startswith("machi_http_long_polls ")).split()[1]))


def test_clients_that_leave_while_they_wait_are_forgotten(web: Served, ada: Account) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}&wait=30"
    polls = [web.connect() for _ in range(20)]
    for poll in polls:
        poll.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    wait_until(lambda: waiting(web) == 20)
    for poll in polls:
        poll.close()
    wait_until(lambda: waiting(web) == 0)


def test_a_request_that_is_sent_while_another_waits_is_answered_after_it(web: Served, ada: Account) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}&wait=30"
    with web.connect() as connection:
        for target in (path, "/healthz"):
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        wait_until(lambda: waiting(web) == 1)
        rolled = ada.command(match["match_id"], {"type": "roll_dice", "dice": 1}).json
        received = b""
        while not received.endswith(b'{"status":"ok"}'):
            received += more_of(connection)
    assert received.index(rolled["events"][0]["hash"].encode()) < received.index(b'{"status":"ok"}')


def test_no_header_changes_the_path(web: Served) -> None:
    for name in ("SCRIPT_NAME", "PATH_INFO"):
        request = f"GET /x/healthz HTTP/1.1\r\nHost: localhost\r\n{name}: /x\r\n\r\n"
        assert web.send(request.encode()).status in (400, 404)


HALVES = {
    "silent": b"",
    "half a line": b"GET /heal",
    "half a head": b"GET /healthz HTTP/1.1\r\nHost: local",
    "half a body": posted("/v1/accounts", b"Content-Length: 21", b'{"handle": '),
    "half a chunk": posted("/v1/accounts", CHUNKED, b"15\r\n{"),
}


@pytest.fixture(scope="module")
def alone(
    events_server: Server, queue_server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """One web process: each has its own limit of unfinished requests."""
    environ = environment(events_server, queue_server, ADDRESS_UNFINISHED=str(ADDRESS_UNFINISHED))
    with gunicorn(tmp_path_factory.mktemp("alone") / "log", **environ) as served:
        yield served


@pytest.mark.long
def test_a_thousand_unfinished_requests_hold_up_neither_health_checks_nor_players(
    alone: Served, ada: Account
) -> None:
    match_id = ada.create()["match_id"]
    path, halves = f"/v1/matches/{match_id}/commands", [*HALVES.values()]
    hanging = [opened(alone, halves[i % len(halves)]) for i in range(1000)] + [
        opened(alone, b"") for _ in range(200)
    ]
    try:
        wait_until(lambda: len(hanging) - len(answered(hanging)) == ADDRESS_UNFINISHED)
        hanging.append(player := alone.connect())
        for body in (b'{"type":"roll_dice","dice":1}', b'{"type":"pass"}') * 10:
            assert alone.get("/healthz").status == 200
            length = b"Content-Length: %d" % len(body)
            player.sendall(posted(path, length, body, ada.token))
            assert Answer(player).status == 201
    finally:
        for connection in hanging:
            connection.close()


def opened(web: Served, beginning: bytes) -> socket.socket:
    connection = web.connect()
    connection.sendall(beginning)
    return connection


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_the_oldest_unfinished_request_of_an_address_gives_way(
    alone: Served, half: bytes, is_problem: Callable[[Answer, int, str], None]
) -> None:
    with opened(alone, half) as oldest, ExitStack() as others:
        wait_until(lambda: "machi" in alone.get("/metrics").text)  # the half has been taken in by then
        for _ in range(ADDRESS_UNFINISHED):
            others.enter_context(opened(alone, b"GET /"))
        wait_until(lambda: answered([oldest]))
        if half:
            is_problem(Answer(oldest), 408, "request_timeout")
        assert oldest.recv(100) == b""
        assert alone.get("/healthz").status == 200


def test_idle_connections_are_not_unfinished(alone: Served) -> None:
    with ExitStack() as stack:
        idle: list[socket.socket] = []
        for _ in range(5 * ADDRESS_UNFINISHED):
            idle.append(stack.enter_context(alone.connect()))
            for connection in (idle[0], idle[-1]):
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert Answer(connection).status == 200


def test_a_body_that_the_app_has_no_use_for_is_passed_over(web: Served) -> None:
    with web.connect() as connection:
        for _ in range(2):
            connection.sendall(posted("/v1/me/tokens", b"Content-Length: 30000", b" " * 30_000))
            assert Answer(connection).status == 401
