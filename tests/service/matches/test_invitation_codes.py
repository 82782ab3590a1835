"""The code of a private match: told to its creator alone, and enough to join."""

from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from tests.service.contract import Account

SEATS = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
KEY = {"Idempotency-Key": "a-key-of-mine"}


@pytest.fixture
def private(ada: Account) -> dict[str, Any]:
    """A private match of Ada's with two open seats."""
    return ada.create(seats=SEATS, visibility="private")


def join(account: Account, match: dict[str, Any], **body: Any) -> Any:
    return account.post(f"/v1/matches/{match['match_id']}/seats", body)


def hidden(answer: Any) -> bool:
    return (answer.status_code, answer.json["code"]) == (404, "match_not_found")


def test_the_creator_alone_is_told_the_code_as_long_as_the_match_is_open(
    ada: Account, bob: Account, private: dict[str, Any]
) -> None:
    path = f"/v1/matches/{private['match_id']}"
    code = private["invitation_code"]
    assert ada.get(path).json["invitation_code"] == code
    joined = join(bob, private, code=code)
    assert "invitation_code" not in joined.json
    assert "invitation_code" not in bob.get(path).json
    join(bob, private)
    assert "invitation_code" not in ada.get(path).json


def test_whoever_has_the_code_joins(ada: Account, bob: Account, private: dict[str, Any]) -> None:
    joined = join(bob, private, code=private["invitation_code"].lower(), seat=2, seed="mine")
    assert (joined.status_code, joined.json["seat"]) == (201, 2)
    assert join(bob, private).json["status"] == "running", "who sits in it needs no code"
    late = join(bob, private, code=private["invitation_code"])
    assert (late.status_code, late.json["code"]) == (409, "match_full")


@pytest.mark.parametrize("code", ["A", "A" * 16, "0" * 64])
def test_a_wrong_code_is_told_nothing(bob: Account, private: dict[str, Any], code: str) -> None:
    assert hidden(join(bob, private, code=code))
    assert hidden(join(bob, private))
    assert hidden(bob.get(f"/v1/matches/{private['match_id']}", {"Invitation-Code": code}))


@pytest.mark.parametrize("code", ["", "A" * 65, "A-B", "\u00e4"])
def test_what_cannot_be_a_code_is_refused(bob: Account, private: dict[str, Any], code: str) -> None:
    told = bob.get(f"/v1/matches/{private['match_id']}", {"Invitation-Code": code})
    assert (told.status_code, told.json["errors"][0]["pointer"]) == (400, "/Invitation-Code")
    refused = join(bob, private, code=code)
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/code")


def test_the_code_of_one_match_opens_no_other(ada: Account, bob: Account, private: dict[str, Any]) -> None:
    other = ada.create(seats=SEATS, visibility="private")
    assert other["invitation_code"] != private["invitation_code"]
    assert hidden(join(bob, private, code=other["invitation_code"]))


def test_a_refusal_is_told_to_who_has_the_code(bob: Account, private: dict[str, Any]) -> None:
    taken = join(bob, private, code=private["invitation_code"], seat=0)
    assert (taken.status_code, taken.json["code"]) == (409, "seat_taken")


def test_the_match_is_shown_to_who_has_the_code(
    client: FlaskClient, bob: Account, private: dict[str, Any]
) -> None:
    path, code = f"/v1/matches/{private['match_id']}", {"Invitation-Code": private["invitation_code"]}
    assert bob.get(path, code).json["seats"][0]["name"] == "ada"
    assert "invitation_code" not in client.get(path, headers=code).json
    assert hidden(client.get(path))
    assert hidden(client.get(f"{path}/state", headers=code)), "the code is for joining"


def test_the_code_opens_nothing_once_the_match_has_started(
    ada: Account, bob: Account, sign_up: Callable[[str], Account], private: dict[str, Any]
) -> None:
    code, path = private["invitation_code"], f"/v1/matches/{private['match_id']}"
    join(bob, private, code=code)
    join(bob, private)
    eve = sign_up("eve")
    assert hidden(eve.get(path, {"Invitation-Code": code}))
    assert hidden(join(eve, private, code=code))


def test_a_reserved_seat_is_not_opened_by_the_code(
    ada: Account, bob: Account, sign_up: Callable[[str], Account]
) -> None:
    sign_up("eve").patch("/v1/me", {"seating": "allowed"})
    seats = [{"kind": "me"}, {"kind": "account", "handle": "eve"}]
    match = ada.create(seats=seats, visibility="private")
    refused = join(bob, match, code=match["invitation_code"])
    assert (refused.status_code, refused.json["code"]) == (409, "seat_reserved")


def test_public_and_unlisted_matches_have_no_code(ada: Account) -> None:
    for visibility in ("public", "unlisted"):
        assert "invitation_code" not in ada.create(seats=SEATS, visibility=visibility)


def test_a_repetition_tells_the_code_again_and_it_stands_nowhere(
    ada: Account, events_redis: redis.Redis
) -> None:
    body = {"ruleset": "base", "seats": SEATS, "visibility": "private"}
    first, again = [ada.post("/v1/matches", body, KEY) for _ in range(2)]
    assert first.data == again.data
    code = first.json["invitation_code"]
    page = ada.get(f"/v1/matches/{first.json['match_id']}/events")
    assert code not in page.text
    for key in events_redis.scan_iter("*"):
        assert code.encode() not in (events_redis.dump(key) or b"")
