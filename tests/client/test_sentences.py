"""Events in words."""

import json

import pytest

from machi.event_data import DATA
from machi.events import decode_event
from machi.sentences import Names, sentence
from ops.run import ROOT
from tests.client.lines import ZERO

CARDS = {"cafe": "Café", "bakery": "Bakery", "tv_station": "TV Station", "radio_tower": "Radio Tower"}


def told(kind: str, data: object, names: Names, actor: str = "seat:1") -> str:
    line = {
        "match_id": "mat_1",
        "sequence": 1,
        "type": kind,
        "schema": 1,
        "time": "2026-11-20T15:14:45.069Z",
        "actor": actor,
        "command_id": "cmd_1",
        "rules_version": "base@1",
        "data": data,
        "previous_hash": ZERO,
        "hash": ZERO,
    }
    return sentence(decode_event(json.dumps(line).encode()), names)


@pytest.fixture
def names() -> Names:
    return Names(["ada", "bob", "greedy", "greedy", None], CARDS)


TOLD = [
    ("seat_taken", {"seat": 4, "kind": "account", "id": "acc_1", "name": "eve"}, "eve takes seat 4"),
    ("turn_started", {"turn": 7, "seat": 0}, "turn 7: ada"),
    ("turn_started", {"turn": 8, "seat": 0, "extra": True}, "turn 8: ada, once more"),
    (
        "turn_started",
        {"turn": 1, "seat": 1, "phase": "setup", "round": 2},
        "turn 1: bob, building round 2",
    ),
    (
        "branch_started",
        json.loads((ROOT / "tests/golden/events/branch_started.v1.json").read_text())["data"],
        "the match goes on in turn 3 with ada",
    ),
    ("dice_rolled", {"purpose": "roll", "values": [5], "total": 5}, "bob throws: 5"),
    ("dice_rolled", {"purpose": "reroll", "values": [3, 4], "total": 7}, "bob throws again: 3 + 4 = 7"),
    (
        "dice_rolled",
        {"purpose": "boats", "values": [1, 2], "total": 3},
        "for the boats the dice show 1 + 2 = 3",
    ),
    (
        "income_received",
        {"seat": 0, "card": "bakery", "copies": 1, "coins": 1},
        "ada receives 1 coin: Bakery",
    ),
    (
        "income_received",
        {"seat": 2, "card": "bakery", "copies": 3, "coins": 6},
        "greedy 2 receives 6 coins: 3 x Bakery",
    ),
    (
        "payment_made",
        {"from_seat": 0, "to_seat": 1, "card": "cafe", "copies": 2, "owed": 4, "paid": 3},
        "ada pays bob 3 of 4: 2 x Café",
    ),
    ("target_chosen", {"seat": 0, "card": "tv_station", "target": 3}, "ada chooses greedy 3: TV Station"),
    (
        "landmark_built",
        {"seat": 0, "card": "radio_tower", "price": 22},
        "ada builds the landmark Radio Tower for 22",
    ),
    ("establishment_built", {"seat": 4, "card": "sushi_bar", "price": 2}, "seat 4 builds sushi_bar for 2"),
    (
        "controller_changed",
        {"seat": 1, "kind": "strategy", "id": "greedy", "name": "greedy"},
        "greedy plays seat 1 from now on",
    ),
    ("seat_resigned", {"seat": 1, "reason": "clock"}, "bob is out of time and leaves the match"),
    ("match_finished", {"winner": 0, "reason": "landmarks"}, "ada wins (landmarks)"),
    (
        "coins_levelled",
        {"seat": 0, "card": "park", "coins": [3, 4], "from_bank": 1},
        "all coins are shared out: ada 3, bob 4",
    ),
    ("crowd_cheered", {"seat": 1, "volume": 11}, "crowd_cheered: seat 1, volume 11"),
]


@pytest.mark.parametrize(("kind", "data", "expected"), TOLD, ids=lambda value: str(value)[:30])
def test_an_event_is_told_in_a_sentence(
    kind: str, data: dict[str, object], expected: str, names: Names
) -> None:
    assert told(kind, data, names) == expected


@pytest.mark.parametrize("kind", DATA)
def test_every_type_of_event_has_a_sentence(kind: str, names: Names) -> None:
    recorded = json.loads((ROOT / f"tests/golden/events/{kind}.v1.json").read_text())
    assert kind not in told(kind, recorded["data"], names)


def test_who_takes_a_seat_over_is_told_apart_from_others_of_that_name(names: Names) -> None:
    told("controller_changed", {"seat": 0, "kind": "strategy", "id": "greedy", "name": "bob"}, names)
    assert [names.seat(seat) for seat in range(5)] == ["bob 0", "bob", "greedy 2", "greedy 3", "seat 4"]


def test_what_the_service_does_is_not_told_of_a_seat(names: Names) -> None:
    data = {"purpose": "roll", "values": [5], "total": 5}
    assert told("dice_rolled", data, names, actor="service") == "the service throws: 5"
