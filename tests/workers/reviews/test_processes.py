"""Reviews as the service computes them: the relay hands them out, workers compute them, some are killed."""

from typing import Any

import pytest
from rq.job import Job

from events.matches.puzzles import Puzzles
from events.matches.reviews import Reviews
from runtime.queue import REVIEWS
from tests.workers.kit import Place, running, wait_until
from tests.workers.review_kit import computed_here, finished_match, requested
from workers.queue.claims import Claims
from workers.queue.client import REVIEW_JOB, open_queue
from workers.reviews.dispatch import ReviewDispatch


def is_finished(place: Place, review_id: str) -> bool:
    found = Reviews(place.client).find(review_id)
    return found is not None and found.status == "finished"


def handed_out(place: Place) -> list[str]:
    """The reviews on the queue once the relay has added what is missing."""
    queue = open_queue(place.queue_client, REVIEWS)
    ReviewDispatch(Reviews(place.client), Puzzles(place.client), queue).run()
    jobs: list[Any] = Job.fetch_many(queue.job_ids, place.queue_client, serializer="json")
    assert {job.func_name for job in jobs} <= {REVIEW_JOB}
    return [job.args[0] for job in jobs]


@pytest.mark.long
def test_reviews_are_computed_by_the_relay_and_two_workers(place: Place) -> None:
    matches = [finished_match(place) for _ in range(3)]
    reviews = [requested(place, match_id) for match_id in matches]
    with running("workers.main", place), running("workers.main", place), running("workers.relay", place):
        wait_until(lambda: all(is_finished(place, review_id) for review_id in reviews))
    documents = [Reviews(place.client).document(review_id) for review_id in reviews]
    assert documents == [computed_here(place, match_id) for match_id in matches]


@pytest.mark.long
def test_a_review_is_finished_after_its_worker_its_relay_and_its_queue_are_gone(place: Place) -> None:
    match_id = finished_match(place)
    review_id = requested(place, match_id)
    with running("workers.relay", place) as relay, running("workers.main", place) as worker:
        wait_until(lambda: place.queue_client.exists(f"mk:{{claim}}:{review_id}"))
        worker.kill()
        relay.kill()
    place.queue_client.flushall()
    with running("workers.relay", place), running("workers.main", place):
        wait_until(lambda: is_finished(place, review_id))
    assert Reviews(place.client).document(review_id) == computed_here(place, match_id)


def test_one_worker_gets_one_review_at_a_time_the_first_request_first(place: Place) -> None:
    first, second = [requested(place, finished_match(place)) for _ in range(2)]
    assert handed_out(place) == [first]
    assert handed_out(place) == [first]
    place.queue_client.flushall()
    assert handed_out(place) == [first], "a lost queue loses nothing"
    place.queue_client.flushall()
    claims = Claims(place.queue_client)
    assert claims.take(first)
    assert handed_out(place) == [], "it is being computed"
    claims.release(first)
    assert handed_out(place) == [first]
    assert second in Reviews(place.client).pending(2)
