"""How turns become jobs."""

import json
import re
import zlib

from rq.job import Job

from events import heartbeat
from tests.workers.kit import Place, wait_until
from workers.lease import Lease
from workers.queueing import GROUP_SIZE, hand_out, job_id


def test_turns_are_grouped_and_only_the_newest_of_a_match_is_handed_out(place: Place) -> None:
    turns = [(f"mat_{number}", version) for number in range(GROUP_SIZE + 3) for version in (4, 9, 6)]
    assert hand_out(place.queue, turns, 1) == 2
    jobs = Job.fetch_many(place.queue.job_ids, place.queue_client, serializer="json")
    assert [len(job.args[0]) for job in jobs if job] == [GROUP_SIZE, 3]
    assert all(version == 9 for job in jobs if job for _, version in job.args[0])


def test_a_job_is_forgotten_when_it_is_done_or_too_old(place: Place) -> None:
    hand_out(place.queue, [("mat_1", 4)], 1)
    job = Job.fetch(place.queue.job_ids[0], place.queue_client, serializer="json")
    assert (job.result_ttl, job.failure_ttl, job.ttl, job.timeout) == (0, 86_400, 60, 60)


def test_a_job_is_plain_json(place: Place) -> None:
    """A pickle would run code by being read."""
    hand_out(place.queue, [("mat_1", 4)], 1)
    stored = place.queue_client.hget(f"rq:job:{place.queue.job_ids[0]}", "data")
    assert isinstance(stored, bytes)
    assert json.loads(zlib.decompress(stored)) == ["workers.jobs.play", None, [[["mat_1", 4]], 1], {}]


def test_job_ids_are_what_rq_allows_and_tell_groups_apart() -> None:
    turns = [("mat_01ARZ3NDEKTSV4RRFFQ69G5FAV", 12), ("mat_2", 3)]
    assert re.fullmatch(r"[A-Za-z0-9_-]+", job_id(turns, 1))
    assert len({job_id(turns, 1), job_id(turns, 2), job_id(turns[:1], 1)}) == 3
    assert job_id(list(turns), 1) == job_id(turns, 1)


def test_a_lease_has_one_holder_and_runs_out(place: Place) -> None:
    first, second = Lease(place.client, "relay", 0.2), Lease(place.client, "relay", 0.2)
    assert first.hold()
    assert not second.hold()
    assert first.hold()
    wait_until(second.hold)
    assert not first.hold()
    second.release()
    assert first.hold()


def test_letting_go_of_a_lease_that_was_lost_harms_nobody(place: Place) -> None:
    first, second = Lease(place.client, "relay", 0.05), Lease(place.client, "relay", 60)
    assert first.hold()
    wait_until(second.hold)
    first.release()
    assert not first.hold()


def test_a_sign_of_life_counts_for_a_while(place: Place) -> None:
    assert not heartbeat.alive(place.queue_client, "worker")
    heartbeat.beat(place.queue_client, "worker", ttl_s=0.05)
    assert heartbeat.alive(place.queue_client, "worker")
    assert not heartbeat.alive(place.queue_client, "relay")
    wait_until(lambda: not heartbeat.alive(place.queue_client, "worker"))
