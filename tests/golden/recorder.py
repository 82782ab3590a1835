"""Sends the requests of a story to the app and keeps the answers that the document is to show."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from contract.problems import KINDS
from events.checkpoints.signatures import SigningKeys
from events.matches.seeds import Seeds
from service.context import EXTENSION
from tests.golden.made_up import Json, Keys, StoryClock, made_up

_SHORT = 200
"""Bodies of up to as many characters are told with the answer."""


class Person(NamedTuple):
    """Who sends a request."""

    name: str
    token: str


class Ask(NamedTuple):
    """One request."""

    method: str
    path: str
    """With the query."""
    by: Person | None
    body: Json | bytes | None
    headers: Mapping[str, str]

    def told(self) -> str:
        """The request as the document tells it."""
        sent = [f"`{name}: {value}`" for name, value in self.headers.items()]
        if self.by is not None:
            sent.insert(0, f"the token of {self.by.name}")
        text = json.dumps(self.body) if isinstance(self.body, dict) else (self.body or b"").decode()
        if 0 < len(text) <= _SHORT:
            sent.append(f"the body `{text}`")
        return f"`{self.method} {self.path}`" + (f", with {_listed(sent)}." if sent else ".")


def _listed(parts: list[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def get(path: str, by: Person | None = None, **headers: str) -> Ask:
    """Header names have `_` for `-`."""
    return Ask("GET", path, by, None, _named(headers))


def post(path: str, body: Json | bytes | None = None, by: Person | None = None, **headers: str) -> Ask:
    """Header names have `_` for `-`."""
    return Ask("POST", path, by, body, _named(headers))


def put(path: str, by: Person | None = None) -> Ask:
    return Ask("PUT", path, by, None, {})


def patch(path: str, body: Json, by: Person | None = None) -> Ask:
    return Ask("PATCH", path, by, body, {})


def delete(path: str, by: Person | None = None) -> Ask:
    return Ask("DELETE", path, by, None, {})


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


class Recorder:
    """What a story has told so far."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self._clock = StoryClock()
        self._parameters: Json = {}
        """By name: what stood in the path of the first request that had such a parameter."""
        self._answers: Json = {}
        self._problems: Json = {}
        self._matches: list[Ask] = []
        """How to get all events of each match that was made."""
        self._ladders: list[Ask] = []
        """The same of ladders."""

    def begin_chapter(self) -> None:
        self._clock.begin_chapter()

    def sign_up(self, name: str) -> Person:
        body = {"handle": name, "seating": "anybody"}
        return Person(name, self.send(post("/v1/accounts", body)).json["token"])

    def send(self, ask: Ask) -> TestResponse:
        """The answer to a request that succeeds, not kept."""
        response = self._sent(self.app, ask, "story")
        assert response.status_code < 400, f"{ask.told()} {response.text}"
        if response.status_code == 201 and ask.path.endswith(("/v1/matches", "/branches")):
            self._matches.append(get(f"/v1/matches/{response.json['match_id']}/events?limit=500", ask.by))
        if response.status_code == 201 and ask.path == "/v1/ladders":
            self._ladders.append(get(f"/v1/ladders/{response.json['ladder_id']}/events?limit=500"))
        self._parameters = self._matched(ask)[1] | self._parameters
        return response

    def answer(self, name: str, summary: str, ask: Ask, cut: tuple[str, slice] | None = None) -> Any:
        """The answer to a request that succeeds. It is kept; with `cut`, only these items of a list in it."""
        response = self.send(ask)
        value = response.json if response.is_json else response.text
        description = ask.told()
        shown = value
        if cut is not None:
            member, items = cut
            shown = {**value, member: value[member][items]}
            description += f" Of {len(value[member])} `{member}`, {len(shown[member])} are shown."
        statuses = self._answers.setdefault(self._matched(ask)[0], {})
        others = {other for kinds in statuses.values() for examples in kinds.values() for other in examples}
        assert name not in others, f"{name} is there already"
        kept = statuses.setdefault(str(response.status_code), {}).setdefault(response.mimetype, {})
        kept[name] = {"summary": summary, "description": description, "value": shown}
        return value

    def problem(self, code: str, ask: Ask, app: Flask | None = None) -> None:
        """The answer to a request that is refused, by the app of the story or another one; it is kept."""
        request_id = hashlib.sha256(code.encode()).hexdigest()[:24]
        response = self._sent(app or self.app, ask, request_id)
        assert response.json["code"] == code, f"{ask.told()} {response.text}"
        assert code not in self._problems, f"{code} is there already"
        self._problems[code] = {"description": ask.told(), "value": response.json}

    @contextmanager
    def opened(self, ask: Ask, app: Flask) -> Iterator[None]:
        """The request has been answered by the app; a stream stays open, unread, while the context lasts."""
        response = self._sent(app, ask, "story")
        try:
            yield
        finally:
            response.close()

    def recorded(self) -> Json:
        """All that was kept, as the document shows it."""
        chains = [self._sent(self.app, ask, "story") for ask in self._matches]
        problems = {code: self._problems[code] for code in KINDS if code in self._problems}
        shown = {"parameters": self._parameters, "answers": self._answers, "problems": problems}
        settings = self.app.extensions[EXTENSION].settings
        keys = Keys(Seeds(settings.master_keys), SigningKeys(settings.signing_keys))
        whole = [chain.json["items"] for chain in chains if chain.status_code == 200]
        ladders = [self._sent(self.app, ask, "story") for ask in self._ladders]
        histories = [ladder.json["items"] for ladder in ladders if ladder.status_code == 200]
        log = self._sent(self.app, get("/v1/checkpoints?limit=500"), "story").json["items"]
        return made_up(shown, whole, histories, log, self._clock, keys)

    def _sent(self, app: Flask, ask: Ask, request_id: str) -> TestResponse:
        self._clock.tick()
        headers = {"X-Request-Id": request_id, **ask.headers}
        if ask.by is not None:
            headers["Authorization"] = f"Bearer {ask.by.token}"
        data = json.dumps(ask.body) if isinstance(ask.body, dict) else ask.body
        headers = headers if data is None else {"Content-Type": "application/json", **headers}
        claimed = {"CONTENT_LENGTH": headers["Content-Length"]} if "Content-Length" in headers else {}
        return FlaskClient(app).open(
            ask.path, method=ask.method, data=data, headers=headers, environ_overrides=claimed
        )

    def _matched(self, ask: Ask) -> tuple[str, Json]:
        """The name of the operation, and what stands in the path."""
        endpoint, found = self.app.url_map.bind("localhost").match(urlsplit(ask.path).path, ask.method)
        return str(endpoint).rpartition(".")[2], dict(found)
