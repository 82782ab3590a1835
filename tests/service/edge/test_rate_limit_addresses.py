"""Rate limits without the queue, and whose address counts."""

import io
import json
import socket
from typing import Any

import pytest
from flask import Flask

from ops.servers import Server
from service.edge.logs import configure
from service.edge.rate_limits import PAUSE_S
from service.edge.requests import client_address
from tests.service.contract import Account
from tests.service.log_lines import Output, leave_out_watchers
from tests.service.quota_headers import Clock, Limited, assert_refused, quota_of


@pytest.fixture
def log() -> Any:
    """What is logged by apps that are made in the test."""
    output = Output()
    configure("WARNING", output)
    yield output
    leave_out_watchers()


def said(log: io.BytesIO) -> list[str]:
    return [json.loads(line)["event"] for line in log.getvalue().splitlines()]


def test_without_the_queue_each_process_goes_on_alone_and_says_so_once(
    log: io.BytesIO, limited: Limited, queue_server: Server, clock: Clock
) -> None:
    first, second = limited(anonymous="4/minute"), limited(anonymous="4/minute")
    assert quota_of(first.get("/v1/rulesets")).left == 3
    queue_server.kill()
    for client, granted in ((first, 3), (second, 4)):
        assert [client.get("/v1/rulesets").status_code for _ in range(granted)] == [200] * granted
        assert_refused(client.get("/v1/rulesets"), "anonymous")
        clock.now_s += PAUSE_S
        elsewhere = client.get("/v1/rulesets", environ_overrides={"REMOTE_ADDR": "192.0.2.1"})
        assert quota_of(elsewhere).left == 3
    assert said(log) == ["rate_limits_not_shared"] * 2

    queue_server.start()
    clock.now_s += 60
    answers = [client.get("/v1/rulesets") for client in (first, second) * 3]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 2

    queue_server.kill()
    clock.now_s += 60
    assert first.get("/v1/rulesets").status_code == 200
    assert said(log) == ["rate_limits_not_shared"] * 3


def test_a_queue_that_never_answers_holds_nobody_up(limited: Limited, clock: Clock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = limited(requests="100/minute", queue_url=f"redis://127.0.0.1:{silent.getsockname()[1]}")
        ada = Account(client, "ada")
        assert [ada.get("/v1/me").status_code for _ in range(101)] == [200] * 100 + [429]


def address_of(app: Flask, remote: str, forwarded: str = "") -> str:
    """How the app calls a client whose requests come from there."""
    seen: list[str] = []

    @app.before_request
    def look() -> None:
        seen.append(client_address())

    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    app.test_client().get("/healthz", environ_overrides={"REMOTE_ADDR": remote}, headers=headers)
    return seen[0]


def test_x_forwarded_for_means_nothing_unless_proxies_are_trusted(limited: Limited) -> None:
    client = limited(anonymous="2/minute")
    answers = [client.get("/v1/rulesets", headers={"X-Forwarded-For": f"192.0.2.{i}"}) for i in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert address_of(limited().application, "192.0.2.1", "198.51.100.7") == "192.0.2.1"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.7, 203.0.113.9", "203.0.113.9"),
        (2, "6.6.6.6, 198.51.100.7, 203.0.113.9", "198.51.100.7"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "", "192.0.2.1"),
        (1, "2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        (1, "what the client says", "unknown"),
    ],
)
def test_only_what_the_trusted_proxies_add_is_believed(
    limited: Limited, proxies: int, forwarded: str, address: str
) -> None:
    app = limited(trusted_proxies=proxies).application
    assert address_of(app, "192.0.2.1", forwarded) == address


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
    ],
)
def test_who_has_a_network_counts_as_one(limited: Limited, remote: str, address: str) -> None:
    assert address_of(limited().application, remote) == address


def test_addresses_have_quotas_of_their_own(limited: Limited) -> None:
    client = limited(accounts="1/hour")

    def sign_up(handle: str, remote: str) -> int:
        environ = {"REMOTE_ADDR": remote}
        answer = client.post("/v1/accounts", json={"handle": handle}, environ_overrides=environ)
        return answer.status_code

    assert sign_up("ada", "2001:db8:1:2::1") == 201
    assert sign_up("bob", "2001:db8:1:2::2") == 429
    assert sign_up("bob", "2001:db8:1:3::2") == 201
    assert sign_up("eve", "192.0.2.1") == 201
