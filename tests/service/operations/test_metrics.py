"""What `/metrics` tells: counts of all web processes, and what both Redis servers say, if they do."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from contract.problems import KINDS
from events.store import keys
from ops.servers import Server
from runtime import heartbeat
from runtime.queue import QUEUE
from runtime.settings import Settings
from service.app import create_app
from service.openapi.operations import documented_path
from tests.e2e.stack import descendants
from tests.samples import Samples, samples_in
from tests.service.contract import Account
from tests.service.served import MASTER_KEYS, SIGNING_KEYS, Served, environment, gunicorn, wait_until

ROLL = {"type": "roll_dice", "dice": 1}
NOWHERE = "redis://127.0.0.1:1"


def scraped(client: FlaskClient) -> Samples:
    answer = client.get("/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return samples_in(answer.text)


def counted(before: Samples, after: Samples, name: str, **labels: str) -> float:
    return after.value(name, **labels) - before.value(name, **labels)


@pytest.fixture
def environ(events_server: Server, queue_server: Server, tmp_path: Path) -> dict[str, str]:
    """Settings of two web processes that count together."""
    return environment(
        events_server, queue_server, WEB_WORKERS="2", PROMETHEUS_MULTIPROC_DIR=str(tmp_path / "metrics")
    )


def samples_at(web: Served) -> Samples:
    return samples_in(web.get("/metrics").text)


def requested(samples: Samples, route: str, **labels: str) -> float:
    return samples.value("machi_http_requests_total", route=route, **labels)


def test_requests_count_by_method_route_and_status(web: Served, ada: Account) -> None:
    assert_counted(web, ada)


@pytest.mark.long
def test_a_web_process_that_is_alone_counts_too(
    environ: dict[str, str], tmp_path: Path, ada: Account
) -> None:
    alone = {"WEB_WORKERS": "1", "PROMETHEUS_MULTIPROC_DIR": ""}
    with gunicorn(tmp_path / "log", **environ | alone) as web:
        assert_counted(web, ada)


def assert_counted(web: Served, ada: Account) -> None:
    route = "/v1/matches/{match_id}/state"
    path = f"/v1/matches/{ada.create()['match_id']}/state"
    before = samples_at(web)
    for target in (path, path, f"{path}?x=1", "/nothing"):
        web.get(target)
    requests, duration = "machi_http_requests_total", "machi_http_request_duration_seconds"

    def are_all_counted() -> bool:
        # A process counts after it has responded, a problem last.
        more = partial(counted, before, samples_at(web))
        counts = (more(f"{duration}_count", route=route), more(f"{duration}_count", route="unknown"))
        return (*counts, more("machi_http_problems_total")) == (3, 1, 2)

    wait_until(are_all_counted)
    more = partial(counted, before, samples_at(web))
    assert more(requests, route=route, method="GET", status="200") == 2
    assert more(requests, route=route, method="GET", status="400") == 1
    assert more(requests, route="unknown", method="GET", status="404") == 1
    assert more(f"{duration}_count", method="GET", route=route) == 3
    assert more(f"{duration}_bucket", method="GET", route=route, le="+Inf") == 3
    assert more(f"{duration}_sum", method="GET", route=route) > 0
    assert more("machi_http_problems_total", code="invalid_parameter") == 1
    assert more("machi_http_problems_total", code="not_found") == 1


def test_no_label_is_what_a_client_made_up(web: Served, app: Flask, ada: Account) -> None:
    match_id = ada.create(tags=["made-up"])["match_id"]
    paths = (f"/v1/matches/{match_id}/made-up", "/made-up", f"/v1/matches/{match_id}/commands/made-up")
    methods = ("GET", "OPTIONS", "DELETE", "MADE-UP")
    before = samples_at(web)
    for path in paths:
        for method in methods:
            head = f"{method} {path} HTTP/1.1\r\nHost: made-up\r\nX-Request-Id: made-up\r\n"
            web.send(f"{head}Authorization: Bearer {ada.token}\r\n\r\n".encode())
    problems = "machi_http_problems_total"
    wait_until(lambda: counted(before, samples_at(web), problems) >= len(paths) * 3)
    samples, text = samples_at(web), web.get("/metrics").text.lower()
    routes = {documented_path(rule.rule) for rule in app.url_map.iter_rules()}
    assert "unknown" in samples.label_values("route") <= {*routes, "unknown"}
    known = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"}
    assert {"GET", "DELETE", "OPTIONS", "other"} <= samples.label_values("method") <= known
    assert samples.label_values("code") <= KINDS.keys()
    assert not [word for word in ("made-up", match_id.lower(), ada.handle, ada.token.lower()) if word in text]


def test_a_command_counts_once_and_its_repetitions_apart(client: FlaskClient, ada: Account) -> None:
    match = ada.create()
    before = scraped(client)
    events = ada.command(match["match_id"], ROLL, Idempotency_Key="k").json["events"]
    for _ in range(2):
        ada.command(match["match_id"], ROLL, Idempotency_Key="k")
    ada.command(match["match_id"], ROLL)  # refused
    after = scraped(client)
    assert counted(before, after, "machi_commands_total", result="carried_out") == 1
    assert counted(before, after, "machi_commands_total", result="replayed") == 2
    assert counted(before, after, "machi_events_appended_total") == len(events)


def test_the_servers_tell_of_matches_jobs_and_memory(
    client: FlaskClient, ada: Account, events_redis: redis.Redis, queue_redis: redis.Redis
) -> None:
    events_redis.hset(keys.ARCHIVED, mapping={"mat_1": "{}", "mat_2": "{}"})
    ada.create()
    ada.create(seats=[{"kind": "me"}, {"kind": "open"}])
    ada.create(seats=[{"kind": "me"}, {"kind": "strategy", "strategy": "random"}], first_seat=1)
    queue_redis.rpush(f"rq:queue:{QUEUE}", "a", "b")
    heartbeat.beat(queue_redis, "relay")
    samples = scraped(client)
    for name, labels, value in [
        ("machi_store_up", {}, 1),
        ("machi_queue_up", {}, 1),
        ("machi_matches", {"status": "running"}, 2),
        ("machi_matches", {"status": "open"}, 1),
        ("machi_matches", {"status": "finished"}, 0),
        ("machi_matches_archived", {}, 2),
        ("machi_matches_due", {}, 1),
        ("machi_matches_overdue", {}, 0),
        ("machi_matches_overdue_seconds", {}, 0),
        ("machi_webhooks_overdue_seconds", {}, 0),
        ("machi_queue_jobs", {}, 2),
        ("machi_process_up", {"process": "relay"}, 1),
        ("machi_process_up", {"process": "worker"}, 0),
    ]:
        assert samples.value(name, **labels) == value, (name, labels)
    assert (
        0 < samples.value("machi_store_memory_used_bytes") < samples.value("machi_store_memory_limit_bytes")
    )


def test_what_is_late_tells_for_how_long(
    client: FlaskClient, ada: Account, events_redis: redis.Redis
) -> None:
    """A turn and a webhook that are due, and a pointer that nobody has relayed since a minute ago."""
    now_ms = time.time_ns() // 1_000_000
    events_redis.zadd(keys.DUE, {"mat_1": now_ms - 10_000, "mat_2": now_ms - 1, "mat_3": now_ms + 10_000})
    events_redis.xadd(keys.LOG, {"m": "mat_1", "v": "1"}, id=f"{now_ms - 60_000}-0")
    events_redis.xadd(keys.LOG, {"m": "mat_1", "v": "2"}, id=f"{now_ms - 30_000}-0")
    events_redis.zadd(keys.DUE_WEBHOOKS, {"whk_1": now_ms - 700_000, "whk_2": now_ms - 1})
    samples = scraped(client)
    assert 700 <= samples.value("machi_webhooks_overdue_seconds") < 720
    assert (samples.value("machi_matches_due"), samples.value("machi_matches_overdue")) == (3, 2)
    assert 10 <= samples.value("machi_matches_overdue_seconds") < 30
    assert 60 <= samples.value("machi_relay_lag_seconds") < 90
    events_redis.hset(keys.CHECKPOINTS, "relay", f"{now_ms - 60_000}-0")
    assert 30 <= scraped(client).value("machi_relay_lag_seconds") < 60
    events_redis.hset(keys.CHECKPOINTS, "relay", f"{now_ms - 30_000}-0")
    assert scraped(client).value("machi_relay_lag_seconds") == 0


@contextmanager
def silent_server() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize("is_silent", [False, True], ids=["away", "silent"])
def test_without_the_servers_the_scrape_is_answered(is_silent: bool) -> None:
    with silent_server() as silent:
        url = silent if is_silent else NOWHERE
        client = create_app(Settings(url, url, MASTER_KEYS, SIGNING_KEYS)).test_client()
        samples = scraped(client)
    assert (samples.value("machi_store_up"), samples.value("machi_queue_up")) == (0, 0)
    assert "machi_http_requests_total" in samples.types
    assert "machi_matches" not in samples.types
    assert "127.0.0.1" not in str(samples)


def test_any_web_process_tells_of_all(web: Served) -> None:
    before = requested(samples_at(web), "/healthz")
    for _ in range(40):
        assert web.get("/healthz").status == 200
    for _ in range(10):
        wait_until(lambda: requested(samples_at(web), "/healthz") == before + 40)


@pytest.mark.long
def test_counts_outlive_a_web_process_and_what_is_under_way_does_not(
    environ: dict[str, str], tmp_path: Path, ada: Account
) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}"
    wait = f"GET {path}&wait=30 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    stream = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    with gunicorn(tmp_path / "log", **environ) as web, ExitStack() as connections:
        for request in [wait] * 3 + [stream] * 2:
            connections.enter_context(web.connect()).sendall(request.encode())

        def under_way() -> tuple[float, float]:
            samples = samples_at(web)
            return samples.value("machi_http_long_polls"), samples.value("machi_http_streams")

        wait_until(lambda: under_way() == (3, 2))
        for _ in range(10):
            web.get("/healthz")
        wait_until(lambda: requested(samples_at(web), "/healthz") == 10)
        processes = descendants(web.pid)
        for process in processes:
            os.kill(process, signal.SIGKILL)
        wait_until(lambda: len({*descendants(web.pid)} - {*processes}) == 2 and web.is_up())
        wait_until(lambda: under_way() == (0, 0))
        assert requested(samples_at(web), "/healthz") == 10
        # The arbiter has imported the app's modules too, so it may have a place.
        assert len(list((tmp_path / "metrics").glob("counter_*.db"))) <= 3


def test_long_polls_do_not_count_among_quick_requests(web: Served, ada: Account) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}&wait=1"
    poll, route = "machi_http_long_poll_duration_seconds", "/v1/matches/{match_id}/events"
    before = samples_at(web)
    assert web.get(path).json["items"] == []
    wait_until(lambda: counted(before, samples_at(web), f"{poll}_count", route=route) == 1)
    more = partial(counted, before, samples_at(web), route=route)
    assert more(f"{poll}_sum") >= 1
    assert more("machi_http_request_duration_seconds_count") == 0
    assert more("machi_http_requests_total") == 1


def test_what_is_no_request_counts_as_refused(web: Served) -> None:
    before = samples_at(web)
    assert web.send(b"GET / HTTP/9.9\r\n\r\n").status == 400
    more = partial(counted, before, samples_at(web))
    assert more("machi_http_requests_total", method="other", route="unknown", status="400") == 1
    assert more("machi_http_problems_total", code="malformed_request") == 1
