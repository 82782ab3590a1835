"""Who may seat an account: its policy, its lists, invitations, and the same rule for ladders."""

from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.matches.projections import invited_index, inviting_index
from events.store import keys
from events.store.keys import index as index_key
from service.accounts import guest_views as guests
from service.accounts import seating
from service.matches import invitations
from tests.service.contract import Account
from tests.service.ladder_kit import Operated
from tests.service.polls import Poll  # a fixture

KEY = {"Idempotency-Key": "a-key-of-mine"}


@pytest.fixture
def shy(client: FlaskClient) -> Account:
    """An account that has said nothing about who may seat it."""
    made = client.post("/v1/accounts", json={"handle": "shy"})
    account = object.__new__(Account)
    account.client, account.handle = client, "shy"
    account.id, account.token = made.json["account_id"], made.json["token"]
    return account


def wish(*guests: Account, kind: str = "account", **more: Any) -> dict[str, Any]:
    """The body of a match of the caller with these guests."""
    member = "bot" if kind == "bot" else "handle"
    seats = [{"kind": "me"}, *[{"kind": kind, member: guest.handle} for guest in guests]]
    return {"ruleset": "base", "seats": seats, "first_seat": len(guests), **more}


def invited(host: Account, *guests: Account, **more: Any) -> str:
    """The id of a match that waits for its guests."""
    made = host.post("/v1/matches", wish(*guests, **more))
    assert (made.status_code, made.json["status"]) == (201, "open"), made.text
    return str(made.json["match_id"])


def waiting(account: Account) -> list[tuple[str, int]]:
    items = account.get("/v1/me/invitations").json["items"]
    return [(one["match_id"], one["seat"]) for one in items]


def turns(account: Account) -> list[str]:
    return [one["match_id"] for one in account.get("/v1/me/turns").json["items"]]


def answer(account: Account, match_id: str, word: str, body: Any = None, **headers: Any) -> TestResponse:
    return account.post(f"/v1/me/invitations/{match_id}/{word}", body or {}, **headers)


def refused(answer: TestResponse, status: int, code: str, pointer: str = "") -> None:
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.text
    if pointer:
        assert answer.json["errors"][0]["pointer"] == pointer


# Policies


def test_who_says_nothing_is_seated_by_nobody_without_being_asked(ada: Account, shy: Account) -> None:
    assert shy.get("/v1/me").json["seating"] == "allowed"
    match_id = invited(ada, shy)
    assert turns(shy) == []
    shown = ada.get(f"/v1/matches/{match_id}").json["seats"][1]
    assert (shown["kind"], shown["name"], shown["invited"]) == ("open", None, "shy")
    (listed,) = ada.client.get("/v1/matches").json["items"]
    assert listed["seats"][1] == {"seat": 1, "kind": "open", "name": None, "invited": "shy"}


@pytest.mark.parametrize("kind", ["account", "bot"])
def test_who_says_anybody_is_seated_at_once(ada: Account, shy: Account, kind: str) -> None:
    assert shy.patch("/v1/me", {"seating": "anybody"}).json["seating"] == "anybody"
    made = ada.post("/v1/matches", wish(shy, kind=kind)).json
    assert (made["status"], turns(shy)) == ("running", [made["match_id"]])


@pytest.mark.parametrize(("kind", "member"), [("account", "handle"), ("bot", "bot")])
def test_who_says_nobody_is_seated_by_itself_alone(
    ada: Account, shy: Account, kind: str, member: str
) -> None:
    shy.patch("/v1/me", {"seating": "nobody"})
    refused(ada.post("/v1/matches", wish(shy, kind=kind)), 403, "seating_refused", f"/seats/1/{member}")
    assert shy.create(seats=[{"kind": "me"}, {"kind": "account", "handle": "shy"}])["status"] == "running"
    assert ada.client.get("/v1/matches?player=ada").json["items"] == []


def test_who_is_allowed_seats_at_once_until_taken_off_the_list(ada: Account, shy: Account) -> None:
    assert shy.put("/v1/me/allowed/ADA").status_code == 204
    assert shy.get("/v1/me/allowed").json["items"] == [{"account_id": ada.id, "handle": "ada"}]
    assert ada.post("/v1/matches", wish(shy)).json["status"] == "running"
    assert shy.delete("/v1/me/allowed/ada").status_code == 204
    assert shy.delete("/v1/me/allowed/ada").status_code == 204
    invited(ada, shy)
    assert shy.get("/v1/me/allowed").json["items"] == []


@pytest.mark.parametrize("policy", ["nobody", "allowed", "anybody"])
def test_a_block_is_not_told_from_a_policy_of_nobody(
    ada: Account, bob: Account, shy: Account, policy: str
) -> None:
    shy.put("/v1/me/allowed/ada")
    shy.patch("/v1/me", {"seating": "nobody"})
    nobody = ada.post("/v1/matches", wish(shy)).json
    shy.patch("/v1/me", {"seating": policy})
    assert shy.put("/v1/me/blocked/ada").status_code == 204
    blocked = ada.post("/v1/matches", wish(shy)).json
    assert {**blocked, "request_id": ""} == {**nobody, "request_id": ""}
    assert blocked["code"] == "seating_refused"
    shy.patch("/v1/me", {"seating": "anybody"})
    assert bob.post("/v1/matches", wish(shy)).status_code == 201
    shy.delete("/v1/me/blocked/ada")
    assert ada.post("/v1/matches", wish(shy)).json["status"] == "running"


def test_a_policy_is_shown_to_its_account_and_changed_by_a_token_with_the_scope(shy: Account) -> None:
    refused(shy.patch("/v1/me", {"seating": "some"}), 422, "validation_failed", "/seating")
    refused(shy.patch("/v1/me", {"handle": "bold"}), 422, "unknown_field", "/handle")
    assert shy.patch("/v1/me", {}).json["seating"] == "allowed"
    token = shy.post("/v1/me/tokens", {"name": "bot", "scopes": ["play"]}).json["token"]
    headers = {"Authorization": f"Bearer {token}"}
    for method, path in (("PATCH", "/v1/me"), ("PUT", "/v1/me/allowed/shy"), ("PUT", "/v1/me/blocked/shy")):
        body = {"json": {}} if method == "PATCH" else {}
        refused(shy.client.open(path, method=method, headers=headers, **body), 403, "scope_missing")


def test_a_list_names_accounts_that_there_are_and_has_an_end(
    shy: Account, sign_up: Callable[[str], Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("/v1/me/allowed", "/v1/me/blocked"):
        refused(shy.put(f"{path}/nobody-there"), 404, "account_not_found")
        refused(shy.delete(f"{path}/nobody-there"), 404, "account_not_found")
    monkeypatch.setattr(seating, "MOST_LISTED", 2)
    monkeypatch.setattr(guests, "MOST_LISTED", 2)
    for handle in ("one", "two", "three"):
        sign_up(handle)
    assert [shy.put(f"/v1/me/allowed/{one}").status_code for one in ("two", "one", "one")] == [204] * 3
    refused(shy.put("/v1/me/allowed/three"), 409, "too_many_listed")
    assert [one["handle"] for one in shy.get("/v1/me/allowed").json["items"]] == ["one", "two"]


def test_an_account_of_before_there_were_policies_is_asked(
    ada: Account, bob: Account, events_redis: redis.Redis
) -> None:
    old = b'{"account_id":"%b","handle":"bob","created_ms":1}' % bob.id.encode()
    events_redis.set(keys.account(bob.id), old)
    invited(ada, bob)
    assert bob.get("/v1/me").json["seating"] == "allowed"


# Invitations


def test_an_invitation_tells_what_it_is_to(ada: Account, shy: Account) -> None:
    clock = {"decision_ms": 60_000, "on_timeout": "forfeit"}
    match_id = invited(ada, shy, clock=clock, visibility="private")
    (shown,) = shy.get("/v1/me/invitations").json["items"]
    assert (shown["match_id"], shown["seat"], shown["seats"]) == (match_id, 1, 2)
    assert (shown["invited_by"], shown["clock"], shown["visibility"]) == ("ada", clock, "private")
    assert (shown["ruleset"], shown["rules_version"]) == ("base", "base@1")
    assert ada.get("/v1/me/invitations").json["items"] == []


def test_a_match_starts_when_its_invitation_is_accepted(ada: Account, shy: Account) -> None:
    match_id = invited(ada, shy)
    taken = answer(shy, match_id, "accept", {"seed": "mine"})
    assert (taken.status_code, taken.json["seat"], taken.json["status"]) == (201, 1, "running")
    assert (turns(shy), waiting(shy)) == ([match_id], [])
    seeds = ada.get(f"/v1/matches/{match_id}/events?types=seat_taken").json["items"]
    assert [one["data"]["seed"] for one in seeds] == ["", "mine"]


def test_a_reserved_seat_can_be_taken_like_any_other_by_who_is_invited_alone(
    ada: Account, bob: Account, shy: Account
) -> None:
    match_id = invited(ada, shy)
    for body in ({}, {"seat": 1}):
        refused(bob.post(f"/v1/matches/{match_id}/seats", body), 409, "seat_reserved", "/seat")
        refused(ada.post(f"/v1/matches/{match_id}/seats", body), 409, "seat_reserved", "/seat")
    refused(answer(bob, match_id, "accept"), 404, "invitation_not_found")
    assert shy.post(f"/v1/matches/{match_id}/seats", {}).json["seat"] == 1


def test_an_open_seat_beside_a_reserved_one_is_for_anybody(ada: Account, bob: Account, shy: Account) -> None:
    seats = [{"kind": "me"}, {"kind": "account", "handle": "shy"}, {"kind": "open"}]
    match_id = ada.create(seats=seats)["match_id"]
    assert bob.post(f"/v1/matches/{match_id}/seats", {}).json["seat"] == 2
    assert answer(shy, match_id, "accept").json["status"] == "running"


def test_a_declined_seat_is_open_for_others(ada: Account, bob: Account, shy: Account) -> None:
    match_id = invited(ada, shy)
    assert answer(shy, match_id, "decline").status_code == 204
    assert waiting(shy) == []
    shown = ada.get(f"/v1/matches/{match_id}").json
    assert (shown["status"], shown["seats"][1]["invited"]) == ("open", None)
    refused(answer(shy, match_id, "decline"), 404, "invitation_not_found")
    refused(answer(shy, match_id, "accept"), 404, "invitation_not_found")
    assert bob.post(f"/v1/matches/{match_id}/seats", {}).json["status"] == "running"


def test_each_of_several_seats_is_answered_for_itself(ada: Account, shy: Account) -> None:
    match_id = invited(ada, shy, shy, shy)
    assert waiting(shy) == [(match_id, 1), (match_id, 2), (match_id, 3)]
    assert answer(shy, match_id, "decline", {"seat": 2}).status_code == 204
    assert answer(shy, match_id, "accept").json["seat"] == 1
    refused(answer(shy, match_id, "accept", {"seat": 2}), 404, "invitation_not_found", "/seat")
    assert waiting(shy) == [(match_id, 3)]


def test_an_answer_can_be_repeated_under_its_key(ada: Account, shy: Account) -> None:
    match_id = invited(ada, shy, shy, visibility="private")
    first, again = [answer(shy, match_id, "accept", headers=KEY) for _ in range(2)]
    assert (first.data, again.headers["Idempotency-Replayed"]) == (again.data, "true")
    first, again = [answer(shy, match_id, "decline", headers=KEY) for _ in range(2)]
    assert (first.status_code, again.status_code) == (204, 204)
    assert again.headers["Idempotency-Replayed"] == "true"
    refused(answer(shy, match_id, "decline", {"seat": 0}, headers=KEY), 422, "idempotency_key_reused")


def test_a_declined_and_a_withdrawn_invitation_leave_the_receipt_of_the_match(
    ada: Account, shy: Account
) -> None:
    match_id = invited(ada, shy, shy)
    match = f"/v1/matches/{match_id}"
    for send in (
        lambda: answer(shy, match_id, "decline"),
        lambda: ada.delete(f"{match}/seats/2/invitation"),
        lambda: answer(shy, match_id, "accept"),
    ):
        answered = send()
        assert answered.headers["Match-Head"] == ada.get(match).headers["Match-Head"]
    refused(answered, 404, "invitation_not_found")


def test_an_invitation_is_answered_no_more_when_the_match_is_called_off(ada: Account, shy: Account) -> None:
    match_id = invited(ada, shy)
    ada.post(f"/v1/matches/{match_id}/abort")
    assert waiting(shy) == []
    refused(answer(shy, match_id, "accept"), 409, "match_finished")
    refused(answer(shy, match_id, "decline"), 404, "invitation_not_found")


def test_the_creator_withdraws_an_invitation(ada: Account, bob: Account, shy: Account) -> None:
    match_id = invited(ada, shy)
    path = f"/v1/matches/{match_id}/seats/1/invitation"
    refused(bob.delete(path), 403, "not_creator")
    refused(ada.delete(path.replace("/1/", "/0/")), 404, "invitation_not_found")
    assert (ada.delete(path).status_code, waiting(shy)) == (204, [])
    refused(ada.delete(path), 404, "invitation_not_found")
    ended = ada.get(f"/v1/matches/{match_id}/events?types=reservation_ended").json["items"][0]
    assert (ended["actor"], ended["data"]) == (f"account:{ada.id}", {"seat": 1, "reason": "withdrawn"})


def test_who_is_invited_sees_a_private_match_and_no_more_after_declining(
    ada: Account, bob: Account, shy: Account
) -> None:
    match_id = invited(ada, shy, visibility="private")
    assert shy.get(f"/v1/matches/{match_id}").status_code == 200
    assert [one["match_id"] for one in shy.get("/v1/matches").json["items"]] == [match_id]
    for word in ("accept", "decline"):
        refused(answer(bob, match_id, word), 404, "match_not_found")
    refused(bob.delete(f"/v1/matches/{match_id}/seats/1/invitation"), 404, "match_not_found")
    answer(shy, match_id, "decline")
    refused(shy.get(f"/v1/matches/{match_id}"), 404, "match_not_found")
    refused(answer(shy, match_id, "decline"), 404, "match_not_found")


def test_a_block_declines_what_waits_and_nothing_of_others(ada: Account, bob: Account, shy: Account) -> None:
    invited(ada, shy, shy)
    kept = invited(bob, shy)
    shy.put("/v1/me/blocked/ada")
    assert waiting(shy) == [(kept, 1)]
    shy.delete("/v1/me/blocked/ada")
    assert waiting(shy) == [(kept, 1)]


def test_invitations_have_a_limit_at_both_ends(
    ada: Account, bob: Account, shy: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invitations, "MOST_INVITING", 2)
    monkeypatch.setattr(invitations, "MOST_INVITED", 3)
    ids = [invited(ada, shy) for _ in range(2)]
    refused(ada.post("/v1/matches", wish(shy)), 409, "too_many_invitations")
    invited(bob, shy)
    refused(bob.post("/v1/matches", wish(shy)), 409, "too_many_invitations", "/seats/1")
    answer(shy, ids[0], "decline")
    invited(bob, shy)
    assert ada.post("/v1/matches", wish(bob)).json["status"] == "running"


def test_a_refused_match_leaves_nothing_behind(app: Flask, ada: Account, shy: Account) -> None:
    shy.patch("/v1/me", {"seating": "nobody"})
    refused(ada.post("/v1/matches", wish(shy), KEY), 403, "seating_refused")
    store = app.extensions["machi"].matches.store
    indexes = [index_key(invited_index(shy.id)), index_key(inviting_index(ada.id))]
    assert store.count_members(indexes) == [0, 0]
    shy.patch("/v1/me", {"seating": "anybody"})
    assert ada.post("/v1/matches", wish(shy), KEY).status_code == 201


def test_a_match_made_under_a_key_is_shown_again_whatever_its_guests_have_decided_since(
    ada: Account, shy: Account
) -> None:
    first = ada.post("/v1/matches", wish(shy), KEY)
    shy.put("/v1/me/blocked/ada")
    again = ada.post("/v1/matches", wish(shy), KEY)
    assert (again.data, again.headers["Idempotency-Replayed"]) == (first.data, "true")


def test_an_invitation_wakes_who_waits_for_one(
    ada: Account,
    shy: Account,
    admin: redis.Redis,
) -> None:
    poll = Poll(shy, admin, "/v1/me/invitations", "cmdstat_zrevrangebylex")
    match_id = invited(ada, shy)
    assert poll.result() == [match_id]


# Branches and ladders


def test_a_branch_seats_nobody_who_would_have_to_be_asked(ada: Account, shy: Account) -> None:
    match_id = ada.create()["match_id"]
    version = ada.state(match_id)["version"]
    body = {"from_version": version, "dice": "fresh", "seats": wish(shy)["seats"]}
    path = f"/v1/matches/{match_id}/branches"
    refused(ada.post(path, body), 403, "seating_refused", "/seats/1/handle")
    shy.put("/v1/me/allowed/ada")
    assert ada.post(path, body).json["status"] == "running"


def test_a_ladder_enters_bots_of_others_only_where_they_let_it(ada: Account, shy: Account) -> None:
    path = f"{Operated(ada).path}/entries"
    entry = {"kind": "bot", "bot": "shy", "version": "1"}
    refused(ada.post(path, entry), 403, "seating_refused", "/bot")
    shy.put("/v1/me/allowed/ada")
    assert ada.post(path, entry).status_code == 201
    shy.put("/v1/me/blocked/ada")
    refused(ada.post(path, {**entry, "version": "2"}), 403, "seating_refused", "/bot")
    assert shy.post(path, {"kind": "bot", "version": "2"}).status_code == 201
