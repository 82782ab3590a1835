"""A store that cannot keep a write, or does not take it: 503, nothing half-written, and `/readyz` says so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import redis
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from ops.servers import Server
from runtime.heartbeat import beat
from service.operations import readiness
from tests.service.contract import Account
from tests.workers.kit import wait_until

SEATS = [{"kind": "me"}, {"kind": "strategy", "strategy": "greedy"}]
MATCH = {"ruleset": "base", "seats": SEATS, "first_seat": 0}

TROUBLES = {
    "appendfsync": ("everysec", "always", "appendfsync of the event store is 'everysec', not 'always'"),
    "min-replicas-to-write": ("1", "0", "the event store takes no writes: it has too few replicas"),
    "maxmemory": ("1", "0", "the memory of the event store is full"),
}
"""A setting of the server, a value that is trouble, one that is none, and what `/readyz` says of it."""


@contextmanager
def trouble(server: Server, name: str, wrong: str, right: str) -> Iterator[None]:
    with redis.Redis.from_url(server.admin_url) as admin:
        admin.config_set(name, wrong)
        try:
            yield
        finally:
            admin.config_set(name, right)


@pytest.fixture
def always_tried(monkeypatch: pytest.MonkeyPatch, queue_redis: redis.Redis) -> None:
    """Relay and worker live, and `/readyz` does not go by what it tried a moment ago."""
    monkeypatch.setattr(readiness, "CANARY_S", 0.0)
    beat(queue_redis, "relay")
    beat(queue_redis, "worker")


def is_beyond_high_water(name: str, address: str, refused: TestResponse) -> bool:
    """A new match is refused sooner where the memory is full, once that has been noticed."""
    return (name, address, refused.json["code"]) == ("maxmemory", "/v1/matches", "overloaded")


@pytest.mark.parametrize("name", TROUBLES)
def test_writes_are_refused_and_reads_go_on(
    name: str, events_server: Server, ada: Account, client: FlaskClient, always_tried: None
) -> None:
    wrong, right, words = TROUBLES[name]
    match = ada.post("/v1/matches", json=MATCH).json
    path = f"/v1/matches/{match['match_id']}"
    roll = {"type": "roll_dice", "dice": 1}
    with trouble(events_server, name, wrong, right):
        wait_until(lambda: ada.post("/v1/matches", json=MATCH).status_code == 503)
        for address, body in (
            ("/v1/matches", MATCH),
            (f"{path}/commands", roll),
            ("/v1/accounts", {"handle": "eve"}),
            ("/v1/me/tokens", {"name": "bot", "scopes": ["play"]}),
            ("/v1/ladders", {"name": "Base", "ruleset": "base", "seats": 2}),
        ):
            refused = ada.post(address, json=body)
            assert refused.status_code == 503, address
            assert refused.json["code"] == "store_unavailable" or is_beyond_high_water(name, address, refused)
            assert refused.headers["Retry-After"]
        assert client.get(path).json == match
        not_ready = client.get("/readyz")
        assert (not_ready.status_code, not_ready.json["code"]) == (503, "not_ready")
        assert words in not_ready.json["missing"]
    wait_until(lambda: ada.post(f"{path}/commands", json=roll).status_code == 201)
    events = client.get(f"{path}/events").json["items"]
    assert [event["type"] for event in events].count("dice_rolled") == 1
    assert client.get("/readyz").status_code == 200


def test_a_queue_that_takes_no_writes_is_not_ready(
    queue_server: Server, client: FlaskClient, always_tried: None
) -> None:
    with trouble(queue_server, "maxmemory", "1", "0"):
        refused = client.get("/readyz")
        assert refused.json["missing"] == ["the job queue takes no writes: its memory is full"]
    assert client.get("/readyz").status_code == 200


def test_a_write_is_tried_once_a_second_however_often_somebody_asks(
    restarted: Callable[..., FlaskClient], queue_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "CANARY_S", 1000.0)
    asked = restarted()
    asked.get("/readyz")
    with redis.Redis.from_url(queue_server.admin_url) as admin:
        before = admin.info("commandstats")["cmdstat_set"]["calls"]
        for _ in range(20):
            asked.get("/readyz")
        assert admin.info("commandstats")["cmdstat_set"]["calls"] == before
