"""Rounds as the service plays them: the relay hands jobs out, workers play them, people come first."""

import socket
from dataclasses import replace
from itertools import combinations

import pytest
from rq.job import Job

from domain.ladder.decide import MOST_BLOCKS
from events import RedisStore
from events.ladders.ladders import Ladders
from events.store import keys, outages
from events.store.keys import now_ms
from tests.workers.kit import Place, running, wait_until
from tests.workers.ladder_kit import Ladder
from workers.ladders import claims
from workers.ladders.dispatch import PER_WORKER, Rounds, WebPort
from workers.queue.claims import Claims
from workers.queue.client import LADDER_JOB, TABLES_JOB, open_ladder_queue
from workers.relay import Relay
from workers.turns.partition import RelayIntervals

NOBODY = WebPort("127.0.0.1", 9)


def ladder_of(place: Place) -> Ladder:
    ladder = Ladder(place)
    ladder.enter("random", "landmark_first", "random", "landmark_first")
    return ladder


def is_finished(ladder: Ladder, number: int = 1) -> bool:
    return ladder.round(number).status == "finished"


@pytest.mark.long
@pytest.mark.parametrize("meetings", [2, 8])
def test_a_round_is_played_by_the_relay_and_two_workers(place: Place, meetings: int) -> None:
    ladder = ladder_of(place)
    with running("workers.main", place), running("workers.main", place), running("workers.relay", place):
        ladder.open(*[*combinations(range(4), 2)] * meetings)
        wait_until(lambda: is_finished(ladder))
    assert ladder.round().finished_blocks == 6 * meetings
    ladder.assert_whole()


@pytest.mark.long
def test_a_round_goes_on_after_its_worker_was_killed(place: Place) -> None:
    ladder = ladder_of(place)
    with running("workers.relay", place):
        number = interrupted_round(place, ladder)
        with running("workers.main", place):
            wait_until(lambda: is_finished(ladder, number))
    assert all(block.results for block in ladder.round(number).blocks)
    ladder.assert_whole(number)


def interrupted_round(place: Place, ladder: Ladder) -> int:
    """The number of a round whose worker was killed in the middle of it.

    A round that was over before is followed by one of twice as many blocks.
    """
    tables = [*combinations(range(4), 2)]
    while True:
        number = ladder.open(*tables).number
        with running("workers.main", place) as worker:
            wait_until(lambda number=number: ladder.round(number).finished_blocks > 0)
            worker.kill()
            if ladder.round(number).left:
                return number
        with running("workers.main", place):
            wait_until(lambda number=number: is_finished(ladder, number))
        tables *= 2


@pytest.mark.long
def test_turns_of_people_come_before_rounds(place: Place) -> None:
    """A round of as many blocks as can be is played, and a match that comes later by the next job."""
    ladder = ladder_of(place)
    ladder.open(*([*combinations(range(4), 2)] * MOST_BLOCKS)[:MOST_BLOCKS])
    with running("workers.relay", place), running("workers.main", place):
        wait_until(lambda: ladder.round().finished_blocks > 0)
        match = place.bots("random", "random")
        wait_until(lambda: place.latest(match.match_id).state.status == "finished")
        assert ladder.round().left
        assert ladder.round().status == "running"


def jobs_of(place: Place) -> list[tuple[str, str, int]]:
    """The function, the ladder, and the number of the round or the season."""
    queue = open_ladder_queue(place.queue_client)
    found = Job.fetch_many(queue.job_ids, place.queue_client, serializer="json")
    return [(job.func_name, job.args[0], job.args[1]) for job in found if job]


def rounds_of(place: Place, port: WebPort | None = None) -> Rounds:
    return Rounds(
        Ladders(RedisStore(place.client)), place.client, open_ladder_queue(place.queue_client), port or NOBODY
    )


def test_as_many_jobs_wait_as_workers_can_take_and_no_more(place: Place) -> None:
    ladder = ladder_of(place)
    ladder.open(*[(0, 1)] * 10)
    rounds = rounds_of(place)
    rounds.run()
    rounds.run()
    assert jobs_of(place) == [(LADDER_JOB, ladder.id, 1), (TABLES_JOB, ladder.id, 1)]
    assert PER_WORKER == 2


def test_while_tables_are_computed_all_jobs_are_for_rounds(place: Place) -> None:
    ladder = ladder_of(place)
    ladder.open(*[(0, 1)] * 10)
    Claims(place.queue_client).take(claims.tables(ladder.id, 1), 60_000)
    rounds_of(place).run()
    assert jobs_of(place) == [(LADDER_JOB, ladder.id, 1)] * PER_WORKER


def test_no_more_jobs_wait_than_blocks_are_open(place: Place) -> None:
    ladder = ladder_of(place)
    ladder.open((0, 1))
    Claims(place.queue_client).take(claims.tables(ladder.id, 1), 60_000)
    rounds_of(place).run()
    assert jobs_of(place) == [(LADDER_JOB, ladder.id, 1)]


def test_rounds_of_several_ladders_take_turns(place: Place) -> None:
    first, second = ladder_of(place), ladder_of(place)
    for ladder in (first, second):
        ladder.open(*[(0, 1)] * 10)
    rounds_of(place).run()
    assert sorted(jobs_of(place)) == sorted([(LADDER_JOB, first.id, 1), (LADDER_JOB, second.id, 1)])


def test_while_the_store_is_nearly_full_rounds_rest(place: Place) -> None:
    ladder = ladder_of(place)
    ladder.open((0, 1))
    queue, full = open_ladder_queue(place.queue_client), [True]
    rounds = Rounds(Ladders(RedisStore(place.client)), place.client, queue, NOBODY, lambda: full[0])
    rounds.run()
    assert jobs_of(place) == []
    full[0] = False
    rounds.run()
    assert jobs_of(place) == [(LADDER_JOB, ladder.id, 1), (TABLES_JOB, ladder.id, 1)]


def test_the_relay_has_rounds_rest_above_the_mark_of_memory(place: Place) -> None:
    ladder_of(place).open((0, 1))
    full = Relay(replace(place.settings, high_water_memory=1e-9), RelayIntervals(block_s=0.001))
    full._cycle()
    assert jobs_of(place) == []
    full.stop()
    full.run()
    Relay(place.settings, RelayIntervals(block_s=0.001))._cycle()
    assert len(jobs_of(place)) == 2


def test_there_are_no_jobs_without_a_round(place: Place) -> None:
    ladder_of(place)
    rounds_of(place).run()
    assert jobs_of(place) == []


def test_a_gap_in_the_relays_work_is_noted_as_an_outage(place: Place) -> None:
    now = now_ms()
    outages.record(place.client, now - 20_000)
    rounds_of(place).run()
    (found,) = outages.since(place.client, now - 20_000, now)
    assert found.first_ms == now - 20_000
    assert found.excuses(now - 30_000, now - 19_000)
    assert found.excuses(found.last_ms + outages.GRACE_MS, found.last_ms + 60_000)
    assert not found.excuses(now - 30_000, now - 21_000)


def test_web_processes_that_go_away_while_a_round_is_played_are_an_outage(place: Place) -> None:
    """Though a connection to their port succeeds: it waits for the next process."""
    ladder_of(place).open((0, 1))
    with socket.create_server(("127.0.0.1", 0)) as web:
        port = WebPort("0.0.0.0", web.getsockname()[1])
        rounds = rounds_of(place, port)
        rounds.run()
        assert place.client.delete(keys.LAST_TICK)
        answered, _ = web.accept()
        with answered:
            assert answered.recv(4096).startswith(b"GET /healthz HTTP/1.1\r\n")
            answered.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        wait_until(lambda: rounds.run() or place.client.delete(keys.LAST_TICK))
        for _ in range(2):
            rounds.run()
        assert place.client.get(keys.LAST_TICK) is None
    rounds.run()
    assert place.client.get(keys.LAST_TICK) is None


def test_where_no_web_process_ever_was_none_is_missed(place: Place) -> None:
    ladder_of(place).open((0, 1))
    rounds_of(place).run()
    assert place.client.get(keys.LAST_TICK)


def test_an_outage_that_goes_on_counts_too(place: Place) -> None:
    now = now_ms()
    outages.record(place.client, now - 20_000)
    assert outages.since(place.client, now, now) == [outages.Outage(now - 20_000, now)]
    outages.record(place.client, now)
    assert outages.since(place.client, now + 1, now) == []
