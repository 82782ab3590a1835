"""The examples of the document: one for every answer, true to its schema and to what the service answers."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import rfc8785
from flask import Flask

from contract.problems import KINDS
from domain.match.rulesets import CURRENT
from ops.servers import Server
from service.edge.problems import MIMETYPE
from service.matches import command_schemas as commands
from service.matches import new_match_schemas
from service.matches.new_match_examples import EXAMPLES
from service.openapi import examples
from service.openapi.operations import codes_of
from tests.domain.independent_dice import table_key
from tests.e2e.audit import assert_log_whole, sha256
from tests.golden.examples import recorded
from tests.service.contract import Contract

NOT_PROVOKED = {"too_busy": "others have to be faster four times in a row"}
"""Codes of which no answer can be recorded, and why."""

MOST_BYTES = 250_000
"""A tenth of it is of ladders, which have as many operations as matches."""


class Content(NamedTuple):
    """A body that the document describes."""

    place: tuple[str, ...]
    doc: dict[str, Any]
    codes: frozenset[str] = frozenset()
    """Those of a problem."""

    @property
    def media_type(self) -> str:
        return self.place[-1]


@pytest.fixture(scope="session")
def contract(served_app: Flask) -> Contract:
    found: Contract = served_app.extensions["contract"]
    return found


def operations(contract: Contract) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    for path, item in contract.document["paths"].items():
        for method in item.keys() - {"parameters"}:
            yield ("paths", path, method), item[method]


def answers(contract: Contract) -> Iterator[Content]:
    """The bodies of all answers."""
    responses = [(("components",), contract.document["components"]), *operations(contract)]
    for place, doc in responses:
        for status, response in doc["responses"].items():
            for media_type, content in response.get("content", {}).items():
                where = (*place, "responses", status, "content", media_type)
                yield Content(where, content, frozenset(codes_of(response)))


def requests(contract: Contract) -> Iterator[Content]:
    """The bodies of all requests."""
    for place, doc in operations(contract):
        for media_type, content in doc.get("requestBody", {}).get("content", {}).items():
            yield Content((*place, "requestBody", "content", media_type), content)


def values(contract: Contract, content: Content) -> list[Any]:
    """The examples of a body, references followed."""
    shared = contract.document["components"]["examples"]
    found = content.doc.get("examples", {}).values()
    return [
        shared[one["$ref"].rpartition("/")[2]]["value"] if "$ref" in one else one["value"] for one in found
    ]


def test_every_answer_in_json_has_an_example(contract: Contract) -> None:
    bare = [
        content.place
        for content in answers(contract)
        if content.media_type.endswith("json")
        and content.media_type != MIMETYPE
        and content.place[1] != "/openapi.json"  # a document is no example of itself
        and not content.doc.get("examples")
    ]
    assert bare == []


def test_every_code_that_an_answer_can_carry_has_an_example_there(contract: Contract) -> None:
    problems = [content for content in answers(contract) if content.media_type == MIMETYPE]
    assert problems
    for content in problems:
        shown = [problem["code"] for problem in values(contract, content)]
        assert content.codes
        assert sorted(shown) == sorted(content.codes - NOT_PROVOKED.keys()), content.place


def test_what_is_said_not_to_be_provoked_is_documented_and_not_shown(contract: Contract) -> None:
    documented = {code for content in answers(contract) for code in content.codes}
    assert NOT_PROVOKED.keys() <= documented
    shown = {name for name in contract.document["components"]["examples"] if "." not in name}
    assert shown == documented - NOT_PROVOKED.keys()
    assert documented <= KINDS.keys()


def test_every_example_fits_its_schema(contract: Contract) -> None:
    for content in [*answers(contract), *requests(contract)]:
        for value in values(contract, content):
            contract.check_value(value, *content.place, "schema")


def test_every_path_shows_what_can_stand_in_it(contract: Contract) -> None:
    for path, item in contract.document["paths"].items():
        for i, parameter in enumerate(item.get("parameters", ())):
            where = ["paths", path, "parameters", str(i)]
            if "$ref" in parameter:
                where = parameter["$ref"].removeprefix("#/").split("/")
                parameter = contract.document["components"]["parameters"][where[-1]]
            assert "example" in parameter, f"the story sends no request to {path}"
            contract.check_value(parameter["example"], *where, "schema")


def test_every_body_that_is_asked_for_has_examples_that_are_accepted(served_app: Flask) -> None:
    bodies = {
        name: view._apidoc["manual_doc"]["requestBody"]["content"]["application/json"]
        for name, view in served_app.view_functions.items()
        if "requestBody" in getattr(view, "_apidoc", {}).get("manual_doc", {})
    }
    assert len(bodies) >= 6
    for name, body in bodies.items():
        assert body.get("examples"), name
        for example in body["examples"].values():
            body["schema"].load(example["value"])


def test_there_is_an_example_of_every_kind_of_command_and_of_every_choice_in_a_new_match() -> None:
    shown = {name: example["value"]["type"] for name, example in commands.EXAMPLES.items()}
    assert shown == {name: name for name in commands.CommandSchema.members}
    matches: list[Any] = [example["value"] for example in EXAMPLES.values()]
    assert {match["ruleset"] for match in matches} == CURRENT.keys()
    seats = {seat["kind"] for match in matches for seat in match["seats"]}
    assert seats == new_match_schemas.NewSeatSchema.members.keys()
    dice = {match["dice"]["mode"] for match in matches if "dice" in match}
    assert dice == new_match_schemas.NewDiceSchema.members.keys()


def test_the_examples_are_what_the_service_answers(app: Flask, events_server: Server) -> None:
    assert recorded(app, events_server.admin_url) == examples.FILE.read_bytes(), "run: make golden"


def test_the_examples_leave_the_document_readable() -> None:
    assert examples.FILE.stat().st_size < MOST_BYTES


def test_the_events_of_the_examples_are_of_one_history_and_their_hashes_hold() -> None:
    history: dict[tuple[str, int], dict[str, Any]] = {}
    for event in events(json.loads(examples.FILE.read_text())):
        assert history.setdefault((_whose(event), event["sequence"]), event) == event
        covered = {name: value for name, value in event.items() if name != "hash"}
        assert event["hash"] == sha256(rfc8785.dumps(covered))
    assert len(history) > 15
    for (match_id, sequence), event in history.items():
        before = history.get((match_id, sequence - 1))
        assert before is None or before["hash"] == event["previous_hash"]


def _whose(event: dict[str, Any]) -> str:
    """The match or the ladder that it is of."""
    return str(event.get("match_id") or event["ladder_id"])


def events(shown: Any) -> Iterator[dict[str, Any]]:
    """All events in the examples, those in streams too."""
    if isinstance(shown, str):
        for line in re.findall(r'^(?:data: )?(\{"match_id":.*\})$', shown, re.MULTILINE):
            yield json.loads(line)
    elif isinstance(shown, dict) and "sequence" in shown and isinstance(shown.get("previous_hash"), str):
        yield shown
    elif isinstance(shown, dict | list):
        for below in shown.values() if isinstance(shown, dict) else shown:
            yield from events(below)


def test_the_checkpoints_of_the_examples_are_a_chain_and_signed_by_the_key_that_is_shown() -> None:
    shown = json.loads(examples.FILE.read_text())["answers"]
    (key,) = shown["list_signing_keys"]["200"]["application/json"]["one"]["value"]["items"]
    pages = shown["list_checkpoints"]["200"]
    lines = [
        *pages["application/json"]["first_page"]["value"]["items"],
        *map(json.loads, pages["application/x-ndjson"]["rest"]["value"].splitlines()),
    ]
    assert len(lines) >= 2
    assert_log_whole(lines, {key["key_id"]: key["public_key"]})
    assert {event["hash"] for event in events(shown)} & {line["head_hash"] for line in lines}


def test_the_seed_of_an_example_is_what_its_match_was_committed_to() -> None:
    shown = json.loads(examples.FILE.read_text())
    revealed = {
        event["match_id"]: sha256(bytes.fromhex(event["data"]["seed"]))
        for event in events(shown)
        if event["type"] == "dice_revealed"
    }
    matches = shown["answers"]["show_match"]["200"]["application/json"].values()
    committed = {match["value"]["match_id"]: match["value"]["dice"]["commitment"] for match in matches}
    assert revealed.items() <= committed.items()
    assert len(revealed) == 2


def test_the_table_key_of_an_example_is_made_of_its_seeds() -> None:
    shown = json.loads(examples.FILE.read_text())["answers"]["show_fairness"]["200"]["application/json"]
    told = [one["value"] for one in shown.values() if one["value"]["seed"]]
    assert told
    for one in told:
        seed = bytes.fromhex(one["seed"])
        assert one["commitment"] == sha256(seed)
        assert one["table_key"] == table_key(seed, one["seat_seeds"]).hex()
