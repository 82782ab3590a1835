"""Whatever is wrong with a request: its documented problem, a stable code, a pointer, an untouched match."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from marshmallow import Schema, fields

from service.edge.requests import invalid
from tests.service.branches import refusal
from tests.service.contract import Account

HUGE = 10**30

BUILDING = {"coins": 8, "establishments": {"wheat_field": 1, "stadium": 1}, "landmarks": ["train_station"]}

COMMANDS: list[tuple[dict[str, Any], int, str, str]] = [
    ({"type": "build", "card": "castle"}, 422, "unknown_card", "/card"),
    ({"type": "build", "card": "mine"}, 422, "card_not_available", "/card"),
    ({"type": "build", "card": "radio_tower"}, 422, "insufficient_coins", "/card"),
    ({"type": "build", "card": "stadium"}, 422, "major_already_owned", "/card"),
    ({"type": "build", "card": "train_station"}, 422, "landmark_already_built", "/card"),
    ({"type": "build"}, 422, "validation_failed", "/card"),
    ({"type": "build", "card": 5}, 422, "validation_failed", "/card"),
    ({"type": "build", "card": "\U0001f600"}, 422, "validation_failed", "/card"),
    ({"type": "build", "card": "x" * 5000}, 422, "validation_failed", "/card"),
    ({"type": "build", "card": "cafe", "colour": "red"}, 422, "unknown_field", "/colour"),
    ({"type": "pass", "seat": "0"}, 422, "validation_failed", "/seat"),
    ({"type": "pass", "seat": 0.0}, 422, "validation_failed", "/seat"),
    ({"type": "pass", "seat": False}, 422, "validation_failed", "/seat"),
    ({"type": "pass", "seat": -1}, 422, "validation_failed", "/seat"),
    ({"type": "pass", "seat": HUGE}, 422, "validation_failed", "/seat"),
    ({"type": "pass", "seat": None}, 422, "validation_failed", "/seat"),
    ({"type": "pass", "seat": 4}, 422, "validation_failed", "/seat"),
    ({"type": "pass", "seat": 1}, 409, "not_your_turn", "/seat"),
    ({"type": "roll_dice", "dice": 1}, 409, "wrong_phase", ""),
    ({"type": "roll_dice", "dice": "1"}, 422, "validation_failed", "/dice"),
    ({"type": "roll_dice", "dice": 3}, 422, "validation_failed", "/dice"),
    ({"type": "take_coins", "from_seat": 1}, 409, "wrong_phase", ""),
    ({"type": "fly"}, 422, "validation_failed", "/type"),
    ({"type": None}, 422, "validation_failed", "/type"),
    ({"type": {"build": 1}}, 422, "validation_failed", "/type"),
    ({}, 422, "validation_failed", "/type"),
]


@pytest.mark.parametrize(
    ("body", "status", "code", "pointer"), COMMANDS, ids=[ascii(case[0])[:60] for case in COMMANDS]
)
def test_a_wrong_command_appends_nothing(
    ada: Account, body: dict[str, Any], status: int, code: str, pointer: str
) -> None:
    position = {"phase": "build", "market": {"supply": {"mine": 0}}}
    match_id = ada.board([[1]], BUILDING, {}, position=position)
    before = ada.get(f"/v1/matches/{match_id}")
    answer = ada.command(match_id, body)
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.text
    assert [fault["pointer"] for fault in answer.json["errors"]] == ([pointer] if pointer else [])
    after = ada.get(f"/v1/matches/{match_id}")
    assert (after.json["version"], after.headers["ETag"]) == (before.json["version"], before.headers["ETag"])


def test_code_title_and_detail_of_a_problem_tell_the_same_fault(ada: Account) -> None:
    refused = ada.post("/v1/me/tokens", {"scopes": ["play"], "label": "x"}).json
    assert {fault["code"] for fault in refused["errors"]} == {"validation_failed", "unknown_field"}
    assert refused["code"] == "unknown_field"
    assert refused["detail"] == "/label: unknown field"


def test_the_detail_of_a_problem_names_the_member_whether_schema_or_rules_refuse_it(ada: Account) -> None:
    typed = ada.post("/v1/matches", {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "robot"}]}).json
    assert typed["detail"] == "/seats/1/kind: must be one of: me, open, account, strategy, bot"
    ladder = ada.post("/v1/ladders", {"name": "x", "ruleset": "base", "seats": 2}).json["ladder_id"]
    assert ada.post(f"/v1/ladders/{ladder}/rounds", {}).json["detail"] == "/blocks: is required"


@pytest.mark.parametrize(
    ("body", "pointer", "detail"),
    [
        ({"name": "x"}, "/scopes", "is required"),
        ({"name": None, "scopes": ["play"]}, "/name", "must not be null"),
        ({"name": 5, "scopes": ["play"]}, "/name", "must be a string"),
        ({"name": "", "scopes": ["play"]}, "/name", "must have 1 to 64 characters"),
        ({"name": "x", "scopes": "play"}, "/scopes", "must be a list"),
        ({"name": "x", "scopes": []}, "/scopes", "must have 1 to "),
        (
            {"name": "x", "scopes": ["play"], "expires_at": "9" * 41},
            "/expires_at",
            "must have at most 40 characters",
        ),
        ({"name": "x", "scopes": ["play"], "label": 1}, "/label", "unknown field"),
    ],
)
def test_a_fault_tells_what_the_member_must_be(
    ada: Account, body: dict[str, Any], pointer: str, detail: str
) -> None:
    refused = ada.post("/v1/me/tokens", body).json
    assert [fault["pointer"] for fault in refused["errors"]] == [pointer]
    assert refused["errors"][0]["detail"].startswith(detail)


@pytest.mark.parametrize(
    ("command", "detail"),
    [
        ({"type": "pass", "seat": "0"}, "must be an integer"),
        ({"type": "pass", "seat": 9}, "must be from 0 to 4"),
        ({"type": "roll_dice", "dice": 1, "seat": 0.0}, "must be an integer"),
        ({"type": "build"}, "is required"),
        ({}, "is required"),
    ],
)
def test_a_fault_of_a_command_tells_what_the_member_must_be(
    ada: Account, command: dict[str, Any], detail: str
) -> None:
    match_id = ada.create()["match_id"]
    assert ada.command(match_id, command).json["errors"][0]["detail"] == detail


def test_no_message_of_the_library_reaches_a_client() -> None:
    fields_used = (fields.String, fields.Integer, fields.Boolean, fields.Nested, fields.List, fields.Dict)
    messages = {
        message
        for kind in (*fields_used, fields.Field, Schema)
        for name in ("default_error_messages", "_default_error_messages")
        for message in getattr(kind, name, {}).values()
    }
    unused = {"Not a valid utf-8 string.", "Invalid value.", "Not a valid number."}
    for message in messages - unused:
        (fault,) = invalid({"name": [message]}).faults
        assert fault.detail != message


def test_half_of_a_surrogate_pair_is_told_as_such(client: FlaskClient) -> None:
    answer = client.post("/v1/accounts", data=b'{"handle": "ada\\ud800"}', content_type="application/json")
    assert (answer.status_code, answer.json["code"]) == (400, "malformed_json")
    assert answer.json["detail"] == "the body is not JSON: a string has half of a surrogate pair"


def test_an_unknown_parameter_is_called_one(client: FlaskClient) -> None:
    answer = client.get("/v1/rulesets?x=1")
    assert (answer.status_code, answer.json["detail"]) == (400, "x: unknown parameter")


@pytest.mark.parametrize(
    ("path", "code", "pointer"),
    [
        ("/events?after=999", "cursor_ahead", "/after"),
        ("/log?after=999", "cursor_ahead", "/after"),
        ("/luck?after=999", "cursor_ahead", "/after"),
        ("/diff?from=1&to=999", "version_not_found", "/to"),
        ("/replay?from=999", "version_not_found", "/from"),
    ],
)
def test_what_lies_beyond_the_end_of_a_match_is_pointed_at(
    ada: Account, path: str, code: str, pointer: str
) -> None:
    answer = ada.get(f"/v1/matches/{ada.create()['match_id']}{path}")
    assert refusal(answer)[1:] == (code, [pointer])


def test_a_stream_points_at_the_header_that_is_ahead(ada: Account) -> None:
    headers = {"Accept": "text/event-stream", "Last-Event-ID": "999"}
    for path in (f"/v1/matches/{ada.create()['match_id']}/events", "/v1/me/events"):
        answer = ada.get(path, headers=headers)
        assert refusal(answer)[1:] == ("cursor_ahead", ["/Last-Event-ID"])


def test_a_scope_that_the_token_lacks_is_pointed_at(ada: Account) -> None:
    play = ada.post("/v1/me/tokens", {"name": "x", "scopes": ["play", "account:write"]}).json["token"]
    headers = {"Authorization": f"Bearer {play}"}
    body = {"name": "y", "scopes": ["play", "ladder:operate"]}
    answer = ada.client.post("/v1/me/tokens", json=body, headers=headers)
    assert refusal(answer) == (403, "scope_missing", ["/scopes/1"])


def test_a_reused_key_is_pointed_at(ada: Account) -> None:
    match_id, key = ada.create()["match_id"], {"Idempotency-Key": "one"}
    assert ada.command(match_id, {"type": "roll_dice", "dice": 1}, **key).status_code == 201
    token = {"name": "x", "scopes": ["play"]}
    assert ada.post("/v1/me/tokens", token, headers=key).status_code == 201
    for answer in (
        ada.command(match_id, {"type": "resign"}, **key),
        ada.post("/v1/me/tokens", {**token, "name": "y"}, headers=key),
    ):
        assert refusal(answer) == (422, "idempotency_key_reused", ["/Idempotency-Key"])


def test_two_dice_need_a_station(ada: Account) -> None:
    match_id = ada.board([[1, 1]], {}, {})
    refused = ada.command(match_id, {"type": "roll_dice", "dice": 2})
    assert (refused.status_code, refused.json["code"]) == (422, "two_dice_need_station")
    assert refused.json["errors"][0]["pointer"] == "/dice"


BODIES: list[tuple[bytes, int, str]] = [
    (b"", 400, "malformed_json"),
    (b"{", 400, "malformed_json"),
    (b"[]", 400, "malformed_json"),
    (b'"roll"', 400, "malformed_json"),
    (b"null", 400, "malformed_json"),
    (b'{"type": "pass", "type": "resign"}', 400, "malformed_json"),
    (b'{"type": "pass", "seat": NaN}', 400, "malformed_json"),
    (b'{"type": "pass", "seat": -Infinity}', 400, "malformed_json"),
    (b'{"type": "pass", "seat": 1e999}', 422, "validation_failed"),
    (b'{"type": "pass", "seat": ' + b"9" * 5000 + b"}", 400, "malformed_json"),
    (b'{"type": "p\xff"}', 400, "malformed_json"),
    (b'{"type": "build", "card": "\\ud800"}', 400, "malformed_json"),
    ("\ufeff{}".encode(), 400, "malformed_json"),
    ('{"type": "pass"}'.encode("utf-16"), 400, "malformed_json"),
    (b"[" * 60_000, 400, "malformed_json"),
    (b'{"type": "build", "card": "' + b"x" * 70_000 + b'"}', 413, "body_too_large"),
    (b" " * 3_000_000, 413, "body_too_large"),
]


@pytest.mark.parametrize(("body", "status", "code"), BODIES, ids=[ascii(case[0][:40]) for case in BODIES])
def test_a_body_that_is_no_json_object_is_refused(ada: Account, body: bytes, status: int, code: str) -> None:
    match_id = ada.create()["match_id"]
    before = ada.state(match_id)["version"]
    answer = ada.post(f"/v1/matches/{match_id}/commands", data=body, content_type="application/json")
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.text
    assert ada.state(match_id)["version"] == before


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", None])
def test_only_json_is_taken(ada: Account, media_type: str | None) -> None:
    match_id = ada.create()["match_id"]
    answer = ada.post(f"/v1/matches/{match_id}/commands", data=b'{"type": "pass"}', content_type=media_type)
    assert (answer.status_code, answer.json["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/matches/mat_00000000000000000000000000",
        "/v1/matches/mat_00000000000000000000000000/state",
        "/v1/matches/mat_00000000000000000000000000/events",
        "/v1/matches/nothing/legal-commands",
        "/v1/matches/%00%ff/state",
        "/v1/rulesets/chess",
        "/v1/rulesets/chess/cards",
        "/v1/nothing",
        "/v2",
        "/favicon.ico",
    ],
)
def test_an_id_of_nothing_is_not_found(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.mimetype == "application/problem+json"


def test_a_command_to_no_match_is_not_found(ada: Account) -> None:
    for match_id in ("mat_00000000000000000000000000", "nothing"):
        answer = ada.command(match_id, {"type": "pass"})
        assert (answer.status_code, answer.json["code"]) == (404, "match_not_found")


def test_a_wrong_method_is_told_the_right_ones(client: FlaskClient) -> None:
    answer = client.delete("/v1/matches")
    assert (answer.status_code, answer.json["code"]) == (405, "method_not_allowed")
    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))


def test_an_answer_that_is_not_json_cannot_be_had(client: FlaskClient) -> None:
    answer = client.get("/v1/rulesets", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.json["code"]) == (406, "not_acceptable")
    for accepted in ("*/*", "application/*", "application/json;q=0.5, text/html", "text/html, */*;q=0.1"):
        assert client.get("/v1/rulesets", headers={"Accept": accepted}).status_code == 200


def test_a_type_of_no_weight_is_not_acceptable(client: FlaskClient) -> None:
    answer = client.get("/v1/rulesets", headers={"Accept": "text/html, */*;q=0"})
    assert (answer.status_code, answer.json["code"]) == (406, "not_acceptable")


def test_accept_may_be_empty_or_name_the_content_type_of_an_answer(ada: Account) -> None:
    match = f"/v1/matches/{ada.create()['match_id']}"
    ada.post(f"{match}/abort", {})
    json, text = "application/json", "text/plain; charset=utf-8"
    stream = "text/event-stream; charset=utf-8"
    for path, accepted, given in (
        ("/state", "", json),
        ("/state", f"{json}; charset=utf-8", json),
        ("/log", "", json),
        ("/log", text, text),
        ("/log", f"{text}, {json};q=0.1", text),
        ("/events", f"{stream}, {json};q=0.1", stream),
    ):
        answer = ada.get(match + path, {"Accept": accepted})
        assert (path, accepted, answer.headers["Content-Type"]) == (path, accepted, given)


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=501",
        "limit=ten",
        "limit=1.0",
        "limit=-1",
        "status=over",
        "cursor=x",
        "limit=%D9%A1",
        "limt=5",
    ],
)
def test_a_wrong_query_parameter_is_named(client: FlaskClient, query: str) -> None:
    answer = client.get(f"/v1/matches?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert answer.json["errors"][0]["pointer"] == "/" + query.partition("=")[0]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/healthz"),
        ("GET", "/openapi.yaml"),
        ("GET", "/v1/rulesets"),
        ("GET", "/v1/rulesets/base/cards"),
        ("GET", "/v1/strategies"),
        ("GET", "/v1/me"),
        ("GET", "/v1/me/turns"),
        ("GET", "/v1/matches/{}"),
        ("GET", "/v1/matches/{}/state"),
        ("GET", "/v1/matches/{}/legal-commands"),
        ("GET", "/v1/matches/{}/events"),
        ("GET", "/v1/matches/{}/events/1"),
        ("GET", "/v1/matches/{}/commands/k"),
        ("POST", "/v1/matches/{}/commands"),
        ("POST", "/v1/matches/{}/abort"),
        ("POST", "/v1/matches"),
    ],
)
def test_a_parameter_that_is_not_known_is_refused_everywhere(ada: Account, method: str, path: str) -> None:
    match_id = ada.create()["match_id"]
    send = ada.get if method == "GET" else ada.post
    answer = send(path.format(match_id) + "?colour=red")
    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert answer.json["errors"][0]["pointer"] == "/colour"
    assert ada.state(match_id)["status"] == "running"


@pytest.mark.parametrize(
    "query", ["limit=2&limit=3", "limit=2&limit=2", "status=open&player=ada&status=open"]
)
def test_a_parameter_stands_once(ada: Account, query: str) -> None:
    answer = ada.get(f"/v1/matches?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert answer.json["errors"][0]["pointer"] == "/" + query.partition("=")[0]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [(b"{", 400, "malformed_json"), (b'{"now": true}', 422, "unknown_field"), (b"[]", 400, "malformed_json")],
)
def test_a_broken_body_calls_nothing_off(ada: Account, body: bytes, status: int, code: str) -> None:
    match_id = ada.create()["match_id"]
    answer = ada.post(f"/v1/matches/{match_id}/abort", data=body, content_type="application/json")
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert ada.state(match_id)["status"] == "running"
    assert ada.post(f"/v1/matches/{match_id}/abort", {}).json["status"] == "aborted"


@pytest.mark.parametrize(
    ("header", "value"),
    [("If-Match", "42"), ("If-Match", '"x"'), ("Idempotency-Key", "a b"), ("Idempotency-Key", "k" * 256)],
)
def test_a_wrong_header_is_named(ada: Account, header: str, value: str) -> None:
    match_id = ada.create()["match_id"]
    answer = ada.post(f"/v1/matches/{match_id}/commands", {"type": "resign"}, {header: value})
    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert answer.json["errors"][0]["pointer"] == f"/{header}"
    assert ada.state(match_id)["status"] == "running"


def test_a_problem_names_its_request(client: FlaskClient) -> None:
    answer = client.get("/v1/nothing", headers={"X-Request-Id": "mine-1"})
    assert answer.json["request_id"] == answer.headers["X-Request-Id"] == "mine-1"
    made = client.get("/v1/nothing", headers={"X-Request-Id": "a b\u00e9"})
    assert made.json["request_id"] == made.headers["X-Request-Id"] != "a b\u00e9"


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        {"Content-Type": "application/json; charset=utf-16"},
    ],
)
def test_a_body_is_plain_json_in_utf_8(ada: Account, headers: dict[str, str]) -> None:
    answer = ada.client.post("/v1/accounts", data=b'{"handle": "grace"}', headers=headers)
    assert (answer.status_code, answer.json["code"]) == (415, "unsupported_media_type")
