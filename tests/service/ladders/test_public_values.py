"""Rounds of ladders that wait for a public value, over the API."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.service.contract import Account
from tests.service.ladder_kit import Operated, bound, finish_blocks, finish_round

VALUE = {"value": "5f3c9a"}


@pytest.fixture
def ladder(ada: Account) -> Operated:
    """A ladder of two built-in players."""
    made = Operated(ada)
    for name in ("greedy", "random"):
        made.enter(name)
    return made


def first_round(ladder: Operated) -> Any:
    return ladder.shown()["rounds"][-1]


def record(ladder: Operated, body: Any = VALUE, number: object = 1) -> Any:
    return ladder.owner.post(f"{ladder.path}/rounds/{number}/public-value", body)


def refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]


def test_a_round_with_a_public_value_waits_and_shows_what_it_is_bound_to(ladder: Operated) -> None:
    assert ladder.open_bound(2).status_code == 202

    shown = first_round(ladder)

    assert (shown["status"], shown["blocks"]) == ("awaiting_value", 2)
    told = shown["public_value"]
    assert (told["source"], told["value"], told["seed"]) == ("drand round 7", None, None)
    assert told["commitment"].startswith("sha-256:")


def test_a_round_without_one_is_bound_to_nothing(ladder: Operated) -> None:
    ladder.open_round(1)

    assert (first_round(ladder)["status"], first_round(ladder)["public_value"]) == ("running", None)


@pytest.mark.parametrize("wait_s", [-60.0, 0.0, 50.0, 31 * 86_400.0])
def test_a_value_that_comes_too_soon_or_too_late_is_refused(ladder: Operated, wait_s: float) -> None:
    answer = ladder.open_bound(1, wait_s)

    assert refusal(answer) == (422, "validation_failed")
    assert answer.json["errors"][0]["pointer"] == "/public_value/at"
    assert ladder.shown()["rounds"] == []


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"at": "2030-01-01"}, "/public_value/at"),
        ({"at": "2030-01-01T12:00:00"}, "/public_value/at"),
        ({"at": "2030-02-30T12:00:00Z"}, "/public_value/at"),
        ({"source": ""}, "/public_value/source"),
        ({"source": "x" * 201}, "/public_value/source"),
        ({"source": "two\nlines"}, "/public_value/source"),
    ],
)
def test_what_is_no_source_or_no_time_is_refused(ladder: Operated, wrong: Any, pointer: str) -> None:
    wish = bound(1, 3600.0)
    wish["public_value"].update(wrong)

    answer = ladder.owner.post(f"{ladder.path}/rounds", wish)

    assert refusal(answer) == (422, "validation_failed")
    assert answer.json["errors"][0]["pointer"] == pointer


def test_a_value_is_refused_before_its_time(ladder: Operated) -> None:
    ladder.open_bound()

    assert refusal(record(ladder)) == (409, "value_too_early")


def test_a_value_is_recorded_and_shown_and_the_round_goes_on(ladder: Operated, app: Flask) -> None:
    ladder.open_due(app)

    answer = record(ladder)

    assert (answer.status_code, answer.json["status"]) == (200, "running")
    assert answer.json["public_value"]["value"] == "5f3c9a"
    assert first_round(ladder) == answer.json


def test_the_same_value_again_changes_nothing_and_another_one_is_refused(
    ladder: Operated, app: Flask
) -> None:
    ladder.open_due(app)
    record(ladder)
    version = ladder.shown()["version"]

    assert record(ladder).status_code == 200
    assert refusal(record(ladder, {"value": "5f3c9b"})) == (409, "no_value_awaited")
    assert ladder.shown()["version"] == version


def test_a_round_that_waits_for_nothing_takes_no_value(ladder: Operated) -> None:
    ladder.open_round(1)

    assert refusal(record(ladder)) == (409, "no_value_awaited")


@pytest.mark.parametrize("number", [0, 2, "x", "1" * 30])
def test_a_round_that_there_is_not_takes_no_value(ladder: Operated, number: object) -> None:
    ladder.open_round(1)

    assert refusal(record(ladder, number=number)) == (404, "round_not_found")


@pytest.mark.parametrize("value", ["", "x" * 1025, "ř", "a\nb", 7, None])
def test_what_is_no_printable_ascii_is_no_value(ladder: Operated, app: Flask, value: object) -> None:
    ladder.open_due(app)

    answer = record(ladder, {"value": value})

    assert refusal(answer) == (422, "validation_failed")
    assert answer.json["errors"][0]["pointer"] == "/value"


def test_only_the_owner_of_the_ladder_records_a_value(ladder: Operated, app: Flask, bob: Account) -> None:
    ladder.open_due(app)

    answer = bob.post(f"{ladder.path}/rounds/1/public-value", VALUE)

    assert refusal(answer) == (403, "not_ladder_owner")


def test_a_round_that_waits_is_stopped_and_resumed(ladder: Operated) -> None:
    job = ladder.open_bound().headers["Location"]

    assert ladder.owner.post(f"{job}/stop").status_code == 200
    assert first_round(ladder)["status"] == "stopped"
    assert ladder.owner.post(f"{job}/resume").status_code == 200
    assert first_round(ladder)["status"] == "awaiting_value"


def test_the_next_season_ends_a_stopped_wait_and_reveals_the_seed(
    ladder: Operated, client: FlaskClient
) -> None:
    job = ladder.open_bound().headers["Location"]
    ladder.owner.post(f"{job}/stop")

    assert ladder.owner.post(f"{ladder.path}/seasons", {}).status_code == 201

    events = client.get(f"{ladder.path}/events").json["items"]
    assert [event["type"] for event in events[-3:]] == [
        "round_finished",
        "round_seed_revealed",
        "season_opened",
    ]
    assert refusal(record(ladder)) == (409, "no_value_awaited")


def test_a_finished_round_shows_its_seed(ladder: Operated, app: Flask) -> None:
    ladder.open_due(app)
    record(ladder)
    finish_blocks(app, ladder.id)
    assert first_round(ladder)["public_value"]["seed"] is None

    finish_round(app, ladder.id)

    assert len(first_round(ladder)["public_value"]["seed"]) == 64
