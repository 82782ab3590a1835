"""What becomes of a round when the time of a job is up in the middle of its work."""

from typing import Any

import pytest
from rq.timeouts import JobTimeoutException

from domain.ladder.events import BlockFinished, BlockVoided, RoundStopped
from domain.ladder.state import RUNNING
from players import PLAYERS
from tests.workers.bots_kit import ladder_with_bots, play_matches
from tests.workers.kit import Place, hang
from tests.workers.ladder_kit import Ladder, recorded
from workers.ladders import blocks, round_job, table_job


class HangsAt:
    """A function that hangs at one of its calls, the first of which has number 1."""

    def __init__(self, function: Any, call: int) -> None:
        self._function = function
        self._left = call

    def __call__(self, *arguments: Any) -> Any:
        self._left -= 1
        return self._function(*arguments) if self._left else hang()


def test_a_block_with_a_player_that_hangs_is_given_up_after_three_jobs_and_the_others_count(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PLAYERS, "greedy", hang)
    ladder.open((0, 1), (1, 2), (0, 1))
    for _ in range(3):
        with pytest.raises(JobTimeoutException):
            ladder.play()
        assert [one.block for one in recorded(ladder, BlockFinished)] == [1]
    round = ladder.play_to_the_end()
    voided = recorded(ladder, BlockVoided)
    assert [(one.block, one.is_final) for one in voided] == [(2, False), (2, False), (2, True)]
    assert {(one.reason, one.detail) for one in voided} == {
        ("service_fault", "it could not be played: JobTimeoutException")
    }
    assert (round.finished_blocks, recorded(ladder, RoundStopped)) == (2, [])
    ladder.assert_whole()


def test_results_that_a_job_had_no_time_for_are_left_to_the_next_job(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first block has two results, so the second one's first is the third."""
    monkeypatch.setattr(round_job, "result_of", HangsAt(blocks.result_of, 3))
    ladder.open((0, 1), (1, 2), (2, 0))
    with pytest.raises(JobTimeoutException):
        ladder.play()
    assert ladder.round().finished_blocks == 1
    played = ladder.matches()
    round = ladder.play_to_the_end()
    assert (round.finished_blocks, recorded(ladder, BlockVoided)) == (3, [])
    assert ladder.matches() >= played
    ladder.assert_whole()


def test_results_of_bots_that_a_job_had_no_time_for_are_left_to_the_next_job(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = ladder_with_bots(place)
    ladder.open((1, 2))
    ladder.play()
    play_matches(ladder)
    monkeypatch.setattr(blocks, "result_of", HangsAt(blocks.result_of, 2))
    with pytest.raises(JobTimeoutException):
        ladder.play()
    round = ladder.play_to_the_end()
    assert (round.finished_blocks, recorded(ladder, BlockVoided)) == (1, [])
    ladder.assert_whole()


@pytest.mark.parametrize("step", ["results_of", "standings"])
def test_a_table_that_a_job_had_no_time_for_is_computed_by_the_next_job_and_stops_no_round(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(table_job, step, HangsAt(getattr(table_job, step), 1))
    ladder.open((0, 1))
    with pytest.raises(JobTimeoutException):
        ladder.play()
    assert (ladder.round().status, ladder.round().finished_blocks) == (RUNNING, 1)
    ladder.play_to_the_end()
    assert recorded(ladder, RoundStopped) == []
    assert ladder.published().blocks == 1
