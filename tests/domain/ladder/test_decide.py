"""What may happen in a ladder: given events, when something is wanted, then events or a refusal."""

import msgspec
import pytest

from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder import events as ev
from domain.ladder.config import LadderConfig, Suspension, digest
from domain.ladder.events import STAND_IN, EntryPlayer, Event, MatchResult, PublicValue
from domain.ladder.state import APPLY, LadderState, fold, initial_state
from domain.match.chance import commitment
from domain.match.events import Options

CONFIG = LadderConfig("base", "base@1", "sha-256:00", Options(), 2, "ab" * 32, suspension=Suspension(4, 1, 2))


def strategy(name: str) -> EntryPlayer:
    return EntryPlayer("strategy", name, "1")


def bot(name: str, version: str = "1") -> EntryPlayer:
    return EntryPlayer("bot", name, version, f"acc_{name}")


def given(*events: Event) -> LadderState:
    return fold(initial_state(), events)


def ladder(*players: EntryPlayer) -> LadderState:
    """A ladder with these entries, called a, b and so on."""
    state = given(ev.LadderCreated("Quick", "acc_1", CONFIG))
    for place, player in enumerate(players):
        fold(state, decide.add_entry(state, "abcdef"[place], player, player.name, "service"))
    return state


def opened(state: LadderState, *tables: tuple[int, ...], purpose: str = "rated") -> LadderState:
    return fold(state, decide.open_round(state, purpose, tables, 1000, "job_1"))


def result(match_id: str = "mat_1", timeouts: tuple[int, ...] = (0, 0)) -> MatchResult:
    return MatchResult(match_id, 0, 30, 200, "sha-256:aa", timeouts, (0, 0))


TWO = (result("mat_1"), result("mat_2"))


def refused(code: str) -> pytest.RaisesExc[RuleViolation]:
    return pytest.RaisesExc(RuleViolation, check=lambda violation: violation.code == code)


def test_every_event_type_changes_the_state() -> None:
    assert set(APPLY) == set(ev.REGISTRY.values())


def test_the_first_round_opens_the_first_season_and_freezes_its_configuration() -> None:
    state = ladder(strategy("greedy"), strategy("random"))

    season, opening = decide.open_round(state, "rated", [(0, 1)], 1000, "job_1")

    assert season == ev.SeasonOpened(1, CONFIG, digest(CONFIG))
    assert isinstance(opening, ev.RoundOpened)
    assert (opening.season, opening.first_block, opening.tables) == (1, 1, ((0, 1),))


def test_blocks_are_counted_through_the_whole_ladder() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1), (1, 0))
    for number in (1, 2):
        fold(state, decide.finish_block(state, number, 1, TWO))
    fold(state, decide.finish_round(state, 1))

    assert decide.open_round(state, "rated", [(0, 1)], 2000, "job_2")[0] == ev.RoundOpened(
        2, 1, "rated", 3, ((0, 1),), 2000, "job_2"
    )


def test_a_round_waits_for_the_one_before() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))

    with refused("round_running"):
        decide.open_round(state, "rated", [(0, 1)], 2000, "job_2")


def test_a_block_that_is_finished_twice_is_finished_once() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    fold(state, decide.finish_block(state, 1, 1, TWO))

    assert decide.finish_block(state, 1, 1, TWO) == []
    assert decide.void_block(state, 1, 1, "service_fault", "") == []


def test_results_of_an_attempt_that_was_voided_do_not_count() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    fold(state, decide.void_block(state, 1, 1, "service_fault", "the store was away"))

    assert decide.finish_block(state, 1, 1, TWO) == []
    assert decide.finish_block(state, 1, 2, TWO) == [ev.BlockFinished(1, 2, TWO)]


def test_a_block_is_given_up_after_three_attempts() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    for attempt in (1, 2, 3):
        assert state.rounds[0].left == {1}
        fold(state, decide.void_block(state, 1, attempt, "service_fault", ""))

    assert not state.rounds[0].left
    assert decide.finish_round(state, 1) == [ev.RoundFinished(1)]


def test_each_rotation_moves_the_table_one_seat() -> None:
    block = opened(ladder(strategy("greedy"), strategy("random")), (0, 1)).rounds[0].blocks[0]

    assert [block.seats(rotation) for rotation in (0, 1)] == [(0, 1), (1, 0)]


def test_no_two_entries_have_one_name() -> None:
    with refused("already_entered"):
        decide.add_entry(ladder(strategy("greedy")), "z", strategy("greedy"), "greedy", "service")


def test_a_strategy_may_take_part_under_two_names() -> None:
    entered = decide.add_entry(ladder(strategy("greedy")), "z", strategy("greedy"), "twin", "service")

    assert entered == [ev.EntryAdded("z", strategy("greedy"), "twin", "service")]


def test_a_version_of_a_bot_enters_once() -> None:
    with refused("already_entered"):
        decide.add_entry(ladder(bot("ada")), "z", bot("ada"), "another name", "acc_ada")


def test_a_new_version_of_a_bot_takes_the_place_of_the_one_before() -> None:
    events = decide.add_entry(ladder(bot("ada")), "z", bot("ada", "2"), "ada", "acc_ada")

    assert events == [
        ev.EntryRemoved("a", "new_version"),
        ev.EntryAdded("z", bot("ada", "2"), "ada", "acc_ada"),
    ]


def test_no_version_of_a_bot_comes_twice() -> None:
    state = ladder(bot("ada"))
    fold(state, decide.add_entry(state, "y", bot("ada", "2"), "ada", "acc_ada"))

    with refused("already_entered"):
        decide.add_entry(state, "z", bot("ada"), "ada", "acc_ada")


def test_a_new_version_makes_room_for_itself() -> None:
    state = ladder(bot("ada"))
    for number in range(1, decide.MOST_ENTRIES):
        fold(state, decide.add_entry(state, f"s{number}", strategy("greedy"), f"greedy {number}", "service"))

    assert decide.add_entry(state, "z", bot("ada", "2"), "ada", "acc_ada")
    with refused("too_many_entries"):
        decide.add_entry(state, "z", bot("bob"), "bob", "acc_bob")


def test_who_is_removed_is_not_seated() -> None:
    state = ladder(strategy("greedy"), strategy("random"))
    fold(state, decide.remove_entry(state, "b", "command"))

    with refused("entry_not_active"):
        decide.open_round(state, "rated", [(0, 1)], 1000, "job_1")
    assert decide.unseatable(state, (0, 1), "rated") == "entry_removed"


def test_a_bot_that_has_withdrawn_is_entered_again_by_nobody_but_itself() -> None:
    state = ladder(bot("ada"), bot("bob"))
    removal = decide.withdraw(state, "a", "acc_ada")
    fold(state, removal)

    assert removal == [ev.EntryRemoved("a", "withdrawn")]
    with refused("entry_not_active"):
        decide.require_consent(state, bot("ada", "2"), "acc_1")
    decide.require_consent(state, bot("ada", "2"), "acc_ada")


def test_a_bot_that_the_owner_took_out_may_be_entered_again_by_the_owner() -> None:
    state = ladder(bot("ada"))
    removal = decide.withdraw(state, "a", "acc_1")
    fold(state, removal)

    assert removal == [ev.EntryRemoved("a", "command")]
    decide.require_consent(state, bot("ada", "2"), "acc_1")


def test_a_bot_may_withdraw_after_the_owner_took_it_out_and_says_so_once() -> None:
    state = ladder(bot("ada"))
    fold(state, decide.withdraw(state, "a", "acc_1"))
    fold(state, decide.withdraw(state, "a", "acc_ada"))

    with refused("entry_not_active"):
        decide.require_consent(state, bot("ada", "2"), "acc_1")
    assert decide.withdraw(state, "a", "acc_ada") == []
    assert decide.withdraw(state, "a", "acc_1") == []


def test_who_enters_itself_again_may_be_entered_by_the_owner_from_then_on() -> None:
    state = ladder(bot("ada"))
    fold(state, decide.withdraw(state, "a", "acc_ada"))
    fold(state, decide.add_entry(state, "z", bot("ada", "2"), "ada", "acc_ada"))

    assert decide.withdraw(state, "a", "acc_ada") == []
    decide.require_consent(state, bot("ada", "3"), "acc_1")


def test_more_faults_than_allowed_suspend_a_bot_with_the_evidence() -> None:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    late = (result("mat_1", (1, 0)), result("mat_2", (0, 2)))

    events = decide.finish_block(state, 1, 1, late)

    assert events == [
        ev.BlockFinished(1, 1, late),
        ev.EntrySuspended("a", (ev.MatchFaults("mat_1", 1, 0), ev.MatchFaults("mat_2", 2, 0)), 2),
    ]


def test_faults_of_a_strategy_suspend_nobody() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    late = (result("mat_1", (1, 0)), result("mat_2", (0, 1)))

    assert decide.finish_block(state, 1, 1, late) == [ev.BlockFinished(1, 1, late)]


def suspended() -> LadderState:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    late = (result("mat_1", (1, 0)), result("mat_2", (0, 2)))
    fold(state, decide.finish_block(state, 1, 1, late))
    return fold(state, decide.finish_round(state, 1))


def test_a_new_version_of_a_suspended_bot_is_suspended() -> None:
    state = suspended()
    evidence = state.entries[0].evidence

    events = decide.add_entry(state, "z", bot("ada", "2"), "ada", "acc_ada")

    assert events[-1] == ev.EntrySuspended("z", evidence, 2)
    assert fold(state, events).entries[2].status == "suspended"


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


def test_the_matches_of_a_block_that_does_not_count_are_named() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))

    assert decide.void_block(state, 1, 1, "match_aborted", "", ["mat_1"]) == [
        ev.BlockVoided(1, 1, "match_aborted", "", False, ("mat_1",))
    ]


def test_good_probes_bring_a_suspended_bot_back() -> None:
    state = opened(suspended(), (0, STAND_IN), purpose="probe")

    events = decide.finish_block(state, 2, 1, TWO)

    assert events[1:] == [ev.EntryReinstated("a", ("mat_1", "mat_2"))]
    assert fold(state, events).entries[0].status == "active"
    assert state.entries[0].recent == []


def test_a_bad_probe_leaves_it_suspended() -> None:
    state = opened(suspended(), (0, STAND_IN), purpose="probe")

    assert len(decide.finish_block(state, 2, 1, (result("mat_1"), result("mat_2", (0, 1))))) == 1


def test_results_of_probes_are_not_rated() -> None:
    state = opened(suspended(), (0, STAND_IN), purpose="probe")
    fold(state, decide.finish_block(state, 2, 1, TWO))

    assert [block.number for _, block in state.rated_blocks(1)] == [1]


def test_a_round_is_stopped_and_resumed() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    fold(state, decide.stop_round(state, 1, "command"))
    assert state.rounds[0].status == "stopped"
    assert decide.stop_round(state, 1, "command") == []

    fold(state, decide.resume_round(state, 1))

    assert state.rounds[0].status == "running"


def test_a_finished_round_cannot_be_stopped() -> None:
    state = suspended()

    with refused("job_finished"):
        decide.stop_round(state, 1, "command")


def test_a_new_season_has_a_configuration_of_its_own() -> None:
    state = suspended()
    other = LadderConfig("base", "base@1", "sha-256:00", Options(), 2, "cd" * 32)
    fold(state, decide.open_season(state, other))

    assert (state.season, state.configs, list(state.rated_blocks(2))) == (2, [CONFIG, other], [])


def test_a_new_season_ends_what_was_stopped() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    with refused("round_running"):
        decide.open_season(state, CONFIG)
    fold(state, decide.stop_round(state, 1, "value_function_gone"))

    events = decide.open_season(state, CONFIG)

    assert events == [ev.RoundFinished(1), ev.SeasonOpened(2, CONFIG, digest(CONFIG))]


def test_a_round_that_is_over_gets_no_more_results() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1), (1, 0), purpose="test")
    fold(state, decide.finish_round(state, 1, "better"))

    assert decide.finish_block(state, 1, 1, TWO) == []
    assert decide.void_block(state, 1, 1, "service_fault", "") == []


def test_a_bot_has_a_bounded_number_of_versions() -> None:
    state = ladder()
    for version in range(decide.MOST_VERSIONS):
        fold(state, decide.add_entry(state, f"v{version}", bot("ada", str(version)), "ada", "acc_ada"))

    with refused("too_many_entries"):
        decide.add_entry(state, "z", bot("ada", "new"), "ada", "acc_ada")


def test_good_probes_count_in_a_row_alone() -> None:
    state = suspended()
    good, bad = (result("mat_1"), result("mat_2")), (result("mat_1", (1, 0)), result("mat_2", (0, 1)))
    state.config = msgspec.structs.replace(CONFIG, suspension=Suspension(4, 1, 3))
    for number, (block, results) in enumerate([(2, good), (3, bad), (4, good)], 2):
        opened(state, (0, STAND_IN), purpose="probe")
        fold(state, decide.finish_block(state, block, 1, results))
        fold(state, decide.finish_round(state, number))

    assert state.entries[0].status == "suspended"
    opened(state, (0, STAND_IN), purpose="probe")
    assert len(decide.finish_block(state, 5, 1, good)) == 2


def test_a_copy_shares_nothing_that_can_change() -> None:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1), (1, 0))
    twin = state.copy()
    fold(twin, decide.finish_block(twin, 1, 1, TWO))
    fold(twin, decide.remove_entry(twin, "a", "command"))

    assert state.rounds[0].left == {1, 2}
    assert not state.rounds[0].blocks[0].results
    assert state.entries[0].status == "active"
    assert state.entries[0].recent == []


SEED = bytes(range(32))
OPENED_MS = 1_700_000_000_000
PINNED = PublicValue("drand round 7", OPENED_MS + 60_000, commitment(SEED), "k1")


def waiting(pinned: PublicValue = PINNED) -> LadderState:
    """A ladder whose first round waits for its public value."""
    state = ladder(strategy("greedy"), strategy("random"))
    return fold(state, decide.open_round(state, "rated", [(0, 1)], OPENED_MS, "job_1", public_value=pinned))


def recorded(state: LadderState) -> LadderState:
    return fold(state, decide.record_value(state, 1, "5f", PINNED.at_ms))


@pytest.mark.parametrize("wait_ms", [0, 59_999, 30 * 86_400_000 + 1])
def test_a_round_is_not_bound_to_a_value_that_comes_too_soon_or_too_late(wait_ms: int) -> None:
    with refused("validation_failed") as refusal:
        waiting(msgspec.structs.replace(PINNED, at_ms=OPENED_MS + wait_ms))

    assert refusal.value.pointer == "/public_value/at"


def test_a_round_that_is_bound_to_a_value_begins_nothing_before_it_is_recorded() -> None:
    state = waiting()
    assert (state.rounds[0].awaits_value, state.rounds[0].may_begin) == (True, False)

    assert decide.record_value(state, 1, "5f", PINNED.at_ms) == [
        ev.PublicValueRecorded(1, "5f", PINNED.at_ms)
    ]

    recorded(state)
    assert (state.rounds[0].awaits_value, state.rounds[0].may_begin) == (False, True)


def test_a_value_is_not_recorded_before_its_time() -> None:
    with refused("value_too_early"):
        decide.record_value(waiting(), 1, "5f", PINNED.at_ms - 1)


def test_a_value_is_recorded_once_and_never_changed() -> None:
    state = recorded(waiting())

    assert decide.record_value(state, 1, "5f", PINNED.at_ms + 1) == []
    with refused("no_value_awaited"):
        decide.record_value(state, 1, "60", PINNED.at_ms + 1)


def test_only_a_round_that_is_bound_to_a_value_takes_one() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))

    with refused("no_value_awaited"):
        decide.record_value(state, 1, "5f", PINNED.at_ms)
    with refused("round_not_found"):
        decide.record_value(state, 2, "5f", PINNED.at_ms)


def test_a_round_that_waits_for_its_value_is_stopped_and_resumed_as_any_other() -> None:
    state = waiting()
    fold(state, decide.stop_round(state, 1, "command"))
    recorded(state)
    assert not state.rounds[0].may_begin

    fold(state, decide.resume_round(state, 1))

    assert state.rounds[0].may_begin


def test_the_seed_of_a_round_is_revealed_right_behind_its_end() -> None:
    state = recorded(waiting())
    fold(state, decide.finish_block(state, 1, 1, TWO))

    events = decide.finish_round(state, 1, seed=SEED.hex())

    assert events == [ev.RoundFinished(1), ev.RoundSeedRevealed(1, SEED.hex())]
    assert fold(state, events).rounds[0].seed == SEED.hex()


def test_the_next_season_reveals_the_seed_of_a_stopped_round_and_ends_its_wait() -> None:
    state = waiting()
    fold(state, decide.stop_round(state, 1, "command"))

    events = decide.open_season(state, CONFIG, {1: SEED.hex()})

    assert events[:2] == [ev.RoundFinished(1), ev.RoundSeedRevealed(1, SEED.hex())]
    fold(state, events)
    with refused("no_value_awaited"):
        decide.record_value(state, 1, "5f", PINNED.at_ms)


def test_no_other_seed_is_revealed_than_the_one_that_was_committed_to() -> None:
    state = recorded(waiting())
    fold(state, decide.finish_block(state, 1, 1, TWO))

    with pytest.raises(AssertionError):
        decide.finish_round(state, 1, seed=bytes(32).hex())


def test_rounds_that_were_recorded_before_there_were_public_values_wait_for_nothing() -> None:
    written = ["round_opened", 1, 1, "rated", 1, [[0, 1]], 1000, "job_1"]
    for members in (written, [*written, None], [*written, None, 7]):
        event = msgspec.json.decode(msgspec.json.encode(members), type=Event)
        state = fold(ladder(strategy("greedy"), strategy("random")), [event])
        assert (state.rounds[0].public_value, state.rounds[0].may_begin) == (None, True)
