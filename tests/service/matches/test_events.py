"""Events as pages, one by one, and as soon as they happen."""

import threading
from typing import Any

import pytest
from flask import Flask
from jsonschema_rs import Draft202012Validator, meta

from domain.match.events import REGISTRY
from service.context import EXTENSION
from tests.service.contract import Account
from tests.service.served import wait_until

ROLL = {"type": "roll_dice", "dice": 1}


def is_waiting(app: Flask) -> bool:
    """Whether somebody waits for a match to go on, or for a turn."""
    watcher = app.extensions[EXTENSION].watcher
    return bool(watcher._waiters or watcher._subscriptions)


def test_pages_lead_from_the_first_event_to_the_last(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, ROLL)
    version = ada.state(match_id)["version"]
    found: list[int] = []
    path = f"/v1/matches/{match_id}/events?limit=2"
    while path:
        page = ada.get(path)
        found += [event["sequence"] for event in page.json["items"]]
        path = page.headers["Link"].split(">")[0][1:] if "Link" in page.headers else ""
    assert found == list(range(1, version + 1))


def test_hashes_chain_the_events(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    page = ada.get(f"/v1/matches/{match_id}/events")
    events = page.json["items"]
    assert events[0]["previous_hash"] == "sha-256:" + "0" * 64
    assert [event["previous_hash"] for event in events[1:]] == [event["hash"] for event in events[:-1]]
    assert page.headers["Match-Head"] == f'v={len(events)}; h="{events[-1]["hash"]}"'


def test_one_event_can_be_kept_for_ever(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    one = ada.get(f"/v1/matches/{match_id}/events/2")
    assert one.json == ada.get(f"/v1/matches/{match_id}/events").json["items"][1]
    assert one.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    held = ada.get(f"/v1/matches/{match_id}/events/2", {"If-None-Match": one.headers["ETag"]})
    assert held.status_code == 304
    private = ada.create(visibility="private")["match_id"]
    assert ada.get(f"/v1/matches/{private}/events/1").headers["Cache-Control"].startswith("private")


@pytest.mark.parametrize("sequence", [0, 999, 10**20])
def test_an_event_that_is_not_there_is_not_found(ada: Account, sequence: int) -> None:
    match = ada.create()
    answer = ada.get(f"/v1/matches/{match['match_id']}/events/{sequence}")
    assert (answer.status_code, answer.json["code"]) == (404, "event_not_found")
    assert answer.json["max_version"] == match["version"]


def test_a_cursor_ahead_of_the_match_is_refused(ada: Account) -> None:
    match = ada.create()
    at_head = ada.get(f"/v1/matches/{match['match_id']}/events?after={match['version']}")
    assert (at_head.status_code, at_head.json["items"]) == (200, [])
    ahead = ada.get(f"/v1/matches/{match['match_id']}/events?after={match['version'] + 1}")
    assert (ahead.status_code, ahead.json["code"]) == (400, "cursor_ahead")
    assert ahead.json["max_version"] == match["version"]


def test_types_can_be_picked(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    page = ada.get(f"/v1/matches/{match_id}/events?types=seat_taken,match_started").json
    assert [event["type"] for event in page["items"]] == ["seat_taken", "seat_taken", "match_started"]
    assert page["next"] is None
    wrong = ada.get(f"/v1/matches/{match_id}/events?types=seat_taken,nonsense")
    assert (wrong.status_code, wrong.json["code"]) == (400, "invalid_parameter")


@pytest.mark.parametrize("limit", [1, 2, 100])
@pytest.mark.parametrize(
    "types", ["seat_taken", "match_created", "dice_rolled,match_started", "match_finished"]
)
def test_pages_of_some_types_come_to_an_end(ada: Account, types: str, limit: int) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, ROLL)
    every = ada.get(f"/v1/matches/{match_id}/events").json["items"]
    found: list[dict[str, Any]] = []
    path, pages = f"/v1/matches/{match_id}/events?types={types}&limit={limit}", 0
    while path:
        page = ada.get(path)
        assert len(page.json["items"]) <= limit
        found += page.json["items"]
        pages += 1
        assert pages <= len(every), "there is no end"
        path = page.headers["Link"].split(">")[0][1:] if "Link" in page.headers else ""
    assert found == [event for event in every if event["type"] in types.split(",")]


def test_a_long_poll_for_a_type_does_not_wait_for_what_is_there(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    answer = ada.get(f"/v1/matches/{match_id}/events?limit=1&types=match_started&wait=3").json
    assert [event["type"] for event in answer["items"]] == ["match_started"]


def test_a_receipt_is_never_behind_the_events_above_it(ada: Account) -> None:
    match_id = ada.create()["match_id"]

    def play() -> None:
        for i in range(60):
            ada.command(match_id, {"type": "pass"} if i % 2 else ROLL)

    player = threading.Thread(target=play)
    player.start()
    while player.is_alive():
        page = ada.get(f"/v1/matches/{match_id}/events?limit=500")
        last = page.json["items"][-1]
        assert page.headers["Match-Head"] == f'v={last["sequence"]}; h="{last["hash"]}"'
    player.join()


def test_a_long_poll_ends_with_the_next_event(ada: Account, app: Flask) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}&wait=30"
    answers: list[Any] = []
    poll = threading.Thread(target=lambda: answers.append(ada.get(path)))
    poll.start()
    wait_until(lambda: is_waiting(app))
    rolled = ada.command(match["match_id"], ROLL).json
    poll.join(28)
    assert answers[0].json["items"] == rolled["events"]


def test_a_long_poll_for_a_type_waits_over_others(ada: Account, app: Flask) -> None:
    match = ada.create()
    path = f"/v1/matches/{match['match_id']}/events?after={match['version']}&wait=30&types=turn_ended"
    answers: list[Any] = []
    poll = threading.Thread(target=lambda: answers.append(ada.get(path)))
    poll.start()
    wait_until(lambda: is_waiting(app))
    ada.command(match["match_id"], ROLL)
    passed = ada.command(match["match_id"], {"type": "pass"}).json
    poll.join(28)
    ended = [event for event in passed["events"] if event["type"] == "turn_ended"]
    assert answers[0].json["items"] == ended


def test_a_long_poll_on_a_finished_match_returns_at_once(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    version = ada.command(match_id, {"type": "resign"}).json["version"]
    answer = ada.get(f"/v1/matches/{match_id}/events?after={version}&wait=30")
    assert answer.json == {"items": [], "next": None}


def test_decisions_that_wait_for_the_caller_are_listed(ada: Account, bob: Account) -> None:
    seats = [{"kind": "me"}, {"kind": "account", "handle": "bob"}]
    match_id = ada.create(seats=seats, first_seat=1)["match_id"]
    assert ada.get("/v1/me/turns").json == {"items": []}
    turn = bob.get("/v1/me/turns").json["items"][0]
    assert (turn["match_id"], turn["seat"]) == (match_id, 1)
    assert turn["state"] == bob.state(match_id)
    assert bob.command(match_id, turn["legal_commands"]["commands"][0]).status_code == 201


def test_waiting_for_a_turn_ends_when_it_comes(ada: Account, bob: Account, app: Flask) -> None:
    seats = [{"kind": "me"}, {"kind": "account", "handle": "bob"}]
    match_id = ada.create(seats=seats, first_seat=1)["match_id"]
    bob.command(match_id, ROLL)
    answers: list[Any] = []
    poll = threading.Thread(target=lambda: answers.append(ada.get("/v1/me/turns?wait=30")))
    poll.start()
    wait_until(lambda: is_waiting(app))
    bob.command(match_id, {"type": "pass"})
    poll.join(28)
    assert [turn["match_id"] for turn in answers[0].json["items"]] == [match_id]


@pytest.mark.parametrize("written", ["01", "%D9%A1", "+1", "1.0"])
def test_an_event_has_one_address(ada: Account, written: str) -> None:
    match_id = ada.create()["match_id"]
    assert ada.get(f"/v1/matches/{match_id}/events/{written}").status_code == 404


def test_each_event_type_has_a_schema_that_its_events_fit(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, ROLL)
    types = {one["type"]: one for one in ada.get("/v1/event-types").json["items"]}
    assert [*types] == [*REGISTRY]
    for one in types.values():
        meta.validate(one["json_schema"])
        assert one["description"].endswith(".")
    for event in ada.get(f"/v1/matches/{match_id}/events").json["items"]:
        Draft202012Validator(types[event["type"]]["json_schema"]).validate(event)
    throw = types["dice_rolled"]["json_schema"]["properties"]["data"]["properties"]["purpose"]
    assert throw == {"type": "string", "description": "`roll`, `reroll` or `boats`."}
