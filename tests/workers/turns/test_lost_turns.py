"""Turns that got lost with the queue or with a worker are noticed."""

import subprocess
import sys

from rq import Worker
from rq.job import Job

from ops.servers import Server
from tests.workers.kit import Place
from workers.operations.lifetime import machine
from workers.queue.client import IMMEDIATE_ATTEMPTS, DueTurn, enqueue_turns
from workers.queue.play_job import PlayJob
from workers.turns.lost_turns import LostTurns

TURN: DueTurn = ("mat_any", 7)


def had(place: Place, pid: int, machine: str, attempt: int = 1) -> Worker:
    """A worker that has taken a job for the turn."""
    enqueue_turns(place.queue, [TURN], attempt)
    worker = Worker([place.queue], connection=place.queue_client, job_class=PlayJob, serializer="json")
    worker.pid, worker.hostname = pid, machine
    worker.register_birth()
    worker.set_current_job_id(place.queue.pop_job_id() or "")
    return worker


def dead_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


def test_the_queues_may_have_lost_anything_before_the_first_look(place: Place) -> None:
    lost = LostTurns(place.queue_client)
    assert [lost.all_are_lost() for _ in range(3)] == [True, False, False]


def test_queues_that_were_emptied_have_lost_everything(place: Place) -> None:
    lost = LostTurns(place.queue_client)
    lost.all_are_lost()
    place.queue_client.flushall()
    assert [lost.all_are_lost() for _ in range(2)] == [True, False]


def test_queues_that_were_away_may_have_lost_anything(place: Place, queue_server: Server) -> None:
    lost = LostTurns(place.queue_client)
    lost.all_are_lost()
    queue_server.kill()
    assert [lost.all_are_lost() for _ in range(2)] == [False, False]
    assert lost.of_dead_workers() == []
    queue_server.start()
    assert [lost.all_are_lost() for _ in range(2)] == [True, False]


def test_queues_that_another_relay_filled_may_have_lost_anything(place: Place) -> None:
    lost, other = LostTurns(place.queue_client), LostTurns(place.queue_client)
    lost.all_are_lost()
    other.all_are_lost()
    assert lost.all_are_lost()


def test_what_a_dead_worker_had_is_told_once(place: Place) -> None:
    had(place, dead_pid(), machine())
    lost = LostTurns(place.queue_client)
    assert lost.of_dead_workers() == [TURN]
    assert lost.of_dead_workers() == []


def test_what_was_handed_out_too_often_is_left_to_the_sweep(place: Place) -> None:
    had(place, dead_pid(), machine(), IMMEDIATE_ATTEMPTS)
    assert LostTurns(place.queue_client).of_dead_workers() == []


def test_workers_that_live_or_are_on_other_machines_keep_what_they_have(place: Place) -> None:
    had(place, 1, machine())
    had(place, dead_pid(), "another machine")
    assert LostTurns(place.queue_client).of_dead_workers() == []
    assert len(Worker.all(place.queue_client, job_class=PlayJob)) == 2


def test_a_dead_worker_without_a_job_had_nothing(place: Place) -> None:
    worker = had(place, dead_pid(), machine())
    job = worker.get_current_job()
    assert isinstance(job, Job)
    job.delete()
    assert LostTurns(place.queue_client).of_dead_workers() == []


def test_jobs_are_on_a_queue_or_with_a_worker(place: Place) -> None:
    taken = had(place, 1, "another machine").get_current_job_id()
    waiting = [enqueue_turns(queue, [TURN], 2) for queue in (place.people, place.queue)]
    assert LostTurns(place.queue_client).jobs() == {taken, *waiting}


def test_a_queue_that_does_not_answer_tells_of_no_jobs(place: Place, queue_server: Server) -> None:
    queue_server.kill()
    assert LostTurns(place.queue_client).jobs() is None
