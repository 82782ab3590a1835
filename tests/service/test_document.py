"""`openapi.yaml`: written from the code, valid, complete, and kept by the app under a storm of requests."""

import re
from pathlib import Path
from typing import Any

import yaml
from flask import Flask
from openapi_spec_validator import validate

from domain.commands import PLAY_COMMANDS
from service.openapi import document
from service.operations import documented_path
from service.problems import KINDS

FILE = Path(__file__).parents[2] / "openapi.yaml"


def test_the_file_is_what_the_code_says(served_app: Flask) -> None:
    assert FILE.read_text() == document(served_app), "run: python -m service > openapi.yaml"


def test_the_document_is_valid(served_app: Flask) -> None:
    validate(_parsed(served_app))


def _parsed(app: Flask) -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.load(document(app), yaml.CSafeLoader)
    return parsed


def test_the_document_is_served(served_app: Flask) -> None:
    answer = served_app.test_client().get("/openapi.yaml")
    assert answer.text == FILE.read_text()


def test_every_route_and_every_problem_is_documented(served_app: Flask) -> None:
    parsed = _parsed(served_app)
    routes = {
        (documented_path(rule.rule), method.lower())
        for rule in served_app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    documented = {
        (path, method) for path, item in parsed["paths"].items() for method in item if method != "parameters"
    }
    assert documented == routes
    assert parsed["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == list(KINDS)


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
    assert paths["/healthz"]["get"]["security"] == []
