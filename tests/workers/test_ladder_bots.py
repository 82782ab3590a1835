"""Rounds with remote bots: ordinary matches, their faults and what follows, and faults of the service."""

import random
from collections.abc import Callable, Sequence

import msgspec
import pytest

from domain import legal_commands
from domain.commands import AbortMatch, ExpireClock
from domain.ladder import decide
from domain.ladder.config import Suspension
from domain.ladder.events import (
    BlockFinished,
    BlockVoided,
    EntryReinstated,
    EntrySuspended,
    Event,
    Player,
    RoundOpened,
)
from domain.ladder.lines import ResultLine
from domain.ladder.publishing import lines
from domain.ladder.state import ACTIVE, SUSPENDED, LadderState
from domain.state import RUNNING
from events import keys, outages, refusals
from events.orders import now_ms
from events.strategies import STRATEGIES
from events.waiting import controller_kind
from tests.workers.kit import Place
from tests.workers.ladder_kit import QUICK, Ladder, recorded
from workers import playing
from workers.ladders.bots import AT_A_TIME, MOST_LATE, look_after

OFTEN = msgspec.structs.replace(QUICK, silence_s=0)
"""Who no longer answers is looked for by every job."""


@pytest.fixture
def ladder(place: Place) -> Ladder:
    found = Ladder(place, suspension=Suspension(window=4, most_faults=1, probes=2))
    found.enter("random")
    found.enter_bots("ada", "bob", "cleo")
    return found


def running(ladder: Ladder) -> list[str]:
    return sorted(ladder.place.matches.store.index_page("status:running", None, 500))


def play_matches(ladder: Ladder, late: str = "", wrong: str = "") -> None:
    """Play what is under way to its end, the bots over the front door, built-in players as the workers do.

    The bot `late` lets its clock run out once in every match, `wrong` sends a command that is refused.
    """
    for match_id in running(ladder):
        _play_match(ladder.place, match_id, f"acc_{late}", f"acc_{wrong}")


def _play_match(place: Place, match_id: str, late: str, wrong: str) -> None:
    rng = random.Random(match_id)
    left = {late, wrong}
    while (state := place.matches.load(match_id).state).status == RUNNING:
        if controller_kind(state) == "strategy":
            playing.play(place.matches, [(match_id, state.version)])
            continue
        taken = state.controllers[state.active]
        assert taken is not None
        if taken.id in left and taken.id == late:
            left.remove(late)
            place.matches.execute(match_id, ExpireClock(state.active), "service")
            continue
        if taken.id in left and taken.id == wrong:
            left.remove(wrong)
            refusal = refusals.Refusal(now_ms(), "validation_failed", "/dice", state.version)
            refusals.note(place.queue_client, match_id, state.active, refusal)
        command = rng.choice(legal_commands(state))
        place.matches.execute(match_id, command, f"seat:{state.active}")


def play_round(ladder: Ladder, number: int = 1, late: str = "", wrong: str = "") -> None:
    for _ in range(20):
        ladder.play(number)
        if ladder.round(number).status == "finished":
            return
        play_matches(ladder, late, wrong)
    raise AssertionError("it did not come to an end")


def test_bots_play_ordinary_matches_with_a_clock_and_their_blocks_count(ladder: Ladder) -> None:
    ladder.open((1, 0), (1, 2))
    ladder.play()
    assert len(running(ladder)) == 4
    for match_id in running(ladder):
        created = ladder.place.latest(match_id).state.created
        assert created is not None and created.clock is not None
        assert (created.clock.decision_ms, created.clock.on_timeout) == (10_000, "default_command")
    play_round(ladder)
    assert ladder.round().finished_blocks == 2
    ladder.assert_whole()


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


def test_bots_that_fell_silent_do_not_hold_up_a_round(ladder: Ladder) -> None:
    ladder.open((1, 2), (3, 0))
    ladder.play(limits=OFTEN)
    silent = [match_id for match_id in running(ladder) if _sits(ladder, match_id, "acc_ada")]
    _let_clocks_run_out(ladder, silent)

    ladder.play(limits=OFTEN)

    assert sorted(one.entry for one in recorded(ladder, EntrySuspended)) == ["ent_1", "ent_2"]
    assert all(one.faults[0].timeouts > MOST_LATE for one in recorded(ladder, EntrySuspended))
    play_round(ladder)
    (voided,) = recorded(ladder, BlockVoided)
    assert (voided.block, voided.reason, sorted(voided.matches)) == (1, "entry_suspended", sorted(silent))


def _let_clocks_run_out(ladder: Ladder, match_ids: Sequence[str]) -> None:
    """Nobody at these tables answers any more."""
    for match_id in match_ids:
        for _ in range(4 * MOST_LATE + 8):
            state = ladder.place.latest(match_id).state
            ladder.place.matches.execute(match_id, ExpireClock(state.active), "service")


def _sits(ladder: Ladder, match_id: str, account: str) -> bool:
    return account in ladder.place.latest(match_id).state.accounts


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


def test_a_probe_with_a_fault_keeps_the_bot_suspended_and_is_not_repeated_at_once(ladder: Ladder) -> None:
    ladder.open((1, 0))
    play_round(ladder, late="ada")
    ladder.open((2, 0))
    ladder.play(2)
    play_round(ladder, 3, late="ada")
    ladder.play(2)
    assert ladder.state.entries[1].status == SUSPENDED
    assert [one.purpose for one in recorded(ladder, RoundOpened)] == ["rated", "rated", "probe"]


def test_a_bot_that_was_removed_begins_nothing_more(ladder: Ladder) -> None:
    ladder.open((1, 0), (2, 0))
    ladder.do(lambda state: decide.remove_entry(state, "ent_1", "command"))
    play_round(ladder)
    assert [one.reason for one in recorded(ladder, BlockVoided)] == ["entry_removed"]
    assert [len(block.results) for block in ladder.round().blocks] == [0, 2]
    assert not any(_sits(ladder, match_id, "acc_ada") for match_id in ladder.matches())


def test_no_match_is_made_for_a_bot_that_has_left_since_a_job_looked(ladder: Ladder) -> None:
    ladder.open((1, 0), (2, 0))
    ladder.do(_withdrawn)
    look_after(ladder.worker(), ladder.ladders.load(ladder.id), ladder.round())
    assert ladder.matches() == {*ladder.match_ids(ladder.round().blocks[1])}


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


def _withdrawn(state: LadderState) -> list[Event]:
    return decide.remove_entry(state, "ent_1", "command")


def _replaced(state: LadderState) -> list[Event]:
    return decide.add_entry(state, "ent_4", Player("bot", "ada", "2", "acc_ada"), "ada 2", "acc_ada")


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


def expire(ladder: Ladder, account: str, most: int = 1000) -> None:
    """The account's clock runs out at every decision, or at so many of each match; others play on."""
    for match_id in running(ladder):
        rng, left = random.Random(match_id), most
        while left and (state := ladder.place.matches.load(match_id).state).status == RUNNING:
            taken = state.controllers[state.active]
            assert taken is not None
            if taken.id == account:
                left -= 1
                ladder.place.matches.execute(match_id, ExpireClock(state.active), "service")
            elif controller_kind(state) == "strategy":
                playing.play(ladder.place.matches, [(match_id, state.version)])
            else:
                command = rng.choice(legal_commands(state))
                ladder.place.matches.execute(match_id, command, f"seat:{state.active}")


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
    _let_clocks_run_out(ladder, silent)
    ladder.play(limits=OFTEN)
    (voided,) = recorded(ladder, BlockVoided)
    assert (voided.reason, voided.is_final, sorted(voided.matches)) == ("entry_removed", True, silent)
    assert [one.entry for one in recorded(ladder, EntrySuspended)] == ["ent_2"]
    ladder.play(limits=OFTEN)
    assert ladder.round().status == "finished"


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


def test_a_time_out_in_an_outage_of_the_service_voids_the_block_and_costs_nobody_anything(
    ladder: Ladder,
) -> None:
    ladder.open((1, 0))
    ladder.play()
    now = now_ms()
    outages.note(ladder.place.client, now - 60_000)
    outages.note(ladder.place.client, now)
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
    outages.note(ladder.place.client, ended - 60_000)
    outages.note(ladder.place.client, ended)
    ladder.open((1, 0))
    ladder.play()
    play_matches(ladder, late="ada")
    # The service was at work all the time since, however long that took, and the job looks at it now.
    now = now_ms()
    for moment in [*range(ended, now, outages.LONGEST_GAP_MS), now]:
        outages.note(ladder.place.client, moment)
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
