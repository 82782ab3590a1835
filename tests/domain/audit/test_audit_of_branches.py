"""The audit of invitations and of branches."""

from random import Random
from typing import Any

import pytest

from bench.matches import new_match
from domain.audit.evidence import Evidence
from domain.audit.verify import verify
from domain.match.branches import branch_command
from domain.match.commands import AbortMatch, EndReservation, SeatPlan, TakeSeat
from domain.match.events import Dice, Origin
from domain.match.state import MatchState
from events import Matches
from events.store.memory import MemoryStore
from tests.audited import UNSIGNED, Event, audited, chained, find, outcome, shown
from tests.events.example_matches import SEEDS, creation, play


@pytest.mark.parametrize(
    "nonsense",
    [
        {"resigned": [0, 1]},
        {"coins": [10**30, 3]},
        {"seat_turns": [1] * 1000},
        {"cities": [{"tv_station": 10**18}, {}]},
        {"decks": {"ranch": 70_000}},
        {"deck_orders": {"market": ["ranch"] * 10_000}},
    ],
)
def test_a_branch_that_begins_at_no_table_is_not_played_on(
    branched: tuple[Matches, str, str], nonsense: dict[str, Any]
) -> None:
    matches, _, branch_id = branched
    events = shown(matches, branch_id)
    begun = find(events, "branch_started")
    begun["data"].update(nonsense)
    found = outcome(audited(chained(events)))
    assert found["decisions"] == ("failed", begun["sequence"])
    assert found["payments"] == ("skipped", None)


def with_invitations() -> list[Event]:
    """A match that was called off: one invited account came, one declined, and one was told not to come."""
    matches = Matches(MemoryStore(), SEEDS)
    match_id = matches.create(creation("arrr")).match_id
    for command, actor in (
        (TakeSeat(1, "account", "acc_1", "handle1"), "account:acc_1"),
        (EndReservation(2, "acc_2"), "account:acc_2"),
        (EndReservation(3, "acc_0"), "account:acc_0"),
        (AbortMatch(), "account:acc_0"),
    ):
        matches.execute(match_id, command, actor)
    return shown(matches, match_id)


def test_a_match_with_invitations_passes_every_check() -> None:
    assert outcome(audited(with_invitations())) == UNSIGNED


@pytest.mark.parametrize(
    ("type", "change"),
    [
        ("reservation_ended", {"actor": "account:acc_1"}),
        ("reservation_ended", {"data": {"seat": 2, "reason": "withdrawn"}}),
        ("reservation_ended", {"data": {"seat": 0, "reason": "declined"}}),
        ("seat_reserved", {"data": {"seat": 1, "id": "acc_9", "name": "nine"}}),
    ],
)
def test_a_forged_invitation_is_found(type: str, change: dict[str, Any]) -> None:
    events = with_invitations()
    find(events, type).update(change)
    assert "decisions" in outcome(audited(chained(events)))


@pytest.fixture(params=["same", "fresh"])
def branched(request: pytest.FixtureRequest) -> tuple[Matches, str, str]:
    """A match that is over, and a branch from its middle, played to another end."""
    matches = Matches(MemoryStore(), SEEDS)
    origin_id = matches.create(new_match("harbor", ["random"] * 2, Dice("committed"))).match_id
    play(matches, matches.load(origin_id), Random(1))
    entry = matches.store.read(origin_id)[60]
    origin = Origin(origin_id, entry.last, f"sha-256:{entry.hash.hex()}", request.param)
    seats = [SeatPlan("strategy", "random", "random", "1")] * 2
    command = branch_command(matches.history.state_at(origin_id, entry.last), origin, seats, "acc_1")
    branch_id = matches.create(command).match_id
    play(matches, matches.load(branch_id), Random(2))
    return matches, origin_id, branch_id


def audited_branch(matches: Matches, events: list[Event]) -> dict[str, tuple[str, int | None]]:
    def find_origin(match_id: str, version: int) -> tuple[MatchState, str]:
        event = matches.history.events(match_id, version - 1, 1)[0]
        return matches.history.state_at(match_id, version), event.hash

    evidence = Evidence(match_id=events[0]["match_id"], events=events)
    return outcome(verify(evidence, lambda *_: True, find_origin=find_origin))


def test_a_branch_is_checked_against_its_origin(branched: tuple[Matches, str, str]) -> None:
    matches, _, branch_id = branched
    assert audited_branch(matches, shown(matches, branch_id)) == UNSIGNED


def test_without_its_origin_the_beginning_of_a_branch_is_open(branched: tuple[Matches, str, str]) -> None:
    matches, _, branch_id = branched
    assert outcome(audited(shown(matches, branch_id))) == {**UNSIGNED, "origin": ("pending", None)}


def test_a_branch_that_begins_with_a_coin_too_many_is_found(branched: tuple[Matches, str, str]) -> None:
    matches, _, branch_id = branched
    events = shown(matches, branch_id)
    begun = find(events, "branch_started")
    begun["data"]["coins"][0] += 1
    assert audited_branch(matches, chained(events))["origin"] == ("failed", begun["sequence"])


def test_a_branch_of_another_history_is_found(branched: tuple[Matches, str, str]) -> None:
    matches, _, branch_id = branched
    events = shown(matches, branch_id)
    events[0]["data"]["origin"]["head_hash"] = "sha-256:" + "1" * 64
    assert audited_branch(matches, chained(events))["origin"] == ("failed", 1)
