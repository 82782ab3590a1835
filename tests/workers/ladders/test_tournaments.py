"""Tournaments on workers: each kind is played to its end, and every round follows on the one before."""

from typing import Any

import pytest

from domain.ladder.config import Schedule
from domain.ladder.state import LadderState, Tournament
from domain.ladder.tournament.schedule import start
from tests.workers.kit import Place
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


def _envelopes(ladder: Ladder) -> list[Any]:
    from events.ladders.ladders import envelopes

    return envelopes(ladder.ladders.load(ladder.id))
