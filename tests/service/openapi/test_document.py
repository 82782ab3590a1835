"""`openapi.yaml`: written from the code, valid, complete, and kept by the app under a storm of requests."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from flask import Flask
from jsonschema_rs import Draft202012Validator

from contract.names import TimeoutPolicy, declared
from contract.problems import KINDS
from domain.match.commands import PLAY_COMMANDS
from runtime.strategies import STAND_IN
from service.edge.problems import MIMETYPE
from service.openapi.document import document
from service.openapi.operations import documented_path
from service.pages.page_views import pages

FILE = Path(__file__).parents[3] / "openapi.yaml"
MOST_LINES = 9_000


def test_the_file_is_what_the_code_says(served_app: Flask) -> None:
    assert FILE.read_text() == document(served_app), "run: python -m service > openapi.yaml"


def test_the_document_has_less_than_9000_lines() -> None:
    assert len(FILE.read_text().splitlines()) < MOST_LINES, "which parts of it repeat each other?"


def test_the_document_is_valid(served_app: Flask) -> None:
    # Late: it takes a quarter of a second, and every test process collects this test.
    from openapi_spec_validator import validate

    validate(_parsed(served_app))


@cache
def _parsed(app: Flask) -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.load(document(app), yaml.CSafeLoader)
    return parsed


def test_the_document_is_served(served_app: Flask) -> None:
    answer = served_app.test_client().get("/openapi.yaml")
    assert answer.text == FILE.read_text()


def test_every_route_but_those_of_pages_and_every_problem_is_documented(served_app: Flask) -> None:
    parsed = _parsed(served_app)
    routes = {
        (documented_path(rule.rule), method.lower())
        for rule in served_app.url_map.iter_rules()
        if not rule.endpoint.startswith(f"{pages.name}.")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    documented = {
        (path, method) for path, item in parsed["paths"].items() for method in item if method != "parameters"
    }
    assert documented == routes
    assert parsed["components"]["schemas"]["ProblemCode"]["enum"] == list(KINDS)


def test_every_command_is_one_of_a_kind(served_app: Flask) -> None:
    command = _parsed(served_app)["components"]["schemas"]["Command"]
    assert set(command["discriminator"]["mapping"]) == set(PLAY_COMMANDS)
    assert len(command["oneOf"]) == len(PLAY_COMMANDS)


def _operations(parsed: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        operation
        for item in parsed["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    ]


def test_every_operation_is_told_in_one_sentence_under_one_tag(served_app: Flask) -> None:
    parsed = _parsed(served_app)
    for operation in _operations(parsed):
        assert re.fullmatch(r"[A-Z][^.`]{5,100}\.", operation["summary"]), operation["operationId"]
        assert len(operation["tags"]) == 1
    assert {operation["tags"][0] for operation in _operations(parsed)} == {
        tag["name"] for tag in parsed["tags"]
    }


def test_tags_come_in_the_order_of_need_and_are_explained(served_app: Flask) -> None:
    tags = _parsed(served_app)["tags"]
    names = [tag["name"] for tag in tags]
    first = ("accounts", "catalogue", "matches", "state", "commands", "turns", "events")
    assert sorted(first, key=names.index) == list(first)
    assert names[-2:] == ["health", "pages"]
    assert all(len(tag["description"]) > 20 and tag["description"].endswith(".") for tag in tags)


def test_the_document_says_what_it_is_and_where(served_app: Flask) -> None:
    parsed = _parsed(served_app)
    assert parsed["openapi"].startswith("3.1.")
    assert all(parsed["info"][name] for name in ("title", "version", "summary", "description"))
    assert [server["url"] for server in parsed["servers"]] == ["/"]


def test_an_operation_says_which_scope_it_needs(served_app: Flask) -> None:
    paths = _parsed(served_app)["paths"]
    assert paths["/v1/matches"]["post"]["security"] == [{"token": ["match:create"]}]
    assert paths["/v1/me"]["get"]["security"] == [{"token": []}]
    assert paths["/v1/matches"]["get"]["security"] == [{}, {"token": []}]
    assert "security" not in paths["/healthz"]["get"]
    assert _parsed(served_app)["security"] == []


def test_what_generated_code_makes_a_type_of_has_a_name(served_app: Flask) -> None:
    parsed = _parsed(served_app)
    schemas = parsed["components"]["schemas"].values()
    # Of what a schema with a name is put together is no type by itself.
    within = [
        part
        for schema in schemas
        for name, member in schema.items()
        for part in ([one.get("properties") for one in member] if name == "allOf" else [member])
    ]
    parts = _parts([_operations(parsed), parsed["components"]["responses"], within])
    assert not [part for part in parts if _makes_a_type(part)]


def _parts(part: Any) -> Iterator[dict[str, Any]]:
    """The part and all that it consists of."""
    if isinstance(part, list):
        for item in part:
            yield from _parts(item)
    elif isinstance(part, dict):
        yield part
        for name, member in part.items():
            if name not in ("headers", "example", "examples"):
                yield from _parts(member)


def _makes_a_type(schema: dict[str, Any]) -> bool:
    """Whether it is a closed set of names, an object with members, or one of several."""
    several = [*schema.get("oneOf", ()), *schema.get("allOf", ())]
    return isinstance(schema.get("enum"), list) or isinstance(schema.get("properties"), dict) or bool(several)


def test_every_problem_is_of_the_one_type(served_app: Flask) -> None:
    contents = [part[MIMETYPE] for part in _parts(_parsed(served_app)) if MIMETYPE in part]
    assert {content["schema"]["$ref"] for content in contents} == {"#/components/schemas/Problem"}


def test_nothing_is_written_as_an_alias_of_something_else() -> None:
    parts = yaml.parse(FILE.read_text(), yaml.CSafeLoader)
    assert not [part for part in parts if isinstance(part, yaml.AliasEvent)]


def test_every_header_shows_a_value_that_it_can_have(served_app: Flask) -> None:
    for name, header in _parsed(served_app)["components"]["headers"].items():
        assert header["description"], name
        Draft202012Validator(header["schema"]).validate(header["example"])


def test_every_parameter_is_explained(served_app: Flask) -> None:
    parsed = _parsed(served_app)
    within = [*parsed["paths"].values(), *_operations(parsed)]
    listed = [parameter for part in within for parameter in part.get("parameters", ())]
    own = [parameter for parameter in listed if "$ref" not in parameter]
    assert {parameter["in"] for parameter in own} == {"path", "query"}
    for parameter in [*own, *parsed["components"]["parameters"].values()]:
        assert parameter.get("description", "").endswith((".", ".\n")), parameter["name"]


def test_what_surprises_is_told_where_it_is_met(served_app: Flask) -> None:
    parsed = _parsed(served_app)
    schemas = parsed["components"]["schemas"]
    described = {one["operationId"]: one.get("description", "") for one in _operations(parsed)}
    assert "`resign` is never listed" in described["list_legal_commands"]
    assert "private match" in described["create_match"]
    assert "65,536 bytes" in parsed["info"]["description"]
    assert STAND_IN in schemas["TimeoutPolicy"]["description"]
    assert all(
        f"`{name}`:" in schemas["TimeoutPolicy"]["description"] for name in declared(TimeoutPolicy).names
    )
    assert "deadline" in schemas["Clock"]["description"]
