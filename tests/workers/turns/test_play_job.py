"""A worker runs the five functions of `workers.jobs` that the relay names, and nothing else."""

import gc
import json
import os
from pathlib import Path
from typing import Any

import pytest
import structlog
from rq.job import Callback, Job
from rq.registry import FailedJobRegistry
from rq.webhook import Webhook

from events.store import keys
from runtime.queue import LADDERS, PEOPLE, REVIEWS
from tests.workers.kit import Place, running, wait_until
from tests.workers.ladder_kit import Ladder
from tests.workers.review_kit import finished_match, requested
from workers.queue.client import (
    FAILURE_TTL_S,
    GROUP_SIZE,
    JOB,
    LADDER_JOB,
    LONG_TIMEOUT_S,
    REPLY_JOB,
    REVIEW_JOB,
    TABLES_JOB,
    TIMEOUT_S,
    LadderJob,
    enqueue_ladder_jobs,
    enqueue_reviews,
    enqueue_turns,
    open_ladder_queue,
    open_queue,
)
from workers.queue.play_job import NICENESS, JobRefused, PlayJob

pytestmark = pytest.mark.usefixtures("priority")
TURNS = [["mat_1", 4]]
LADDER = "lad_01ARZ3NDEKTSV4RRFFQ69G5FAV"
REVIEW = "rev_0123456789abcdef0123456789abcdef"


@pytest.fixture
def priority(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often this process was made to give way, and by how much."""
    steps: list[int] = []
    monkeypatch.setattr(os, "nice", steps.append)
    monkeypatch.setattr(gc, "disable", lambda: None)  # this process goes on after the job
    return steps


@pytest.mark.long
def test_a_worker_refuses_a_foreign_job_and_goes_on(place: Place, tmp_path: Path) -> None:
    foreign = place.queue.enqueue("os.mkdir", str(tmp_path / "made"))
    match = place.bots("random", "random")
    enqueue_turns(place.queue, [(match.match_id, match.last)], 1)
    log = tmp_path / "log"
    with running("workers.main", place, log) as worker:
        wait_until(lambda: place.waiting() == 0)
        assert worker.is_running
    place.assert_over([match.match_id])
    assert not (tmp_path / "made").exists()
    assert "the job calls 'os.mkdir', not 'workers.jobs.play'" in log.read_text()
    assert FailedJobRegistry(queue=place.queue).get_job_ids() == [foreign.id]


def _stored(place: Place, call: Any, **fields: str) -> PlayJob:
    """A job as the worker finds it whose record somebody wrote by hand."""
    place.queue_client.hset("rq:job:handmade", mapping={"data": json.dumps(call), **fields})
    return PlayJob.fetch("handmade", connection=place.queue_client, serializer="json")


@pytest.mark.parametrize(
    "call",
    [
        ["os.getcwd", None, [], {}],
        ["workers.jobs.prepare", None, [TURNS, 1], {}],
        ["play", "workers.jobs", [TURNS, 1], {}],
        [JOB, None, [TURNS, 1], {"more": 1}],
        [JOB, None, [], {"turns": TURNS, "attempt": 1}],
        [JOB, None, [TURNS], {}],
        [JOB, None, [TURNS, 1, 1], {}],
        [JOB, None, [TURNS, "1"], {}],
        [JOB, None, [TURNS, 0], {}],
        [JOB, None, [[], 1], {}],
        [JOB, None, [TURNS * (GROUP_SIZE + 1), 1], {}],
        [JOB, None, [[["mat_1", "4"]], 1], {}],
        [JOB, None, [[["mat_1", 4, 4]], 1], {}],
        [JOB, None, ["mat_1", 1], {}],
        [JOB, None, {"turns": TURNS}, {}],
        [LADDER_JOB, None, [TURNS, 1], {}],
        [LADDER_JOB, None, [LADDER, 1, 0], {}],
        [LADDER_JOB, None, [LADDER, 1, 0, 1, 1], {}],
        [LADDER_JOB, None, [LADDER, 0, 0, 1], {}],
        [LADDER_JOB, None, [LADDER, 1, -1, 1], {}],
        [LADDER_JOB, None, [LADDER, 1, 0, 0], {}],
        [LADDER_JOB, None, [LADDER, "1", 0, 1], {}],
        [LADDER_JOB, None, ["lad_*", 1, 0, 1], {}],
        [LADDER_JOB, None, [LADDER + "\n", 1, 0, 1], {}],
        [LADDER_JOB, None, [LADDER, 1, 0, 1], {"more": 1}],
        [TABLES_JOB, None, [TURNS, 1], {}],
        [TABLES_JOB, None, [LADDER, 1, 0], {}],
        [TABLES_JOB, None, [LADDER, 1, 0, 1, 1], {}],
        [TABLES_JOB, None, [LADDER, 0, 0, 1], {}],
        [TABLES_JOB, None, [LADDER, 1, -1, 1], {}],
        [TABLES_JOB, None, [LADDER, 1, 0, 0], {}],
        [TABLES_JOB, None, [LADDER, "1", 0, 1], {}],
        [TABLES_JOB, None, [LADDER, 1.5, 0, 1], {}],
        [TABLES_JOB, None, ["lad_*", 1, 0, 1], {}],
        [TABLES_JOB, None, [LADDER + "\n", 1, 0, 1], {}],
        [TABLES_JOB, None, [LADDER, 1, 0, 1], {"more": 1}],
        [TABLES_JOB, "workers.jobs", [LADDER, 1, 0, 1], {}],
        [REVIEW_JOB, None, [REVIEW], {}],
        [REVIEW_JOB, None, [REVIEW, 1, 1], {}],
        [REVIEW_JOB, None, [REVIEW, 0], {}],
        [REVIEW_JOB, None, [REVIEW + "\n", 1], {}],
        [REVIEW_JOB, None, ["rev_*", 1], {}],
        [REVIEW_JOB, None, [LADDER, 1], {}],
        ["workers.jobs.compute", None, [REVIEW, 1], {}],
        ["workers.jobs.compute", None, [LADDER, 1, 0, 1], {}],
        [JOB, None, [LADDER, 1, 0, 1], {}],
        [JOB, None, None, None],
        [None, None, None, None],
    ],
)
def test_what_the_relay_would_not_hand_out_is_refused(place: Place, call: list[Any]) -> None:
    with pytest.raises(JobRefused):
        _stored(place, call).perform()


@pytest.mark.usefixtures("prepared_jobs")
def test_a_job_gives_way_unless_people_wait_for_it(place: Place, priority: list[int]) -> None:
    for queue in (place.people, place.queue):
        enqueue_turns(queue, [("mat_1", 4)], 1)
        PlayJob.fetch(queue.job_ids[0], place.queue_client, serializer="json").perform()
    assert priority == [NICENESS]


@pytest.mark.usefixtures("prepared_jobs")
def test_what_the_relay_hands_out_is_played(place: Place) -> None:
    match = place.bots("random", "random")
    missing = [(f"mat_{number}", 4) for number in range(GROUP_SIZE - 1)]
    enqueue_turns(place.queue, [*missing, (match.match_id, match.last)], 2)
    PlayJob.fetch(place.queue.job_ids[0], place.queue_client, serializer="json").perform()
    assert place.latest(match.match_id).version > match.last


def test_a_job_for_people_lies_on_their_queue_and_replies(place: Place) -> None:
    enqueue_turns(place.people, [("mat_1", 4)], 1)
    job = PlayJob.fetch(place.people.job_ids[0], place.queue_client, serializer="json")
    assert (job.func_name, job.origin, job.timeout) == (REPLY_JOB, PEOPLE, TIMEOUT_S)
    assert job.args == [[["mat_1", 4]], 1]


@pytest.mark.usefixtures("prepared_jobs")
@pytest.mark.parametrize(
    ("function", "done"), [(LADDER_JOB, "round_played"), (TABLES_JOB, "tables_computed")]
)
def test_the_jobs_of_a_ladder_are_done(place: Place, function: str, done: str) -> None:
    ladder = Ladder(place)
    ladder.enter("random", "random")
    ladder.open((0, 1))
    queue = open_ladder_queue(place.queue_client)
    enqueue_ladder_jobs(queue, [LadderJob(function, ladder.id, 1)] * 2, 5)
    first, second = [PlayJob.fetch(id, place.queue_client, serializer="json") for id in queue.job_ids]
    assert (first.func_name, first.origin, first.timeout) == (function, LADDERS, LONG_TIMEOUT_S)
    assert first.lost_turns()[0] == []
    assert [first.args, second.args] == [[ladder.id, 1, 0, 5], [ladder.id, 1, 1, 5]]
    with structlog.testing.capture_logs() as logs:
        first.perform()
    assert done in [log["event"] for log in logs]


@pytest.mark.long
@pytest.mark.usefixtures("prepared_jobs")
def test_the_job_of_a_review_computes_it(place: Place) -> None:
    review_id = requested(place, finished_match(place))
    queue = open_queue(place.queue_client, REVIEWS)
    enqueue_reviews(queue, [review_id], 5)
    job = PlayJob.fetch(queue.job_ids[0], place.queue_client, serializer="json")
    assert (job.func_name, job.origin, job.timeout) == (REVIEW_JOB, REVIEWS, LONG_TIMEOUT_S)
    assert (job.lost_turns()[0], job.args) == ([], [review_id, 5])
    with structlog.testing.capture_logs() as logs:
        job.perform()
    assert "review_computed" in [log["event"] for log in logs]
    assert place.client.hexists(keys.review(review_id), "done")


def test_nothing_but_the_call_is_taken_from_the_queue(place: Place) -> None:
    """RQ imports and calls the callbacks that a job names, also those of a job that was lost."""
    call = Callback("os.mkdir")
    written = place.queue.enqueue(
        JOB,
        args=(TURNS, 1),
        on_success=call,
        on_failure=call,
        on_stopped=call,
        webhooks=[Webhook("http://localhost/", "finished")],
        job_timeout=-1,
        result_ttl=-1,
        failure_ttl=-1,
    )
    plain = Job.fetch(written.id, place.queue_client, serializer="json")
    assert plain.success_callback
    assert plain.webhooks
    job = PlayJob.fetch(written.id, place.queue_client, serializer="json")
    assert (job.success_callback, job.failure_callback, job.stopped_callback) == (None, None, None)
    assert job.webhooks == []
    assert (job.timeout, job.result_ttl, job.failure_ttl) == (TIMEOUT_S, 0, FAILURE_TTL_S)
    assert job.args == [TURNS, 1]


def test_a_record_that_makes_no_sense_can_be_read(place: Place) -> None:
    """An error in reading would end the worker's loop."""
    job = _stored(place, [JOB, None, [TURNS, 1], {}], timeout="soon", created_at="once", status="odd")
    assert job.timeout == TIMEOUT_S
