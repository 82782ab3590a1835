"""The relay has deleted accounts leave their matches, whoever else waits for it."""

import pytest

from domain.errors import RuleViolation
from domain.match.commands import Resign
from events import StoreUnavailable
from events.ladders.ladders import Ladders
from events.store import keys
from tests.workers.kit import Place, relaying, wait_until
from workers.operations.deletions import Deletions
from workers.turns.partition import RelayIntervals

QUICK = RelayIntervals(block_s=0.05, lease_s=0.5, deletions_s=0.01)
ADA = "acc_ada"


def status(place: Place, match_id: str) -> str:
    return place.new_matches().load(match_id).state.status


def delete(place: Place, deleted_ms: int = 0) -> None:
    """What the service writes."""
    place.client.zadd(keys.DELETED_ACCOUNTS, {ADA: deleted_ms})


def test_the_relay_has_an_account_leave_and_takes_it_off_the_list(place: Place) -> None:
    match_id = place.seats("ada", "ada").match_id
    with relaying(place, QUICK):
        delete(place)
        wait_until(lambda: status(place, match_id) == "finished")


def test_a_relay_that_starts_later_finds_what_is_left(place: Place) -> None:
    match_id = place.seats("ada", "ada", "ada").match_id
    delete(place)
    with relaying(place, QUICK):
        wait_until(lambda: status(place, match_id) == "finished")


def test_an_account_that_is_in_nothing_leaves_the_list_at_once_if_it_was_deleted_long_ago(
    place: Place,
) -> None:
    delete(place)
    with relaying(place, QUICK):
        wait_until(lambda: not place.client.exists(keys.DELETED_ACCOUNTS))


def test_a_pass_that_lost_the_store_begins_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = place.seats("ada", "ada").match_id
    delete(place)
    matches = place.new_matches()
    found = Deletions(matches, Ladders(matches.store), place.client)
    with monkeypatch.context() as patched:
        patched.setattr(matches, "execute_chosen", _away)
        found.run()
        with pytest.raises(StoreUnavailable):
            found.run()
    while found.run():
        pass
    assert status(place, match_id) == "finished"


def _away(*_: object) -> None:
    raise StoreUnavailable("away")


def test_an_account_that_resigns_at_the_same_time_is_found_gone(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.seats("ada", "ada")
    delete(place)
    matches = place.new_matches()

    def too_late(match_id: str, *_: object) -> None:
        place.new_matches().execute(match_id, Resign(0), "seat:0")
        raise RuleViolation("match_finished", "somebody was faster")

    monkeypatch.setattr(matches, "execute_chosen", too_late)
    found = Deletions(matches, Ladders(matches.store), place.client, pause_ms=0)
    while place.client.exists(keys.DELETED_ACCOUNTS):
        found.run()
