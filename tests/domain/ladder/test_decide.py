"""What may happen in a ladder: given events, when something is wanted, then events or a refusal."""

import msgspec
import pytest

from domain.ladder import decide
from domain.ladder import events as ev
from domain.ladder.config import LadderConfig, RatingRules, Suspension, digest
from domain.ladder.events import STAND_IN
from domain.ladder.state import APPLY, fold
from domain.match.events import Options
from tests.domain.ladder.decided import CONFIG, TWO, bot, ladder, opened, refused, result, strategy, suspended


def test_every_event_type_changes_the_state() -> None:
    assert set(APPLY) == set(ev.REGISTRY.values())


def test_every_event_is_named_as_it_is_stored() -> None:
    finished = ev.RoundFinished(1)

    assert ev.type_name(finished) == "round_finished" == msgspec.to_builtins(finished)[0]


def test_a_ladder_is_made_for_a_method_of_rating_that_is_known() -> None:
    assert decide.create("Open", "acc_1", CONFIG) == [ev.LadderCreated("Open", "acc_1", CONFIG)]

    other = msgspec.structs.replace(CONFIG, rating=RatingRules(method="of tomorrow"))
    with refused("validation_failed") as refusal:
        decide.create("Open", "acc_1", other)
    assert refusal.value.pointer == "/rating/method"


def test_the_first_round_opens_the_first_season_and_freezes_its_configuration() -> None:
    state = ladder(strategy("greedy"), strategy("random"))

    season, opening = decide.open_round(state, "rated", [(0, 1)], 1000, "job_1")

    assert season == ev.SeasonOpened(1, CONFIG, digest(CONFIG))
    assert isinstance(opening, ev.RoundOpened)
    assert (opening.season, opening.first_block, opening.tables) == (1, 1, ((0, 1),))


def test_a_round_has_one_to_so_many_blocks() -> None:
    state = ladder(strategy("greedy"), strategy("random"))
    for tables in ([], [(0, 1)] * (decide.MOST_BLOCKS + 1)):
        with refused("validation_failed") as refusal:
            decide.open_round(state, "rated", tables, 1000, "job_1")
        assert refusal.value.pointer == "/blocks"

    assert decide.open_round(state, "rated", [(0, 1)] * decide.MOST_BLOCKS, 1000, "job_1")


def test_a_round_names_its_test_and_the_table_that_refined_it() -> None:
    state = ladder(strategy("greedy"), strategy("random"))
    test = ev.SequentialTest(0, 1, 0, 20, 1, 1, 400)

    opening = decide.open_round(state, "test", [(0, 1)], 1000, "job_1", test, 7)[-1]

    assert opening == ev.RoundOpened(1, 1, "test", 1, ((0, 1),), 1000, "job_1", test, 7)


def test_nobody_stands_in_where_it_is_rated() -> None:
    state = ladder(strategy("greedy"), strategy("random"))
    assert decide.open_round(state, "test", [(0, STAND_IN)], 1000, "job_1")

    with pytest.raises(AssertionError, match="nobody stands in where it counts"):
        decide.open_round(state, "rated", [(0, STAND_IN)], 1000, "job_1")


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

    with refused("round_running") as refusal:
        decide.open_round(state, "rated", [(0, 1)], 2000, "job_2")
    assert refusal.value.detail == "another rated round is not finished"


def test_the_refusal_for_a_stopped_round_says_how_to_go_on() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    fold(state, decide.finish_block(state, 1, 1, TWO))
    fold(state, decide.stop_round(state, 1, "command"))

    with refused("round_running") as refusal:
        decide.open_round(state, "rated", [(0, 1)], 2000, "job_2")
    assert refusal.value.detail == (
        "rated round 1 is stopped: resume its job, job_1, or open the next season, which ends it"
    )


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


def test_a_block_is_given_up_at_once_where_one_of_its_entries_is_gone() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))

    for reason in ("entry_suspended", "entry_removed"):
        assert decide.void_block(state, 1, 1, reason, "b") == [ev.BlockVoided(1, 1, reason, "b", True)]


def test_each_rotation_moves_the_table_one_seat() -> None:
    block = opened(ladder(strategy("greedy"), strategy("random")), (0, 1)).rounds[0].blocks[0]

    assert [block.seats(rotation) for rotation in (0, 1)] == [(0, 1), (1, 0)]


def test_no_two_entries_have_one_name() -> None:
    with refused("already_entered") as refusal:
        decide.add_entry(ladder(strategy("greedy")), "z", strategy("greedy"), "greedy", "service")
    assert refusal.value.pointer == "/name"


def test_a_strategy_may_take_part_under_two_names() -> None:
    entered = decide.add_entry(ladder(strategy("greedy")), "z", strategy("greedy"), "twin", "service")

    assert entered == [ev.EntryAdded("z", strategy("greedy"), "twin", "service")]


def test_a_version_of_a_bot_enters_once() -> None:
    with refused("already_entered") as refusal:
        decide.add_entry(ladder(bot("ada")), "z", bot("ada"), "another name", "acc_ada")
    assert refusal.value.pointer == "/version"


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


def test_no_match_begins_at_a_table_of_who_was_removed_or_suspended_unless_it_is_probed() -> None:
    state = suspended()
    assert {decide.unseatable(state, (1, 0), purpose) for purpose in ("rated", "test")} == {"entry_suspended"}
    assert decide.unseatable(state, (0, STAND_IN), "probe") == ""

    fold(state, decide.remove_entry(state, "b", "command"))
    assert decide.unseatable(state, (0, 1), "rated") == "entry_removed"
    assert decide.unseatable(state, (0, STAND_IN), "probe") == ""


def test_a_bot_that_has_withdrawn_is_entered_again_by_nobody_but_itself() -> None:
    state = ladder(bot("ada"), bot("bob"))
    removal = decide.withdraw(state, "a", "acc_ada")
    fold(state, removal)

    assert removal == [ev.EntryRemoved("a", "withdrawn")]
    with refused("entry_not_active") as refusal:
        decide.require_consent(state, bot("ada", "2"), "acc_1")
    assert refusal.value.pointer == "/bot"
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


def test_a_round_is_stopped_and_resumed() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    fold(state, decide.stop_round(state, 1, "command"))
    assert state.rounds[0].status == "stopped"
    assert decide.stop_round(state, 1, "command") == []

    fold(state, decide.resume_round(state, 1))

    assert state.rounds[0].status == "running"


def test_of_two_rounds_the_one_that_is_named_is_stopped_and_resumed() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    opened(state, (0, 1), purpose="test")

    for number in (1, 2):
        stopped = decide.stop_round(state, number, f"reason {number}")
        assert stopped == [ev.RoundStopped(number, f"reason {number}")]
        fold(state, stopped)
    assert [round.stopped_for for round in state.rounds] == ["reason 1", "reason 2"]

    assert decide.resume_round(state, 1) == [ev.RoundResumed(1)]
    fold(state, decide.resume_round(state, 1))
    assert [round.status for round in state.rounds] == ["running", "stopped"]
    assert [round.stopped_for for round in state.rounds] == ["", "reason 2"]
    assert decide.resume_round(state, 1) == decide.stop_round(state, 2, "again") == []
    fold(state, decide.resume_round(state, 2))
    assert [round.status for round in state.rounds] == ["running", "running"]


def test_a_finished_round_is_neither_stopped_nor_resumed() -> None:
    state = suspended()
    opened(state, (0, STAND_IN), purpose="probe")

    with refused("job_finished"):
        decide.stop_round(state, 1, "command")
    with refused("job_finished"):
        decide.resume_round(state, 1)


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
    events = decide.finish_round(state, 1, "better")
    assert events == [ev.RoundFinished(1, "better")]
    fold(state, events)

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
    assert (twin.configs, twin.digests) == (state.configs, state.digests)
    fold(twin, [ev.SeasonOpened(2, CONFIG, "sha-256:01")])
    assert (len(state.configs), len(state.digests)) == (1, 1)
