"""Typed values hold what the document promises, and take what newer services add."""

from typing import Any

import msgspec
import pytest
import yaml

from machi import (
    Account,
    Card,
    CommandAnswer,
    CommandRecord,
    EventType,
    LegalCommands,
    ListedMatch,
    Match,
    Me,
    NewToken,
    Player,
    Ruleset,
    Seat,
    State,
    Strategy,
    Token,
    Turn,
)
from machi.commands import COMMANDS, Build, OtherCommand, Pass, decode_command, encode_command
from machi.event_data import DATA, OtherData
from machi.events import decode_event
from ops.run import ROOT
from tests.client.lines import event_line

SCHEMAS: dict[str, Any] = yaml.load((ROOT / "openapi.yaml").read_text(), yaml.CSafeLoader)["components"][
    "schemas"
]

TYPES = {
    "AccountWithToken": Account,
    "Card": Card,
    "EventType": EventType,
    "CommandAnswer": CommandAnswer,
    "CommandRecord": CommandRecord,
    "LegalCommands": LegalCommands,
    "ListedMatch": ListedMatch,
    "ListedSeat": Seat,
    "Match": Match,
    "Me": Me,
    "MyTurn": Turn,
    "Player": Player,
    "Ruleset": Ruleset,
    "Seat": Seat,
    "State": State,
    "Strategy": Strategy,
    "Token": Token,
    "TokenWithSecret": NewToken,
}


def members(kind: type) -> dict[str, bool]:
    """By name: whether a value of that kind cannot do without it."""
    found = msgspec.inspect.type_info(kind)
    assert isinstance(found, msgspec.inspect.StructType | msgspec.inspect.DataclassType)
    return {field.name: field.required for field in found.fields}


def referred(reference: str) -> Any:
    """The schema that the document has under a reference."""
    return SCHEMAS[reference.rpartition("/")[2]]


@pytest.mark.parametrize("name", TYPES)
def test_nothing_is_needed_that_the_document_does_not_promise(name: str) -> None:
    needed = {member for member, is_needed in members(TYPES[name]).items() if is_needed}
    assert needed <= set(SCHEMAS[name]["required"])


@pytest.mark.parametrize("name", TYPES)
def test_every_member_of_the_document_is_at_hand(name: str) -> None:
    assert set(SCHEMAS[name]["properties"]) <= set(members(TYPES[name]))


def test_every_type_of_event_has_a_type_here_with_all_its_members() -> None:
    documented = {
        name: referred(referred(reference)["allOf"][1]["properties"]["data"]["$ref"])["properties"]
        for name, reference in SCHEMAS["Event"]["discriminator"]["mapping"].items()
    }
    assert {name: set(data) for name, data in documented.items()} == {
        name: set(members(kind)) for name, kind in DATA.items()
    }


def test_every_type_of_command_has_a_type_here_with_all_its_members() -> None:
    mapping = SCHEMAS["Command"]["discriminator"]["mapping"]
    assert {name: set(referred(reference)["properties"]) for name, reference in mapping.items()} == {
        name: set(members(kind)) - {"raw"} | {"type"} for name, kind in COMMANDS.items()
    }


def test_a_command_is_posted_with_the_members_that_came_and_are_not_known() -> None:
    came = decode_command(b'{"type":"build","card":"cafe","seat":0,"colour":"red"}')
    assert came == Build("cafe", seat=0)
    assert msgspec.json.decode(encode_command(came)) == {
        "type": "build",
        "card": "cafe",
        "seat": 0,
        "colour": "red",
    }
    assert encode_command(Pass()) == b'{"type":"pass"}'


def test_a_command_of_an_unknown_type_can_be_chosen() -> None:
    came = decode_command(b'{"type":"dance","seat":1,"steps":3}')
    assert came == OtherCommand("dance", seat=1)
    assert (came.type, msgspec.json.decode(encode_command(came))) == (
        "dance",
        {"type": "dance", "seat": 1, "steps": 3},
    )


def test_an_event_of_an_unknown_type_comes_with_its_members() -> None:
    event = decode_event(event_line(1, "crowd_cheered"))
    assert (event.type, event.data) == ("crowd_cheered", OtherData({"seat": 1}))


def test_members_that_are_not_known_are_left_out() -> None:
    line = event_line(1).replace(b'"data": {', b'"mood": "fine", "data": {"why": {"a": []}, ')
    event = decode_event(line)
    assert event == decode_event(event_line(1))
    assert event.raw == line
    assert "mood" not in repr(event)
