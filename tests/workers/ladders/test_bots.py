"""Rounds with remote bots: ordinary matches, their faults and what follows, and faults of the service."""

import pytest

from domain.ladder.events import (
    BlockFinished,
    BlockVoided,
    EntryReinstated,
    EntrySuspended,
    RoundOpened,
)
from domain.ladder.state import ACTIVE, SUSPENDED
from domain.match.commands import AbortMatch
from events.store import keys, outages
from events.store.keys import now_ms
from runtime.strategies import STRATEGIES
from tests.workers.bots_kit import (
    OFTEN,
    ladder_with_bots,
    let_clocks_run_out,
    play_matches,
    play_round,
    running,
    sits,
)
from tests.workers.kit import Place
from tests.workers.ladder_kit import Ladder, recorded
from workers.ladders.bots import AT_A_TIME, MOST_LATE


@pytest.fixture
def ladder(place: Place) -> Ladder:
    return ladder_with_bots(place)


def test_bots_play_ordinary_matches_with_a_clock_and_their_blocks_count(ladder: Ladder) -> None:
    ladder.open((1, 0), (1, 2))
    ladder.play()
    assert len(running(ladder)) == 4
    for match_id in running(ladder):
        created = ladder.place.latest(match_id).state.created
        assert created.clock is not None
        assert (created.clock.decision_ms, created.clock.on_timeout) == (10_000, "default_command")
    play_round(ladder)
    assert ladder.round().finished_blocks == 2
    ladder.assert_whole()


@pytest.mark.long
def test_only_a_few_blocks_of_one_bot_are_played_at_a_time(ladder: Ladder) -> None:
    ladder.open(*[(1, 0)] * 6, (2, 0))
    ladder.play()
    ladder.play()
    assert len(running(ladder)) == 2 * (AT_A_TIME + 1)
    play_matches(ladder)
    ladder.play()
    assert ladder.round().finished_blocks == AT_A_TIME + 1
    ladder.play()
    assert len(running(ladder)) == 2 * 2


def test_time_outs_and_refused_commands_stand_in_the_results(ladder: Ladder) -> None:
    ladder.open((1, 2))
    play_round(ladder, late="ada", wrong="bob")
    results = ladder.round().blocks[0].results
    assert [result.timeouts for result in results] == [(1, 0), (0, 1)]
    assert [result.errors for result in results] == [(0, 1), (1, 0)]


@pytest.mark.long
def test_a_bot_with_too_many_faults_is_suspended_with_the_evidence_and_its_blocks_are_given_up(
    ladder: Ladder,
) -> None:
    ladder.open(*[(1, 0)] * 6, (2, 0))
    play_round(ladder, late="ada")
    (suspended,) = recorded(ladder, EntrySuspended)
    assert (suspended.entry, suspended.matches) == ("ent_1", 2)
    assert [(fault.timeouts, fault.errors) for fault in suspended.faults] == [(1, 0), (1, 0)]
    voided = recorded(ladder, BlockVoided)
    assert {one.reason for one in voided} == {"entry_suspended"}
    assert all(one.is_final for one in voided)
    assert ladder.round().blocks[6].results


@pytest.mark.long
def test_bots_that_fell_silent_do_not_hold_up_a_round(ladder: Ladder) -> None:
    ladder.open((1, 2), (3, 0))
    ladder.play(limits=OFTEN)
    silent = [match_id for match_id in running(ladder) if sits(ladder, match_id, "acc_ada")]
    let_clocks_run_out(ladder, silent)

    ladder.play(limits=OFTEN)

    assert sorted(one.entry for one in recorded(ladder, EntrySuspended)) == ["ent_1", "ent_2"]
    assert all(one.faults[0].timeouts > MOST_LATE for one in recorded(ladder, EntrySuspended))
    play_round(ladder)
    (voided,) = recorded(ladder, BlockVoided)
    assert (voided.block, voided.reason, sorted(voided.matches)) == (1, "entry_suspended", sorted(silent))


def test_a_suspended_bot_is_probed_against_stand_ins_while_rounds_are_played_and_comes_back(
    ladder: Ladder,
) -> None:
    ladder.open((1, 0))
    play_round(ladder, late="ada")
    assert ladder.state.entries[1].status == SUSPENDED
    ladder.open((2, 0))
    ladder.play(2)
    probe = ladder.round(3)
    assert (probe.purpose, [block.table for block in probe.blocks]) == ("probe", [(1, -1)])
    play_round(ladder, 2)
    play_round(ladder, 3)
    (back,) = recorded(ladder, EntryReinstated)
    assert (back.entry, len(back.probes)) == ("ent_1", 2)
    assert ladder.state.entries[1].status == ACTIVE
    ladder.assert_whole(3)


@pytest.mark.long
def test_a_probe_with_a_fault_keeps_the_bot_suspended_and_is_not_repeated_at_once(ladder: Ladder) -> None:
    ladder.open((1, 0))
    play_round(ladder, late="ada")
    ladder.open((2, 0))
    ladder.play(2)
    play_round(ladder, 3, late="ada")
    ladder.play(2)
    assert ladder.state.entries[1].status == SUSPENDED
    assert [one.purpose for one in recorded(ladder, RoundOpened)] == ["rated", "rated", "probe"]


def test_a_worker_that_is_behind_makes_no_tables_of_bots_and_newer_strategies(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder.open((1, 0), (1, 2))
    with monkeypatch.context() as before:
        before.setitem(STRATEGIES, "random", type(STRATEGIES["random"])("random", "0", "As it was."))
        ladder.play()
        assert ladder.matches() == {*ladder.match_ids(ladder.round().blocks[1])}
    play_round(ladder)
    assert ladder.round().finished_blocks == 2


def test_a_time_out_in_an_outage_of_the_service_voids_the_block_and_costs_nobody_anything(
    ladder: Ladder,
) -> None:
    ladder.open((1, 0))
    ladder.play()
    now = now_ms()
    outages.record(ladder.place.client, now - 60_000)
    outages.record(ladder.place.client, now)
    play_matches(ladder, late="ada")
    ladder.play()
    (voided,) = recorded(ladder, BlockVoided)
    assert (voided.reason, voided.is_final) == ("service_fault", False)
    assert recorded(ladder, BlockFinished) == []
    ladder.place.client.delete(keys.OUTAGES)
    play_round(ladder)
    assert ladder.round().blocks[0].attempt == 2
    ladder.assert_whole()


def test_a_time_out_long_after_an_outage_is_the_bots(ladder: Ladder) -> None:
    ended = now_ms() - outages.GRACE_MS - 60_000
    outages.record(ladder.place.client, ended - 60_000)
    outages.record(ladder.place.client, ended)
    ladder.open((1, 0))
    ladder.play()
    play_matches(ladder, late="ada")
    # The service was at work all the time since, however long that took, and the job looks at it now.
    now = now_ms()
    for moment in [*range(ended, now, outages.LONGEST_GAP_MS), now]:
        outages.record(ladder.place.client, moment)
    assert len(outages.since(ladder.place.client, 0, now)) == 1
    ladder.play(clock=lambda: now)
    assert len(recorded(ladder, BlockFinished)) == 1


def test_a_block_whose_match_was_called_off_is_begun_again(ladder: Ladder) -> None:
    ladder.open((1, 2))
    ladder.play()
    first = running(ladder)[0]
    ladder.place.matches.execute(first, AbortMatch(), "account:acc_owner")
    play_round(ladder)
    (voided,) = recorded(ladder, BlockVoided)
    assert (voided.reason, voided.detail) == ("match_aborted", first)
    ladder.assert_whole()
