"""Rounds, tests and probes of ladders over the API, and the jobs that play them."""

from collections import Counter
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.ladder import decide
from domain.ladder.pairing import tables
from tests.service.contract import Account
from tests.service.ladder_kit import (
    Operated,
    changed,
    entries_of,
    finish_blocks,
    finish_round,
    publish,
    services_of,
    state_of,
)


def test_a_round_is_answered_with_the_job_that_plays_it(ladder: Operated, client: FlaskClient) -> None:
    answer = ladder.open_round(6)
    job = answer.json
    assert (answer.status_code, answer.headers["Location"]) == (202, f"/v1/jobs/{job['job_id']}")
    assert (job["kind"], job["status"], job["ladder_id"], job["round"]) == (
        "ladder_round",
        "queued",
        ladder.id,
        1,
    )
    assert job["progress"] == {"done": 0, "total": 6, "percent": 0}
    assert client.get(answer.headers["Location"]).json == job
    assert client.get(job["result"]).status_code == 200


def test_the_first_round_opens_the_first_season_and_is_shown_with_the_ladder(ladder: Operated) -> None:
    ladder.open_round(2)
    shown = ladder.shown()
    assert shown["season"] == 1
    (told,) = shown["rounds"]
    assert (told["round"], told["purpose"], told["status"]) == (1, "rated", "running")
    assert (told["blocks"], told["finished"], told["given_up"]) == (2, 0, 0)


def test_the_tables_are_recorded_and_every_pair_meets_as_often(ladder: Operated, app: Flask) -> None:
    ladder.open_round(6)
    (opened,) = state_of(app, ladder).rounds
    pairs = [frozenset(block.table) for block in opened.blocks]
    assert {pairs.count(pair) for pair in pairs} == {2}
    assert len({*pairs}) == 3


def test_a_second_round_goes_on_where_the_first_one_ended(ladder: Operated, app: Flask) -> None:
    ladder.open_round(2)
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id)
    ladder.open_round(1)
    rounds = state_of(app, ladder).rounds
    assert rounds[1].first_block == 3
    assert len({frozenset(block.table) for round in rounds for block in round.blocks}) == 3


def test_pairing_refines_by_the_published_ratings_once_all_have_met(ada: Account, app: Flask) -> None:
    ladder = Operated(ada, meetings=1, random_percent=0)
    for name in ("greedy", "random", "landmark_first"):
        ladder.enter(name)
    ladder.open_round(3)
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    finish_round(app, ladder.id)
    assert ladder.open_round(2).status_code == 202


def test_too_few_entries_play_no_round(ada: Account) -> None:
    ladder = Operated(ada)
    ladder.enter("greedy")
    refused = ladder.open_round()
    assert (refused.status_code, refused.json["code"]) == (409, "too_few_entries")
    assert ladder.shown()["season"] == 0


def test_one_rated_round_is_played_at_a_time(ladder: Operated) -> None:
    ladder.open_round()
    refused = ladder.open_round()
    assert (refused.status_code, refused.json["code"]) == (409, "round_running")


@pytest.mark.parametrize("blocks", [0, 5001, "2", 1.0, None])
def test_a_round_has_1_to_5000_blocks(ladder: Operated, blocks: Any) -> None:
    refused = ladder.owner.post(f"{ladder.path}/rounds", {"blocks": blocks})
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/blocks")


def test_nobody_opens_rounds_and_stops_jobs_but_the_owner(ladder: Operated, bob: Account) -> None:
    assert bob.post(f"{ladder.path}/rounds", {"blocks": 1}).json["code"] == "not_ladder_owner"
    job = ladder.open_round().headers["Location"]
    for what in ("stop", "resume"):
        assert bob.post(f"{job}/{what}").json["code"] == "not_ladder_owner"


# Jobs


def test_a_job_tells_how_far_it_is(ladder: Operated, app: Flask) -> None:
    answer = ladder.open_round(3)
    finish_blocks(app, ladder.id, 2)
    job = ladder.job(answer)
    assert (job["status"], job["progress"]) == ("running", {"done": 2, "total": 3, "percent": 66})
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id)
    job = ladder.job(answer)
    assert (job["status"], job["progress"]["percent"], job["eta_s"]) == ("finished", 100, None)


def test_the_next_round_makes_up_for_blocks_that_were_given_up(ladder: Operated, app: Flask) -> None:
    """Those of a latecomer, here: what was not played is no meeting."""
    ladder.open_round(6)
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id)
    ladder.enter("bakery")
    ladder.open_round(6)
    late = [block for block in state_of(app, ladder).rounds[1].blocks if 3 in block.table]
    assert len(late) >= 5
    for block in late:
        changed(
            app, ladder.id, lambda state, b=block: decide.void_block(state, b.number, 1, "entry_removed", "")
        )
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id, 2)
    ladder.open_round(12)
    finish_blocks(app, ladder.id)
    blocks = [block for _, block in state_of(app, ladder).rated_blocks(1)]
    met = Counter(frozenset(block.table) for block in blocks)
    assert len(met) == 6
    assert max(met.values()) - min(met.values()) <= 1


def test_blocks_that_are_given_up_are_done_too(ladder: Operated, app: Flask) -> None:
    answer = ladder.open_round(2)
    changed(app, ladder.id, lambda state: decide.void_block(state, 1, 1, "entry_removed", "gone"))
    assert ladder.job(answer)["progress"]["done"] == 1
    assert ladder.shown()["rounds"][0]["given_up"] == 1


def test_a_job_tells_how_fast_it_is_by_its_last_blocks(
    ladder: Operated, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = ladder.open_round(6)
    store = services_of(app).ladders
    for at_ms in (10_000, 11_000, 12_000):
        monkeypatch.setattr(store, "_clock", lambda now=at_ms: now)
        finish_blocks(app, ladder.id, 1)
    monkeypatch.setattr("service.ladders.job_views.now_ms", lambda: 14_000)
    job = ladder.job(answer)
    assert (job["matches_per_second"], job["eta_s"]) == (1.0, 6)


def test_a_job_can_be_stopped_and_resumed(ladder: Operated, app: Flask) -> None:
    answer = ladder.open_round(2)
    job = answer.headers["Location"]
    for _ in range(2):
        stopped = ladder.owner.post(f"{job}/stop")
        assert (stopped.status_code, stopped.json["status"]) == (200, "stopped")
        assert stopped.json["stopped_for"] == "command"
    assert not services_of(app).ladders.active()
    for _ in range(2):
        assert ladder.owner.post(f"{job}/resume").json["status"] == "queued"
    assert services_of(app).ladders.active() == [ladder.id]


def test_a_finished_job_is_neither_stopped_nor_resumed(ladder: Operated, app: Flask) -> None:
    job = ladder.open_round(1).headers["Location"]
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id)
    for what in ("stop", "resume"):
        refused = ladder.owner.post(f"{job}/{what}")
        assert (refused.status_code, refused.json["code"]) == (409, "job_finished")


def test_a_job_that_is_not_there_is_not_found(ada: Account) -> None:
    for job_id in ("job_01ARZ3NDEKTSV4RRFFQ69G5FAV", "lad_x", "x"):
        assert ada.get(f"/v1/jobs/{job_id}").json["code"] == "job_not_found"
        assert ada.post(f"/v1/jobs/{job_id}/stop").json["code"] == "job_not_found"


# Once under a key


KEY = {"Idempotency_Key": "round-1"}


def test_a_round_is_opened_once_under_a_key_and_told_as_it_was(ladder: Operated, app: Flask) -> None:
    first = ladder.open_round(2, **KEY)
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id)
    again = ladder.open_round(2, **KEY)
    assert (again.status_code, again.data) == (202, first.data)
    assert again.headers["Location"] == first.headers["Location"]
    assert "Idempotency-Replayed" in again.headers
    assert "Idempotency-Replayed" not in first.headers
    assert len(ladder.shown()["rounds"]) == 1
    assert ladder.open_round(3, **KEY).json["code"] == "idempotency_key_reused"


def test_a_ladder_is_told_as_it_was_when_it_was_made(ada: Account, app: Flask) -> None:
    body, key = {"name": "One", "ruleset": "base", "seats": 2}, {"Idempotency-Key": "one"}
    first = ada.post("/v1/ladders", body, key)
    path = first.headers["Location"]
    ada.post(f"{path}/entries", {"kind": "strategy", "strategy": "greedy"})
    services_of(app).ladders.forget(first.get_json()["ladder_id"])
    again = ada.post("/v1/ladders", body, key)
    assert (again.data, again.headers["ETag"]) == (first.data, first.headers["ETag"])
    assert "Idempotency-Replayed" in again.headers
    assert len(ada.get("/v1/ladders").json["items"]) == 1


def test_what_was_refused_under_a_key_is_judged_anew(ada: Account) -> None:
    ladder = Operated(ada)
    assert ladder.open_round(1, **KEY).json["code"] == "too_few_entries"
    ladder.enter("greedy"), ladder.enter("random")
    assert ladder.open_round(1, **KEY).status_code == 202


# Pairing within the request


def test_a_round_of_many_entries_has_fewer_blocks(ladder: Operated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.ladders.new_round.MOST_PAIRED", 18)
    refused = ladder.open_round(3)
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/blocks")
    assert "at most 2 blocks" in refused.json["detail"]
    assert ladder.open_round(2).status_code == 202


def test_tables_are_made_once_though_workers_are_faster(
    ladder: Operated, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, _ = entries_of(ladder)
    ladder.owner.post(f"{ladder.path}/tests", {"a": a, "b": b, "most_blocks": 3})
    made = []

    def slow(*given: Any) -> Any:
        made.append(given)
        finish_blocks(app, ladder.id, 1)
        return tables(*given)

    monkeypatch.setattr("domain.ladder.pairing.tables", slow)
    assert ladder.open_round(2).status_code == 202
    assert len(made) == 1
    assert [len(round.blocks) for round in state_of(app, ladder).rounds] == [3, 2]
