"""Values are those of the contract; they take what newer services add, and keep the JSON they came as."""

import json
from typing import Any

import msgspec
import pytest

from contract.values import Answer
from domain.match.commands import Build, Pass
from domain.match.events import REGISTRY
from domain.match.upcast import MEMBERS, parse_tag
from machi import CommandAnswer, CommandRecord, Event, LegalCommands, ListedMatch, State
from machi.answers import decoded, with_events
from machi.commands import OtherCommand, encode_command
from machi.event_data import DiceRolled, OtherData
from ops.run import ROOT
from tests.client.stream_lines import event_line

EXAMPLES = sorted((ROOT / "tests/golden/events").glob("*.json"))


def legal_commands(*commands: dict[str, Any]) -> LegalCommands:
    came = {"version": 5, "seat": 1, "phase": "build", "commands": commands}
    return decoded(LegalCommands, json.dumps(came).encode())


def test_a_command_is_one_of_the_rules_and_posted_as_it_came() -> None:
    legal = legal_commands({"type": "build", "card": "cafe", "seat": 1}, {"type": "pass", "seat": 1})
    assert legal.commands == (Build(1, "cafe"), Pass(1))
    assert [one.type for one in legal.commands] == ["build", "pass"]
    assert encode_command(legal.commands[0]) == b'{"type":"build","seat":1,"card":"cafe"}'


def test_a_command_of_an_unknown_type_can_be_chosen() -> None:
    dance = {"type": "dance", "seat": 1, "steps": 3}
    (came,) = legal_commands(dance).commands
    assert came == OtherCommand(dance)
    assert (came.type, came.seat, json.loads(encode_command(came))) == ("dance", 1, dance)


def test_members_of_an_own_command_are_posted_as_they_are() -> None:
    assert encode_command({"type": "pass"}) == b'{"type":"pass"}'


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_event_that_was_ever_recorded_is_one_of_the_rules(path: Any) -> None:
    recorded = json.loads(path.read_text())
    name, schema = parse_tag(recorded["stored"][0])
    line = {**json.loads(event_line(1)), "type": name, "schema": schema, "data": recorded["data"]}
    assert type(decoded(Event, json.dumps(line).encode()).data) is REGISTRY[name]


def test_an_event_of_an_unknown_type_comes_with_its_members() -> None:
    event = decoded(Event, event_line(1, "crowd_cheered"))
    assert (event.type, event.data) == ("crowd_cheered", OtherData({"seat": 1}))


def test_an_event_in_an_unknown_form_comes_with_its_members() -> None:
    assert ("build_passed", 2) not in MEMBERS
    event = decoded(Event, event_line(1).replace(b'"schema": 1', b'"schema": 2'))
    assert event.data == OtherData({"seat": 1})


def test_members_that_are_not_known_are_left_out() -> None:
    line = event_line(1).replace(b'"data": {', b'"mood": "fine", "data": {"why": {"a": []}, ')
    event = decoded(Event, line)
    assert event == decoded(Event, event_line(1))
    assert event.raw == line
    assert "mood" not in repr(event)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        (CommandAnswer, {"version": 2, "next": {"seat": None, "phase": None, "deadline": None}}),
        (CommandRecord, {"status": "accepted", "first_sequence": 1, "last_sequence": 2}),
    ],
)
def test_events_within_an_answer_keep_their_json(
    kind: type[CommandAnswer] | type[CommandRecord], more: dict[str, Any]
) -> None:
    events = [event_line(1).strip(), event_line(2).strip()]
    raw = json.dumps({"command_id": "cmd_1", **more, "events": []}).encode()
    answer = with_events(kind, raw.replace(b"[]", b"[%b]" % b", ".join(events)))
    assert [event.raw for event in answer.events] == events


def test_a_value_that_was_made_here_has_no_json() -> None:
    event = decoded(Event, event_line(1))
    assert msgspec.structs.replace(event).raw == b""
    assert msgspec.structs.replace(event) == event


@pytest.mark.parametrize("market", [{"kind": "open", "supply": {"cafe": 6}}, {"kind": "auction", "bids": 3}])
def test_a_market_of_an_unknown_kind_can_be_read(market: dict[str, Any]) -> None:
    assert decoded(State, json.dumps({**STATE, "market": market}).encode()).market.kind == market["kind"]


STATE = {
    "match_id": "mat_1",
    "version": 5,
    "status": "running",
    "ruleset": "base",
    "options": {"box": None, "market": "open", "max_copies": None, "card_costs": {}},
    "rules_version": "base@1",
    "turn": 1,
    "active_seat": 0,
    "phase": "roll",
    "extra_turn": False,
    "dice": None,
    "players": [],
    "winner": None,
    "result": None,
    "deadline": None,
}


def test_names_that_are_not_known_are_taken() -> None:
    listed = {
        "match_id": "mat_1",
        "status": "paused",
        "ruleset": "machi_koro_3",
        "rules_version": "machi_koro_3@1",
        "seats": [{"seat": 0, "kind": "ghost", "name": None, "invited": None}],
        "visibility": "secret",
        "tags": [],
        "creator": "acc_1",
        "created_at": "2026-11-20T15:14:45.069Z",
        "winner": None,
        "rated": False,
    }
    match = decoded(ListedMatch, json.dumps(listed).encode())
    assert (match.status, match.seats[0].kind) == ("paused", "ghost")


def test_what_the_client_gives_is_of_the_contract() -> None:
    assert issubclass(State, Answer)
    assert DiceRolled is REGISTRY["dice_rolled"]
