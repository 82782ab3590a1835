"""Bots are suspended by their faults, and probes bring them back."""

import msgspec

from domain.ladder import decide
from domain.ladder import events as ev
from domain.ladder.config import Suspension
from domain.ladder.events import STAND_IN
from domain.ladder.state import fold
from tests.domain.ladder.decided import (
    CONFIG,
    TWO,
    bot,
    ladder,
    opened,
    refused,
    result,
    strategy,
    suspended,
)


def test_more_faults_than_allowed_suspend_a_bot_with_the_evidence() -> None:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    late = (result("mat_1", (1, 0)), result("mat_2", (0, 2)))

    events = decide.finish_block(state, 1, 1, late)

    assert events == [
        ev.BlockFinished(1, 1, late),
        ev.EntrySuspended("a", (ev.MatchFaults("mat_1", 1, 0), ev.MatchFaults("mat_2", 2, 0)), 2),
    ]


def test_the_faults_of_a_bot_are_those_of_its_seat_in_each_rotation() -> None:
    state = ladder(bot("ada"), bot("bob"), strategy("random"))
    other = msgspec.structs.replace(CONFIG, seats=3)
    fold(state, decide.open_season(state, other))
    opened(state, (0, 1, 2))
    timeouts = [(1, 0, 0), (0, 0, 1), (0, 1, 0)]
    late = [
        msgspec.structs.replace(result(f"mat_{i}", counts), errors=(0, 0, 0))
        for i, counts in enumerate(timeouts)
    ]

    assert decide.finish_block(state, 1, 1, late)[1:] == [
        ev.EntrySuspended("a", tuple([ev.MatchFaults(f"mat_{i}", 1, 0) for i in range(3)]), 3)
    ]


def test_faults_of_a_strategy_suspend_nobody() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    late = (result("mat_1", (1, 0)), result("mat_2", (0, 1)))

    assert decide.finish_block(state, 1, 1, late) == [ev.BlockFinished(1, 1, late)]


def test_a_new_version_of_a_suspended_bot_is_suspended() -> None:
    state = suspended()
    evidence = state.entries[0].evidence

    events = decide.add_entry(state, "z", bot("ada", "2"), "ada", "acc_ada")

    assert events[-1] == ev.EntrySuspended("z", evidence, 2)
    assert fold(state, events).entries[2].status == "suspended"
    assert decide.add_entry(state, "y", bot("ada", "3"), "ada", "acc_ada") == [
        ev.EntryRemoved("z", "new_version"),
        ev.EntryAdded("y", bot("ada", "3"), "ada", "acc_ada"),
        ev.EntrySuspended("y", evidence, 2),
    ]


def test_a_suspension_outlasts_the_withdrawal_of_the_bot() -> None:
    state = suspended()
    fold(state, decide.remove_entry(state, "a", "command"))
    fold(state, decide.add_entry(state, "z", bot("ada", "2"), "ada", "acc_ada"))

    assert state.entries[2].status == "suspended"


def test_the_last_matches_of_a_bot_count_for_its_new_version() -> None:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    fold(state, decide.finish_block(state, 1, 1, (result("mat_1", (1, 0)), result("mat_2"))))
    fold(state, decide.add_entry(state, "z", bot("ada", "2"), "ada", "acc_ada"))

    assert state.entries[2].recent == [ev.MatchFaults("mat_1", 1, 0), ev.MatchFaults("mat_2", 0, 0)]


def test_a_block_that_is_played_to_its_end_counts_for_a_bot_that_has_left() -> None:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    fold(state, decide.remove_entry(state, "a", "command"))

    assert decide.finish_block(state, 1, 1, TWO) == [ev.BlockFinished(1, 1, TWO)]


def test_faults_in_matches_that_an_earlier_version_began_suspend_the_one_that_took_its_place() -> None:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    fold(state, decide.add_entry(state, "z", bot("ada", "2"), "ada", "acc_ada"))
    late = (result("mat_1", (1, 0)), result("mat_2", (0, 2)))

    events = decide.finish_block(state, 1, 1, late)

    assert events[1:] == [
        ev.EntrySuspended("z", (ev.MatchFaults("mat_1", 1, 0), ev.MatchFaults("mat_2", 2, 0)), 2)
    ]


def test_faults_after_a_bot_has_left_count_when_it_comes_back() -> None:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    fold(state, decide.remove_entry(state, "a", "command"))
    fold(state, decide.finish_block(state, 1, 1, (result("mat_1", (1, 0)), result("mat_2"))))
    fold(state, decide.add_entry(state, "z", bot("ada", "2"), "ada", "acc_ada"))

    assert state.entries[2].recent == [ev.MatchFaults("mat_1", 1, 0), ev.MatchFaults("mat_2", 0, 0)]


def test_no_match_suspends_a_bot_twice() -> None:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    silent = ev.MatchFaults("mat_1", 21, 0)
    fold(state, decide.suspend(state, "a", silent))
    opened(state, (0, STAND_IN), purpose="probe")
    fold(state, decide.finish_block(state, 2, 1, (result("mat_3"), result("mat_4"))))

    assert state.entries[0].status == "active"
    assert decide.suspend(state, "a", silent) == []
    late = (result("mat_1", (40, 0)), result("mat_2", (0, 1)))
    events = decide.finish_block(state, 1, 1, late)
    assert events == [ev.BlockFinished(1, 1, late)]
    assert fold(state, events).entries[0].recent == [ev.MatchFaults("mat_2", 1, 0)]


def test_a_bot_that_no_longer_answers_is_suspended_at_once_in_its_last_version_alone() -> None:
    state = ladder(bot("ada"), bot("bob"))
    fold(state, decide.add_entry(state, "z", bot("ada", "2"), "ada", "acc_ada"))
    silent = ev.MatchFaults("mat_1", 21, 0)

    events = decide.suspend(state, "a", silent)

    assert events == [ev.EntrySuspended("z", (silent,), 1)]
    fold(state, events)
    assert [entry.examined for entry in state.entries] == [0, 0, 1]
    assert decide.suspend(state, "a", ev.MatchFaults("mat_2", 21, 0)) == []
    with refused("entry_not_found"):
        decide.suspend(state, "y", silent)


def test_a_bot_is_probed_on_every_seat_among_stand_ins_until_there_are_probes_enough() -> None:
    state = suspended()
    assert decide.probe_tables(state, 0) == [(0, STAND_IN)]

    state.config = msgspec.structs.replace(CONFIG, seats=3, suspension=Suspension(4, 1, 4))
    assert decide.probe_tables(state, 1) == [(1, STAND_IN, STAND_IN)] * 2


def test_the_matches_of_a_block_that_does_not_count_are_named() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))

    assert decide.void_block(state, 1, 1, "match_aborted", "", ["mat_1"]) == [
        ev.BlockVoided(1, 1, "match_aborted", "", False, ("mat_1",))
    ]


def test_good_probes_bring_a_suspended_bot_back() -> None:
    state = opened(suspended(), (0, STAND_IN), purpose="probe")

    events = decide.finish_block(state, 2, 1, TWO)

    assert events[1:] == [ev.EntryReinstated("a", ("mat_1", "mat_2"))]
    entry = fold(state, events).entries[0]
    assert (entry.status, entry.recent, entry.evidence, entry.good_probes) == ("active", [], (), [])
    assert entry.examined == 0


def test_a_match_that_a_bot_was_suspended_for_long_ago_counts_no_more() -> None:
    state = ladder(bot("ada"))
    for id in ("mat_1", "mat_2"):
        fold(state, decide.suspend(state, "a", ev.MatchFaults(id, 21, 0)))
        fold(state, [ev.EntryReinstated("a", ())])

    assert decide.suspend(state, "a", ev.MatchFaults("mat_1", 21, 0)) == []
    assert decide.suspend(state, "a", ev.MatchFaults("mat_2", 21, 0)) == []


def test_a_bad_probe_leaves_it_suspended() -> None:
    state = opened(suspended(), (0, STAND_IN), purpose="probe")

    assert len(decide.finish_block(state, 2, 1, (result("mat_1"), result("mat_2", (0, 1))))) == 1


def test_results_of_probes_are_not_rated() -> None:
    state = opened(suspended(), (0, STAND_IN), purpose="probe")
    fold(state, decide.finish_block(state, 2, 1, TWO))

    assert [block.number for _, block in state.rated_blocks(1)] == [1]
