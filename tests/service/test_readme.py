"""The README's calls work as it shows them, in its order."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

from flask import Flask

README = Path(__file__).parents[2] / "README.md"
HOST = "localhost:8000"


def shown_calls() -> list[tuple[list[str], str]]:
    """The words of each curl call, and the answer shown below it."""
    lines = README.read_text().splitlines()
    return [
        (shlex.split(line[2:]), lines[i + 1]) for i, line in enumerate(lines) if line.startswith("$ curl")
    ]


def sent(app: Flask, words: list[str], known: dict[str, str]) -> Any:
    """The answer to a curl call with the variables filled in."""
    words = [re.sub(r"\$([A-Z]+)", lambda found: known[found[1]], word) for word in words]
    headers = dict(words[i + 1].split(": ") for i, word in enumerate(words) if word == "-H")
    path = next(word for word in words if word.startswith(HOST)).removeprefix(HOST)
    client = app.test_client()
    if "--json" in words:
        body = words[words.index("--json") + 1]
        response = client.post(path, data=body, content_type="application/json", headers=headers)
    else:
        response = client.get(path, headers=headers)
    assert response.status_code < 300, response.text
    return response.json


def shape(value: Any) -> Any:
    """What stays the same from match to match: names of members, and the first item of a list.

    Events differ by what the dice show; their `data` is left out.
    """
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items() if name != "data"}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def test_the_five_calls_of_the_readme_give_answers_like_those_it_shows(app: Flask) -> None:
    known: dict[str, str] = {}
    calls = shown_calls()
    for words, answer in calls:
        got, expected = sent(app, words, known), json.loads(answer)
        assert shape(got) == shape(expected)
        known |= {"TOKEN": got["token"]} if "token" in got else {}
        known |= {"MATCH": got["match_id"]} if "match_id" in got else {}
    assert len(calls) == 5


def test_every_file_that_the_readme_names_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text()):
        assert (README.parent / target).exists(), target
