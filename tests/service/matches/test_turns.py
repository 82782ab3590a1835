"""What waits for the caller: all of it, in order, and at once."""

from typing import Any

import pytest
import redis

from service.matches import turn_views as turns
from tests.service.contract import Account
from tests.service.polls import Poll

ROLL = {"type": "roll_dice", "dice": 1}


def against(rival: Account, first_seat: int) -> dict[str, Any]:
    seats = [{"kind": "me"}, {"kind": "account", "handle": rival.handle}]
    return {"seats": seats, "first_seat": first_seat}


def waiting(account: Account) -> list[str]:
    return [turn["match_id"] for turn in account.get("/v1/me/turns").json["items"]]


def test_an_old_decision_is_not_hidden_by_many_younger_matches(ada: Account, bob: Account) -> None:
    old = ada.create(**against(bob, 1))["match_id"]
    for _ in range(101):
        ada.create(**against(bob, 0))
    assert waiting(bob) == [old]
    assert len(waiting(ada)) == 101


def test_decisions_that_have_waited_longest_come_first_and_in_number_to_the_limit(
    ada: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "_PAGE", 2)
    ids = [ada.create()["match_id"] for _ in range(5)]
    assert sorted(waiting(ada)) == sorted(ids)
    monkeypatch.setattr(turns, "MOST_TURNS", 3)
    some = waiting(ada)
    assert len(some) == 3
    for match_id in some:
        ada.command(match_id, {"type": "resign"})
    assert sorted([*some, *waiting(ada)]) == sorted(ids)


def test_a_new_match_wakes_who_waits_with_nothing_to_do(
    ada: Account, bob: Account, admin: redis.Redis
) -> None:
    poll = Poll(bob, admin)
    match_id = ada.create(**against(bob, 1))["match_id"]
    assert poll.result() == [match_id]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_turn_in_any_of_several_matches_wakes_who_waits(
    ada: Account, bob: Account, admin: redis.Redis, which: int
) -> None:
    ids = [ada.create(**against(bob, 0))["match_id"] for _ in range(3)]
    for match_id in ids:
        ada.command(match_id, ROLL)
    poll = Poll(bob, admin)
    ada.command(ids[which], {"type": "pass"})
    assert poll.result() == [ids[which]]


def test_a_match_that_is_over_waits_for_nobody(ada: Account, bob: Account) -> None:
    match_id = ada.create(**against(bob, 0))["match_id"]
    ada.command(match_id, {"type": "resign"})
    assert waiting(ada) == waiting(bob) == []
