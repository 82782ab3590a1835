"""The past of a match: states at any version, replays and differences, for ever the same."""

import json
from collections.abc import Callable
from typing import Any

import jsonpatch
import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from domain import advance
from domain.match.commands import Pass, RollDice
from events import Batch, Loaded, Move
from events.store import keys
from ops.servers import Server
from service.context import EXTENSION
from tests.service.contract import Account, Contract

ROLL = {"type": "roll_dice", "dice": 1}
EMPTY_ROW = {"commands": [], "phase": None, "seat": None}


def past(account: Account, match_id: str, version: int, query: str = "") -> dict[str, Any]:
    answer = account.get(f"/v1/matches/{match_id}/states/{version}{query}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


def replay(account: Account, match_id: str, query: str = "") -> list[dict[str, Any]]:
    answer = account.get(f"/v1/matches/{match_id}/replay{query}")
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


def diff(account: Account, match_id: str, first: int, last: int) -> list[dict[str, Any]]:
    answer = account.get(f"/v1/matches/{match_id}/diff?from={first}&to={last}")
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == "application/json-patch+json"
    return list(answer.json)


def some_matches(account: Account) -> list[str]:
    """A match of each kind of market in the middle of its turns, and a rich table with choices."""
    city = {
        "coins": 9,
        "establishments": {"tv_station": 1, "business_center": 1, "tuna_boat": 1, "town_hall": 1},
        "landmarks": ["train_station", "harbor", "radio_tower"],
    }
    found = [account.board([[5, 1], [6, 6], [1, 1]] * 4, city, city, ruleset="harbor")]
    for ruleset, market in (("base", "open"), ("harbor", "limited"), ("machi_koro_2", "rows")):
        found.append(account.create(ruleset=ruleset, options={"market": market})["match_id"])
    for match_id in found:
        play_on(account, match_id, 10)
    return found


def play_on(account: Account, match_id: str, commands: int) -> None:
    """Give the last legal command so many times; not held against the document, which costs more."""
    client, path = FlaskClient(account.client.application), f"/v1/matches/{match_id}"
    for _ in range(commands):
        legal = client.get(f"{path}/legal-commands").json["commands"]
        sent = client.post(f"{path}/commands", json=legal[-1], headers=account.authorization)
        assert sent.status_code == 201


@pytest.fixture
def shown(ada: Account) -> Callable[[str], list[dict[str, Any]]]:
    """The state at each version of a match, the first one at index 1."""

    def states(match_id: str) -> list[dict[str, Any]]:
        client = FlaskClient(ada.client.application)
        paths = [f"/v1/matches/{match_id}/states/{i + 1}" for i in range(ada.state(match_id)["version"])]
        return [{}, *[client.get(path).json for path in paths]]

    return states


def test_the_state_at_a_version_is_what_the_state_was_at_that_version(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    seen = [ada.state(match_id)]
    for i in range(6):
        ada.command(match_id, {"type": "pass"} if i % 2 else ROLL)
        seen.append(ada.state(match_id))
    for state in seen:
        assert past(ada, match_id, state["version"]) == state


def test_every_version_has_a_state_that_fits_the_document(ada: Account) -> None:
    for match_id in some_matches(ada):
        for version in range(1, ada.state(match_id)["version"] + 1):
            state = past(ada, match_id, version, "?embed=legal_commands,event")
            assert state["version"] == version == state["event"]["sequence"]
            assert state["legal_commands"]["version"] == version


def test_an_event_comes_with_its_state_when_it_is_asked_for(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    state = past(ada, match_id, 4, "?embed=event")
    assert state["event"] == ada.get(f"/v1/matches/{match_id}/events/4").json
    assert "legal_commands" not in state


def test_legal_commands_of_the_past_are_those_that_were_listed_then(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    listed = [ada.get(f"/v1/matches/{match_id}/legal-commands").json]
    for i in range(4):
        ada.command(match_id, {"type": "pass"} if i % 2 else ROLL)
        listed.append(ada.get(f"/v1/matches/{match_id}/legal-commands").json)
    for legal in listed:
        assert past(ada, match_id, legal["version"], "?embed=legal_commands")["legal_commands"] == legal


def test_nobody_decides_between_the_events_of_one_command(ada: Account) -> None:
    clock = {"decision_ms": 60_000, "on_timeout": "forfeit"}
    match = ada.create(clock=clock)
    match_id, head = match["match_id"], match["version"]
    ada.command(match_id, ROLL)
    passed = ada.command(match_id, {"type": "pass"}).json
    first, last = passed["events"][0]["sequence"], passed["version"]
    assert last > first
    for version in [*range(1, head), *range(first, last)]:
        state = past(ada, match_id, version, "?embed=legal_commands")
        assert state["legal_commands"] == {"version": version, **EMPTY_ROW}
        assert state["deadline"] is None
    for version in (head, last):
        state = past(ada, match_id, version, "?embed=legal_commands")
        assert state["legal_commands"]["commands"]
        assert state["deadline"]


def test_between_its_start_and_the_first_turn_a_match_waits_for_no_seat(ada: Account) -> None:
    match = ada.create()
    events = ada.get(f"/v1/matches/{match['match_id']}/events?types=match_started").json["items"]
    state = past(ada, match["match_id"], events[0]["sequence"])
    assert (state["status"], state["turn"]) == ("running", 0)
    assert (state["active_seat"], state["phase"]) == (None, None)


def test_a_deadline_of_the_past_is_counted_from_its_own_event(ada: Account) -> None:
    match_id = ada.create(clock={"decision_ms": 60_000, "on_timeout": "forfeit"})["match_id"]
    before = ada.state(match_id)
    rolled = ada.command(match_id, ROLL).json
    ada.command(match_id, {"type": "resign"})
    assert before["deadline"]
    assert past(ada, match_id, before["version"]) == before
    assert past(ada, match_id, rolled["version"])["deadline"] == rolled["next"]["deadline"]


def test_a_state_at_the_head_stays_the_same_when_the_match_goes_on(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    head = ada.state(match_id)["version"]
    query = "?embed=legal_commands,event"
    first = ada.get(f"/v1/matches/{match_id}/states/{head}{query}")
    version = ada.command(match_id, ROLL).json["version"]
    again = ada.get(f"/v1/matches/{match_id}/states/{head}{query}")
    assert first.data == again.data
    assert first.headers["ETag"] == again.headers["ETag"] == f'"{head}"'
    assert again.headers["Match-Head"].startswith(f"v={version};")


@pytest.mark.parametrize("path", ["states/2", "diff?from=1&to=3", "replay?from=2&to=3"])
def test_the_past_can_be_kept_for_ever(ada: Account, path: str) -> None:
    for visibility, whose in (("public", "public"), ("unlisted", "public"), ("private", "private")):
        match_id = ada.create(visibility=visibility)["match_id"]
        answer = ada.get(f"/v1/matches/{match_id}/{path}")
        assert answer.headers["Cache-Control"] == f"{whose}, max-age=31536000, immutable"
        held = ada.get(f"/v1/matches/{match_id}/{path}", {"If-None-Match": answer.headers["ETag"]})
        assert (held.status_code, held.data) == (304, b"")
        assert held.headers["Cache-Control"] == answer.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["states/2", "diff?from=1&to=3", "replay"])
def test_the_past_of_a_private_match_is_for_its_players(ada: Account, bob: Account, path: str) -> None:
    match_id = ada.create(visibility="private")["match_id"]
    answer = bob.get(f"/v1/matches/{match_id}/{path}")
    assert (answer.status_code, answer.json["code"]) == (404, "match_not_found")


@pytest.mark.parametrize(
    "path",
    [
        "states/0",
        "states/999",
        f"states/{10**20}",
        "replay?from=999",
        "replay?to=999",
        "diff?from=1&to=999",
        "diff?from=999&to=1",
    ],
)
def test_a_version_that_is_not_there_is_not_found(ada: Account, path: str) -> None:
    match = ada.create()
    answer = ada.get(f"/v1/matches/{match['match_id']}/{path}")
    assert (answer.status_code, answer.json["code"]) == (404, "version_not_found")
    assert answer.json["max_version"] == match["version"]
    assert answer.headers["Match-Head"].startswith(f"v={match['version']};")
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("written", ["01", "%D9%A1", "+1", "1.0", "head"])
def test_a_state_has_one_address(ada: Account, written: str) -> None:
    match_id = ada.create()["match_id"]
    answer = ada.get(f"/v1/matches/{match_id}/states/{written}")
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("path", "at"),
    [
        ("states/1?embed=state", "/embed"),
        ("states/1?colour=red", "/colour"),
        ("replay?from=0", "/from"),
        ("replay?from=3&to=2", "/from"),
        ("replay?states=none", "/states"),
        ("replay?limit=3", "/limit"),
        ("diff", "/from"),
        ("diff?from=1", "/to"),
        ("diff?from=1&to=x", "/to"),
        ("diff?from=1&from=2&to=3", "/from"),
        ("diff?from_=1&to=3", "/from"),
    ],
)
def test_a_wrong_parameter_is_pointed_at(ada: Account, path: str, at: str) -> None:
    match_id = ada.create()["match_id"]
    answer = ada.get(f"/v1/matches/{match_id}/{path}")
    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert at in [fault["pointer"] for fault in answer.json["errors"]]


@pytest.mark.parametrize("path", ["replay", "diff?from=1&to=2"])
def test_what_comes_in_one_form_is_refused_in_others(ada: Account, path: str) -> None:
    match_id = ada.create()["match_id"]
    answer = ada.get(f"/v1/matches/{match_id}/{path}", {"Accept": "text/html"})
    assert (answer.status_code, answer.json["code"]) == (406, "not_acceptable")


def test_a_replay_is_every_event_with_the_state_after_it(ada: Account, shown: Any) -> None:
    for match_id in some_matches(ada):
        states = shown(match_id)
        events = ada.get(f"/v1/matches/{match_id}/events?limit=500").json["items"]
        lines = replay(ada, match_id)
        assert [line["event"] for line in lines] == events
        assert [line["state"] for line in lines] == states[1:]


@pytest.mark.parametrize(("first", "last"), [(1, 1), (1, 4), (3, 4), (4, 4), (5, 5), (6, 8)])
def test_both_ends_of_a_replay_are_in_it(ada: Account, first: int, last: int) -> None:
    match_id = ada.create()["match_id"]
    for i in range(3):
        ada.command(match_id, {"type": "pass"} if i % 2 else ROLL)
    whole = replay(ada, match_id)
    assert replay(ada, match_id, f"?from={first}&to={last}") == whole[first - 1 : last]
    assert replay(ada, match_id, f"?from={first}") == whole[first - 1 :]
    assert replay(ada, match_id, f"?to={last}") == whole[:last]


@pytest.mark.parametrize("first", [1, 3])
def test_the_patches_of_a_replay_make_each_state_of_the_one_before(ada: Account, first: int) -> None:
    for match_id in some_matches(ada):
        whole = replay(ada, match_id, f"?from={first}")
        lines = replay(ada, match_id, f"?from={first}&states=patch")
        state: Any = None
        for line, full in zip(lines, whole, strict=True):
            assert line["event"] == full["event"]
            state = jsonpatch.apply_patch(state, line["patch"])
            assert state == full["state"]
        assert [len(line["patch"]) for line in lines[:1]] == [1]


def test_the_lines_of_a_replay_fit_the_document(ada: Account) -> None:
    contract: Contract = ada.client.application.extensions["contract"]
    for match_id in some_matches(ada):
        for line in replay(ada, match_id):
            contract.check_value(line["event"], "components", "schemas", "Event")
            contract.check_value(line["state"], "components", "schemas", "State")
        for line in replay(ada, match_id, "?states=patch"):
            for operation in line["patch"]:
                contract.check_value(operation, "components", "schemas", "PatchOperation")


def test_a_replay_of_a_match_that_goes_on_is_asked_for_anew(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    path = f"/v1/matches/{match_id}/replay"
    going_on = ada.get(path)
    assert going_on.headers["Cache-Control"] == "private, no-cache"
    held = {"If-None-Match": going_on.headers["ETag"]}
    assert ada.get(path, held).status_code == 304
    ada.command(match_id, {"type": "resign"})
    over = ada.get(path, held)
    assert over.status_code == 200
    assert over.headers["Cache-Control"].endswith("immutable")


def test_the_head_of_a_replay_has_no_body(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    path = f"/v1/matches/{match_id}/replay"
    answer = ada.client.head(path)
    assert (answer.status_code, answer.data) == (200, b"")
    assert answer.headers["ETag"] == ada.get(path).headers["ETag"]


def test_a_diff_turns_one_state_into_the_other_in_both_directions(ada: Account, shown: Any) -> None:
    for match_id in some_matches(ada):
        states = shown(match_id)
        head = len(states) - 1
        pairs = {(1, head), (2, head), (head - 1, head), (head // 2, head), (head // 3, head // 2)}
        for first, last in {(one, other) for a, b in pairs for one, other in ((a, b), (b, a))}:
            operations = diff(ada, match_id, first, last)
            assert jsonpatch.apply_patch(states[first], operations) == states[last]
            assert {"op": "replace", "path": "/version", "value": last} in operations


def test_between_a_version_and_itself_nothing_differs(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    assert diff(ada, match_id, 3, 3) == []


def test_a_diff_is_byte_for_byte_the_same_in_another_process(
    ada: Account, restarted: Callable[..., FlaskClient]
) -> None:
    for match_id in some_matches(ada):
        path = f"/v1/matches/{match_id}/diff?from=2&to={ada.state(match_id)['version']}"
        first = ada.get(path)
        ada.command(match_id, {"type": "resign"})
        again: TestResponse = restarted().get(path)
        assert first.data == again.data
        assert first.headers["ETag"] == again.headers["ETag"]


def test_nothing_of_a_diff_is_moved(ada: Account) -> None:
    """A reader sees each value where it comes to lie."""
    for match_id in some_matches(ada):
        head = ada.state(match_id)["version"]
        assert {one["op"] for one in diff(ada, match_id, 1, head)} <= {"add", "remove", "replace"}


@pytest.mark.parametrize("path", ["states/2", "replay", "diff?from=1&to=2"])
def test_a_past_that_is_damaged_is_told_before_anything_else(
    ada: Account, events_server: Server, restarted: Callable[..., FlaskClient], path: str
) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, ROLL)
    with redis.Redis.from_url(events_server.admin_url) as admin:
        stream: Any = admin.xrange(keys.match(match_id), count=1)
        admin.xdel(keys.match(match_id), stream[0][0])
    for client in (ada.client, restarted()):
        answer = client.get(f"/v1/matches/{match_id}/{path}")
        assert (answer.status_code, answer.json["code"]) == (500, "stream_corrupt")


def passed_through(app: Flask, match_id: str) -> None:
    """Play a match of which nobody wins: all throw one die and build nothing."""
    matches = app.extensions[EXTENSION].matches
    loaded = matches.load(match_id)
    state, chance = loaded.state.copy(), matches.chance_for(loaded.state, match_id)
    batches = []
    while state.status == "running":
        seat = state.active
        command = RollDice(seat, 1) if state.phase == "roll" else Pass(seat)
        batches.append(Batch(advance(state, command, chance), f"seat:{seat}"))
    (result,) = matches.append_many([Move(loaded, batches, state)])
    assert isinstance(result, Loaded), result


@pytest.mark.long
def test_a_match_of_two_thousand_turns_can_be_replayed_and_looked_into(ada: Account, app: Flask) -> None:
    match_id = ada.create()["match_id"]
    passed_through(app, match_id)
    match = ada.get(f"/v1/matches/{match_id}").json
    assert (match["turn"], match["result"]) == (2000, {"reason": "turn_limit"})
    head = match["version"]
    client = FlaskClient(ada.client.application)
    sequences = []
    with client.get(f"/v1/matches/{match_id}/replay", buffered=False) as answer:
        parts = []
        for part in answer.response:
            parts.append(len(part))
            sequences += [json.loads(line)["event"]["sequence"] for line in part.splitlines()]
    assert sequences == [*range(1, head + 1)]
    assert max(parts) < 100_000
    assert past(ada, match_id, head) == ada.state(match_id)
    middle = head // 2
    state = jsonpatch.apply_patch(past(ada, match_id, middle), diff(ada, match_id, middle, head))
    assert state == ada.state(match_id)
    assert replay(ada, match_id, f"?from={head}")[0]["state"] == ada.state(match_id)
