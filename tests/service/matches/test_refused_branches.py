"""Branches that are refused, and which error says why."""

from typing import Any

import pytest

from tests.service.branches import KEY, branch, events, made, over, refusal
from tests.service.contract import Account

WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"from_version": 0}, "validation_failed", "/from_version"),
    ({"from_version": -1}, "validation_failed", "/from_version"),
    ({"from_version": "1"}, "validation_failed", "/from_version"),
    ({"from_version": 1.0}, "validation_failed", "/from_version"),
    ({"from_version": None}, "validation_failed", "/from_version"),
    ({"from_version": 10**30}, "validation_failed", "/from_version"),
    ({"dice": "loaded"}, "validation_failed", "/dice"),
    ({"dice": {"mode": "committed"}}, "validation_failed", "/dice"),
    ({"dice": None}, "validation_failed", "/dice"),
    ({"throws": [[1]]}, "unknown_field", "/throws"),
    ({"dice": "same", "throws": [[1]]}, "unknown_field", "/throws"),
    ({"dice": "scripted"}, "validation_failed", "/throws"),
    ({"dice": "scripted", "throws": [[7]]}, "validation_failed", "/throws/0/0"),
    ({"dice": "scripted", "throws": [[1, 2, 3]]}, "validation_failed", "/throws/0"),
    ({"dice": "scripted", "throws": [[1]] * 2001}, "validation_failed", "/throws"),
    ({"seats": [{"kind": "me"}]}, "validation_failed", "/seats"),
    ({"seats": [{"kind": "me"}] * 3}, "validation_failed", "/seats"),
    ({"dice": "same", "seats": [{"kind": "me"}] * 3}, "validation_failed", "/seats"),
    ({"seats": [{"kind": "me"}, {"kind": "open"}]}, "validation_failed", "/seats/1/kind"),
    ({"seats": [{"kind": "me"}, {"kind": "bot", "bot": "nobody"}]}, "validation_failed", "/seats/1/bot"),
    (
        {"dice": "same", "seats": [{"kind": "me"}, {"kind": "me", "seed": "x"}]},
        "validation_failed",
        "/seats/1/seed",
    ),
    ({"clock": {"decision_ms": 1, "on_timeout": "forfeit"}}, "validation_failed", "/clock/decision_ms"),
    ({"visibility": "secret"}, "validation_failed", "/visibility"),
    ({"tags": ["a b"]}, "validation_failed", "/tags/0"),
    ({"first_seat": 0}, "unknown_field", "/first_seat"),
    ({"position": None}, "unknown_field", "/position"),
]


@pytest.mark.parametrize(("wishes", "code", "pointer"), WRONG, ids=[ascii(case[0])[:60] for case in WRONG])
def test_a_branch_that_cannot_be_is_refused(
    ada: Account, wishes: dict[str, Any], code: str, pointer: str
) -> None:
    match = over(ada)
    body = {"from_version": match["version"], "dice": "fresh", **wishes}
    answer = ada.post(f"/v1/matches/{match['match_id']}/branches", body, KEY)
    assert refusal(answer) == (422, code, [pointer])
    assert len(ada.get("/v1/matches").json["items"]) == 1
    right = {"from_version": match["version"], "dice": "fresh"}
    done = ada.post(f"/v1/matches/{match['match_id']}/branches", right, KEY)
    assert (done.status_code, "Idempotency-Replayed" in done.headers) == (201, False)


@pytest.mark.parametrize("missing", ["from_version", "dice"])
def test_the_version_and_the_dice_have_to_be_named(ada: Account, missing: str) -> None:
    body = {"from_version": 1, "dice": "fresh"}
    del body[missing]
    answer = ada.post(f"/v1/matches/{ada.create()['match_id']}/branches", body)
    assert refusal(answer) == (422, "validation_failed", [f"/{missing}"])


def test_a_match_that_has_not_started_has_no_branches(ada: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    assert refusal(branch(ada, match_id, 1)) == (409, "match_not_started", [])
    ended = ada.post(f"/v1/matches/{match_id}/abort").json["version"]
    for version in (1, ended):
        assert refusal(branch(ada, match_id, version)) == (409, "match_not_started", [])


def test_behind_the_last_decision_nothing_branches_off(ada: Account) -> None:
    match = over(ada)
    recorded = events(ada, match["match_id"])
    ending = [event["sequence"] for event in recorded if event["command_id"] == recorded[-1]["command_id"]]
    last = ending[0] - 1
    for version in ending:
        refused = branch(ada, match["match_id"], version)
        assert refusal(refused) == (409, "match_finished", [])
        assert refused.json["detail"] == f"the last version with a decision is {last}"
    assert made(ada, match["match_id"], last)["origin"]["version"] == last


def test_a_version_that_is_not_there_yet_is_not_found(ada: Account) -> None:
    match = ada.create()
    refused = branch(ada, match["match_id"], match["version"] + 1)
    assert refusal(refused) == (404, "version_not_found", ["/from_version"])
    assert refused.json["max_version"] == match["version"]
