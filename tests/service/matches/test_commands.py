"""Commands over HTTP: whose seat, once each, on which version, and what is answered."""

import threading
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain import fold
from events.matches.entries import CODEC
from service.context import EXTENSION
from service.matches.presentation import present_state
from tests.service.contract import Account

ROLL = {"type": "roll_dice", "dice": 1}


def test_a_command_answers_with_what_it_caused(ada: Account) -> None:
    match_id = ada.board([[1], [2]], {}, {})
    answer = ada.command(match_id, ROLL, "?embed=state,legal_commands")
    assert answer.status_code == 201
    body = answer.json
    assert [event["type"] for event in body["events"]] == [
        "dice_rolled",
        "income_received",
        "income_received",
    ]
    assert body["events"][-1]["sequence"] == body["version"] == body["state"]["version"]
    assert body["next"] == {"seat": 0, "phase": "build", "deadline": None}
    assert body["legal_commands"]["commands"][0] == {"type": "pass", "seat": 0}
    assert answer.headers["ETag"] == f'"{body["version"]}"'
    assert answer.headers["Match-Head"] == f'v={body["version"]}; h="{body["events"][-1]["hash"]}"'


def test_a_whole_harbor_match_is_played_by_one_account_on_all_seats(ada: Account, app: Flask) -> None:
    match = ada.create(ruleset="harbor", seats=[{"kind": "me"}] * 3)
    match_id = match["match_id"]
    legal = ada.get(f"/v1/matches/{match_id}/legal-commands").json
    version = match["version"]
    while legal["commands"]:
        answer = ada.command(match_id, _choice(legal), "?embed=legal_commands", If_Match=f'"{version}"')
        assert answer.status_code == 201, answer.text
        version, legal = answer.json["version"], answer.json["legal_commands"]
    state = ada.state(match_id)
    assert state["status"] == "finished"
    assert state["result"] == {"reason": "landmarks"}
    assert len(state["players"][state["winner"]]["landmarks"]) == 6
    assert _folded(app, match_id) == state


def _choice(legal: dict[str, Any]) -> dict[str, Any]:
    """The dearest-looking command: landmarks first, two dice, then the last of the list."""
    commands: list[dict[str, Any]] = legal["commands"]
    landmarks = ("airport", "radio_tower", "amusement_park", "shopping_mall", "train_station", "harbor")
    for card in landmarks:
        for command in commands:
            if command.get("card") == card and command["type"] == "build":
                return command
    if legal["phase"] == "build":
        cheap = [one for one in commands if one.get("card") in ("ranch", "forest", "mine", "bakery", "cafe")]
        return cheap[legal["version"] % len(cheap)] if cheap and legal["version"] < 250 else commands[0]
    return commands[-1]


def _folded(app: Flask, match_id: str) -> dict[str, Any]:
    """The state that the whole log folds to, as the API shows it."""
    matches = app.extensions[EXTENSION].matches
    state = fold(
        None, [event for entry in matches.store.read(match_id) for event in CODEC.decode(entry.events)]
    )
    shown = app.json.loads(app.json.dumps(present_state(match_id, state, None)))
    assert isinstance(shown, dict)
    return shown


def test_five_equal_commands_at_once_make_one_batch_and_five_equal_answers(ada: Account, app: Flask) -> None:
    match_id = ada.create(seats=[{"kind": "me"}] * 3)["match_id"]
    before = ada.state(match_id)["version"]
    answers: list[Any] = []
    barrier = threading.Barrier(5)

    def send() -> None:
        headers = {**ada.authorization, "Idempotency-Key": "once"}
        barrier.wait()
        answers.append(app.test_client().post(f"/v1/matches/{match_id}/commands", json=ROLL, headers=headers))

    threads = [threading.Thread(target=send) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [201] * 5
    assert len({answer.data for answer in answers}) == 1
    assert sorted(answer.headers.get("Idempotency-Replayed", "") for answer in answers) == ["", *["true"] * 4]
    assert ada.state(match_id)["version"] == before + len(answers[0].json["events"])


def test_a_repeated_command_is_answered_as_before_however_far_the_match_went(ada: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}] * 2)["match_id"]
    first = ada.command(match_id, ROLL, Idempotency_Key="k")
    ada.command(match_id, {"type": "pass"})
    again = ada.command(match_id, ROLL, Idempotency_Key="k", If_Match='"1"')
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    shown = ada.get(f"/v1/matches/{match_id}/commands/k").json
    assert shown["events"] == first.json["events"]


def test_a_key_stands_for_one_command_only(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, ROLL, Idempotency_Key="k")
    reused = ada.command(match_id, {"type": "pass"}, Idempotency_Key="k")
    assert (reused.status_code, reused.json["code"]) == (422, "idempotency_key_reused")


@pytest.mark.parametrize("key", ["a/b?c=%20#~", "/a", "//", "a/", "a%2Fb", "%2F", "/../x"])
def test_a_key_may_hold_any_visible_character(ada: Account, key: str) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, ROLL, Idempotency_Key=key)
    assert ada.get(f"/v1/matches/{match_id}/commands/{quote(key, safe='')}").status_code == 200


def test_two_accounts_may_use_the_same_key(ada: Account, bob: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "account", "handle": "bob"}], first_seat=0)[
        "match_id"
    ]
    ada.command(match_id, ROLL, Idempotency_Key="1")
    ada.command(match_id, {"type": "pass"})
    assert bob.command(match_id, ROLL, Idempotency_Key="1").status_code == 201


def test_a_command_that_never_arrived_is_not_found(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    answer = ada.get(f"/v1/matches/{match_id}/commands/never")
    assert (answer.status_code, answer.json["code"]) == (404, "command_not_found")


def test_a_stale_version_is_answered_with_the_missed_events(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    before = ada.state(match_id)["version"]
    done = ada.command(match_id, ROLL).json
    stale = ada.command(match_id, {"type": "pass"}, If_Match=f'"{before}"')
    assert (stale.status_code, stale.json["code"]) == (412, "stale_version")
    assert (stale.json["expected"], stale.json["current"]) == (before, done["version"])
    assert stale.json["events"] == done["events"]
    assert stale.headers["Match-Head"].startswith(f"v={done['version']};")
    assert ada.state(match_id)["version"] == done["version"]


def test_a_dry_run_appends_nothing(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    before = ada.state(match_id)["version"]
    answer = ada.dry_run(match_id, ROLL)
    assert (answer.status_code, answer.json) == (200, {"valid": True, "version": before})
    refused = ada.dry_run(match_id, {"type": "pass"})
    assert (refused.status_code, refused.json["code"]) == (409, "wrong_phase")
    assert ada.state(match_id)["version"] == before


def test_a_dry_run_looks_at_the_version_before_the_rules(ada: Account) -> None:
    match = ada.create()
    stale = ada.dry_run(match["match_id"], {"type": "pass"}, If_Match='"1"')
    assert (stale.status_code, stale.json["code"]) == (412, "stale_version")
    assert (stale.json["expected"], stale.json["current"]) == (1, match["version"])
    assert [event["sequence"] for event in stale.json["events"]] == [*range(2, match["version"] + 1)]
    ahead = ada.dry_run(match["match_id"], ROLL, If_Match='"999"')
    assert (ahead.status_code, ahead.json["events"]) == (412, [])


def test_the_deprecated_parameter_does_what_a_dry_run_does(ada: Account) -> None:
    match = ada.create()
    undocumented = FlaskClient(ada.client.application)
    path = f"/v1/matches/{match['match_id']}"

    def sent(body: object, path: str) -> tuple[int, object]:
        answer = undocumented.post(path, json=body, headers=ada.authorization)
        return answer.status_code, {**answer.json, "request_id": None}

    for body in (ROLL, {"type": "pass"}):
        assert sent(body, f"{path}/commands?validate_only=true") == sent(body, f"{path}/dry-runs")
    assert ada.state(match["match_id"])["version"] == match["version"]


def test_posting_a_command_has_one_form_of_answer_in_the_document(ada: Account) -> None:
    paths = ada.client.application.extensions["contract"].document["paths"]
    operation = paths["/v1/matches/{match_id}/commands"]["post"]
    assert [status for status in operation["responses"] if status.startswith("2")] == ["201"]
    (old,) = [one for one in operation["parameters"] if one.get("name") == "validate_only"]
    assert old["deprecated"]


def test_the_seat_to_act_is_meant_where_none_is_named(ada: Account) -> None:
    match_id = ada.create(first_seat=1)["match_id"]
    assert ada.command(match_id, ROLL).json["events"][0]["actor"] == "seat:1"


def test_a_seat_that_is_not_to_act_is_refused(ada: Account, bob: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "account", "handle": "bob"}], first_seat=0)[
        "match_id"
    ]
    named = bob.command(match_id, {**ROLL, "seat": 1})
    assert (named.status_code, named.json["code"]) == (409, "not_your_turn")
    unnamed = bob.command(match_id, ROLL)
    assert (unnamed.status_code, unnamed.json["code"]) == (409, "not_your_turn")
    foreign = bob.command(match_id, {**ROLL, "seat": 0})
    assert (foreign.status_code, foreign.json["code"]) == (403, "not_your_seat")
    assert foreign.json["errors"][0]["pointer"] == "/seat"


def test_a_stranger_has_no_seat(ada: Account, bob: Account) -> None:
    match_id = ada.create()["match_id"]
    refused = bob.command(match_id, ROLL)
    assert (refused.status_code, refused.json["code"]) == (403, "not_your_seat")


def test_a_seat_may_resign_on_anybodys_turn(ada: Account, bob: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "account", "handle": "bob"}], first_seat=0)[
        "match_id"
    ]
    assert bob.command(match_id, {"type": "resign"}).status_code == 201
    state = ada.state(match_id)
    assert (state["status"], state["winner"], state["active_seat"]) == ("finished", 0, None)
    over = ada.command(match_id, ROLL)
    assert (over.status_code, over.json["code"]) == (409, "match_finished")


def test_a_match_with_open_seats_has_not_started(ada: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    refused = ada.command(match_id, ROLL)
    assert (refused.status_code, refused.json["code"]) == (409, "match_not_started")


def test_scripted_dice_fall_as_written(ada: Account) -> None:
    match_id = ada.board([[1], [4, 4]], {}, {})
    assert ada.command(match_id, ROLL).json["events"][0]["data"]["values"] == [1]
    ada.command(match_id, {"type": "pass"})
    mismatch = ada.command(match_id, ROLL)
    assert (mismatch.status_code, mismatch.json["code"]) == (422, "dice_tape_mismatch")


def test_an_open_choice_names_its_card(ada: Account) -> None:
    rich = {"establishments": {"wheat_field": 1, "tv_station": 1}, "landmarks": []}
    match_id = ada.board([[6]], rich, {"coins": 9})
    state = ada.command(match_id, ROLL, "?embed=state").json["state"]
    assert (state["phase"], state["pending"]) == ("take_coins", {"card": "tv_station", "copies": 1})
    taken = ada.command(match_id, {"type": "take_coins", "from_seat": 1}, "?embed=state").json
    assert taken["state"]["players"][1]["coins"] == 4
    assert "pending" not in taken["state"]


@pytest.mark.parametrize("key", ["k%0Atake_seat", "%20", "k" * 256, "%C3%A9"])
def test_what_can_be_no_key_names_no_command(ada: Account, key: str) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, {"type": "roll_dice", "dice": 1}, Idempotency_Key="k")
    answer = ada.get(f"/v1/matches/{match_id}/commands/{key}")
    assert (answer.status_code, answer.json["code"]) == (404, "command_not_found")
