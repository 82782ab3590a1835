"""Rounds of built-in players: whole matches by jobs, each block once, whatever happens in between."""

import pytest

from domain.ladder import decide
from domain.ladder.events import BlockVoided, RoundStopped
from domain.match.commands import AbortMatch
from domain.match.state import RUNNING
from events import MemoryStore, RedisStore
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladders
from events.store import keys
from tests.workers.kit import Place
from tests.workers.ladder_kit import A_LITTLE, QUICK, Ladder, _begin, recorded
from workers.ladders import blocks, claims
from workers.ladders.context import RoundLimits
from workers.ladders.round_job import play_round
from workers.queue.claims import Claims
from workers.turns import decisions


def test_a_round_is_played_to_its_end_and_every_match_verifies(ladder: Ladder) -> None:
    ladder.open((0, 1), (1, 2), (2, 0), (0, 1))
    round = ladder.play_to_the_end()
    assert [len(block.results) for block in round.blocks] == [2, 2, 2, 2]
    ladder.assert_whole()
    assert len(ladder.matches()) == 8


@pytest.mark.parametrize(("ruleset", "seats"), [("harbor", 5), ("machi_koro_2", 3)])
def test_every_ruleset_and_number_of_seats_is_played(place: Place, ruleset: str, seats: int) -> None:
    ladder = Ladder(place, seats, ruleset)
    ladder.enter(*["random"] * seats)
    ladder.open(tuple(range(seats)))
    ladder.play_to_the_end()
    ladder.assert_whole()
    names = [ladder.place.latest(id).state.controllers for id in ladder.match_ids(ladder.round().blocks[0])]
    assert len(names) == seats


def test_in_each_rotation_the_table_sits_one_seat_further(place: Place) -> None:
    ladder = Ladder(place, 3)
    ladder.enter("random", "landmark_first", "greedy")
    round = ladder.open((0, 1, 2))
    ladder.play_to_the_end()
    for rotation, match_id in enumerate(ladder.match_ids(round.blocks[0])):
        state = place.latest(match_id).state
        seated = [taken.id for taken in state.controllers if taken]
        table = ["random", "landmark_first", "greedy"]
        assert seated == [*table[rotation:], *table[:rotation]]
        assert state.first_seat == 0
        assert (state.created.tags, state.created.visibility) == ((ladder.id,), "public")


def test_a_match_played_whole_is_the_one_that_is_played_turn_by_turn(ladder: Ladder) -> None:
    round = ladder.open((0, 2))
    ladder.play_to_the_end()
    place = ladder.place
    elsewhere = place.new_matches(store=MemoryStore())
    for rotation, match_id in enumerate(ladder.match_ids(round.blocks[0])):
        command = blocks.creation(ladder.state, ladder.id, round, round.blocks[0], rotation)
        elsewhere.append_many([elsewhere.creation(command, match_id, "create")])
        while (loaded := elsewhere.load(match_id)).state.status == RUNNING:
            turn_by_turn = decisions.TurnLimits(seconds=0.0, decisions=1)
            decisions.play(elsewhere, [(match_id, loaded.version)], turn_by_turn)
        events = [(one.type, one.data) for one in elsewhere.history.events(match_id, 0, 10_000)]
        assert events == [(one.type, one.data) for one in place.all_events(match_id)]


def test_nothing_is_begun_while_a_round_is_stopped_and_it_goes_on_when_it_is_resumed(ladder: Ladder) -> None:
    ladder.open((0, 1))
    ladder.do(lambda state: decide.stop_round(state, 1, "command"))
    assert Ladders(RedisStore(ladder.place.client)).active() == []
    assert ladder.play().matches == 0
    assert ladder.matches() == set()
    ladder.do(lambda state: decide.resume_round(state, 1))
    assert Ladders(RedisStore(ladder.place.client)).active() == [ladder.id]
    ladder.play_to_the_end()
    ladder.assert_whole()


def test_a_match_that_takes_longer_than_a_job_is_handed_on_from_job_to_job(ladder: Ladder) -> None:
    ladder.open((2, 1))
    ladder.play(limits=A_LITTLE)
    (match_id,) = ladder.matches()
    begun = ladder.place.latest(match_id)
    assert begun.state.status == RUNNING
    ladder.play(limits=A_LITTLE)
    assert ladder.matches() == {match_id}
    assert ladder.place.latest(match_id).version > begun.version
    ladder.play_to_the_end()
    ladder.assert_whole()


def test_a_match_that_no_job_goes_on_with_is_played_on_as_any_other(ladder: Ladder) -> None:
    """The sweep finds it when its time is over."""
    ladder.open((0, 1))
    ladder.play(limits=A_LITTLE)
    (match_id,) = ladder.matches()
    assert [match for match, _ in ladder.place.outbox.due_before(1 << 50)] == [match_id]


def _begin_and_call_off(ladder: Ladder) -> None:
    ladder.place.matches.execute(_begin(ladder), AbortMatch(), "account:acc_owner")


def test_a_match_that_was_called_off_voids_its_block_which_is_begun_again(ladder: Ladder) -> None:
    ladder.open((0, 1))
    _begin_and_call_off(ladder)
    ladder.play_to_the_end()
    (voided,) = recorded(ladder, BlockVoided)
    assert (voided.block, voided.attempt, voided.reason, voided.is_final) == (1, 1, "match_aborted", False)
    assert ladder.round().blocks[0].attempt == 2
    ladder.assert_whole()


def test_after_three_attempts_a_block_is_given_up_and_the_round_ends(ladder: Ladder) -> None:
    ladder.open((0, 1))
    for _ in range(3):
        _begin_and_call_off(ladder)
        ladder.play(limits=RoundLimits(decisions=0, live_s=0.0))
    assert [one.is_final for one in recorded(ladder, BlockVoided)] == [False, False, True]
    round = ladder.play_to_the_end()
    assert (round.finished_blocks, round.blocks[0].is_given_up) == (0, True)


def test_a_round_whose_rules_are_no_more_is_stopped_and_says_why(place: Place) -> None:
    ladder = Ladder(place, rules_digest="sha-256:" + "00" * 32)
    ladder.enter("random", "greedy")
    ladder.open((0, 1))
    ladder.play()
    assert [one.reason for one in recorded(ladder, RoundStopped)] == ["rules_gone"]
    assert ladder.matches() == set()


def test_a_round_is_finished_only_when_the_table_with_all_its_results_was_saved(ladder: Ladder) -> None:
    ladder.open((0, 1), (1, 2), (2, 0))
    ladder.play_to_the_end()
    published = ladder_tables.load(ladder.place.client, ladder.id, 1)
    assert published is not None
    assert published.table is not None
    assert published.crosstable is not None
    assert (published.season, published.blocks, published.table["matches"]) == (1, 3, 6)
    assert sum(one["wins"] for one in published.table["standings"]) == 6
    assert {one.entry: one.matches for one in published.live} == {"ent_0": 4, "ent_1": 4, "ent_2": 4}


def test_a_table_that_was_lost_is_computed_anew_before_the_round_ends(ladder: Ladder) -> None:
    ladder.open((0, 1), (1, 2))
    Claims(ladder.place.queue_client).take(claims.tables(ladder.id, 1), 60_000)
    ladder.play()
    assert ladder.round().finished_blocks == 2
    ladder.place.client.delete(keys.ladder_tables(ladder.id))
    ladder.place.queue_client.flushall()
    ladder.play_to_the_end()
    published = ladder_tables.load(ladder.place.client, ladder.id, 1)
    assert published is not None
    assert published.blocks == 2


def test_the_live_rating_is_the_same_however_often_it_was_brought_up_to_date(place: Place) -> None:
    ladder = Ladder(place)
    ladder.enter("greedy", "random")
    ladder.open(*[(0, 1)] * 4)
    for _ in range(10):
        ladder.play(limits=RoundLimits(seconds=0.02, live_s=0.0, table_s=1000.0))
    ladder.play_to_the_end()
    once = ladder_tables.load(place.client, ladder.id, 1)
    place.client.delete(keys.ladder_tables(ladder.id))
    ladder.open((0, 1))
    ladder.play_to_the_end(2)
    after = ladder_tables.load(place.client, ladder.id, 1)
    assert once is not None
    assert after is not None
    assert [one.entry for one in once.live] == ["ent_0", "ent_1"]
    assert after.live[0].matches == once.live[0].matches + 2


def test_luck_is_told_in_thousandths_of_a_coin_and_sums_to_nothing(place: Place) -> None:
    ladder = Ladder(place, 3, luck="coins")
    ladder.enter("random", "landmark_first", "random")
    ladder.open((0, 1, 2))
    ladder.play_to_the_end()
    for result in ladder.round().blocks[0].results:
        assert result.luck_coins is not None
        assert result.luck_wins is None
        assert sum(result.luck_coins) == 0
        assert any(result.luck_coins)


def test_a_round_that_is_not_there_is_left_alone(ladder: Ladder) -> None:
    assert play_round(ladder.worker(QUICK), ladder.id, 7).matches == 0


@pytest.mark.long
def test_a_job_ends_when_people_wait_and_the_next_one_goes_on(ladder: Ladder) -> None:
    ladder.open((0, 1), (1, 2), (2, 0))
    asked: list[None] = []

    def people_wait() -> bool:
        asked.append(None)
        return len(asked) >= 20

    ladder.play(limits=RoundLimits(seconds=60.0, overtime_s=60.0), people_wait=people_wait)
    (begun,) = ladder.matches()
    events = ladder.place.all_events(begun)
    decisions = {event.command_id for event in events if event.actor.startswith("seat:")}
    assert len(decisions) == 20
    ladder.play_to_the_end()
    ladder.assert_whole()


@pytest.mark.long
def test_a_round_comes_to_its_end_though_people_wait_all_the_time(ladder: Ladder) -> None:
    ladder.open((0, 1))
    before = 0
    while ladder.round().left:
        ladder.play(people_wait=lambda: True)
        played = sum([ladder.place.matches.load(match_id).state.version for match_id in ladder.matches()])
        assert played > before or not ladder.round().left
        before = played
