"""Whether a match can be played, and what every answer carries."""

import pytest
import redis
from flask.testing import FlaskClient

from events.store.errors import StaleVersion
from ops.servers import Server
from runtime.heartbeat import beat
from runtime.settings import Settings
from service.app import create_app
from tests.service.log_lines import logged
from tests.service.served import MASTER_KEYS, SIGNING_KEYS


def test_the_process_says_that_it_lives(client: FlaskClient) -> None:
    assert client.get("/healthz").json == {"status": "ok"}


def test_ready_means_that_relay_and_worker_live_too(client: FlaskClient, queue_redis: redis.Redis) -> None:
    refused = client.get("/readyz")
    assert (refused.status_code, refused.json["code"]) == (503, "not_ready")
    assert [line.split()[1] for line in refused.json["missing"]] == ["relay", "worker"]
    beat(queue_redis, "relay")
    beat(queue_redis, "worker")
    assert client.get("/readyz").json == {"status": "ready"}


def test_a_store_that_forgets_is_not_fit(queue_server: Server, queue_redis: redis.Redis) -> None:
    client = create_app(Settings(queue_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS)).test_client()
    beat(queue_redis, "relay")
    beat(queue_redis, "worker")
    refused = client.get("/readyz")
    assert refused.status_code == 503
    assert "appendfsync of the event store is 'everysec', not 'always'" in refused.json["missing"]


def test_without_the_store_every_answer_is_a_problem() -> None:
    nowhere = "redis://127.0.0.1:1"
    client = create_app(Settings(nowhere, nowhere, MASTER_KEYS, SIGNING_KEYS)).test_client()
    for path in ("/v1/matches", "/v1/matches/mat_00000000000000000000000000/state", "/readyz"):
        answer = client.get(path)
        assert answer.status_code == 503
        assert answer.mimetype == "application/problem+json"
        assert answer.headers["Retry-After"]
        assert "127.0.0.1" not in answer.text
        assert "Error " not in answer.text
    assert client.get("/v1/me", headers={"Authorization": "Bearer mk_x"}).status_code == 503
    assert client.get("/healthz").status_code == 200


def test_a_fault_of_the_service_shows_its_trace_in_the_log_only(queue_server: Server) -> None:
    with logged() as lines:
        app = create_app(Settings(queue_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS))
        app.add_url_rule("/broken", "broken", lambda: {}["secret"])
        answer = app.test_client().get("/broken")
        answer.close()
    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
    assert "secret" not in answer.text
    (line,) = [one for one in lines if one["event"] == "request"]
    assert line["request_id"] == answer.json["request_id"]
    assert line["error"] == "KeyError('secret')"
    assert "test_health.py" in line["traceback"]


def test_a_lost_race_is_no_stale_version(queue_server: Server) -> None:
    def lose() -> None:
        raise StaleVersion("mat_1", 4, 5)

    app = create_app(Settings(queue_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS))
    app.add_url_rule("/race", "race", lose)
    for version in ("*", '"4"'):  # which this address does not know of
        answer = app.test_client().get("/race", headers={"If-Match": version})
        assert (answer.status_code, answer.json["code"]) == (503, "too_busy")
        assert answer.headers["Retry-After"] == "1"


def test_reads_are_open_to_pages_of_other_origins(client: FlaskClient) -> None:
    answer = client.get("/v1/rulesets", headers={"Origin": "https://example.org"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Match-Head" in answer.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/me", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("/v1/matches", "GET, HEAD, OPTIONS, POST"),
        ("/v1/matches/mat_0/commands", "OPTIONS, POST"),
        ("/v1/me/tokens/tok_0", "DELETE, OPTIONS"),
        ("/metrics", "GET, HEAD, OPTIONS"),
    ],
)
def test_a_page_may_ask_before_it_reads_with_a_token(client: FlaskClient, path: str, allowed: str) -> None:
    answer = client.options(path, headers={"Origin": "https://example.org"})
    assert (answer.status_code, answer.data) == (204, b"")
    assert "Content-Type" not in answer.headers
    assert answer.headers["Allow"] == allowed
    assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
    assert answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"


def test_there_is_nothing_to_ask_about_where_nothing_is(client: FlaskClient) -> None:
    answer = client.options("/nothing", headers={"Origin": "https://example.org"})
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
