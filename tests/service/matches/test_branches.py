"""Branches: a match that goes on from any event of another one, and says from which."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.service.branches import KEY, RESIGN, branch, events, made, over, refusal
from tests.service.contract import Account
from tests.service.served import MASTER_KEYS

ROLL = {"type": "roll_dice", "dice": 1}
PASS = {"type": "pass"}


def facts(account: Account, match_id: str, after: int = 0) -> list[tuple[str, dict[str, Any]]]:
    """What happened, without when and under which name."""
    return [(event["type"], event["data"]) for event in events(account, match_id, after)]


def standing(account: Account, match_id: str) -> dict[str, Any]:
    """The state without what is the match's own: its names, and until when it waits."""
    state = account.state(match_id)
    players = [{name: value for name, value in one.items() if name != "name"} for one in state["players"]]
    return {
        name: value for name, value in state.items() if name not in ("match_id", "version", "deadline")
    } | {"players": players}


# Where it begins


def test_a_branch_stands_where_its_origin_stands_and_names_it(ada: Account, bob: Account) -> None:
    match = ada.create(ruleset="harbor", options={"market": "limited"}, tags=["x"])
    ada.command(match["match_id"], ROLL)
    origin = ada.get(f"/v1/matches/{match['match_id']}")
    answer = branch(bob, match["match_id"], origin.json["version"], seats=[{"kind": "me"}, {"kind": "me"}])
    head = events(ada, match["match_id"])[-1]

    assert answer.json["origin"] == {
        "match_id": match["match_id"],
        "version": head["sequence"],
        "head_hash": head["hash"],
        "dice": "fresh",
    }
    assert standing(bob, answer.json["match_id"]) == standing(ada, match["match_id"])
    for name in ("status", "ruleset", "rules_version", "options", "turn", "active_seat"):
        assert answer.json[name] == origin.json[name]
    assert (answer.json["creator"], answer.json["tags"], answer.json["clock"]) == (bob.id, [], None)
    assert answer.json["position"] is answer.json["first_seat"] is None


def test_the_answer_is_that_to_a_new_match(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    answer = branch(ada, match_id, 1)
    shown = ada.get(answer.headers["Location"])

    assert (answer.status_code, answer.json) == (201, shown.json)
    assert answer.headers["Location"] == f"/v1/matches/{answer.json['match_id']}"
    for name in ("ETag", "Match-Head"):
        assert answer.headers[name] == shown.headers[name]
    assert answer.headers["RateLimit-Policy"].startswith('"matches"')
    assert ada.get(f"/v1/matches/{match_id}").json["origin"] is None
    listed = [match["match_id"] for match in ada.get("/v1/matches").json["items"]]
    assert listed == [answer.json["match_id"], match_id]


def test_from_any_event_of_a_command_a_branch_begins_behind_its_last(ada: Account) -> None:
    match = over(ada)
    ends: dict[str, int] = {}
    recorded = events(ada, match["match_id"])
    for event in recorded:
        ends[event["command_id"]] = event["sequence"]
    last_decision = recorded[-1]["sequence"] - 3
    for event in recorded[:last_decision]:
        branched = made(ada, match["match_id"], event["sequence"])
        assert branched["origin"]["version"] == ends[event["command_id"]]


def test_its_events_are_a_chain_of_their_own_that_begins_in_one_command(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    recorded = events(ada, made(ada, match_id, 1)["match_id"])

    kinds = [event["type"] for event in recorded]
    assert kinds == ["match_created", "seat_taken", "seat_taken", "branch_started"]
    assert len({event["command_id"] for event in recorded}) == 1
    assert recorded[0]["previous_hash"] == "sha-256:" + "0" * 64
    assert recorded[0]["actor"] == f"account:{ada.id}"


def test_a_choice_that_is_open_can_be_answered_otherwise(ada: Account) -> None:
    city = {"establishments": {"business_center": 1, "tv_station": 1, "bakery": 1}, "coins": 0}
    match_id = ada.board([[6]], city, {"coins": 9})
    asked = ada.command(match_id, ROLL).json
    assert asked["next"]["phase"] == "take_coins"
    ada.command(match_id, {"type": "take_coins", "from_seat": 1})
    branched = made(ada, match_id, asked["version"])["match_id"]

    assert ada.state(branched)["pending"] == {"card": "tv_station", "copies": 1}
    again = ada.command(branched, {"type": "take_coins", "from_seat": 1})
    assert again.json["next"]["phase"] == "swap"
    declined = ada.command(branched, {"type": "decline_swap"})
    assert (declined.status_code, declined.json["next"]["phase"]) == (201, "build")


def test_a_seat_that_resigned_plays_no_more(ada: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}] * 3, first_seat=0)["match_id"]
    left = ada.command(match_id, {**RESIGN, "seat": 1}).json
    branched = made(ada, match_id, left["version"])

    assert [seat["resigned"] for seat in branched["seats"]] == [False, True, False]
    ada.play_on(branched["match_id"], 2)
    assert ada.state(branched["match_id"])["active_seat"] == 2


def test_the_creator_may_call_a_branch_off_before_its_first_throw(ada: Account, bob: Account) -> None:
    match = over(ada)
    branched = made(bob, match["match_id"], match["version"] + 5)["match_id"]
    aborted = bob.post(f"/v1/matches/{branched}/abort")
    assert (aborted.status_code, aborted.json["status"]) == (200, "aborted")


# The same dice


def test_with_the_same_dice_the_same_commands_lead_to_the_same_end(ada: Account, bob: Account) -> None:
    seats = [{"kind": "me", "seed": "s0"}, {"kind": "me", "seed": "s1"}]
    match = over(ada, seats=seats)
    branched = made(bob, match["match_id"], match["version"] + 1, "same")
    start = branched["origin"]["version"]
    bob.command(branched["match_id"], PASS)
    bob.play_on(branched["match_id"], 6)
    bob.command(branched["match_id"], RESIGN)

    assert facts(bob, branched["match_id"], branched["version"]) == facts(bob, match["match_id"], start)
    assert branched["dice"]["commitment"] == match["dice"]["commitment"]
    assert [event["data"]["seed"] for event in events(bob, branched["match_id"])[1:3]] == ["s0", "s1"]
    assert facts(bob, branched["match_id"])[-1][0] == "dice_revealed"


def test_a_branch_of_a_branch_has_the_dice_of_the_first_match(ada: Account) -> None:
    match = over(ada)
    first = made(ada, match["match_id"], match["version"], "same")
    ada.play_on(first["match_id"], 2)
    assert refusal(branch(ada, first["match_id"], first["version"], "same"))[1] == "seed_unavailable"
    ada.command(first["match_id"], RESIGN)
    second = made(ada, first["match_id"], first["version"], "same")
    ada.play_on(second["match_id"], 8)
    ada.command(second["match_id"], RESIGN)

    assert second["origin"]["match_id"] == first["match_id"]
    assert events(ada, second["match_id"])[0]["data"]["dice"]["seed_of"] == match["match_id"]
    assert facts(ada, second["match_id"], second["version"]) == facts(
        ada, match["match_id"], match["version"]
    )


def test_of_scripted_dice_what_was_left_of_the_tape_is_the_same(ada: Account) -> None:
    match_id = ada.board([[1], [2], [3]], {}, {})
    version = ada.command(match_id, ROLL).json["version"]
    ada.post(f"/v1/matches/{match_id}/commands", RESIGN)
    branched = made(ada, match_id, version, "same")

    assert branched["dice"]["throws"] == [[2], [3]]
    ada.command(branched["match_id"], PASS)
    assert ada.command(branched["match_id"], ROLL).json["events"][0]["data"]["values"] == [2]


def test_dice_that_are_secret_still_are_refused(ada: Account) -> None:
    match = ada.create()
    refused = branch(ada, match["match_id"], match["version"], "same")
    assert refusal(refused) == (409, "seed_unavailable", [])
    assert refused.headers["Match-Head"] == ada.get(f"/v1/matches/{match['match_id']}").headers["Match-Head"]
    assert "commitment" not in refused.text


def test_dice_whose_master_key_is_gone_are_refused(
    ada: Account, restarted: Callable[..., FlaskClient]
) -> None:
    match = over(ada)
    body = {"from_version": match["version"], "dice": "same"}
    path = f"/v1/matches/{match['match_id']}/branches"
    for keys, status in (("k2:" + "7a" * 32, 409), (f"k2:{'7a' * 32},{MASTER_KEYS}", 201)):
        client = restarted(master_keys=keys)
        assert client.post(path, json=body, headers=ada.authorization).status_code == status


# Other dice


def test_fresh_dice_are_committed_to_anew(ada: Account) -> None:
    match = ada.create(first_seat=0)
    fresh = [made(ada, match["match_id"], match["version"]) for _ in range(2)]
    commitments = {one["dice"]["commitment"] for one in (match, *fresh)}
    assert len(commitments) == 3
    created = events(ada, fresh[0]["match_id"])[0]["data"]
    assert (created["dice"]["mode"], created["dice"]["seed_of"]) == ("committed", "")


def test_scripted_dice_are_thrown_from_the_first_on(ada: Account) -> None:
    match = over(ada)
    branched = made(ada, match["match_id"], match["version"] + 1, "scripted", throws=[[6], [5]])
    ada.command(branched["match_id"], PASS)
    rolled = ada.command(branched["match_id"], ROLL).json
    assert rolled["events"][0]["data"]["values"] == [6]
    ada.command(branched["match_id"], PASS)
    ada.command(branched["match_id"], ROLL)
    ada.command(branched["match_id"], PASS)
    assert ada.command(branched["match_id"], ROLL).json["code"] == "dice_tape_exhausted"


DECK = {"face_up": {"cafe": 1, "mine": 1}, "deck": ["ranch", "forest", "bakery"]}


@pytest.mark.parametrize(
    ("dice", "order"), [("fresh", {}), ("scripted", {}), ("same", {"market": DECK["deck"][3:]})]
)
def test_only_with_the_same_dice_a_given_deck_keeps_its_order(
    ada: Account, dice: str, order: dict[str, Any]
) -> None:
    match_id = ada.board([[1]], {}, {}, options={"market": "limited"}, position={"market": DECK})
    ada.command(match_id, RESIGN)
    wishes = {"throws": []} if dice == "scripted" else {}
    branched = made(ada, match_id, 1, dice, **wishes)["match_id"]
    begun = facts(ada, branched)[-1][1]
    assert begun["deck_orders"] == order


# Who may, and who sits there


def test_whoever_sees_a_match_can_branch_off_and_nobody_else(ada: Account, bob: Account) -> None:
    for visibility, status in (("public", 201), ("unlisted", 201), ("private", 404)):
        match_id = ada.create(visibility=visibility)["match_id"]
        answer = branch(bob, match_id, 1)
        assert answer.status_code == status
        assert ("Match-Head" in answer.headers) == (status == 201)
    nobody = ada.client.post(f"/v1/matches/{match_id}/branches", json={"from_version": 1, "dice": "fresh"})
    assert refusal(nobody) == (401, "token_missing", [])
    wish = {"name": "player", "scopes": ["play"]}
    token = ada.post("/v1/me/tokens", wish).json["token"]
    path, headers = f"/v1/matches/{match_id}/branches", {"Authorization": f"Bearer {token}"}
    weak = ada.client.post(path, json={"from_version": 1, "dice": "fresh"}, headers=headers)
    assert refusal(weak) == (403, "scope_missing", [])


@pytest.mark.parametrize("origin", ["public", "unlisted", "private"])
@pytest.mark.parametrize("wished", [None, "public", "unlisted", "private"])
def test_a_branch_is_never_more_open_than_its_origin(ada: Account, origin: str, wished: str | None) -> None:
    match_id = ada.create(visibility=origin)["match_id"]
    answer = branch(ada, match_id, 1, visibility=wished)
    order = ["public", "unlisted", "private"]
    if wished and order.index(wished) < order.index(origin):
        assert refusal(answer) == (422, "validation_failed", ["/visibility"])
    else:
        assert answer.json["visibility"] == (wished or origin)


def test_others_sit_down_at_once(ada: Account, bob: Account) -> None:
    match = ada.create(seats=[{"kind": "me"}] * 3, first_seat=0)
    seats = [
        {"kind": "bot", "bot": "bob"},
        {"kind": "strategy", "strategy": "greedy"},
        {"kind": "account", "handle": "ada"},
    ]
    clock = {"decision_ms": 60_000, "on_timeout": "forfeit"}
    branched = made(ada, match["match_id"], 1, seats=seats, clock=clock, tags=["y"])

    assert [seat["name"] for seat in branched["seats"]] == ["bob", "greedy", "ada"]
    assert (branched["clock"], branched["tags"]) == (clock, ["y"])
    [turn] = bob.get("/v1/me/turns").json["items"]
    assert (turn["match_id"], turn["seat"]) == (branched["match_id"], 0)
    assert turn["deadline"]
    assert bob.command(branched["match_id"], ROLL).status_code == 201


def test_a_branch_starts_with_the_bank_that_its_own_clock_has(ada: Account) -> None:
    clock = {"decision_ms": 60_000, "on_timeout": "forfeit", "bank_ms": 90_000}
    origin = ada.create(seats=[{"kind": "me"}] * 2, clock={**clock, "increment_ms": 5_000}, first_seat=0)
    ada.command(origin["match_id"], ROLL)
    version = ada.command(origin["match_id"], {"type": "pass"}).json["version"]
    seats = [{"kind": "account", "handle": "ada"}] * 2
    branched = made(ada, origin["match_id"], version, seats=seats, clock=clock)

    assert branched["clock"] == clock
    banks = [player["bank_ms"] for player in ada.state(branched["match_id"])["players"]]
    assert banks == [90_000] * 2


# Once


def test_one_key_on_two_origins_stands_for_two_branches(ada: Account) -> None:
    body = {"from_version": 1, "dice": "fresh"}
    origins = [ada.create()["match_id"] for _ in range(2)]
    first, second = [ada.post(f"/v1/matches/{one}/branches", body, KEY) for one in origins]
    assert (first.json["origin"]["match_id"], second.json["origin"]["match_id"]) == tuple(origins)
    again = ada.post(f"/v1/matches/{origins[0]}/branches", body, KEY)
    assert (again.json, again.headers["Idempotency-Replayed"]) == (first.json, "true")


def test_a_branch_is_told_as_it_was_when_it_was_made_however_far_both_have_come(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    path, body = f"/v1/matches/{match_id}/branches", {"from_version": 1, "dice": "fresh"}
    first = ada.post(path, body, KEY)
    ada.command(first.json["match_id"], ROLL)
    ada.command(match_id, RESIGN)
    assert ada.post(path, body, KEY).data == first.data
