"""Rounds of built-in players: whole matches by jobs, each block once, whatever happens in between."""

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
import structlog

from domain.ladder import decide
from domain.ladder.events import BlockFinished, BlockVoided, EntryRemoved, RoundStopped
from domain.match.commands import AbortMatch
from domain.match.state import RUNNING
from events import MemoryStore, RedisStore, StoreUnavailable
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladders
from events.store import keys
from events.store.records import Append, Reply
from ops.servers import ROOT
from runtime import strategies
from runtime.strategies import STRATEGIES, Strategy
from tests.workers.kit import DEADLINE_S, Place
from tests.workers.ladder_kit import QUICK, Ladder, recorded
from workers.ladders import claims, dispatch, seats
from workers.ladders.claims import Claims
from workers.ladders.context import RoundLimits
from workers.ladders.rounds import RoundJob, work
from workers.turns import decisions

A_BLOCK_AT_A_TIME = RoundLimits(seconds=20.0, chunk_s=0.0)
A_LITTLE = RoundLimits(decisions=5, live_s=0.0)
"""A few decisions of a match."""


@pytest.fixture
def ladder(place: Place) -> Ladder:
    found = Ladder(place)
    found.enter("random", "landmark_first", "greedy")
    return found


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
        command = seats.creation(ladder.state, ladder.id, round, round.blocks[0], rotation)
        elsewhere.append_many([elsewhere.creation(command, match_id, "create")])
        while (loaded := elsewhere.load(match_id)).state.status == RUNNING:
            turn_by_turn = decisions.TurnLimits(seconds=0.0, decisions=1)
            decisions.play(elsewhere, [(match_id, loaded.version)], turn_by_turn)
        events = [(one.type, one.data) for one in elsewhere.history.events(match_id, 0, 10_000)]
        assert events == [(one.type, one.data) for one in place.all_events(match_id)]


def test_a_block_that_is_played_again_adds_nothing(ladder: Ladder) -> None:
    ladder.open((0, 1))
    jobs = [RoundJob(ladder.worker(), ladder.id, 1) for _ in range(2)]
    assert jobs[0].play().blocks == 1
    ladder.place.queue_client.flushall()
    version = {match_id: ladder.place.latest(match_id).version for match_id in ladder.matches()}
    jobs[1].play()
    assert len(recorded(ladder, BlockFinished)) == 1
    assert version == {match_id: ladder.place.latest(match_id).version for match_id in ladder.matches()}
    ladder.assert_whole()


def test_two_workers_at_once_play_no_block_twice(ladder: Ladder) -> None:
    ladder.open(*[(0, 1), (1, 0)] * 12)
    with ThreadPoolExecutor(2) as pool:
        counts = [*pool.map(lambda _: ladder.play(), range(8))]
    ladder.play_to_the_end()
    assert len(recorded(ladder, BlockFinished)) == 24
    assert sum(one.blocks for one in counts) <= 24
    assert len(ladder.matches()) == 48
    ladder.assert_whole()


def test_two_workers_without_claims_play_the_same_block_and_it_counts_once(ladder: Ladder) -> None:
    """As when the queue's Redis lost everything in between."""
    ladder.open((0, 1))
    first, second = [RoundJob(ladder.worker(), ladder.id, 1) for _ in range(2)]
    first._play_blocks(1e12)
    ladder.place.queue_client.flushall()
    second._play_blocks(1e12)
    assert len(recorded(ladder, BlockFinished)) == 1
    ladder.assert_whole()


class Killed(RedisStore):
    """The process dies right after its first append."""

    def append_many(self, appends: Sequence[Append]) -> list[Reply]:
        super().append_many(appends)
        raise StoreUnavailable("killed")


def test_matches_of_a_worker_that_was_killed_before_the_ladder_knew_are_found_and_counted_once(
    ladder: Ladder,
) -> None:
    ladder.open((0, 1), (1, 2))
    place = ladder.place
    with pytest.raises(StoreUnavailable):
        ladder.play(matches=place.new_matches(store=Killed(place.client)))
    made = ladder.matches()
    assert made
    assert recorded(ladder, BlockFinished) == []
    heads = {match_id: place.latest(match_id).head_hash for match_id in made}
    ladder.play_to_the_end()
    assert made <= ladder.matches()
    assert len(ladder.matches()) == 4
    assert heads == {match_id: place.latest(match_id).head_hash for match_id in made}
    assert len(recorded(ladder, BlockFinished)) == 2
    place.notary.note([place.latest(match_id) for match_id in made])  # as the relay sees to
    ladder.assert_whole()


class Waiting(RedisStore):
    """Its first append takes until further blocks are looked for."""

    def __init__(self, client: redis.Redis) -> None:
        super().__init__(client)
        self.looks = 0
        self.looked_again = threading.Event()
        self.was_in_time: list[bool] = []

    def are_members(self, key: str, members: Sequence[str]) -> list[bool]:
        self.looks += 1
        if self.looks > 1:
            self.looked_again.set()
        return super().are_members(key, members)

    def append_many(self, appends: Sequence[Append]) -> list[Reply]:
        self.was_in_time.append(self.looked_again.wait(DEADLINE_S))
        return super().append_many(appends)


def test_further_blocks_are_played_while_the_last_ones_are_stored(ladder: Ladder) -> None:
    ladder.open((0, 1), (1, 2), (2, 0))
    store = Waiting(ladder.place.client)
    ladder.play(matches=ladder.place.new_matches(store=store), limits=A_BLOCK_AT_A_TIME)
    assert store.was_in_time == [True, True, True]
    assert ladder.round().finished_blocks == 3
    ladder.assert_whole()


def test_a_job_that_fails_lets_go_of_the_blocks_that_it_did_not_come_to(ladder: Ladder) -> None:
    round = ladder.open(*[(0, 1)] * 4)
    matches = ladder.place.new_matches(store=Killed(ladder.place.client))
    job = RoundJob(ladder.worker(A_BLOCK_AT_A_TIME, matches), ladder.id, 1)
    job._claim_size = 4
    with pytest.raises(StoreUnavailable):
        job.play()
    names = [claims.block(ladder.id, block.number, 1) for block in round.blocks]
    assert Claims(ladder.place.queue_client).take_many(names) == [True] * 4


def test_blocks_that_a_job_did_not_come_to_are_free_when_it_ends(ladder: Ladder) -> None:
    round = ladder.open(*[(0, 1)] * 4)
    job = RoundJob(ladder.worker(RoundLimits(seconds=0.001, chunk_s=0.0)), ladder.id, 1)
    job._claim_size = 4
    names = [claims.block(ladder.id, block.number, 1) for block in round.blocks]
    job.play()
    assert Claims(ladder.place.queue_client).take_many(names) == [False, True, True, True]


class Lasting(RedisStore):
    """Its append takes until a claim was seen to last longer than it did before."""

    def __init__(self, place: Place, claim: str) -> None:
        super().__init__(place.client)
        self._queue, self._claim = place.queue_client, f"mk:{{claim}}:{claim}"
        self.was_kept = False

    def append_many(self, appends: Sequence[Append]) -> list[Reply]:
        end_s, left = time.monotonic() + DEADLINE_S, claims.TTL_MS
        while not self.was_kept and time.monotonic() < end_s:
            before, left = left, self._queue.pttl(self._claim)
            self.was_kept = left > before
        return super().append_many(appends)


def test_claims_last_as_long_as_it_takes_to_record_what_was_played(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "TTL_MS", 1500)
    ladder.open((0, 1))
    store = Lasting(ladder.place, claims.block(ladder.id, 1, 1))
    ladder.play(matches=ladder.place.new_matches(store=store))
    assert store.was_kept
    assert ladder.round().finished_blocks == 1


def test_of_several_claims_those_are_taken_that_nobody_has(place: Place) -> None:
    first, second = Claims(place.queue_client), Claims(place.queue_client)
    assert first.take_many(["a", "b"]) == [True, True]
    assert second.take_many(["b", "c"]) == [False, True]
    first.release("b")
    assert second.take_many(["b"]) == [True]


CLAIMING = """
import sys, redis
from workers.ladders.claims import Claims
claims = Claims(redis.Redis.from_url(sys.argv[1]))
claims.take_many(["a", "b"])
claims.take("a pause", 60_000)
"""
"""A job that ends, having claimed something."""
WORKING = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]], check=True)"
"""A worker that has a job and ends."""


def test_what_a_dead_worker_claimed_is_free_at_once_but_pauses_go_on(place: Place) -> None:
    words = [sys.executable, "-c", WORKING, CLAIMING, place.settings.queue_redis_url]
    subprocess.run(words, cwd=ROOT, check=True)
    first, second = Claims(place.queue_client), Claims(place.queue_client)
    assert first.take_many(["a", "b"]) == [True, True]
    assert second.take_many(["a", "b"]) == [False, False]
    assert not first.take("a pause")


def test_what_a_job_claimed_that_has_ended_stays_claimed(place: Place) -> None:
    """The blocks that it played are over, but others may not know that yet."""
    words = [sys.executable, "-c", CLAIMING, place.settings.queue_redis_url]
    subprocess.run(words, cwd=ROOT, check=True)
    claims = Claims(place.queue_client)
    assert claims.take_many(["a", "b"]) == [False, False]
    assert not claims.take("a pause")


def test_what_was_claimed_on_another_machine_is_free_when_its_time_is_over(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(claims, "machine", lambda: "elsewhere")
        elsewhere.setattr(claims.os, "getppid", lambda: 2**22)
        Claims(place.queue_client).take_many(["a"])
    assert Claims(place.queue_client).take_many(["a"]) == [False]


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


def _begin(ladder: Ladder) -> str:
    """The first match of the first block, which is there now."""
    round = ladder.round()
    (match_id, *_) = ladder.match_ids(round.blocks[0])
    command = seats.creation(ladder.state, ladder.id, round, round.blocks[0], 0)
    matches = ladder.place.matches
    matches.append_many([matches.creation(command, match_id, "create")])
    return match_id


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


def test_an_entry_whose_version_nobody_plays_is_removed_and_its_blocks_are_given_up(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder.open((0, 1), (1, 2))
    newer = type(STRATEGIES["random"])("random", "99", "A newer one.")
    monkeypatch.setitem(STRATEGIES, "random", newer)
    round = ladder.play_to_the_end()
    assert [(one.entry, one.reason) for one in recorded(ladder, EntryRemoved)] == [("ent_0", "version_gone")]
    assert [(block.is_given_up, len(block.results)) for block in round.blocks] == [(True, 0), (False, 2)]


def _without(name: str) -> dict[str, Strategy]:
    """As a process has them that does not know that one."""
    return {known: strategy for known, strategy in STRATEGIES.items() if known != name}


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
    assert work(ladder.worker(QUICK), ladder.id, 7).matches == 0


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


def test_a_round_comes_to_its_end_though_people_wait_all_the_time(ladder: Ladder) -> None:
    ladder.open((0, 1))
    before = 0
    while ladder.round().left:
        ladder.play(people_wait=lambda: True)
        played = sum([ladder.place.matches.load(match_id).state.version for match_id in ladder.matches()])
        assert played > before or not ladder.round().left
        before = played
