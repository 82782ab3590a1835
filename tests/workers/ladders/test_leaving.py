"""Bots that leave a round that is played: what has begun counts, the rest is given up."""

from collections.abc import Callable

import pytest

from domain.ladder import decide
from domain.ladder.events import BlockFinished, BlockVoided, EntryPlayer, EntrySuspended, Event
from domain.ladder.results import ResultLine, lines
from domain.ladder.state import LadderState
from tests.workers.bots_kit import (
    OFTEN,
    expire,
    ladder_with_bots,
    let_clocks_run_out,
    play_matches,
    play_round,
    running,
    sits,
)
from tests.workers.kit import Place
from tests.workers.ladder_kit import Ladder, recorded
from workers.ladders.bots import AT_A_TIME, MOST_LATE, advance


@pytest.fixture
def ladder(place: Place) -> Ladder:
    return ladder_with_bots(place)


def test_a_bot_that_was_removed_begins_nothing_more(ladder: Ladder) -> None:
    ladder.open((1, 0), (2, 0))
    ladder.do(lambda state: decide.remove_entry(state, "ent_1", "command"))
    play_round(ladder)
    assert [one.reason for one in recorded(ladder, BlockVoided)] == ["entry_removed"]
    assert [len(block.results) for block in ladder.round().blocks] == [0, 2]
    assert not any(sits(ladder, match_id, "acc_ada") for match_id in ladder.matches())


def test_no_match_is_made_for_a_bot_that_has_left_since_a_job_looked(ladder: Ladder) -> None:
    ladder.open((1, 0), (2, 0))
    ladder.do(_withdrawn)
    advance(ladder.worker(), ladder.ladders.load(ladder.id), ladder.round())
    assert ladder.matches() == {*ladder.match_ids(ladder.round().blocks[1])}


def _withdrawn(state: LadderState) -> list[Event]:
    return decide.remove_entry(state, "ent_1", "command")


def _replaced(state: LadderState) -> list[Event]:
    return decide.add_entry(state, "ent_4", EntryPlayer("bot", "ada", "2", "acc_ada"), "ada 2", "acc_ada")


@pytest.mark.long
@pytest.mark.parametrize("leave", [_withdrawn, _replaced])
def test_what_a_bot_has_begun_counts_for_the_version_that_began_it_and_the_rest_is_given_up(
    ladder: Ladder, leave: Callable[[LadderState], list[Event]]
) -> None:
    ladder.open(*[(1, 0)] * (AT_A_TIME + 2))
    ladder.play()
    ladder.do(leave)
    play_round(ladder)
    assert [len(block.results) for block in ladder.round().blocks] == [2] * AT_A_TIME + [0] * 2
    assert [(one.reason, one.is_final, one.matches) for one in recorded(ladder, BlockVoided)] == [
        ("entry_removed", True, ())
    ] * 2
    rated = {line.seats for line in lines(ladder.id, ladder.state, 1) if isinstance(line, ResultLine)}
    assert rated == {("ent_1", "ent_0"), ("ent_0", "ent_1")}
    ladder.assert_whole()


def test_a_bot_that_leaves_and_falls_silent_loses_to_whoever_plays_on(ladder: Ladder) -> None:
    ladder.open((1, 2))
    ladder.play(limits=OFTEN)
    ladder.do(_withdrawn)
    expire(ladder, "acc_ada", MOST_LATE + 1)
    ladder.play(limits=OFTEN)
    assert recorded(ladder, BlockVoided) == recorded(ladder, EntrySuspended) == []
    expire(ladder, "acc_ada")
    ladder.play(limits=OFTEN)
    (finished,) = recorded(ladder, BlockFinished)
    assert [result.winner for result in finished.results] == [1, 0]
    assert ladder.round().status == "finished"


@pytest.mark.long
def test_nobody_drops_a_loss_by_being_suspended(ladder: Ladder) -> None:
    """Who has let its clock run out so often is suspended at once; what it has begun goes on."""
    ladder.open(*[(1, 0)] * (AT_A_TIME + 1))
    ladder.play(limits=OFTEN)
    expire(ladder, "acc_ada", MOST_LATE + 1)
    ladder.play(limits=OFTEN)
    assert [one.entry for one in recorded(ladder, EntrySuspended)] == ["ent_1"]
    expire(ladder, "acc_ada")
    play_round(ladder)
    assert [len(block.results) for block in ladder.round().blocks] == [2] * AT_A_TIME + [0]
    for block in ladder.round().blocks[:AT_A_TIME]:
        assert [result.winner for result in block.results] == [1, 0]


def test_a_block_at_whose_table_nobody_answers_is_given_up_whoever_has_left(ladder: Ladder) -> None:
    ladder.open((1, 2))
    ladder.play(limits=OFTEN)
    ladder.do(_withdrawn)
    silent = running(ladder)
    let_clocks_run_out(ladder, silent)
    ladder.play(limits=OFTEN)
    (voided,) = recorded(ladder, BlockVoided)
    assert (voided.reason, voided.is_final, sorted(voided.matches)) == ("entry_removed", True, silent)
    assert [one.entry for one in recorded(ladder, EntrySuspended)] == ["ent_2"]
    ladder.play(limits=OFTEN)
    assert ladder.round().status == "finished"


def test_nobody_is_suspended_for_a_match_of_a_round_that_is_over(ladder: Ladder) -> None:
    """A test may be decided while blocks of it are played; a later job may come for its tables."""
    ladder.open((1, 0), purpose="test")
    ladder.play(limits=OFTEN)
    expire(ladder, "acc_ada", MOST_LATE + 1)
    ladder.do(lambda state: decide.finish_round(state, 1, "better"))
    ladder.play(limits=OFTEN)
    assert recorded(ladder, EntrySuspended) == []


@pytest.mark.long
def test_a_job_that_was_handed_out_before_a_stop_begins_nothing_and_counts_what_is_over(
    ladder: Ladder,
) -> None:
    ladder.open(*[(1, 0)] * (AT_A_TIME + 1))
    ladder.play()
    ladder.do(lambda state: decide.stop_round(state, 1, "command"))
    play_matches(ladder)
    ladder.play()
    assert ladder.round().finished_blocks == AT_A_TIME
    ladder.play()
    assert len(ladder.matches()) == 2 * AT_A_TIME


@pytest.mark.long
def test_what_was_begun_before_a_stop_counts_when_the_round_is_resumed_whoever_has_left(
    ladder: Ladder,
) -> None:
    ladder.open(*[(1, 0)] * (AT_A_TIME + 1))
    ladder.play()
    ladder.do(lambda state: decide.stop_round(state, 1, "command"))
    ladder.do(_withdrawn)
    ladder.play()
    assert recorded(ladder, BlockVoided) == []
    ladder.do(lambda state: decide.resume_round(state, 1))
    play_round(ladder)
    assert [len(block.results) for block in ladder.round().blocks] == [2] * AT_A_TIME + [0]
