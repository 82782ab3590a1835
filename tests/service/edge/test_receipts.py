"""Every answer about a match that the caller may see carries its receipt, whatever is wrong.

Only over the quota nobody looks for one.
"""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.service.contract import Account

Send = Callable[[Account, str], TestResponse]

ROLL = {"type": "roll_dice", "dice": 1}


def posted(path: str, body: Any, **headers: str) -> Send:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda account, match: account.post(match + path, body, named)


def sent(path: str, data: bytes, media_type: str = "application/json") -> Send:
    return lambda account, match: account.post(match + path, data=data, content_type=media_type)


def got(path: str, **headers: str) -> Send:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda account, match: account.get(match + path, named)


FAULTS: list[tuple[str, int, str, Send]] = [
    ("a schema", 422, "validation_failed", posted("/commands", {"type": "fly"})),
    ("a member", 422, "unknown_field", posted("/commands", {**ROLL, "colour": "red"})),
    ("a seat", 422, "validation_failed", posted("/seats", {"seat": "x"})),
    ("no JSON", 400, "malformed_json", sent("/commands", b"{")),
    ("no JSON to abort", 400, "malformed_json", sent("/abort", b"{")),
    ("size", 413, "body_too_large", sent("/commands", b" " * 70_000)),
    ("a media type", 415, "unsupported_media_type", sent("/commands", b"{}", "text/plain")),
    ("a key", 400, "invalid_parameter", posted("/commands", ROLL, Idempotency_Key="a b")),
    ("a reused key", 422, "idempotency_key_reused", posted("/commands", ROLL, Idempotency_Key="used")),
    ("a version", 400, "invalid_parameter", posted("/commands", ROLL, If_Match="x")),
    ("a stale version", 412, "stale_version", posted("/commands", ROLL, If_Match='"1"')),
    ("a phase", 409, "wrong_phase", posted("/commands", ROLL)),
    ("a cursor", 400, "cursor_ahead", got("/events?after=999")),
    ("a sequence", 404, "event_not_found", got("/events/999")),
    ("a state", 404, "version_not_found", got("/states/999")),
    ("an end", 404, "version_not_found", got("/replay?to=999")),
    ("a difference", 404, "version_not_found", got("/diff?from=1&to=999")),
    ("a command", 404, "command_not_found", got("/commands/never")),
    ("a parameter", 400, "invalid_parameter", got("/state?colour=red")),
    ("a form", 406, "not_acceptable", got("/state", Accept="text/html")),
    ("an address", 404, "not_found", got("/nothing")),
    ("a method", 405, "method_not_allowed", lambda account, match: account.delete(match)),
]


@pytest.mark.parametrize(
    ("status", "code", "send"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS]
)
@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_fault_is_answered_with_the_receipt(
    ada: Account, bob: Account, visibility: str, status: int, code: str, send: Send
) -> None:
    match_id = ada.create(visibility=visibility)["match_id"]
    ada.command(match_id, {**ROLL, "seat": ada.state(match_id)["active_seat"]}, Idempotency_Key="used")
    head = ada.get(f"/v1/matches/{match_id}").headers["Match-Head"]
    answer = send(ada, f"/v1/matches/{match_id}")
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert answer.headers["Match-Head"] == head
    of_another = send(bob, f"/v1/matches/{match_id}")
    assert (of_another.headers.get("Match-Head") == head) == (visibility == "public")


def test_without_a_token_a_public_match_shows_its_receipt(client: FlaskClient, ada: Account) -> None:
    for visibility, is_shown in (("public", True), ("private", False)):
        match_id = ada.create(visibility=visibility)["match_id"]
        answer = client.post(f"/v1/matches/{match_id}/commands", json=ROLL)
        assert (answer.status_code, answer.json["code"]) == (401, "token_missing")
        assert ("Match-Head" in answer.headers) == is_shown


def test_every_answer_about_a_match_has_a_receipt_in_the_document(client: FlaskClient) -> None:
    paths = client.application.extensions["contract"].document["paths"]
    answers = [
        (operation["operationId"], status, answer)
        for path, item in paths.items()
        if "{match_id}" in path
        for operation in item.values()
        if "responses" in operation
        for status, answer in operation["responses"].items()
    ]
    assert answers
    assert [(name, status) for name, status, answer in answers if "Match-Head" not in answer["headers"]] == []
