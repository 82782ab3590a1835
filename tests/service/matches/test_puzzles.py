"""Puzzles over the API."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from events.matches.puzzles import Puzzle, Puzzles, shipped
from service.context import EXTENSION


@pytest.fixture
def known(app: Flask) -> list[Puzzle]:
    Puzzles(app.extensions[EXTENSION].events_redis).add_shipped()
    return shipped()


def test_puzzles_are_listed_page_by_page(client: FlaskClient, known: list[Puzzle]) -> None:
    seen: list[str] = []
    path = "/v1/puzzles?ruleset=base&limit=10"
    while path:
        page = client.get(path).json
        seen += [one["puzzle_id"] for one in page["items"]]
        path = f"/v1/puzzles?ruleset=base&limit=10&cursor={page['next']}" if page["next"] else ""
    assert seen == sorted(one.puzzle_id for one in known if one.rules_version.startswith("base"))
    assert len(client.get("/v1/puzzles?limit=100").json["items"]) == len(known)


def test_puzzles_are_listed_by_their_number_of_seats(client: FlaskClient, known: list[Puzzle]) -> None:
    page = client.get("/v1/puzzles?seats=3&limit=100").json
    assert [one["puzzle_id"] for one in page["items"]] == sorted(
        one.puzzle_id for one in known if one.seats == 3
    )
    assert {one["seats"] for one in page["items"]} == {3}


def test_a_puzzle_shows_a_position_without_names_and_without_the_solution(
    client: FlaskClient, known: list[Puzzle]
) -> None:
    one = known[0]
    shown = client.get(f"/v1/puzzles/{one.puzzle_id}").json
    assert (shown["turn"], shown["active_seat"], shown["phase"]) == (
        one.position.turn,
        one.position.seat,
        one.position.phase,
    )
    assert [player["coins"] for player in shown["players"]] == [*one.position.coins]
    assert [player["name"] for player in shown["players"]] == [f"{n + 1}" for n in range(one.seats)]
    assert len(shown["commands"]) >= 3
    assert not {"best", "obvious", "candidates", "match_id"} & shown.keys()


def test_the_solution_names_the_best_and_the_obvious_command(
    client: FlaskClient, known: list[Puzzle]
) -> None:
    one = known[0]
    found = client.get(f"/v1/puzzles/{one.puzzle_id}/solution").json
    assert found["best"] == found["candidates"][0]["command"]
    assert found["obvious"] == found["candidates"][one.obvious]["command"]
    assert found["candidates"][one.obvious]["loss"] >= 50_000
    assert (found["match_id"], found["version"]) == (None, 0)


@pytest.mark.parametrize("path", ["", "/solution"])
def test_an_unknown_puzzle_is_not_found(client: FlaskClient, path: str) -> None:
    answer = client.get(f"/v1/puzzles/pzl_{'0' * 32}{path}")
    assert (answer.status_code, answer.json["code"]) == (404, "puzzle_not_found")
    assert client.get("/v1/puzzles/x").status_code == 404


@pytest.mark.parametrize("query", ["ruleset=chess", "limit=101", "cursor=x", "seats=6"])
def test_a_bad_query_is_refused(client: FlaskClient, query: str) -> None:
    assert client.get(f"/v1/puzzles?{query}").status_code == 400
