"""How turns become jobs."""

import json
import re
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
from redis.exceptions import LockNotOwnedError
from redis.lock import Lock
from rq.job import Job

from ops.servers import Server
from runtime import heartbeat
from runtime.queue import POLL_S, UNDISTURBED_S, PeopleWait
from tests.workers.kit import Place, wait_until
from workers.operations import lifetime
from workers.queue.client import (
    connect,
    count_workers,
    enqueue_turns,
    job_id,
)
from workers.turns.partition import hold


def test_a_job_is_forgotten_when_it_is_done_or_too_old(place: Place) -> None:
    enqueue_turns(place.queue, [("mat_1", 4)], 1)
    job = Job.fetch(place.queue.job_ids[0], place.queue_client, serializer="json")
    assert (job.result_ttl, job.failure_ttl, job.ttl, job.timeout) == (0, 86_400, 60, 60)


def test_a_job_is_plain_json(place: Place) -> None:
    """A pickle would run code by being read."""
    enqueue_turns(place.queue, [("mat_1", 4)], 1)
    stored = place.queue_client.hget(f"rq:job:{place.queue.job_ids[0]}", "data")
    assert isinstance(stored, bytes)
    assert json.loads(zlib.decompress(stored)) == ["workers.jobs.play", None, [[["mat_1", 4]], 1], {}]


def test_job_ids_are_what_rq_allows_and_tell_groups_apart() -> None:
    turns = [("mat_01ARZ3NDEKTSV4RRFFQ69G5FAV", 12), ("mat_2", 3)]
    assert re.fullmatch(r"[A-Za-z0-9_-]+", job_id(turns, 1))
    assert len({job_id(turns, 1), job_id(turns, 2), job_id(turns[:1], 1)}) == 3
    assert job_id(list(turns), 1) == job_id(turns, 1)


def test_a_worker_sends_a_command_again_until_the_server_is_back(place: Place, queue_server: Server) -> None:
    """RQ would wait a second after the first failure, longer than a restart takes."""
    queue_server.kill()
    with connect(queue_server.url) as once, pytest.raises(redis.ConnectionError):
        once.ping()
    with connect(queue_server.url, retries=10_000) as client, ThreadPoolExecutor() as pool:
        reply = pool.submit(client.ping)
        queue_server.start()
        assert reply.result()


def lease(place: Place, ttl_s: float) -> Lock:
    return Lock(place.client, "relay", timeout=ttl_s, thread_local=False)


def test_a_lease_has_one_holder_and_runs_out(place: Place) -> None:
    first, second = lease(place, 2), lease(place, 2)
    assert hold(first)
    assert not hold(second)
    assert hold(first)
    wait_until(lambda: hold(second))
    assert not hold(first)
    second.release()
    assert hold(first)


def test_the_lease_of_a_dead_process_is_free_at_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    first, second = lease(place, 60), lease(place, 60)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(lifetime.os, "getpid", lambda: ended.pid)
        assert hold(first)
    assert hold(second)
    assert not hold(first)
    assert hold(second)


def test_letting_go_of_a_lease_that_was_lost_harms_nobody(place: Place) -> None:
    first, second = lease(place, 0.05), lease(place, 60)
    assert hold(first)
    wait_until(lambda: hold(second))
    with pytest.raises(LockNotOwnedError):
        first.release()
    assert hold(second)
    assert not hold(first)


def test_a_sign_of_life_counts_for_a_while(place: Place) -> None:
    client = place.queue_client
    assert not heartbeat.alive(client, "worker")
    heartbeat.beat(client, "worker")
    assert heartbeat.alive(client, "worker")
    assert not heartbeat.alive(client, "relay")
    wait_until(lambda: not heartbeat.count(client, "worker", within_s=0.05))


def test_workers_are_counted_by_their_signs_of_life(place: Place) -> None:
    for process in ("one", "two", "two"):
        heartbeat.beat(place.queue_client, "worker", process)
    assert count_workers(place.queue) == 2


def test_a_job_has_a_while_before_it_looks_whether_people_wait_and_then_looks_now_and_then(
    place: Place,
) -> None:
    now_s = 0.0
    people_wait = PeopleWait(place.queue_client, lambda: now_s)
    enqueue_turns(place.people, [("mat_1", 4)], 1)
    assert not people_wait()
    now_s = UNDISTURBED_S
    assert people_wait()
    place.people.empty()
    assert people_wait()
    now_s += POLL_S
    assert not people_wait()


def test_without_the_queue_nobody_is_said_to_wait(place: Place, queue_server: Server) -> None:
    people_wait = PeopleWait(place.queue_client, lambda: float("inf"))
    queue_server.kill()
    assert not people_wait()
