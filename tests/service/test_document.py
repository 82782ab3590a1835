"""`openapi.yaml`: written from the code, valid, complete, and kept by the app under a storm of requests."""

import re
from pathlib import Path
from typing import Any

import yaml
from flask import Flask
from openapi_spec_validator import validate

from domain.commands import PLAY_COMMANDS
from service.openapi import document
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
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
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
