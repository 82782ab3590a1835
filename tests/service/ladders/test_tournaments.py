"""Tournaments over the API: how they are made and started, what is refused, and what is shown."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from domain.ladder import decide
from domain.ladder.tournament.schedule import follow
from events.store.keys import new_id, now_ms
from tests.service.contract import Account
from tests.service.ladder_kit import LADDERS, Operated, changed, finish_blocks, publish
from tests.service.served import Served

GUIDE = Path(__file__).parents[3] / "docs" / "tournaments.md"

NAMES = ("greedy", "random", "landmark_first", "cheese", "bakery")


def cup(
    owner: Account, kind: str, names: tuple[str, ...] = NAMES, seats: int = 2, **schedule: Any
) -> Operated:
    made = Operated(owner, seats=seats, schedule={"kind": kind, **schedule})
    for name in names:
        made.enter(name)
    return made


def start(ladder: Operated) -> Any:
    return ladder.owner.post(f"{ladder.path}/rounds", {})


def shown(ladder: Operated, season: int | None = None) -> Any:
    query = f"?season={season}" if season else ""
    return ladder.owner.client.get(f"{ladder.path}/tournament{query}").json


def end_round(app: Flask, ladder: Operated) -> None:
    """As workers end a round, and open what follows."""
    finish_blocks(app, ladder.id)
    number = len(ladder.shown()["rounds"])

    def ended(state: Any) -> Any:
        return decide.finish_round(state, number)

    changed(app, ladder.id, ended)
    changed(app, ladder.id, lambda state: follow(state, now_ms(), new_id("job")))


@pytest.mark.parametrize("kind", ["round_robin", "swiss", "knock_out"])
def test_a_tournament_is_started_without_blocks_and_shown_until_its_end(
    app: Flask, ada: Account, kind: str
) -> None:
    ladder = cup(ada, kind)
    assert ladder.shown()["config"]["schedule"]["kind"] == kind
    assert (shown(ladder)["status"], shown(ladder)["items"]) == ("not_started", [])
    answer = start(ladder)
    assert (answer.status_code, answer.json["kind"]) == (202, "ladder_round")
    assert shown(ladder)["status"] == "running"
    while shown(ladder)["status"] == "running":
        end_round(app, ladder)
    found = shown(ladder)

    assert found["status"] == "finished"
    assert found["items"][0]["place"] == 1
    assert {one["name"] for one in found["items"]} == set(NAMES)
    assert [one["number"] for one in found["rounds"] if not one["replay"]] == [
        *range(1, found["planned"] + 1)
    ]
    assert all(one["points"] is None for one in found["items"]) == (kind == "knock_out")


def test_a_bracket_shows_who_advances_and_who_has_a_bye(app: Flask, ada: Account) -> None:
    ladder = cup(ada, "knock_out")
    start(ladder)
    first = shown(ladder)["rounds"][0]
    assert [bye["name"] for bye in first["byes"]] == ["greedy", "random", "landmark_first"]
    (table,) = first["tables"]
    assert [(one["name"], one["advances"]) for one in table["players"]] == [
        ("cheese", None),
        ("bakery", None),
    ]
    while shown(ladder)["rounds"][-1]["number"] == 1:
        end_round(app, ladder)
    played = [one for one in shown(ladder)["rounds"] if one["number"] == 1]

    assert sum(one["advances"] for one in played[-1]["tables"][0]["players"]) == 1
    assert [one["place"] for one in shown(ladder)["items"]] == [None, None, None, None, 5]


def test_points_add_up_to_the_standings(app: Flask, ada: Account) -> None:
    ladder = cup(ada, "swiss", rounds=3)
    start(ladder)
    for _ in range(3):
        end_round(app, ladder)
    found = shown(ladder)
    for one in found["items"]:
        players = [
            player
            for round in found["rounds"]
            for table in round["tables"]
            for player in table["players"]
            if player["entry"] == one["entry"]
        ]
        assert one["points"] == sum(player["points"] for player in players) + one["byes"]
        assert one["wins"] == sum(player["wins"] for player in players)


@pytest.mark.parametrize(
    ("schedule", "pointer"),
    [
        ({"kind": "ladder"}, "/schedule/kind"),
        ({}, "/schedule/kind"),
        ({"kind": "swiss", "rounds": 0}, "/schedule/rounds"),
        ({"kind": "swiss", "rounds": 51}, "/schedule/rounds"),
        ({"kind": "knock_out", "rounds": 3}, "/schedule/rounds"),
        ({"kind": "swiss", "blocks": 101}, "/schedule/blocks"),
        ({"kind": "swiss", "seeding": "luck"}, "/schedule/seeding"),
    ],
)
def test_a_schedule_that_makes_no_sense_is_refused_where_it_is_wrong(
    ada: Account, schedule: Any, pointer: str
) -> None:
    refused = ada.post(LADDERS, {"name": "x", "ruleset": "base", "seats": 2, "schedule": schedule})

    assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


@pytest.mark.parametrize("member", ["blocks", "public_value"])
def test_the_start_takes_neither_blocks_nor_a_public_value(ada: Account, member: str) -> None:
    ladder = cup(ada, "swiss")
    values = {"blocks": 3, "public_value": {"source": "drand", "at": "2030-01-01T12:00:00Z"}}
    refused = ada.post(f"{ladder.path}/rounds", {member: values[member]})

    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, f"/{member}")


def test_an_ordinary_round_still_needs_its_blocks(ada: Account) -> None:
    refused = ada.post(f"{Operated(ada).path}/rounds", {})

    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/blocks")


def test_a_start_is_refused_with_too_few_or_alike_entries_and_while_it_is_played(
    app: Flask, ada: Account
) -> None:
    few = cup(ada, "knock_out", names=("greedy",))
    assert start(few).json["code"] == "too_few_entries"
    alike = cup(ada, "swiss", names=("greedy", "random"), seats=3)
    alike.enter("greedy", name="again")
    assert start(alike).json["code"] == "entries_alike"
    played = cup(ada, "knock_out", names=("greedy", "random"))
    start(played)
    assert start(played).json["code"] == "round_running"
    while shown(played)["status"] == "running":
        end_round(app, played)
    assert start(played).json["code"] == "tournament_finished"
    assert played.owner.post(f"{played.path}/seasons").status_code == 201
    assert start(played).status_code == 202
    assert [shown(played, season)["status"] for season in (1, 2)] == ["finished", "running"]


def test_a_stopped_tournament_stays_where_it_is_and_goes_on_when_resumed(app: Flask, ada: Account) -> None:
    ladder = cup(ada, "swiss")
    job = start(ladder).json["job_id"]
    assert ada.post(f"/v1/jobs/{job}/stop").json["status"] == "stopped"
    assert shown(ladder)["rounds"][0]["status"] == "stopped"
    assert ada.post(f"/v1/jobs/{job}/resume").json["status"] == "queued"
    end_round(app, ladder)

    assert [one["status"] for one in shown(ladder)["rounds"]] == ["finished", "running"]


def test_a_season_that_is_no_tournament_has_none_to_show(ada: Account) -> None:
    refused = ada.client.get(f"{Operated(ada).path}/tournament")

    assert (refused.status_code, refused.json["code"]) == (404, "tournament_not_found")


def test_the_list_of_ladders_names_the_kind_of_tournament(ada: Account) -> None:
    open_one, swiss = Operated(ada), cup(ada, "swiss", rounds=3)
    listed = {one["ladder_id"]: one["tournament"] for one in ada.client.get(LADDERS).json["items"]}
    assert listed == {open_one.id: None, swiss.id: "swiss"}


def test_the_table_of_the_season_before_seeds_the_field(app: Flask, ada: Account) -> None:
    ladder = Operated(ada)
    for name in NAMES:
        ladder.enter(name)
    ladder.open_round(20)
    finish_blocks(app, ladder.id)
    table = publish(app, ladder.id)
    changed(app, ladder.id, lambda state: decide.finish_round(state, 1))
    schedule = {"schedule": {"kind": "knock_out", "seeding": "ratings"}}
    assert ada.post(f"{ladder.path}/seasons", schedule).status_code == 201
    start(ladder)
    ranks = [row["name"] for row in ada.client.get(f"{ladder.path}/standings?season=1").json["items"]]

    assert [one["name"] for one in sorted(shown(ladder)["items"], key=lambda one: one["seed"])] == ranks
    assert shown(ladder)["seeded_by"] == table.version


def test_a_tournament_that_has_not_changed_is_not_sent_again(ada: Account) -> None:
    ladder = cup(ada, "swiss")
    path = f"{ladder.path}/tournament"
    etag = ada.client.get(path).headers["ETag"]
    assert ada.client.get(path, headers={"If-None-Match": etag}).status_code == 304
    start(ladder)

    assert ada.client.get(path, headers={"If-None-Match": etag}).status_code == 200


def test_the_calls_that_the_guide_prints_make_a_tournament_and_start_it(ada: Account, web: Served) -> None:
    (block,) = [one for one in re.findall(r"```console\n(.*?)```", GUIDE.read_text(), re.S) if "curl" in one]
    script = re.sub(r"^\$ ", "", block, flags=re.M).replace("localhost:8000", f"127.0.0.1:{web.port}")
    made, printed_id, rest = re.split(r"^(LADDER=.*\n)", script, flags=re.M)
    assert printed_id.startswith("LADDER=lad_")

    def run(commands: str, **known: str) -> str:
        env = {**os.environ, "TOKEN": ada.token, **known}
        return subprocess.run(
            ["bash", "-c", commands], env=env, check=True, capture_output=True, text=True
        ).stdout

    (ladder_id,) = re.findall(r'"ladder_id":"(\w+)"', run(made))
    told = run(rest, LADDER=ladder_id)
    assert "urn:machi-koro:problem" not in told
    assert ada.client.get(f"{LADDERS}/{ladder_id}/tournament").json["status"] == "running"
