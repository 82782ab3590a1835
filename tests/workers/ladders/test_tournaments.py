"""Tournaments on workers: each kind is played to its end, and every round follows on the one before."""

from typing import Any

import msgspec
import pytest

from domain.ladder.config import Schedule, Suspension
from domain.ladder.state import SUSPENDED, LadderState, Tournament
from domain.ladder.tournament.schedule import start
from domain.ladder.tournament.verification import verify_tournament
from events.ladders.ladders import LadderEnvelope, envelopes
from events.store.keys import now_ms
from tests.workers.bots_kit import play_round
from tests.workers.kit import Place, running, wait_until
from tests.workers.ladder_kit import QUICK, Ladder
from workers.ladders.context import RoundLimits

BLOCKWISE = RoundLimits(seconds=0.001, chunk_s=0.0, live_s=0.0, table_s=0.0, bots_s=0.0)
"""A job for a round plays one block."""
NAMES = ("random", "landmark_first", "greedy", "cheese")


def cup(place: Place, kind: str, seats: int = 2, names: tuple[str, ...] = NAMES, **more: Any) -> Ladder:
    ladder = Ladder(place, seats, schedule=Schedule(kind, **more))
    ladder.enter(*names)
    ladder.do(lambda state: start(state, 1_790_000_000_000, "job_first"))
    return ladder


def tournament(state: LadderState) -> Tournament:
    return state.tournaments[1]


def play(ladder: Ladder, limits: RoundLimits = QUICK) -> LadderState:
    """Job after job until the tournament is over."""
    for number in range(1, 100):
        ladder.play_to_the_end(number) if limits is QUICK else _stepwise(ladder, number, limits)
        ladder.assert_whole(number)
        if tournament(ladder.state).places:
            return ladder.state
    raise AssertionError("it did not come to an end")


def _stepwise(ladder: Ladder, number: int, limits: RoundLimits) -> None:
    while ladder.round(number).status != "finished":
        ladder.play(number, limits)


@pytest.mark.parametrize(("kind", "rounds"), [("round_robin", 1), ("swiss", 2), ("knock_out", 2)])
def test_each_kind_is_played_to_its_end(place: Place, kind: str, rounds: int) -> None:
    ladder = cup(place, kind)
    state = play(ladder)

    assert tournament(state).rounds == rounds
    assert {one.entry for one in tournament(state).places} == {*range(len(NAMES))}
    assert tournament(state).places[0].place == 1
    assert all(round.status == "finished" for round in state.rounds)
    assert ladder.published().blocks == state.finished_blocks(1)


def test_the_next_round_is_in_the_same_entry_as_the_end_of_the_one_before(place: Place) -> None:
    ladder = cup(place, "swiss")
    ladder.play_to_the_end(1)
    entry = ladder.ladders.load(ladder.id).entries[-1]
    types = [event.type for event in _envelopes(ladder) if event.sequence > entry.last - 2]

    assert types == ["round_finished", "round_opened"]


def test_a_tournament_of_many_small_jobs_goes_as_one_of_few(place: Place) -> None:
    """The dice differ, the schedule does not."""
    ladder = cup(place, "swiss", blocks=2)
    play(ladder, BLOCKWISE)

    assert [len(round.blocks) for round in ladder.state.rounds] == [4, 4]


def test_two_jobs_that_end_a_round_open_the_next_one_once(place: Place) -> None:
    ladder = cup(place, "round_robin", names=("random", "landmark_first"), rounds=2)
    ladder.play(1)
    ladder.compute()
    ladder.compute()

    assert [round.status for round in ladder.state.rounds] == ["finished", "running"]
    assert [name for name, _ in ladder.handed_out()].count("workers.jobs.play_ladder") == 1


def _envelopes(ladder: Ladder) -> list[LadderEnvelope]:
    return envelopes(ladder.ladders.load(ladder.id))


def test_a_bot_with_faults_is_suspended_not_paired_and_the_tournament_goes_on(place: Place) -> None:
    ladder = Ladder(
        place, schedule=Schedule("swiss"), suspension=Suspension(window=4, most_faults=1, probes=2)
    )
    ladder.enter("random")
    ladder.enter_bots("ada", "bob", "cleo")
    ladder.do(lambda state: start(state, now_ms(), "job_first"))
    play_round(ladder, 1, late="ada")
    second = ladder.round(2)
    assert ladder.state.entries[1].status == SUSPENDED
    assert 1 not in {entry for block in second.blocks for entry in block.table}
    assert len(second.byes) == 1
    play_round(ladder, 2)

    assert is_over(ladder)
    assert {one.entry for one in tournament(ladder.state).places} == {0, 1, 2, 3}
    # The test let clocks of the first round run out before their time, which no audit accepts.
    assert_by_the_rules(ladder, 2)


def is_over(ladder: Ladder) -> bool:
    return bool(tournament(ladder.state).places)


def assert_by_the_rules(ladder: Ladder, *rounds: int) -> None:
    """The history alone says that everything but the matches was right, and the matches are whole."""
    history = [msgspec.to_builtins(one) for one in _envelopes(ladder)]
    checks = {check.name: check for check in verify_tournament(history, 1, {}).checks}
    assert [checks[name].status for name in ("chain", "field", "pairing", "places")] == ["passed"] * 4
    for number in rounds or [round.number for round in ladder.state.rounds]:
        ladder.assert_whole(number)


@pytest.mark.long
def test_all_kinds_are_played_by_the_relay_and_two_workers(place: Place) -> None:
    with running("workers.main", place), running("workers.main", place), running("workers.relay", place):
        ladders = [cup(place, kind) for kind in ("round_robin", "swiss", "knock_out")]
        wait_until(lambda: all(is_over(ladder) for ladder in ladders))
    for ladder in ladders:
        assert_by_the_rules(ladder)


@pytest.mark.long
def test_a_tournament_goes_on_after_its_workers_and_its_relay_were_killed(place: Place) -> None:
    ladder = cup(place, "swiss", blocks=40)
    for number in (1, 2):
        with running("workers.relay", place) as relay, running("workers.main", place) as worker:
            wait_until(
                lambda number=number: (
                    len(ladder.state.rounds) >= number and ladder.round(number).finished_blocks > 0
                )
            )
            worker.kill()
            relay.kill()
    with running("workers.relay", place), running("workers.main", place):
        wait_until(lambda: is_over(ladder))
    assert [round.finished_blocks for round in ladder.state.rounds] == [80, 80]
    assert_by_the_rules(ladder)
