"""Rounds, tests and probes of ladders over the API, and the jobs that play them."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.ladder import decide
from domain.ladder.pairing import tables
from domain.ladder.state import LadderState
from domain.match.commands import ExpireClock
from events.ladders.tables import SequentialProgress
from events.matches import refusals
from events.matches.refusals import Refusal
from events.store.streams import now_ms
from tests.service.contract import Account
from tests.service.ladder_kit import (
    Operated,
    changed,
    finish_blocks,
    finish_round,
    publish,
    services_of,
)


@pytest.fixture
def ladder(ada: Account) -> Operated:
    """A ladder of three built-in players."""
    made = Operated(ada)
    for name in ("greedy", "random", "landmark_first"):
        made.enter(name)
    return made


def state_of(app: Flask, ladder: Operated) -> LadderState:
    return services_of(app).ladders.load(ladder.id).state


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


# Sequential tests


def entries_of(ladder: Operated) -> list[str]:
    return [entry["entry_id"] for entry in ladder.shown()["entries"]]


def test_a_test_seats_both_entries_at_every_table_in_turn(ladder: Operated, app: Flask) -> None:
    a, b, _ = entries_of(ladder)
    wish = {"a": a, "b": b, "elo0": -10, "elo1": 30, "alpha": 0.01, "beta": 0.1, "most_blocks": 3}
    answer = ladder.owner.post(f"{ladder.path}/tests", wish)
    assert (answer.status_code, answer.json["kind"]) == (202, "sequential_test")
    (opened,) = state_of(app, ladder).rounds
    assert [block.table for block in opened.blocks] == [(0, 1), (1, 0), (0, 1)]
    shown = ladder.owner.client.get(answer.json["result"]).json
    assert {name: shown[name] for name in wish} == wish
    assert (shown["test_id"], shown["status"], shown["llr"], shown["decision"]) == (
        "1",
        "running",
        None,
        None,
    )


def test_stand_ins_have_the_other_seats_of_a_test(ada: Account, app: Flask) -> None:
    ladder = Operated(ada, seats=4)
    a, b = ladder.enter("greedy"), ladder.enter("random")
    assert ada.post(f"{ladder.path}/tests", {"a": b, "b": a, "most_blocks": 1}).status_code == 202
    assert state_of(app, ladder).rounds[0].blocks[0].table == (1, 0, -1, -1)


def test_a_test_tells_what_workers_have_counted(ladder: Operated, app: Flask) -> None:
    a, b, _ = entries_of(ladder)
    ladder.open_round(1)
    finish_blocks(app, ladder.id)
    answer = ladder.owner.post(f"{ladder.path}/tests", {"a": a, "b": b, "most_blocks": 2})
    progress = SequentialProgress(2, 2.5, -2.9, 2.9, 3, 1, 0, 2, 190.8, (-20.0, 400.0))
    before = ladder.owner.client.get(answer.json["result"])
    publish(app, ladder.id, tests=(progress,))
    known = {"If-None-Match": before.headers["ETag"]}
    shown = ladder.owner.client.get(answer.json["result"], headers=known).json
    assert (shown["llr"], shown["lower"], shown["upper"]) == (2.5, -2.9, 2.9)
    assert (shown["wins_a"], shown["wins_b"], shown["others"], shown["blocks"]) == (3, 1, 0, 2)
    assert (shown["elo"], shown["elo_interval"]) == (190.8, [-20.0, 400.0])
    finish_round(app, ladder.id, 2, "better")
    shown = ladder.owner.client.get(answer.json["result"]).json
    assert (shown["status"], shown["decision"]) == ("finished", "better")


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"elo1": 0}, "/elo1"),
        ({"alpha": 0.005}, "/alpha"),
        ({"alpha": 0.5}, "/alpha"),
        ({"alpha": "0.05"}, "/alpha"),
        ({"beta": 0.055}, "/beta"),
        ({"most_blocks": 5001}, "/most_blocks"),
    ],
)
def test_a_test_that_makes_no_sense_is_refused(ladder: Operated, wrong: dict[str, Any], pointer: str) -> None:
    a, b, _ = entries_of(ladder)
    refused = ladder.owner.post(f"{ladder.path}/tests", {"a": a, "b": b, **wrong})
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, pointer)


def test_a_test_is_of_two_entries_that_take_part(ladder: Operated) -> None:
    a, _, c = entries_of(ladder)
    path = f"{ladder.path}/tests"
    assert ladder.owner.post(path, {"a": a, "b": a}).status_code == 422
    unknown = {"a": a, "b": "ent_01ARZ3NDEKTSV4RRFFQ69G5FAV"}
    assert ladder.owner.post(path, unknown).json["code"] == "entry_not_found"
    ladder.owner.delete(f"{ladder.path}/entries/{c}")
    assert ladder.owner.post(path, {"a": a, "b": c}).json["code"] == "entry_not_active"


def test_a_round_that_is_no_test_is_not_found_among_tests(ladder: Operated) -> None:
    ladder.open_round()
    for test_id in ("1", "2", "0", "01", "x"):
        answer = ladder.owner.get(f"{ladder.path}/tests/{test_id}")
        assert (answer.status_code, answer.json["code"]) == (404, "test_not_found")


@pytest.mark.parametrize("who", [0, 1])
def test_a_test_of_an_entry_that_is_removed_is_refused_with_a_pointer_to_it(
    ladder: Operated, who: int
) -> None:
    a, b, _ = entries_of(ladder)
    ladder.owner.delete(f"{ladder.path}/entries/{(a, b)[who]}")
    refused = ladder.owner.post(f"{ladder.path}/tests", {"a": a, "b": b})
    assert (refused.status_code, refused.json["code"]) == (409, "entry_not_active")
    assert refused.json["errors"][0]["pointer"] == ("/a", "/b")[who]


# Suspension


@pytest.fixture
def suspended(ada: Account, bob: Account, app: Flask) -> Operated:
    """A ladder with a bot that was late in every match."""
    ladder = Operated(ada, suspension={"most_faults": 1, "probes": 3})
    ladder.enter("greedy")
    assert bob.post(f"{ladder.path}/entries", {"kind": "bot", "version": "1"}).status_code == 201
    ladder.open_round(2)
    finish_blocks(app, ladder.id, 1, timeouts=(1, 1))
    return ladder


def test_a_suspension_is_shown_with_its_evidence(suspended: Operated) -> None:
    bot = suspended.shown()["entries"][1]
    assert bot["status"] == "suspended"
    assert bot["evidence"]["matches"] == 2
    assert [fault["timeouts"] for fault in bot["evidence"]["faults"]] == [1, 1]
    assert all(fault["events"].startswith("/v1/matches/mat_") for fault in bot["evidence"]["faults"])


def test_the_evidence_leads_to_every_time_out_and_refused_command_of_the_last_matches(
    ladder: Operated, ada: Account, bob: Account, app: Flask, queue_redis: Any
) -> None:
    ladder = Operated(ada, suspension={"most_faults": 0})
    ladder.enter("greedy")
    bob.post(f"{ladder.path}/entries", {"kind": "bot", "version": "1"})
    ladder.open_round(1)
    clock = {"decision_ms": 60_000, "on_timeout": "default_command"}
    seats = [{"kind": "me"}, {"kind": "bot", "bot": "bob"}]
    match_id = str(ada.create(seats=seats, tags=[ladder.id], first_seat=1, clock=clock)["match_id"])
    services_of(app).matches.execute(match_id, ExpireClock(1), "service")
    (block,) = state_of(app, ladder).rounds[0].blocks
    seat = block.table.index(1)
    refusals.note(queue_redis, match_id, seat, Refusal(1_700_000_000_000, "unknown_card", "/card", 5))
    finish_blocks(app, ladder.id, matches=[match_id], timeouts=(1, 1))
    address = ladder.shown()["entries"][1]["evidence"]["details"]
    second, first = ladder.owner.client.get(address).json["items"]
    assert (first["match_id"], first["seat"], second["seat"]) == (match_id, seat, 1 - seat)
    assert (first["timeouts"], first["errors"], first["purpose"], first["block"]) == (1, 0, "rated", 1)
    events = ada.get(f"/v1/matches/{match_id}/events").json["items"]
    expired = [one["sequence"] for one in events if one["type"] == "clock_expired"]
    assert expired
    assert first["clock_expired"] == (expired if seat == 1 else [])
    assert first["refusals"] == [
        {"time": "2023-11-14T22:13:20.000Z", "code": "unknown_card", "pointer": "/card", "version": 5}
    ]
    assert first["kept_until"] == "2023-11-21T22:13:20.000Z"
    assert (second["refusals"], second["kept_until"], second["clock_expired"]) == ([], None, [])


def test_the_faults_of_an_entry_can_be_asked_for_where_there_are_none(
    ladder: Operated, client: FlaskClient
) -> None:
    assert client.get(f"{ladder.path}/entries/{entries_of(ladder)[0]}/faults").json["items"] == []
    assert client.get(f"{ladder.path}/entries/nobody/faults").json["code"] == "entry_not_found"


def test_a_suspended_bot_is_probed_against_stand_ins_and_comes_back(
    suspended: Operated, bob: Account, app: Flask
) -> None:
    bot = suspended.shown()["entries"][1]["entry_id"]
    answer = bob.post(f"{suspended.path}/entries/{bot}/probes")
    assert (answer.status_code, answer.json["kind"], answer.json["progress"]["total"]) == (202, "probe", 2)
    assert [block.table for block in state_of(app, suspended).rounds[1].blocks] == [(1, -1), (1, -1)]
    assert bob.post(f"{suspended.path}/entries/{bot}/probes").json["code"] == "round_running"
    finish_blocks(app, suspended.id)
    assert suspended.shown()["entries"][1]["status"] == "active"


def test_only_a_suspended_bot_is_probed_and_only_for_itself_or_the_owner(
    suspended: Operated, sign_up: Callable[[str], Account]
) -> None:
    greedy, bot = entries_of(suspended)
    path = f"{suspended.path}/entries"
    refused = suspended.owner.post(f"{path}/{greedy}/probes")
    assert (refused.status_code, refused.json["code"]) == (409, "entry_not_active")
    assert "not suspended" in refused.json["detail"]
    assert sign_up("eve").post(f"{path}/{bot}/probes").json["code"] == "not_ladder_owner"
    assert suspended.owner.post(f"{path}/{bot}/probes", {}).status_code == 202


def test_a_round_needs_no_suspended_bot(suspended: Operated, app: Flask) -> None:
    changed(app, suspended.id, lambda state: decide.void_block(state, 2, 1, "entry_suspended", "late"))
    finish_round(app, suspended.id)
    assert suspended.open_round().json["code"] == "too_few_entries"


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


# Refused commands


WRONG = {"type": "build", "card": "castle"}


@pytest.fixture
def match_of_a_ladder(ladder: Operated, ada: Account, bob: Account) -> str:
    """A running match of the ladder, in which the first seat is Ada's."""
    seats = [{"kind": "me"}, {"kind": "bot", "bot": "bob"}]
    return str(ada.create(seats=seats, tags=[ladder.id], first_seat=0)["match_id"])


def test_wrong_commands_are_counted_for_the_seat_of_who_sent_them(
    match_of_a_ladder: str, ada: Account, bob: Account, queue_redis: Any
) -> None:
    assert ada.command(match_of_a_ladder, {"type": "roll_dice", "dice": 2}).status_code == 422
    assert ada.command(match_of_a_ladder, {"type": "roll_dice", "dice": 9}).status_code == 422
    path = f"/v1/matches/{match_of_a_ladder}/commands"
    assert ada.post(path, data=b"{", content_type="application/json").status_code == 400
    assert bob.command(match_of_a_ladder, {"type": "fly"}).status_code == 422
    assert refusals.count(queue_redis, match_of_a_ladder, 2) == (3, 1)


def test_what_was_refused_is_kept_with_the_version_that_it_met(
    match_of_a_ladder: str, ada: Account, queue_redis: Any
) -> None:
    before = now_ms()
    ada.command(match_of_a_ladder, {"type": "roll_dice", "dice": 9})
    ada.command(match_of_a_ladder, {"type": "roll_dice", "dice": 1, "x" * 1000: 1})
    ((first, second),) = refusals.kept(queue_redis, [(match_of_a_ladder, 0)])
    version = ada.get(f"/v1/matches/{match_of_a_ladder}").json["version"]
    assert (first.code, first.pointer, first.version) == ("validation_failed", "/dice", version)
    assert before <= first.time_ms <= second.time_ms <= now_ms()
    assert (second.code, second.pointer[:4]) == ("unknown_field", "/xxx")
    assert len(second.pointer) <= refusals.LONGEST_POINTER


def test_only_the_first_refusals_of_a_seat_are_kept_and_all_of_them_for_a_limited_time(
    queue_redis: Any,
) -> None:
    for number in range(refusals.MOST_KEPT + 5):
        refusals.note(queue_redis, "mat_1", 0, Refusal(number, "unknown_card", "/" + "x" * 1000, 7))
    kept, others = refusals.kept(queue_redis, [("mat_1", 0), ("mat_1", 1)])
    assert [one.time_ms for one in kept] == [*range(refusals.MOST_KEPT)]
    assert {len(one.pointer) for one in kept} == {refusals.LONGEST_POINTER}
    assert others == []
    assert refusals.count(queue_redis, "mat_1", 2) == (refusals.MOST_KEPT + 5, 0)
    assert all(0 < queue_redis.ttl(key) <= refusals.TTL_S for key in queue_redis.keys("mk:{refused}:*"))


def test_late_and_tried_commands_are_not_counted(
    match_of_a_ladder: str, ada: Account, bob: Account, sign_up: Callable[[str], Account], queue_redis: Any
) -> None:
    assert bob.command(match_of_a_ladder, {"type": "roll_dice", "dice": 1}).status_code == 409
    assert ada.command(match_of_a_ladder, WRONG, If_Match='"1"').status_code == 412
    assert ada.dry_run(match_of_a_ladder, {"type": "fly"}).status_code == 422
    assert sign_up("eve").command(match_of_a_ladder, {"type": "fly"}).status_code == 422
    assert refusals.count(queue_redis, match_of_a_ladder, 2) == (0, 0)


def test_refusals_are_counted_in_no_other_match(ada: Account, queue_redis: Any) -> None:
    match_id = ada.create(tags=["mine"])["match_id"]
    assert ada.command(match_id, {"type": "fly"}).status_code == 422
    assert refusals.count(queue_redis, match_id, 2) == (0, 0)


# Pairing within the request


def test_a_round_of_many_entries_has_fewer_blocks(ladder: Operated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.ladders.rounds.MOST_PAIRED", 18)
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
