"""Standings, crosstables, results, matches: what is published of a ladder, and how old it is."""

import csv
import io
import json
import random
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.ladder import decide
from domain.ladder.ratings import Fits
from domain.ladder.results import read
from domain.ladder.standings import standings
from events.ladders import tables as ladder_tables
from events.ladders.tables import LiveRating, Progress
from tests.service.contract import Account
from tests.service.ladder_kit import Operated, changed, finish_blocks, finish_round, publish, services_of


@pytest.fixture
def ladder(ada: Account) -> Operated:
    """A ladder of three built-in players with a round of six blocks."""
    made = Operated(ada)
    for name in ("greedy", "random", "landmark_first"):
        made.enter(name)
    made.open_round(6)
    return made


def lines_of(answer: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.text.splitlines()]


# Standings


def test_before_the_first_round_every_table_is_empty(ada: Account, client: FlaskClient) -> None:
    path = Operated(ada).path
    shown = client.get(f"{path}/standings").json
    assert (shown["season"], shown["items"], shown["live"], shown["as_of"]) == (0, [], [], None)
    assert client.get(f"{path}/crosstable").json["items"] == []
    for below in ("results", "matches"):
        assert client.get(f"{path}/{below}").data == b""


def test_before_the_first_table_it_is_empty_and_says_how_much_is_finished(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id, 2)
    shown = client.get(f"{ladder.path}/standings").json
    assert (shown["items"], shown["as_of"]) == ([], None)
    assert (shown["blocks_counted"], shown["blocks_finished"]) == (0, 2)


def test_the_table_is_shown_as_workers_computed_it(ladder: Operated, app: Flask, client: FlaskClient) -> None:
    finish_blocks(app, ladder.id)
    published = publish(app, ladder.id)
    shown = client.get(f"{ladder.path}/standings").json
    rows = [{name: value for name, value in row.items() if name != "live"} for row in shown["items"]]
    assert published.table is not None
    assert rows == json.loads(json.dumps(published.table["standings"]))
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    assert (shown["blocks_counted"], shown["blocks_finished"]) == (6, 6)
    assert shown["as_of"] == {
        "version": published.version,
        "blocks": 6,
        "computed_at": "2023-11-14T22:13:20.000Z",
    }
    assert shown["digest"] == ladder.shown()["digest"]


def test_a_table_that_is_behind_says_so(ladder: Operated, app: Flask, client: FlaskClient) -> None:
    finish_blocks(app, ladder.id, 3)
    publish(app, ladder.id)
    finish_blocks(app, ladder.id, 2)
    shown = client.get(f"{ladder.path}/standings").json
    assert (shown["blocks_counted"], shown["blocks_finished"]) == (3, 5)


def test_live_ratings_stand_beside_the_official_ones(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id)
    greedy = ladder.shown()["entries"][0]["entry_id"]
    publish(app, ladder.id, live=(LiveRating(greedy, 1612.5, 1500.0, 1725.0, 8),))
    shown = client.get(f"{ladder.path}/standings").json
    told = {
        "entry": greedy,
        "name": "greedy",
        "rating": 1612.5,
        "rating_interval": [1500.0, 1725.0],
        "matches": 8,
    }
    assert shown["live"] == [told]
    assert {row["name"]: row["live"] for row in shown["items"]} == {
        "greedy": told,
        "random": None,
        "landmark_first": None,
    }


def test_a_table_that_got_lost_is_empty_and_not_wrong(
    ladder: Operated, app: Flask, client: FlaskClient, events_redis: Any
) -> None:
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    for written in (b"{}", b"\xff"):
        events_redis.hset(ladder_tables.keys.ladder_tables(ladder.id), "1", written)
        assert client.get(f"{ladder.path}/standings").json["items"] == []


def test_who_has_a_table_is_sent_it_again_when_it_or_the_ladder_changes(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    for below in ("standings", "crosstable"):
        path = f"{ladder.path}/{below}"
        etag = client.get(path).headers["ETag"]
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 304
        finish_blocks(app, ladder.id, 1)
        changed = client.get(path, headers={"If-None-Match": etag})
        assert changed.status_code == 200
        ladder_tables.save(services_of(app).events_redis, ladder.id, publish(app, ladder.id))
        assert client.get(path).headers["ETag"] != changed.headers["ETag"]
        services_of(app).events_redis.delete(ladder_tables.keys.ladder_tables(ladder.id))


def test_a_season_that_was_not_opened_is_not_found(ladder: Operated, client: FlaskClient) -> None:
    for below in ("standings", "crosstable", "results", "matches"):
        answer = client.get(f"{ladder.path}/{below}?season=2")
        assert (answer.status_code, answer.json["code"]) == (404, "season_not_found")
        assert client.get(f"{ladder.path}/{below}?season=0").json["code"] == "invalid_parameter"


def test_the_table_of_one_season_is_not_shown_as_that_of_another(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    finish_round(app, ladder.id)
    ladder.owner.post(f"{ladder.path}/seasons")
    shown = client.get(f"{ladder.path}/standings").json
    assert (shown["season"], shown["items"], shown["blocks_finished"]) == (2, [], 0)
    old = client.get(f"{ladder.path}/standings?season=1").json
    assert (len(old["items"]), old["blocks_finished"]) == (3, 6)


@pytest.fixture
def two_seasons(ladder: Operated, app: Flask) -> Operated:
    """The same in its second season, which has a table of its own."""
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    finish_round(app, ladder.id)
    ladder.owner.post(f"{ladder.path}/seasons")
    ladder.open_round(3)
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    return ladder


def test_the_tables_of_an_earlier_season_stay_when_the_next_one_has_its_own(
    two_seasons: Operated, client: FlaskClient
) -> None:
    for below in ("standings", "crosstable"):
        shown = [client.get(f"{two_seasons.path}/{below}?season={season}").json for season in (1, 2)]
        assert [(one["season"], one["blocks_counted"]) for one in shown] == [(1, 6), (2, 3)]
        assert all(one["items"] and one["as_of"] for one in shown)
    results = client.get(f"{two_seasons.path}/results?season=1").data.splitlines()
    old = client.get(f"{two_seasons.path}/standings?season=1").json
    assert [row["rating"] for row in old["items"]] == [
        one.rating for one in standings(read(results)).standings
    ]


@pytest.mark.parametrize("below", ["standings", "crosstable"])
def test_a_table_that_got_lost_is_asked_for_by_whoever_looks_at_it(
    two_seasons: Operated, app: Flask, client: FlaskClient, below: str
) -> None:
    redis = services_of(app).events_redis
    finish_round(app, two_seasons.id, 2)
    for season in (1, 2):
        client.get(f"{two_seasons.path}/{below}?season={season}")
    assert ladder_tables.wanted(redis) == []
    redis.delete(ladder_tables.keys.ladder_tables(two_seasons.id))
    assert client.get(f"{two_seasons.path}/{below}?season=1").json["items"] == []
    assert ladder_tables.wanted(redis) == [(two_seasons.id, 1)]


def test_a_table_of_a_round_that_is_played_is_not_asked_for(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    """The round sees to it."""
    finish_blocks(app, ladder.id)
    client.get(f"{ladder.path}/standings")
    assert ladder_tables.wanted(services_of(app).events_redis) == []


def test_a_table_that_cannot_be_computed_is_not_asked_for_again(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id)
    changed(app, ladder.id, lambda state: decide.stop_round(state, 1, "table_failed"))
    client.get(f"{ladder.path}/standings")
    assert ladder_tables.wanted(services_of(app).events_redis) == []


def test_the_count_of_a_test_that_got_lost_is_asked_for(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    a, b = (entry["entry_id"] for entry in ladder.shown()["entries"][:2])
    ladder.owner.post(f"{ladder.path}/tests", {"a": a, "b": b, "most_blocks": 2})
    assert client.get(f"{ladder.path}/tests/2").json["blocks"] == 0
    assert ladder_tables.wanted(services_of(app).events_redis) == []
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id, 2, "undecided")
    client.get(f"{ladder.path}/tests/2")
    assert ladder_tables.wanted(services_of(app).events_redis) == [(ladder.id, 1)]


def test_how_far_the_next_table_is_is_shown_with_the_tables_and_the_job(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id)
    job = f"/v1/jobs/{ladder.shown()['rounds'][0]['job_id']}"
    redis, version = services_of(app).events_redis, ladder.shown()["version"]
    path = f"{ladder.path}/standings"
    before = client.get(path)
    assert (before.json["computing"], client.get(job).json["table"]) == (None, None)
    far = Progress(version, 6, 1_700_000_000_000, 20, 5, 900)
    ladder_tables.save_fits(redis, ladder.id, 1, far, Fits(), 0)
    told = {"blocks": 6, "done": 5, "total": 20}
    shown = client.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert shown.json["computing"] == told
    assert client.get(f"{ladder.path}/crosstable").json["computing"] == told
    assert client.get(job).json["table"] == told
    ladder_tables.drop_fits(redis, ladder.id, 1)
    publish(app, ladder.id)
    finish_round(app, ladder.id)
    assert (client.get(path).json["computing"], client.get(job).json["table"]) == (None, None)


def test_the_crosstable_has_a_cell_for_every_ordered_pair(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    shown = client.get(f"{ladder.path}/crosstable").json
    assert len(shown["entries"]) == 3
    assert len({(cell["entry"], cell["opponent"]) for cell in shown["items"]}) == 6
    by_pair = {(cell["entry"], cell["opponent"]): cell for cell in shown["items"]}
    for (entry, opponent), cell in by_pair.items():
        assert cell["wins"] == by_pair[opponent, entry]["losses"]
        assert (cell["blocks"], cell["matches"]) == (2, 4)


# Results


def test_the_table_follows_from_the_results_in_any_order(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    shown = client.get(f"{ladder.path}/standings").json["items"]
    lines = client.get(f"{ladder.path}/results").data.splitlines()
    random.Random(7).shuffle(lines)
    table = standings(read(lines))
    assert [(row["name"], row["rating"], row["rating_interval"], row["rank_interval"]) for row in shown] == [
        (one.name, one.rating, [*one.rating_interval], [*one.rank_interval]) for one in table.standings
    ]


def test_results_are_whole_blocks_in_order_and_only_ever_added(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id, 2)
    before = client.get(f"{ladder.path}/results")
    assert before.mimetype == "application/x-ndjson"
    assert [line["kind"] for line in lines_of(before)] == ["ladder", *["entry"] * 3, *["result"] * 4]
    finish_blocks(app, ladder.id, 1)
    after = client.get(f"{ladder.path}/results")
    assert after.data.startswith(before.data)
    results = [line for line in lines_of(after) if line["kind"] == "result"]
    assert [(one["block"], one["rotation"]) for one in results] == [(b, r) for b in (1, 2, 3) for r in (0, 1)]


def test_results_come_as_csv_where_that_is_asked_for(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id, 1)
    answer = client.get(f"{ladder.path}/results", headers={"Accept": "text/csv"})
    assert answer.content_type == "text/csv; charset=utf-8; header=present"
    assert answer.headers["Content-Disposition"].endswith(f'"{ladder.id}-results.csv"')
    rows = [*csv.DictReader(io.StringIO(answer.text))]
    lines = [line for line in lines_of(client.get(f"{ladder.path}/results")) if line["kind"] == "result"]
    assert [row["match_id"] for row in rows] == [line["match_id"] for line in lines]
    for row, line in zip(rows, lines, strict=True):
        assert [row["entry_0"], row["entry_1"]] == line["seats"]
        assert [row["luck_coins_0"], row["luck_wins_0"]] == [str(line["luck"]["coins"][0]), ""]
    assert client.get(f"{ladder.path}/results", headers={"Accept": "text/html"}).status_code == 406


def test_results_of_a_test_are_given_apart(ladder: Operated, app: Flask, client: FlaskClient) -> None:
    a, b = (entry["entry_id"] for entry in ladder.shown()["entries"][:2])
    ladder.owner.post(f"{ladder.path}/tests", {"a": a, "b": b, "most_blocks": 2})
    finish_blocks(app, ladder.id)
    rated, tested = (lines_of(client.get(f"{ladder.path}/results{query}")) for query in ("", "?test=2"))
    assert {line["round"] for line in rated if line["kind"] == "result"} == {1}
    assert [line["round"] for line in tested if line["kind"] == "result"] == [2] * 4
    assert client.get(f"{ladder.path}/results?test=1").json["code"] == "test_not_found"


@pytest.mark.parametrize("what", ["results", "matches"])
def test_a_test_of_another_season_than_the_one_that_is_asked_for_is_refused(
    what: str, ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id)
    a, b = [entry["entry_id"] for entry in ladder.shown()["entries"][:2]]
    ladder.owner.post(f"{ladder.path}/tests", {"a": a, "b": b, "most_blocks": 2})
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id, 2, "undecided")
    ladder.owner.post(f"{ladder.path}/seasons")
    path = f"{ladder.path}/{what}?test=2"
    assert client.get(path).data == client.get(f"{path}&season=1").data
    refused = client.get(f"{path}&season=2")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/test")


def test_many_results_come_whole(ladder: Operated, app: Flask, client: FlaskClient) -> None:
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id)
    ladder.open_round(120)
    finish_blocks(app, ladder.id)
    assert len(lines_of(client.get(f"{ladder.path}/results"))) == 1 + 3 + 2 * 126
    assert client.head(f"{ladder.path}/results").data == b""


def test_the_matches_of_a_season_are_given_with_their_heads_and_where_to_look(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    finish_blocks(app, ladder.id, 1)
    matches = lines_of(client.get(f"{ladder.path}/matches"))
    assert [(one["block"], one["rotation"]) for one in matches] == [(1, 0), (1, 1)]
    for one in matches:
        assert one["events"] == f"/v1/matches/{one['match_id']}/events"
        assert one["verification"] == f"/v1/matches/{one['match_id']}/verification"
        assert one["head"].startswith("sha-256:")
    answer = client.get(f"{ladder.path}/matches", headers={"Accept": "text/csv"})
    rows = [*csv.DictReader(io.StringIO(answer.text))]
    assert [row["match_id"] for row in rows] == [one["match_id"] for one in matches]
    assert [rows[0]["entry_0"], rows[0]["entry_1"]] == matches[0]["seats"]


def test_the_matches_of_a_ladder_can_be_listed_among_all(
    ladder: Operated, ada: Account, app: Flask, client: FlaskClient
) -> None:
    played = [ada.create()["match_id"] for _ in range(4)]
    finish_blocks(app, ladder.id, 2, matches=played)

    def listed(query: str) -> list[str]:
        return [item["match_id"] for item in client.get(f"/v1/matches?{query}").json["items"]]

    assert listed(f"ladder={ladder.id}") == played[::-1]
    first = client.get(f"/v1/matches?ladder={ladder.id}&limit=3")
    assert listed(f"ladder={ladder.id}&limit=3&cursor={first.json['next']}") == played[:1]
    assert listed(f"ladder={ladder.id}&player=ada") == played[::-1]
    assert listed(f"ladder={ladder.id}&status=finished") == []
    assert listed(f"ladder={ladder.id}&player=greedy") == []
    assert listed(f"ladder={Operated(ada).id}") == listed("ladder=lad_x") == []
