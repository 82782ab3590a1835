"""Entries whose version a worker does not play, or that have left."""

import pytest
import structlog

from domain.ladder import decide
from domain.ladder.events import BlockVoided, EntryRemoved
from runtime import strategies
from runtime.strategies import STRATEGIES
from tests.workers.kit import Place
from tests.workers.ladder_kit import A_LITTLE, Ladder, _begin, _without, recorded
from workers.ladders import dispatch
from workers.ladders.round_job import RoundJob


def test_an_entry_whose_version_nobody_plays_is_removed_and_its_blocks_are_given_up(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder.open((0, 1), (1, 2))
    newer = type(STRATEGIES["random"])("random", "99", "A newer one.")
    monkeypatch.setitem(STRATEGIES, "random", newer)
    round = ladder.play_to_the_end()
    assert [(one.entry, one.reason) for one in recorded(ladder, EntryRemoved)] == [("ent_0", "version_gone")]
    assert [(block.is_given_up, len(block.results)) for block in round.blocks] == [(True, 0), (False, 2)]


@pytest.mark.parametrize("known", ["9", None], ids=["in an earlier version", "not at all"])
def test_a_worker_that_is_behind_says_nothing_of_a_newer_strategy_and_leaves_its_blocks_to_others(
    place: Place, monkeypatch: pytest.MonkeyPatch, known: str | None
) -> None:
    """As while the service is brought up to date: some processes are those of before."""
    newer = type(STRATEGIES["greedy"])("greedy", "10", "As of today.")
    monkeypatch.setitem(STRATEGIES, "greedy", newer)
    ladder = Ladder(place)
    ladder.enter("random", "landmark_first", "greedy")
    ladder.open((0, 2), (0, 1), (2, 1))
    with monkeypatch.context() as before:
        if known is None:
            before.setattr(strategies, "STRATEGIES", _without("greedy"))
        else:
            before.setitem(STRATEGIES, "greedy", type(newer)("greedy", known, "As it was."))
        with structlog.testing.capture_logs() as told:
            counts = [ladder.play() for _ in range(3)]
        assert [one.matches for one in counts] == [2, 0, 0]
        assert [*ladder.round().left] == [1, 3]
        (warned,) = [line for line in told if line["event"] == "strategies_unknown"]
        assert "greedy 10" in warned["strategies"]
    assert recorded(ladder, EntryRemoved) == recorded(ladder, BlockVoided) == []
    ladder.play_to_the_end()
    assert ladder.round().finished_blocks == 3
    ladder.assert_whole()


def test_workers_that_are_all_behind_end_a_round_when_the_owner_takes_the_newer_strategy_out(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder.open((0, 1), (1, 2))
    monkeypatch.setattr(strategies, "STRATEGIES", _without("random"))
    ladder.play()
    assert [*ladder.round().left] == [1]
    ladder.do(lambda state: decide.remove_entry(state, "ent_0", "command"))
    round = ladder.play_to_the_end()
    assert [(block.is_given_up, len(block.results)) for block in round.blocks] == [(True, 0), (False, 2)]


def test_a_relay_that_is_behind_hands_out_no_jobs_for_what_workers_like_it_leave_alone(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder.open((0, 1), (0, 1), (1, 2), (1, 2), (1, 2))
    monkeypatch.setitem(STRATEGIES, "random", type(STRATEGIES["random"])("random", "0", "As it was."))
    assert dispatch._work(ladder.state, ladder.round()) == 3


def test_versions_of_strategies_are_numbers_so_that_it_can_be_told_which_is_newer() -> None:
    assert all(one.version.isdecimal() and one.version.isascii() for one in STRATEGIES.values())


def test_a_block_that_has_begun_counts_when_the_owner_takes_a_strategy_out(ladder: Ladder) -> None:
    ladder.open((2, 1), (2, 1), (0, 1))
    _begin(ladder)
    ladder.do(lambda state: decide.remove_entry(state, "ent_2", "command"))
    round = ladder.play_to_the_end()
    assert [len(block.results) for block in round.blocks] == [2, 0, 2]
    assert [one.reason for one in recorded(ladder, BlockVoided)] == ["entry_removed"]
    ladder.assert_whole()


def test_a_job_begins_no_block_of_who_has_left_since_it_looked(ladder: Ladder) -> None:
    ladder.open((2, 1), (0, 1))
    ladder.do(lambda state: decide.remove_entry(state, "ent_2", "command"))
    RoundJob(ladder.worker(), ladder.id, 1)._play_blocks(1e12)
    assert [len(block.results) for block in ladder.round().blocks] == [0, 2]
    assert len(ladder.matches()) == 2


def test_a_block_that_nobody_can_go_on_with_is_given_up_though_it_has_begun(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder.open((2, 1))
    ladder.play(limits=A_LITTLE)
    monkeypatch.setitem(STRATEGIES, "greedy", type(STRATEGIES["greedy"])("greedy", "99", "A newer one."))
    ladder.play_to_the_end()
    (voided,) = recorded(ladder, BlockVoided)
    assert (voided.reason, voided.matches) == ("entry_removed", tuple(ladder.matches()))
