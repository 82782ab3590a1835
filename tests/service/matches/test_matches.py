"""Matches: made, joined, listed, seen by those who may, called off."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.service.contract import Account
from tests.service.ladder_kit import Operated


def test_a_seat_can_be_given_to_a_remote_bot_by_the_handle_of_its_account(ada: Account, bob: Account) -> None:
    match = ada.create(seats=[{"kind": "me"}, {"kind": "bot", "bot": "Bob"}], first_seat=1)
    assert match["status"] == "running"
    assert match["seats"][1]["account_id"] == bob.id
    assert [turn["match_id"] for turn in bob.get("/v1/me/turns").json["items"]] == [match["match_id"]]


def test_a_match_tells_all_that_was_asked_for(ada: Account) -> None:
    answer = ada.post(
        "/v1/matches",
        {
            "ruleset": "harbor",
            "options": {"market": "limited", "max_copies": 2, "card_costs": {"sushi_bar": 4}},
            "seats": [
                {"kind": "me", "seed": "s"},
                {"kind": "open"},
                {"kind": "strategy", "strategy": "random"},
            ],
            "first_seat": 1,
            "clock": {"decision_ms": 30000, "on_timeout": "forfeit"},
            "visibility": "unlisted",
            "tags": ["x"],
        },
    )
    match = answer.json
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/matches/{match['match_id']}"
    assert answer.headers["ETag"] == f'"{match["version"]}"'
    assert answer.headers["Match-Head"].startswith(f"v={match['version']};")
    assert match["status"] == "open"
    assert match["options"] == {
        "box": "five_player",
        "market": "limited",
        "max_copies": 2,
        "card_costs": {"sushi_bar": 4},
    }
    assert [seat["kind"] for seat in match["seats"]] == ["account", "open", "strategy"]
    assert match["clock"] == {"decision_ms": 30000, "on_timeout": "forfeit"}
    assert match["dice"]["commitment"].startswith("sha-256:")
    assert ada.get(answer.headers["Location"]).json == match


def test_a_match_starts_when_its_last_seat_is_taken(ada: Account, bob: Account) -> None:
    match_id = ada.create(seats=[{"kind": "open"}, {"kind": "me"}, {"kind": "open"}])["match_id"]
    assert ada.state(match_id)["active_seat"] is None
    joined = bob.post(f"/v1/matches/{match_id}/seats", {"seat": 2, "seed": "mine"})
    assert (joined.status_code, joined.json["seat"], joined.json["status"]) == (201, 2, "open")
    last = bob.post(f"/v1/matches/{match_id}/seats")
    assert (last.status_code, last.json["seat"], last.json["status"]) == (201, 0, "running")
    assert [seat["name"] for seat in last.json["seats"]] == ["bob", "ada", "bob"]


def test_a_taken_seat_and_a_full_match_cannot_be_joined(ada: Account, bob: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    path = f"/v1/matches/{match_id}/seats"
    taken = bob.post(path, {"seat": 0})
    assert (taken.status_code, taken.json["code"]) == (409, "seat_taken")
    missing = bob.post(path, {"seat": 3})
    assert (missing.status_code, missing.json["code"]) == (422, "validation_failed")
    assert bob.post(path, {"seat": 1}).status_code == 201
    full = bob.post(path, {})
    assert (full.status_code, full.json["code"]) == (409, "match_full")
    assert full.headers["Match-Head"]


def test_joining_under_one_key_takes_one_seat(ada: Account, bob: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}, {"kind": "open"}])["match_id"]
    path = f"/v1/matches/{match_id}/seats"
    first = bob.post(path, {}, {"Idempotency-Key": "k"})
    again = bob.post(path, {}, {"Idempotency-Key": "k"})
    assert first.data == again.data
    assert again.headers["Idempotency-Replayed"] == "true"


def test_the_creator_calls_a_match_off_before_the_first_throw(ada: Account, bob: Account) -> None:
    match_id = ada.create()["match_id"]
    refused = bob.post(f"/v1/matches/{match_id}/abort")
    assert (refused.status_code, refused.json["code"]) == (403, "not_creator")
    aborted = ada.post(f"/v1/matches/{match_id}/abort")
    assert (aborted.status_code, aborted.json["status"]) == (200, "aborted")
    assert aborted.json["result"] == {"reason": "creator"}
    again = ada.post(f"/v1/matches/{match_id}/abort")
    assert (again.status_code, again.json["code"]) == (409, "match_finished")


def test_matches_of_a_ladder_are_not_called_off_but_those_with_tags_that_resemble_one_are(
    ada: Account, bob: Account
) -> None:
    ladder = Operated(ada).id
    played = ada.create(tags=["x", ladder])["match_id"]
    refused = ada.post(f"/v1/matches/{played}/abort")
    assert (refused.status_code, refused.json["code"]) == (403, "not_creator")
    assert refused.json["detail"] == "a match of a ladder cannot be aborted"
    for tag in ("lad_friends", ladder[:-1] + "Z"):
        match_id = ada.create(tags=[tag])["match_id"]
        assert ada.post(f"/v1/matches/{match_id}/abort").json["status"] == "aborted"
    of_another = bob.create(tags=[ladder])["match_id"]
    assert bob.post(f"/v1/matches/{of_another}/abort").json["status"] == "aborted"


def test_a_match_that_was_begun_is_not_called_off(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, {"type": "roll_dice", "dice": 1})
    refused = ada.post(f"/v1/matches/{match_id}/abort")
    assert (refused.status_code, refused.json["code"]) == (409, "wrong_phase")


PATHS = ["", "/state", "/legal-commands", "/events", "/events/1"]


@pytest.mark.parametrize("path", PATHS)
def test_a_public_match_can_be_read_without_a_token(ada: Account, path: str) -> None:
    match_id = ada.create()["match_id"]
    answer = ada.client.get(f"/v1/matches/{match_id}{path}")
    assert answer.status_code == 200
    assert answer.headers["Match-Head"]


@pytest.mark.parametrize("path", [*PATHS, "/commands/k"])
def test_a_private_match_does_not_exist_for_others(ada: Account, bob: Account, path: str) -> None:
    match_id = ada.create(visibility="private")["match_id"]
    refused = bob.get(f"/v1/matches/{match_id}{path}")
    nothing = bob.get(f"/v1/matches/mat_00000000000000000000000000{path}")
    assert (refused.status_code, refused.json["code"]) == (404, "match_not_found")
    assert _without_id(refused.json) == _without_id(nothing.json)
    assert "Match-Head" not in refused.headers


def _without_id(problem: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in problem.items() if name != "request_id"}


def test_nobody_acts_in_a_private_match_of_others(ada: Account, bob: Account) -> None:
    match_id = ada.create(visibility="private", seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    for answer in (
        bob.command(match_id, {"type": "resign"}),
        bob.dry_run(match_id, {"type": "resign"}),
        bob.command(match_id, {"type": "resign"}, If_Match='"1"'),
        bob.dry_run(match_id, {"type": "resign"}, If_Match='"1"'),
        bob.post(f"/v1/matches/{match_id}/seats"),
        bob.post(f"/v1/matches/{match_id}/abort"),
    ):
        assert (answer.status_code, answer.json["code"]) == (404, "match_not_found")
        assert "Match-Head" not in answer.headers


def test_a_private_match_is_open_to_those_on_its_seats(ada: Account, bob: Account) -> None:
    seats = [{"kind": "me"}, {"kind": "account", "handle": "bob"}]
    match_id = ada.create(visibility="private", seats=seats)["match_id"]
    for path in PATHS:
        assert bob.get(f"/v1/matches/{match_id}{path}").status_code == 200


@pytest.mark.parametrize("path", ["", "/state", "/legal-commands", "/legal-commands?explain=true"])
def test_what_the_client_holds_already_is_not_sent_again(ada: Account, path: str) -> None:
    match_id = ada.create()["match_id"]
    first = ada.get(f"/v1/matches/{match_id}{path}")
    again = ada.get(f"/v1/matches/{match_id}{path}", {"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.headers["ETag"]) == (304, first.headers["ETag"])
    assert again.headers["Match-Head"] == first.headers["Match-Head"]


def test_the_state_of_a_new_harbor_match(ada: Account) -> None:
    state = ada.state(ada.create(ruleset="harbor", first_seat=0)["match_id"])
    assert state["players"][0] == {
        "seat": 0,
        "name": "ada",
        "coins": 3,
        "establishments": {"wheat_field": 1, "bakery": 1, "town_hall": 1},
        "landmarks": [],
    }
    assert (state["turn"], state["active_seat"], state["phase"], state["dice"]) == (1, 0, "roll", None)
    assert state["market"]["kind"] == "open"
    assert (state["market"]["supply"]["wheat_field"], state["market"]["supply"]["stadium"]) == (6, 5)
    assert "town_hall" not in state["market"]["supply"]
    assert (state["winner"], state["result"], state["deadline"]) == (None, None, None)


def test_each_kind_of_market_is_shown_in_its_own_way(ada: Account) -> None:
    limited = ada.state(ada.create(options={"market": "limited"})["match_id"])["market"]
    assert (limited["kind"], len(limited["face_up"])) == ("limited", 10)
    assert sum(limited["face_up"].values()) + limited["deck_remaining"] == 12 * 6 + 3 * 4
    rows = ada.state(ada.create(ruleset="machi_koro_2")["match_id"])["market"]
    assert rows["kind"] == "rows"
    assert [len(rows["rows"][name]) for name in ("low", "high", "landmarks")] == [5, 5, 5]
    assert rows["decks_remaining"]["landmarks"] == 15


def test_an_empty_stack_is_listed_as_nothing(ada: Account) -> None:
    match_id = ada.board([], {}, {}, position={"market": {"supply": {"cafe": 0}}})
    assert ada.state(match_id)["market"]["supply"]["cafe"] == 0


def test_a_given_table_is_shown_as_it_was_given(ada: Account) -> None:
    market = {"face_up": {"mine": 2}, "deck": ["forest", "cafe"]}
    match_id = ada.board([[1]], {}, {}, position={"market": market}, options={"market": "limited"})
    match = ada.get(f"/v1/matches/{match_id}").json
    assert match["position"]["market"] == market
    assert match["dice"]["throws"] == [[1]]
    rows = {"rows": {"low": {"cafe": 1}}, "decks": {"high": ["mine"]}}
    position = {"market": rows, "phase": "setup"}
    second = ada.board(
        [[1]], {"establishments": {}}, {"establishments": {}}, ruleset="machi_koro_2", position=position
    )
    shown = ada.get(f"/v1/matches/{second}").json["position"]["market"]
    assert shown["rows"]["low"] == {"cafe": 1}
    assert shown["decks"]["high"] == ["mine"]


def test_a_clock_gives_every_decision_a_deadline(ada: Account) -> None:
    match_id = ada.create(clock={"decision_ms": 60000, "on_timeout": "default_command"})["match_id"]
    first = ada.state(match_id)["deadline"]
    answer = ada.command(match_id, {"type": "roll_dice", "dice": 1}, "?embed=state").json
    assert first < answer["next"]["deadline"] == answer["state"]["deadline"]


def test_legal_commands_are_ready_to_be_posted_and_say_why_others_are_not(ada: Account) -> None:
    match_id = ada.board([], {"coins": 2}, {}, position={"phase": "build"})
    legal = ada.get(f"/v1/matches/{match_id}/legal-commands?explain=true").json
    assert {"type": "build", "card": "cafe", "seat": 0} in legal["commands"]
    mine = next(one for one in legal["unbuildable"] if one["card"] == "mine")
    assert (mine["code"], mine["cost"]) == ("insufficient_coins", 6)
    for command in legal["commands"]:
        assert ada.dry_run(match_id, command).status_code == 200


def test_bots_on_all_seats_make_a_match_that_runs(client: FlaskClient, ada: Account) -> None:
    match = ada.create(seats=[{"kind": "strategy", "strategy": "random"}] * 3)
    assert (match["status"], match["seats"][0]["strategy"]) == ("running", "random")


def test_a_clock_can_have_a_bank_and_an_increment(ada: Account) -> None:
    clock = {"decision_ms": 60_000, "on_timeout": "forfeit", "bank_ms": 90_000, "increment_ms": 5_000}
    match = ada.create(clock=clock, first_seat=0, seats=[{"kind": "me"}] * 2)
    assert match["clock"] == clock
    state = ada.state(match["match_id"])
    assert [player["bank_ms"] for player in state["players"]] == [90_000] * 2
    began = ada.get(f"/v1/matches/{match['match_id']}/events").json["items"][-1]["time"]
    allowed = datetime.fromisoformat(state["deadline"]) - datetime.fromisoformat(began)
    assert allowed == timedelta(milliseconds=150_000)

    ada.command(match["match_id"], {"type": "roll_dice", "dice": 1})
    passed = ada.command(match["match_id"], {"type": "pass"}, "?embed=state").json
    assert passed["events"][-1]["type"] == "bank_changed"
    assert passed["events"][-1]["data"] == {"seat": 0, "spent_ms": 0, "added_ms": 5_000, "left_ms": 95_000}
    assert [player["bank_ms"] for player in passed["state"]["players"]] == [95_000, 90_000]


def test_a_match_without_bank_shows_none(ada: Account) -> None:
    clock = {"decision_ms": 60_000, "on_timeout": "forfeit"}
    match = ada.create(clock={**clock, "bank_ms": 0, "increment_ms": 0})
    assert match["clock"] == clock
    assert all("bank_ms" not in player for player in ada.state(match["match_id"])["players"])
