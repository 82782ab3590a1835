"""Who may read from a page of another origin, and who may write."""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

ORIGIN = "https://play.example"
CORS = "Access-Control-Allow-Origin"


@pytest.fixture
def open_to_play(restarted: Callable[..., FlaskClient]) -> FlaskClient:
    return restarted(cors_origins=frozenset({ORIGIN}))


def preflight(client: FlaskClient, origin: str, method: str = "POST") -> dict[str, str]:
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization, content-type, idempotency-key, if-match",
    }
    answer = client.options("/v1/matches", headers=asked)
    assert answer.status_code == 204
    return dict(answer.headers)


def test_a_named_origin_may_write(open_to_play: FlaskClient) -> None:
    allowed = preflight(open_to_play, ORIGIN)
    assert (allowed[CORS], allowed["Vary"]) == (ORIGIN, "Origin")
    assert {"POST", "PUT", "PATCH", "DELETE"} <= {*allowed["Access-Control-Allow-Methods"].split(", ")}
    headers = {*allowed["Access-Control-Allow-Headers"].lower().split(", ")}
    assert {"authorization", "content-type", "idempotency-key", "if-match"} <= headers
    made = open_to_play.post("/v1/accounts", json={"handle": "ada"}, headers={"Origin": ORIGIN})
    assert (made.status_code, made.headers[CORS], made.headers["Vary"]) == (201, ORIGIN, "Origin")
    assert "Match-Head" in made.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in made.headers


def test_a_named_origin_is_told_what_was_wrong_with_its_write(open_to_play: FlaskClient) -> None:
    refused = open_to_play.post("/v1/matches", json={}, headers={"Origin": ORIGIN})
    assert (refused.status_code, refused.headers[CORS]) == (401, ORIGIN)


@pytest.mark.parametrize("origin", ["https://other.example", "http://play.example", "null", f"{ORIGIN}:444"])
def test_another_origin_may_not_write(open_to_play: FlaskClient, origin: str) -> None:
    assert "POST" not in preflight(open_to_play, origin)["Access-Control-Allow-Methods"]
    made = open_to_play.post("/v1/accounts", json={"handle": "bob"}, headers={"Origin": origin})
    assert CORS not in made.headers


def test_without_the_setting_nobody_may_write_from_elsewhere(client: FlaskClient) -> None:
    assert "POST" not in preflight(client, ORIGIN)["Access-Control-Allow-Methods"]
    assert CORS not in client.post("/v1/accounts", json={"handle": "eve"}, headers={"Origin": ORIGIN}).headers


@pytest.mark.parametrize("origin", [ORIGIN, "https://other.example"])
def test_everybody_may_read(open_to_play: FlaskClient, origin: str) -> None:
    read = open_to_play.get("/v1/rulesets", headers={"Origin": origin})
    assert read.headers[CORS] == "*"
    assert "Origin" not in read.vary


def test_a_named_origin_may_send_every_header_that_others_may_send(open_to_play: FlaskClient) -> None:
    named, others = [
        {*preflight(open_to_play, origin)["Access-Control-Allow-Headers"].split(", ")}
        for origin in (ORIGIN, "https://other.example")
    ]
    assert others < named
