"""Seeds of seats in the store: when a match that waits for them is due, and what an audit says of haste."""

import pytest

from domain.match.chance import seat_commitment
from domain.match.commands import CommitSeatSeed, ExpireSeatSeeds, OpenSeatSeed, Resign, TakeSeat
from domain.match.events import Dice, SeatSeeds
from domain.match.seat_seeds import due_step
from events import CommandResult, Matches, MemoryStore, Notary
from events.checkpoints.audit import Auditor
from events.matches.projections import deadline_ms
from tests.events.example_matches import NOW_MS, SEEDS, SIGNING_KEYS, Kit, creation

WITHIN_MS = 5_000
DICE = Dice("committed", seat_seeds=SeatSeeds(WITHIN_MS))
SEED = "s" * 32


class Times:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.ms = NOW_MS

    def __call__(self) -> int:
        return self.ms


def commit(matches: Matches, match_id: str, seat: int) -> CommandResult:
    created = matches.load(match_id).state.created
    commitment = seat_commitment(created.dice.commitment, seat, SEED)
    return matches.execute(match_id, CommitSeatSeed(seat, commitment), f"seat:{seat}")


def reveal(matches: Matches, match_id: str, seat: int) -> CommandResult:
    return matches.execute(match_id, OpenSeatSeed(seat, SEED), f"seat:{seat}")


def test_a_match_is_due_when_the_time_for_a_step_is_over_and_not_before_it_begins(kit: Kit) -> None:
    time = Times()
    matches = Matches(kit.store, SEEDS, time)
    match_id = matches.create(creation("ao", dice=DICE)).match_id
    assert kit.due() == []

    time.ms += 100
    taken = matches.execute(match_id, TakeSeat(1, "account", "acc_1", "b"), "account:acc_1")
    assert kit.due() == [(match_id, time.ms + WITHIN_MS)]
    assert deadline_ms(taken.state, taken.at_ms) == time.ms + WITHIN_MS

    for step in (commit, reveal):
        for seat in (1, 0):
            time.ms += 100
            told = step(matches, match_id, seat)
            if told.state.status == "open":
                assert kit.due() == [(match_id, time.ms + WITHIN_MS)]
    assert told.state.status == "running"
    assert kit.due() == []


def test_a_built_in_player_that_begins_is_called_when_the_last_seed_is_opened(kit: Kit) -> None:
    matches = Matches(kit.store, SEEDS, Times(), ai_grace_ms=10_000)
    match_id = matches.create(creation("sa", dice=DICE)).match_id
    commit(matches, match_id, 1)
    reveal(matches, match_id, 1)

    assert [pointer.next for pointer in kit.log()] == ["human", "human", "ai"]


def audited(store: MemoryStore, match_id: str) -> tuple[str, str, int | None]:
    report = Auditor(store, Notary(MemoryStore(), SIGNING_KEYS)).audit(match_id)
    check = next(check for check in report.checks if check.name == "dice")
    return check.status, check.detail, check.first_failed_sequence


@pytest.mark.parametrize(("waited_ms", "status"), [(WITHIN_MS - 1, "failed"), (WITHIN_MS, "passed")])
@pytest.mark.parametrize("committed", [False, True])
def test_an_audit_says_if_a_seat_was_given_less_time_than_was_said(
    waited_ms: int, status: str, committed: bool
) -> None:
    """An operator that calls a seat silent too early would rid itself of a seed it does not like."""
    time, store = Times(), MemoryStore()
    matches = Matches(store, SEEDS, time)
    match_id = matches.create(creation("aa", dice=DICE)).match_id
    if committed:
        commit(matches, match_id, 0)
        commit(matches, match_id, 1)
    before = matches.load(match_id).version
    time.ms += waited_ms
    expired = matches.execute(match_id, ExpireSeatSeeds(), "service")
    if expired.state.status == "running":
        matches.execute(match_id, Resign(0), "seat:0")

    found = audited(store, match_id)
    assert found[0] == status
    if status == "failed":
        assert found[1:] == ("clock_not_expired: the clock had not run out", before + 1)


def test_an_audit_says_if_a_player_and_not_the_service_called_a_seat_silent() -> None:
    time, store = Times(), MemoryStore()
    matches = Matches(store, SEEDS, time)
    match_id = matches.create(creation("aa", dice=DICE)).match_id
    time.ms += WITHIN_MS
    matches.execute(match_id, ExpireSeatSeeds(), "seat:0")
    matches.execute(match_id, Resign(0), "seat:0")

    status, detail, sequence = audited(store, match_id)
    assert (status, sequence) == ("failed", 4)
    assert detail.startswith("not_your_seat")


def test_a_match_with_seeds_of_seats_is_loaded_again_as_it_was_left(kit: Kit) -> None:
    matches = Matches(kit.store, SEEDS, Times())
    match_id = matches.create(creation("aa", dice=DICE)).match_id
    commit(matches, match_id, 0)
    commit(matches, match_id, 1)
    reveal(matches, match_id, 1)

    again = Matches(kit.store, SEEDS).load(match_id)
    assert again.state == matches.load(match_id).state
    assert due_step(again.state) == "open"
    assert reveal(matches, match_id, 0).state.status == "running"
