"""`asyncapi.yaml`: written from the code, valid, and true of what is really sent."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask
from jsonschema_rs import Draft7Validator

from service.asyncapi.channels import MESSAGES, STREAMS, WEBHOOK_HEADERS
from service.asyncapi.document import document
from service.live.feeds import FORMATS
from tests.receiver import Receiver
from tests.service.contract import Account
from tests.service.ladder_kit import Operated
from tests.service.notified import Messenger

FILE = Path(__file__).parents[3] / "asyncapi.yaml"
SCHEMA = Path(__file__).with_name("asyncapi-3.0.0.json.gz")
"""The JSON Schema of AsyncAPI documents, as @asyncapi/specs 6.11.1 has it; see NOTICE."""


@pytest.fixture(scope="module")
def told(served_app: Flask) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(document(served_app), yaml.CSafeLoader)
    return found


def validator(told: dict[str, Any], name: str) -> Draft7Validator:
    """Of the payload of a message."""
    return Draft7Validator(
        {**told["components"]["messages"][name]["payload"], "components": told["components"]}
    )


def test_the_file_is_written_from_the_code(served_app: Flask) -> None:
    assert FILE.read_text() == document(served_app), "run: python -m service asyncapi > asyncapi.yaml"


def test_it_is_valid_asyncapi(told: dict[str, Any]) -> None:
    errors = [*Draft7Validator(json.loads(gzip.decompress(SCHEMA.read_bytes()))).iter_errors(told)]
    assert not errors
    assert told["asyncapi"] == "3.0.0"


def test_it_is_served(served_app: Flask) -> None:
    answer = served_app.test_client().get("/asyncapi.yaml")
    assert (answer.status_code, answer.mimetype, answer.text) == (200, "application/yaml", FILE.read_text())


def test_every_reference_leads_somewhere(told: dict[str, Any]) -> None:
    def references(part: Any) -> list[str]:
        if isinstance(part, list):
            return [one for below in part for one in references(below)]
        if not isinstance(part, dict):
            return []
        own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return own + [one for below in part.values() for one in references(below)]

    for reference in {*references(told)}:
        found: Any = told
        for name in reference.removeprefix("#/").split("/"):
            found = found[name]


def test_all_streams_of_the_service_are_in_it(served_app: Flask, told: dict[str, Any]) -> None:
    openapi: dict[str, Any] = served_app.extensions["contract"].document
    streamed = {
        path
        for path, item in openapi["paths"].items()
        for operation in item.values()
        if isinstance(operation, dict)
        if {*FORMATS} <= {*operation["responses"].get("200", {}).get("content", {})}
    }
    assert streamed == {"/v1/matches/{match_id}/events", "/v1/me/events"}
    assert streamed < {channel["address"] for channel in told["channels"].values()}
    assert {*told["components"]["messages"]} == {*MESSAGES}
    assert {message for stream in STREAMS.values() for message in stream.messages} < {*MESSAGES}


def test_the_events_of_a_match_have_its_schema(ada: Account, told: dict[str, Any]) -> None:
    match_id = ada.board([[1]], {}, {})
    ada.command(match_id, {"type": "roll_dice", "dice": 1})
    ada.command(match_id, {"type": "resign"})
    events = ada.get(f"/v1/matches/{match_id}/events?limit=500").json["items"]
    assert len(events) > 5
    for event in events:
        validator(told, "event").validate(event)
    lines = ada.get(f"/v1/matches/{match_id}/events", {"Accept": "application/x-ndjson"}).text.splitlines()
    validator(told, "streamEnd").validate(json.loads(lines[-1]))
    assert not validator(told, "event").is_valid({**events[0], "type": "unheard_of"})


def test_checkpoints_and_events_of_ladders_have_their_schemas(ada: Account, told: dict[str, Any]) -> None:
    match_id = ada.create()["match_id"]
    ada.command(match_id, {"type": "resign"})
    ada.command(match_id, {"type": "resign"})
    (checkpoint,) = ada.get("/v1/checkpoints").json["items"]
    validator(told, "checkpoint").validate(checkpoint)
    events = ada.get(f"{Operated(ada).path}/events").json["items"]
    assert events
    for event in events:
        validator(told, "ladderEvent").validate(event)


def test_notifications_and_webhook_messages_have_their_schemas(
    app: Flask, ada: Account, messenger: Messenger, receiver: Receiver, told: dict[str, Any]
) -> None:
    webhook = ada.post("/v1/me/webhooks", {"url": receiver.url}).json
    ada.post(f"/v1/me/webhooks/{webhook['webhook_id']}/tests")
    match_id = ada.create()["match_id"]
    ada.post(f"/v1/matches/{match_id}/abort")
    messenger.notify()
    messenger.deliver()
    notifications = ada.get("/v1/me/events").json["items"]
    assert [one["type"] for one in notifications] == ["turn", "match_finished"]
    for one in notifications:
        validator(told, "notification").validate(one)
    assert len(receiver.received) == 3
    for message in receiver.received:
        validator(told, "webhookMessage").validate(json.loads(message.body))
        Draft7Validator(WEBHOOK_HEADERS).validate(message.headers)
    test = json.loads(receiver.received[0].body)
    assert not validator(told, "notification").is_valid(test)


def test_it_has_the_schemas_of_messages_and_no_others(told: dict[str, Any]) -> None:
    assert {"Event", "Notification", "WebhookMessage", "StreamEnd"} < {*told["components"]["schemas"]}
    assert not {"Problem", "Match", "EventPage"} & {*told["components"]["schemas"]}
