"""A test client that holds every answer against the document of the API."""

import gzip
import json
from functools import cached_property
from typing import Any

import yaml
from flask import Flask
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012, Draft202012Validator, Registry
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from service.edge.problems import MIMETYPE
from service.openapi.document import document
from service.openapi.operations import codes_of, documented_path

_PREFIX = "urn:document"
_SCHEMAS = "#/components/schemas/"

CONTRACT_HEADERS = (
    "ETag",
    "Content-Language",
    "Vary",
    "Location",
    "Link",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Match-Head",
    "Idempotency-Replayed",
    "X-Request-Id",
    "WWW-Authenticate",
    "Allow",
)
"""What only those answers may carry whose document says so."""

VARY_ANYWHERE = {"Origin", "Accept-Encoding"}
"""What any answer may depend on: the document says so once."""

UNROUTED = {404: "NotFound", 405: "MethodNotAllowed", 429: "TooManyRequests"}
"""The documented answers of addresses and methods that no operation has."""

PAGE_MEDIA_TYPES = (
    *("text/html", "text/css", "text/javascript", "application/json", "image/svg+xml"),
    *("text/plain", "application/x-ndjson", "image/png"),
)


def uncompressed(response: TestResponse) -> bytes:
    """The body as it was before it was compressed."""
    is_compressed = response.headers.get("Content-Encoding") == "gzip"
    return gzip.decompress(response.data) if is_compressed else response.data


def _write_out(document: dict[str, Any]) -> None:
    for item in document["paths"].values():
        for operation in item.values():
            answers = operation.get("responses", {}) if isinstance(operation, dict) else {}
            for status, response in answers.items():
                if "$ref" in response:
                    answers[status] = document["components"]["responses"][response["$ref"].rpartition("/")[2]]


def _close(part: Any) -> None:
    """Allow no members but those that are documented, although later versions of the service may add some."""
    for below in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _close(below)
    if not isinstance(part, dict):
        return
    if str(part.get("$ref")).startswith(_SCHEMAS):
        part["unevaluatedProperties"] = False
    for base in part.get("allOf", ()):
        base.pop("unevaluatedProperties", None)  # it would not see the members beside it


class Contract:
    """What the document says about answers."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self.document: dict[str, Any] = yaml.load(document(app), yaml.CSafeLoader)
        """With the responses that operations share written out."""
        _write_out(self.document)
        _close(self.document)
        self._registry = Registry([(_PREFIX, self.document)], draft=Draft202012)
        self._validators: dict[str, Draft202012Validator] = {}

    def check(self, method: str, path: str, response: TestResponse) -> None:
        """Fail unless the document foresees the answer."""
        operation = self._operation(method, path)
        if operation is None:
            self._check_unrouted(method, response)
            return
        pointer, documented = operation
        status = str(response.status_code)
        assert status in documented["responses"], f"{method} {path} may not answer {status}: {response.text}"
        self._check_headers(documented["responses"][status], response)
        content = documented["responses"][status].get("content", {})
        if not content:
            assert not response.data
            return
        media_type = response.mimetype
        assert {media_type, "*/*"} & {*content}, f"{method} {path} may not answer with {media_type}"
        if response.is_json:
            where = f"{pointer}/responses/{status}/content/{_escaped(media_type)}/schema"
            # Lines of JSON are one text.
            body = json.loads(uncompressed(response))
            self._validator(where).validate(body)
            if media_type == MIMETYPE:
                assert body["status"] == response.status_code
                assert body["code"] in codes_of(documented["responses"][status])

    def _operation(self, method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        try:
            rule, _ = self._app.url_map.bind("localhost").match(path, method, return_rule=True)
        except HTTPException:
            return None
        template = documented_path(rule.rule)
        name = {"HEAD": "get"}.get(method, method.lower())
        if name not in self.document["paths"].get(template, {}):
            return None
        return f"#/paths/{_escaped(template)}/{name}", self.document["paths"][template][name]

    def _check_headers(self, documented: dict[str, Any], response: TestResponse) -> None:
        told = {name for name in CONTRACT_HEADERS if name in response.headers}
        if {*response.vary} <= VARY_ANYWHERE:
            told -= {"Vary"}
        assert told <= {*documented["headers"]}, f"{told} are not all documented"
        for name, reference in documented["headers"].items():
            where = reference["$ref"].rpartition("/")[2]
            header = self.document["components"]["headers"][where]
            if header.get("required"):
                assert name in response.headers
            if name in response.headers:
                self.check_value(response.headers[name], "components", "headers", where, "schema")

    def _check_page(self, response: TestResponse) -> None:
        """For pages, their files, and where none is, which is counted: no operation of the document."""
        counted = {404: {"RateLimit", "RateLimit-Policy"}, 200: set[str]()}[response.status_code]
        told = {name for name in CONTRACT_HEADERS if name in response.headers}
        assert told <= {"Vary", "X-Request-Id"} | counted

    def _check_unrouted(self, method: str, response: TestResponse) -> None:
        if method == "OPTIONS" and response.status_code == 204:
            self._check_options(response)
            return
        if response.mimetype in PAGE_MEDIA_TYPES:
            self._check_page(response)
            return
        name = UNROUTED[response.status_code]
        self._check_headers(self.document["components"]["responses"][name], response)
        assert response.mimetype == MIMETYPE
        if response.data:
            where = f"#/components/responses/{name}/content/application~1problem+json/schema"
            self._validator(where).validate(response.json)

    def _check_options(self, response: TestResponse) -> None:
        """For pages that ask before they read: no operation of the document."""
        assert not response.data
        assert "Content-Type" not in response.headers
        assert "OPTIONS" in response.headers["Allow"].split(", ")

    def check_problem(self, shown: Any) -> None:
        """Fail unless it has the form of a problem."""
        self.check_value(shown, "components", "schemas", "Problem")

    def check_value(self, shown: Any, *place: str) -> None:
        """Fail unless it fits the schema at that place of the document."""
        self._validator("/".join(["#", *map(_escaped, place)])).validate(shown)

    def _validator(self, pointer: str) -> Draft202012Validator:
        if pointer not in self._validators:
            schema: dict[str, Any] = {"$ref": _PREFIX + pointer}
            if pointer.startswith(_SCHEMAS):
                schema["unevaluatedProperties"] = False
            # Most places have a schema that others have, too, and a validator takes 2 ms and 1 MB.
            alike = json.dumps([self._at(pointer), len(schema)])
            if alike not in self._validators:
                self._validators[alike] = Draft202012Validator(schema, registry=self._registry)
            self._validators[pointer] = self._validators[alike]
        return self._validators[pointer]

    def _at(self, pointer: str) -> Any:
        part: Any = self.document
        for name in pointer.removeprefix("#/").split("/"):
            part = part[int(name) if isinstance(part, list) else _unescaped(name)]
        return part


def _unescaped(name: str) -> str:
    return name.replace("%7B", "{").replace("%7D", "}").replace("~1", "/").replace("~0", "~")


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")


class ContractClient(FlaskClient):
    """Checks every answer; `contract` is set on the app's extensions."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        response = super().open(*args, **kwargs)
        request = response.request
        contract: Contract = self.application.extensions["contract"]
        contract.check(request.method, request.path, response)
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["X-Request-Id"]
        return response


class Account:
    """One account at the client's end."""

    def __init__(self, client: FlaskClient, handle: str, seating: str = "anybody") -> None:
        self.client = client
        self.handle = handle
        created = client.post("/v1/accounts", json={"handle": handle, "seating": seating})
        assert created.status_code == 201, created.text
        self.id: str = created.json["account_id"]
        self.token: str = created.json["token"]

    @cached_property
    def authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, path: str, headers: dict[str, str] | None = None, **options: Any) -> TestResponse:
        return self.client.get(path, headers={**self.authorization, **(headers or {})}, **options)

    def post(
        self, path: str, json: Any = None, headers: dict[str, str] | None = None, **options: Any
    ) -> TestResponse:
        if "data" not in options:
            options["json"] = json
        return self.client.post(path, headers={**self.authorization, **(headers or {})}, **options)

    def put(self, path: str) -> TestResponse:
        return self.client.put(path, headers=self.authorization)

    def patch(self, path: str, json: Any) -> TestResponse:
        return self.client.patch(path, headers=self.authorization, json=json)

    def delete(self, path: str) -> TestResponse:
        return self.client.delete(path, headers=self.authorization)

    def create(self, **wishes: Any) -> dict[str, Any]:
        """A match of this account: by default `base` with both seats its own."""
        body = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}], **wishes}
        created = self.post("/v1/matches", body)
        assert created.status_code == 201, created.text
        return dict(created.json)

    def command(self, match_id: str, body: Any, query: str = "", **headers: str) -> TestResponse:
        """Send a command; header names have `_` for `-`."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.post(f"/v1/matches/{match_id}/commands{query}", body, given)

    def dry_run(self, match_id: str, body: Any, **headers: str) -> TestResponse:
        """Check a command; header names have `_` for `-`."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.post(f"/v1/matches/{match_id}/dry-runs", body, given)

    def play_on(self, match_id: str, commands: int) -> None:
        """Roll and pass by turns from the roll phase on, on a board of this account's; not held against the
        document, which costs more than the command."""
        client = FlaskClient(self.client.application)
        for i in range(commands):
            body = {"type": "pass"} if i % 2 else {"type": "roll_dice", "dice": 1}
            path = f"/v1/matches/{match_id}/commands"
            assert client.post(path, json=body, headers=self.authorization).status_code == 201

    def state(self, match_id: str) -> dict[str, Any]:
        return dict(self.get(f"/v1/matches/{match_id}/state").json)

    def board(self, throws: list[list[int]], *cities: dict[str, Any], **wishes: Any) -> str:
        """An analysis board on which this account plays all seats; its id."""
        players = [
            {"coins": 3, "establishments": {"wheat_field": 1}, "landmarks": [], **city} for city in cities
        ]
        position = {"active_seat": 0, "phase": "roll", "players": players, **wishes.pop("position", {})}
        match = self.create(
            seats=[{"kind": "me"} for _ in cities],
            dice={"mode": "scripted", "throws": throws},
            position=position,
            **wishes,
        )
        return str(match["match_id"])
