"""The README's calls work as it shows them, in its order."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

from flask import Flask

README = Path(__file__).parents[2] / "README.md"
HOST = "localhost:8000"


def shown_calls() -> list[tuple[list[str], Any]]:
    """The words of each curl call before its pipe, and what is shown of the answer below it."""
    calls = []
    for block in re.findall(r"```console\n(.*?)```", README.read_text(), re.DOTALL):
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE):
            if command.startswith("curl"):
                call, answer = command.split(" | python3 -m json.tool\n")
                calls.append((shlex.split(call), shown(answer)))
    return calls


def shown(answer: str) -> Any:
    """What is shown of an answer: `...` stands for what is left out."""
    told = re.sub(r"^ *\.\.\.\n", "", answer, flags=re.MULTILINE)
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", told))


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


def assert_like(got: Any, expected: Any) -> None:
    """Every member that is shown is there, and of the same type: matches differ by what the dice show."""
    assert type(got) is type(expected)
    if isinstance(expected, dict):
        assert expected.keys() <= got.keys()
        for name in expected.keys() - {"data"}:
            assert_like(got[name], expected[name])
    elif isinstance(expected, list):
        for one, shown_one in zip(got, expected, strict=False):
            assert_like(one, shown_one)


def test_the_five_calls_of_the_readme_give_answers_like_those_it_shows(app: Flask) -> None:
    known: dict[str, str] = {}
    calls = shown_calls()
    for words, answer in calls:
        got = sent(app, words, known)
        assert_like(got, answer)
        known |= {"TOKEN": got["token"]} if "token" in got else {}
        known |= {"MATCH": got["match_id"]} if "match_id" in got else {}
    assert len(calls) == 5


def test_every_file_that_the_readme_names_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text()):
        assert (README.parent / target).exists(), target
