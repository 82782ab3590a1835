"""Branches that are made over the API, and the matches that they are made of."""

from typing import Any

from werkzeug.test import TestResponse

from tests.service.contract import Account

RESIGN = {"type": "resign"}
KEY = {"Idempotency-Key": "once"}


def branch(account: Account, match_id: str, version: int, dice: str = "fresh", **wishes: Any) -> TestResponse:
    return account.post(f"/v1/matches/{match_id}/branches", {"from_version": version, "dice": dice, **wishes})


def made(account: Account, match_id: str, version: int, dice: str = "fresh", **wishes: Any) -> dict[str, Any]:
    answer = branch(account, match_id, version, dice, **wishes)
    assert answer.status_code == 201, answer.text
    return dict(answer.json)


def refusal(answer: TestResponse) -> tuple[int, str, list[str]]:
    return answer.status_code, answer.json["code"], [fault["pointer"] for fault in answer.json["errors"]]


def events(account: Account, match_id: str, after: int = 0) -> list[dict[str, Any]]:
    return list(account.get(f"/v1/matches/{match_id}/events?limit=500&after={after}").json["items"])


def over(account: Account, **wishes: Any) -> dict[str, Any]:
    """A match of four turns that ends by resignation; `version` is that before the first throw."""
    match = account.create(first_seat=0, **wishes)
    account.play_on(match["match_id"], 8)
    assert account.command(match["match_id"], RESIGN).status_code == 201
    return match
