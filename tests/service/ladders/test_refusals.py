"""Refused commands in matches of ladders."""

from collections.abc import Callable
from typing import Any

import pytest

from events.matches import refusals
from events.matches.refusals import Refusal
from events.store.keys import now_ms
from tests.service.contract import Account
from tests.service.ladder_kit import (
    Operated,
)

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


def test_a_slash_at_the_end_of_the_address_hides_no_wrong_command(
    match_of_a_ladder: str, ada: Account, queue_redis: Any
) -> None:
    assert ada.post(f"/v1/matches/{match_of_a_ladder}/commands/", {"type": "fly"}).status_code == 422
    assert refusals.count(queue_redis, match_of_a_ladder, 2) == (1, 0)


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
        refusals.record(queue_redis, "mat_1", 0, Refusal(number, "unknown_card", "/" + "x" * 1000, 7))
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
