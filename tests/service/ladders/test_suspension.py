"""Suspended bots, the evidence, and probes that bring them back."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.ladder import decide
from domain.ladder.events import MatchFaults
from domain.match.commands import ExpireClock
from events.matches import refusals
from events.matches.refusals import Refusal
from tests.service.contract import Account
from tests.service.ladder_kit import (
    Operated,
    changed,
    entries_of,
    finish_blocks,
    finish_round,
    services_of,
    state_of,
)


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


def test_a_bot_that_was_suspended_at_once_shows_the_match_that_was_examined(
    ada: Account, bob: Account, app: Flask
) -> None:
    """It has played no match to its end before."""
    ladder = Operated(ada)
    ladder.enter("greedy")
    bob.post(f"{ladder.path}/entries", {"kind": "bot", "version": "1"})
    bot = entries_of(ladder)[1]
    silent = MatchFaults("mat_01M7Y0QWZSG2ZN44STE1E8G2VY", 21, 0)
    changed(app, ladder.id, lambda state: decide.suspend(state, bot, silent))
    shown = ladder.shown()["entries"][1]
    (told,) = [
        event["data"]
        for event in ada.get(f"{ladder.path}/events").json["items"]
        if event["type"] == "entry_suspended"
    ]
    assert (shown["status"], shown["evidence"]["matches"], told["matches"]) == ("suspended", 1, 1)
    assert [fault["timeouts"] for fault in shown["evidence"]["faults"]] == [21]


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
    refusals.record(queue_redis, match_id, seat, Refusal(1_700_000_000_000, "unknown_card", "/card", 5))
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
