"""Sequential tests of a ladder over the API."""

from typing import Any

import pytest
from flask import Flask

from events.ladders.tables import SequentialProgress
from tests.service.contract import Account
from tests.service.ladder_kit import (
    Operated,
    entries_of,
    finish_blocks,
    finish_round,
    publish,
    state_of,
)


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
