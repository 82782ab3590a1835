"""Which turns the relay hands out, and when."""

import pytest
from rq import Queue
from rq.job import Job

from domain.match.commands import Resign
from events import CommandResult
from events.store.records import Pointer, Precedence
from ops.servers import Server
from tests.workers.kit import Place
from workers.queue.client import GROUP_SIZE, IMMEDIATE_ATTEMPTS, QueueUnavailable
from workers.turns import decisions
from workers.turns.dispatch import MISSED, PER_WORKER, Dispatch

PEOPLE = Precedence("acc_person", has_people=True)


def _flood(dispatch: Dispatch, account: str, matches: int) -> None:
    for number in range(matches):
        dispatch.put(f"mat_{account}_{number}", 1, Precedence(account))


def _next_job(place: Place, dispatch: Dispatch) -> list[str]:
    """The matches of the job that a worker would take next, after the relay has filled the queues."""
    dispatch.fill_queues()
    queues = [place.people, place.queue]
    found = Queue.dequeue_any(queues, None, connection=place.queue_client, serializer="json")
    return [match_id for match_id, _ in found[0].args[0]] if found else []


def test_the_turn_of_a_match_with_people_is_the_next_whoever_floods_the_service(place: Place) -> None:
    for attacker in range(4):
        _flood(place.dispatch, f"attacker{attacker}", 800)
    place.dispatch.fill_queues()
    place.dispatch.put("mat_person", 1, PEOPLE)
    assert _next_job(place, place.dispatch) == ["mat_person"]


def test_a_match_without_people_waits_for_one_job_of_each_other_account_at_most(place: Place) -> None:
    """Beside those that were on the queue before it came."""
    for attacker in range(4):
        _flood(place.dispatch, f"attacker{attacker}", 800)
    place.dispatch.fill_queues()
    _flood(place.dispatch, "other", 3)
    jobs = [_next_job(place, place.dispatch) for _ in range(PER_WORKER + 4 + 1)]
    place_of_other = [number for number, job in enumerate(jobs) if "mat_other_0" in job]
    assert place_of_other == [place_of_other[0]]
    assert set(jobs[place_of_other[0]]) > {f"mat_other_{number}" for number in range(3)}
    assert len({job[0] for job in jobs}) == len(jobs)


def test_only_a_few_jobs_wait_on_the_queue(place: Place) -> None:
    _flood(place.dispatch, "attacker", 800)
    place.dispatch.fill_queues()
    place.dispatch.fill_queues()
    assert place.queue.count == PER_WORKER
    assert len(place.dispatch) == 800 - PER_WORKER * GROUP_SIZE


def test_the_log_says_which_turns_wait_and_which_do_no_more(place: Place) -> None:
    alone, match, resigned = place.bots("random", "random"), place.seats("random", "ada"), place.bots()
    place.dispatch.follow(place.outbox.read_log("0-0"))
    place.matches.execute(match.match_id, Resign(1), "account:acc_ada")
    place.dispatch.follow(place.outbox.read_log("0-0"))
    assert match.match_id not in place.dispatch
    assert _next_job(place, place.dispatch) == [alone.match_id, resigned.match_id]


def test_a_match_that_its_last_person_has_left_does_not_come_first_any_more(place: Place) -> None:
    match = place.seats("random", "random", "ada")
    place.matches.execute(match.match_id, Resign(2), "account:acc_ada")
    place.dispatch.follow(place.outbox.read_log("0-0"))
    place.dispatch.fill_queues()
    assert (place.people.count, place.queue.count) == (0, 1)


def test_turns_that_could_not_be_handed_out_wait_on(place: Place, queue_server: Server) -> None:
    place.dispatch.put("mat_person", 1, PEOPLE)
    place.dispatch.fill_queues()
    place.people.empty()
    place.dispatch.put("mat_person", 2, PEOPLE)
    queue_server.kill()
    with pytest.raises(QueueUnavailable):
        place.dispatch.fill_queues()
    assert "mat_person" in place.dispatch
    queue_server.start()
    place.dispatch.fill_queues()
    (job,) = Job.fetch_many(place.people.job_ids, place.queue_client, serializer="json")
    assert job is not None
    assert job.args == [[["mat_person", 2]], 1]


def _sent(place: Place, match: CommandResult) -> str:
    """The job in which the dispatched turn of the match is."""
    place.dispatch.follow(place.outbox.read_log("0-0"))
    place.dispatch.fill_queues()
    (job_id,) = place.queue.job_ids
    return str(job_id)


def test_a_turn_whose_job_is_gone_at_two_looks_is_lost_and_told_once(place: Place) -> None:
    match = place.bots("random", "random")
    job_id = _sent(place, match)
    looks = [{job_id}, set(), {job_id}, set(), set(), set()]
    assert [place.dispatch.lost(jobs) for jobs in looks] == [
        [],
        [],
        [],
        [],
        [(match.match_id, match.last)],
        [],
    ]


def test_a_turn_that_was_played_is_not_lost_with_its_job(place: Place) -> None:
    match = place.seats("random", "ada")
    place.dispatch.follow(place.outbox.read_log("0-0"))
    place.dispatch.fill_queues()
    decisions.play(place.matches, [(match.match_id, match.last)])
    place.dispatch.follow(place.outbox.read_log("0-0"))
    assert [place.dispatch.lost(()) for _ in range(MISSED)] == [[]] * MISSED


def test_a_turn_is_lost_at_the_version_that_its_job_had_come_to(place: Place) -> None:
    match = place.bots("random", "random")
    _sent(place, match)
    held = Pointer("1-1", match.match_id, match.last + 3, "held")
    place.dispatch.follow([held])
    assert [place.dispatch.lost(()) for _ in range(MISSED)][-1] == [(match.match_id, held.version)]


def test_a_turn_that_was_lost_too_often_is_left_to_the_sweep(place: Place) -> None:
    place.dispatch.put("mat_deadly", 7, PEOPLE, IMMEDIATE_ATTEMPTS)
    place.dispatch.fill_queues()
    assert [place.dispatch.lost(()) for _ in range(MISSED)] == [[]] * MISSED
