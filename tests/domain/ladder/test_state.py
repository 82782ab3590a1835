"""The state of a ladder has what was recorded, and nothing before it was."""

from domain.ladder import decide
from domain.ladder import events as ev
from domain.ladder.events import MatchFaults, SequentialTest
from domain.ladder.state import fold, initial_state
from tests.domain.ladder.decided import CONFIG, TWO, bot, given, ladder, opened, strategy

TEST = SequentialTest(0, 1, 0, 20, 1, 1, 400)


def test_a_ladder_before_its_first_event_has_nothing() -> None:
    state = initial_state()

    assert (state.version, state.name, state.owner, state.season, state.next_block) == (0, "", "", 0, 1)
    assert (state.configs, state.digests, state.entries, state.numbers, state.rounds) == ([], [], [], {}, [])


def test_a_ladder_has_its_name_its_owner_and_as_many_versions_as_events() -> None:
    state = given(ev.LadderCreated("Quick", "acc_1", CONFIG), ev.SeasonOpened(1, CONFIG, "sha-256:00"))

    assert (state.version, state.name, state.owner, state.config) == (2, "Quick", "acc_1", CONFIG)
    assert (state.season, state.configs, state.digests) == (1, [CONFIG], ["sha-256:00"])


def test_an_entry_begins_active_without_faults_probes_or_suspension() -> None:
    (entry,) = ladder(bot("ada")).entries

    assert (entry.number, entry.id, entry.name, entry.owner) == (0, "a", "ada", "service")
    assert (entry.status, entry.removed_for) == ("active", "")
    assert (entry.recent, entry.evidence, entry.judged, entry.good_probes) == ([], (), frozenset(), [])


def test_a_round_has_what_it_was_opened_with_and_no_end_yet() -> None:
    state = given(ev.RoundOpened(1, 1, "test", 1, ((0, 1), (1, 0)), 1000, "job_1", TEST))
    (round,) = state.rounds

    assert (round.number, round.season, round.purpose, round.first_block) == (1, 1, "test", 1)
    assert (round.opened_at_ms, round.job, round.test) == (1000, "job_1", TEST)
    assert [(block.number, block.table, block.attempt) for block in round.blocks] == [
        (1, (0, 1), 1),
        (2, (1, 0), 1),
    ]
    assert (round.status, round.stopped_for, round.decision) == ("running", "", "")
    assert (round.public_value, round.value, round.seed, round.left) == (None, "", "", {1, 2})


def test_a_round_that_is_over_has_the_decision_of_its_test() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1), purpose="test")
    fold(state, [ev.RoundFinished(1, "better")])

    assert (state.rounds[0].status, state.rounds[0].decision) == ("finished", "better")


def test_a_block_belongs_to_the_round_that_opened_it_and_there_is_none_after_the_last() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1), (1, 0))
    opened(state, (0, 1), purpose="test")
    rounds = [state.round_of(number) for number in range(5)]

    assert [round and round.number for round in rounds] == [None, 1, 1, 2, None]
    assert [block and block.number for block in map(state.block, range(5))] == [None, 1, 2, 3, None]


def test_a_block_that_is_finished_has_the_attempt_that_was_recorded() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1))
    fold(state, [ev.BlockFinished(1, 2, TWO)])

    assert (state.rounds[0].blocks[0].attempt, state.rounds[0].blocks[0].results) == (2, TWO)


def test_the_matches_of_bots_alone_are_noted() -> None:
    state = opened(ladder(bot("ada"), strategy("random")), (0, 1))
    fold(state, decide.finish_block(state, 1, 1, TWO))

    assert state.entries[0].recent == [MatchFaults("mat_1", 0, 0), MatchFaults("mat_2", 0, 0)]
    assert state.entries[1].recent == []


def test_the_finished_blocks_of_a_season_are_those_of_its_rated_rounds_with_results() -> None:
    state = opened(ladder(strategy("greedy"), strategy("random")), (0, 1), (1, 0))
    assert state.finished_blocks(1) == 0
    fold(state, decide.finish_block(state, 1, 1, TWO))
    assert [state.finished_blocks(season) for season in (0, 1, 2)] == [0, 1, 0]

    fold(state, decide.finish_block(state, 2, 1, TWO))
    opened(state, (0, 1), (1, 0), (0, 1), purpose="test")
    for block in (3, 4, 5):
        fold(state, decide.finish_block(state, block, 1, TWO))
    assert [state.finished_blocks(season) for season in (0, 1, 2)] == [0, 2, 0]
