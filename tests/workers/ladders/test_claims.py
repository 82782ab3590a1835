"""Blocks that several workers could play: each counts once, and claims are free again."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from domain.ladder.events import BlockFinished
from events import RedisStore, StoreUnavailable
from events.store.records import Append, Reply
from ops.servers import ROOT
from tests.workers.kit import DEADLINE_S, Place
from tests.workers.ladder_kit import A_BLOCK_AT_A_TIME, Ladder, recorded
from workers.ladders import claims
from workers.ladders.context import RoundLimits
from workers.ladders.round_job import RoundJob
from workers.operations import lifetime
from workers.queue.claims import Claims


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


@pytest.mark.long
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

    def packed(self, appends: Sequence[Append]) -> Callable[[], list[Reply]]:
        send = super().packed(appends)

        def killed() -> list[Reply]:
            send()
            raise StoreUnavailable("killed")

        return killed


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
    place.notary.sign([place.latest(match_id) for match_id in made])  # as the relay sees to
    ladder.assert_whole()


class Patient(RedisStore):
    """The first chunk is sent only once the second one is packed."""

    def __init__(self, client: redis.Redis) -> None:
        super().__init__(client)
        self._chunks = 0
        self._second = threading.Event()

    def packed(self, appends: Sequence[Append]) -> Callable[[], list[Reply]]:
        send = super().packed(appends)
        self._chunks += 1
        if self._chunks > 1:
            self._second.set()
            return send

        def late() -> list[Reply]:
            assert self._second.wait(DEADLINE_S), "the job waits for the store instead of playing on"
            return send()

        return late


def test_a_chunk_is_stored_while_the_next_one_is_played(ladder: Ladder) -> None:
    ladder.open((0, 1), (1, 2), (2, 0))
    matches = ladder.place.new_matches(store=Patient(ladder.place.client))
    ladder.play(limits=A_BLOCK_AT_A_TIME, matches=matches)
    assert len(recorded(ladder, BlockFinished)) == 3
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


def test_blocks_that_a_job_did_not_come_to_are_free_when_it_ends(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    round = ladder.open(*[(0, 1)] * 4)
    job = RoundJob(ladder.worker(RoundLimits(chunk_s=0.0)), ladder.id, 1)
    job._claim_size = 4
    has_time = iter([True, False])
    monkeypatch.setattr(job, "_may_begin", lambda begin_by_s: next(has_time))
    names = [claims.block(ladder.id, block.number, 1) for block in round.blocks]
    job.play()
    assert Claims(ladder.place.queue_client).take_many(names) == [False, True, True, True]


def test_of_several_claims_those_are_taken_that_nobody_has(place: Place) -> None:
    first, second = Claims(place.queue_client), Claims(place.queue_client)
    assert first.take_many(["a", "b"]) == [True, True]
    assert second.take_many(["b", "c"]) == [False, True]
    first.release("b")
    assert second.take_many(["b"]) == [True]


CLAIMING = """
import sys, redis
from workers.queue.claims import Claims
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
        elsewhere.setattr(lifetime, "machine", lambda: "elsewhere")
        elsewhere.setattr(os, "getppid", lambda: 2**22)
        Claims(place.queue_client).take_many(["a"])
    assert Claims(place.queue_client).take_many(["a"]) == [False]
