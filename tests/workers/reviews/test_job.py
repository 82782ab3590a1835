"""The jobs that compute reviews: in parts, by several workers, and what they do with odd requests."""

from collections.abc import Callable, Sequence

import pytest
import redis
from msgspec.structs import replace
from rq.timeouts import JobTimeoutException

from contract.reviews import MILLIONTHS, Review
from domain import legal_commands
from domain.canonical import parsed_as
from domain.match.branches import branch_started
from events.matches import reviews as stored
from events.matches.puzzles import Puzzles
from events.matches.reviews import Reviews
from events.store import keys
from kernel.engine import Engine
from review import JUDGE_VERSION
from review.judging import Judged, JudgedDecision
from review.puzzles import FoundPuzzle
from review.report import presented
from review.walk import Decision, Step
from tests.service.stored_streams import replace_stream, stream_of
from tests.workers.kit import Place, hang
from tests.workers.review_kit import (
    compute_some,
    computed_here,
    context,
    finished_match,
    requested,
    subject_of,
)
from workers.queue.claims import Claims
from workers.reviews.job import MOST_TRIES, compute


def status_of(place: Place, review_id: str) -> str:
    found = Reviews(place.client).find(review_id)
    return found.status if found else "unknown"


def test_a_job_computes_a_review_and_keeps_it(place: Place) -> None:
    match_id = finished_match(place)
    review_id = requested(place, match_id)
    assert status_of(place, review_id) == "queued"
    compute_some(place, review_id)
    assert status_of(place, review_id) == "finished"
    assert Reviews(place.client).document(review_id) == computed_here(place, match_id)
    assert Reviews(place.client).pending(10) == []


@pytest.mark.parametrize(("visibility", "kept"), [("public", 1), ("unlisted", 0), ("private", 0)])
def test_puzzles_are_kept_of_matches_that_everybody_may_see(
    place: Place, monkeypatch: pytest.MonkeyPatch, visibility: str, kept: int
) -> None:
    def first_choice(
        kernel: Engine, steps: Sequence[Step], judged: Sequence[Judged], may_go_on: Callable[[], bool]
    ) -> list[FoundPuzzle]:
        assert may_go_on()
        for step, one in zip(steps, judged, strict=True):
            if isinstance(step, Decision) and isinstance(one, JudgedDecision) and len(one.candidates) > 1:
                shown = tuple([presented(legal_commands(step.state), each) for each in one.candidates])
                return [FoundPuzzle(step.version - 1, step.state, shown, 1)]
        raise AssertionError("nothing was decided")

    monkeypatch.setattr("review.reviewer.puzzles_of", first_choice)
    match_id = finished_match(place, visibility=visibility)
    compute_some(place, requested(place, match_id))
    found = Puzzles(place.client).page(10, ruleset="base")
    assert len(found) == kept
    for one in found:
        assert one.match_id == match_id
        assert branch_started(place.matches.history.state_at(match_id, one.version), False) == one.position
        assert Puzzles(place.client).find(one.puzzle_id) == one


def test_a_review_is_kept_even_if_its_puzzles_cannot_be(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[FoundPuzzle]:
        raise ValueError("no puzzles")

    monkeypatch.setattr("review.reviewer.puzzles_of", broken)
    review_id = requested(place, finished_match(place, "public"))
    compute_some(place, review_id)
    assert status_of(place, review_id) == "finished"


@pytest.mark.long
def test_a_review_adds_up_exactly(place: Place) -> None:
    match_id = finished_match(place)
    found = parsed_as(computed_here(place, match_id), Review)
    assert (found.match_id, found.version) == (match_id, place.latest(match_id).version)
    assert found.steps
    chances = found.start
    for step in found.steps:
        chances = tuple([before + by for before, by in zip(chances, step.change, strict=True)])
        assert (step.chances, sum(step.change), sum(chances)) == (chances, 0, MILLIONTHS)
    assert chances == found.result
    for seat in found.seats:
        assert seat.start + seat.luck + seat.skill + seat.others == seat.result == found.result[seat.seat]
        assert seat.adjusted == seat.result - seat.luck
    assert sum(seat.luck for seat in found.seats) == 0


@pytest.mark.long
def test_jobs_without_time_compute_one_item_each_and_the_same_review(place: Place) -> None:
    match_id = finished_match(place)
    review_id = requested(place, match_id)
    done = []
    while (found := Reviews(place.client).find(review_id)) and found.status != "finished":
        assert found.done not in done, "the last job has saved nothing"
        done.append(found.done)
        compute_some(place, review_id, seconds=0.0)
    assert found is not None
    assert done == [*range(found.total)]
    assert (found.done, status_of(place, review_id)) == (found.total, "finished")
    assert Reviews(place.client).document(review_id) == computed_here(place, match_id)


def test_a_job_ends_when_people_wait(place: Place) -> None:
    review_id = requested(place, finished_match(place))
    job = replace(context(place), people_wait=lambda: True)
    compute(job, review_id)
    job.queue.close()
    found = Reviews(place.client).find(review_id)
    assert found is not None
    assert (found.status, found.done) == ("running", 1)


def test_a_review_that_another_worker_has_claimed_is_left_to_it(place: Place) -> None:
    review_id = requested(place, finished_match(place))
    assert Claims(place.queue_client).take(review_id)
    compute_some(place, review_id)
    assert status_of(place, review_id) == "queued"


def test_of_two_workers_on_one_review_the_first_to_finish_counts(place: Place) -> None:
    review_id = requested(place, finished_match(place))
    reviews = Reviews(place.client)
    slower = reviews.begin(review_id)
    assert slower is not None
    compute_some(place, review_id)
    document = reviews.document(review_id)
    reviews.save(slower.subject, 1, 2, b"half")
    reviews.finish(slower, b"{}", 2)
    reviews.fail(slower, "it was late")
    assert (status_of(place, review_id), reviews.document(review_id)) == ("finished", document)


@pytest.mark.long
def test_a_finished_review_keeps_nothing_of_the_account_that_asked(place: Place) -> None:
    match_id = finished_match(place)
    review_id = requested(place, match_id, "acc_gone")
    compute_some(place, review_id)
    assert place.client.exists(keys.pending_reviews("acc_gone")) == 0
    assert b"acc_gone" not in b"".join(place.client.hvals(keys.review(review_id)))


@pytest.mark.long
def test_a_record_that_does_not_follow_from_the_rules_fails_and_may_be_requested_again(
    place: Place, admin: redis.Redis
) -> None:
    match_id = finished_match(place)
    review_id = requested(place, match_id)
    whole = stream_of(admin, match_id)
    replace_stream(admin, match_id, whole[:-2])
    compute_some(place, review_id)
    assert status_of(place, review_id) == "failed"
    replace_stream(admin, match_id, whole)
    assert requested(place, match_id) == review_id
    compute_some(place, review_id)
    assert status_of(place, review_id) == "finished"


def test_a_review_that_kills_all_its_jobs_fails(place: Place) -> None:
    review_id = requested(place, finished_match(place))
    for _ in range(MOST_TRIES):
        assert Reviews(place.client).begin(review_id)
    compute_some(place, review_id)
    assert status_of(place, review_id) == "failed"


def test_a_job_whose_time_is_up_fails_no_review(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    review_id = requested(place, finished_match(place))
    with monkeypatch.context() as slow:
        slow.setattr("review.reviewer.Reviewer.advance", hang)
        with pytest.raises(JobTimeoutException):
            compute_some(place, review_id)
    assert status_of(place, review_id) == "queued"
    compute_some(place, review_id)
    assert status_of(place, review_id) == "finished"


@pytest.mark.parametrize(("newer", "left"), [(1, "queued"), (-1, "unknown")])
def test_a_request_for_another_judge_is_left_to_newer_workers_or_dropped(
    place: Place, newer: int, left: str
) -> None:
    subject = subject_of(place.latest(finished_match(place)), JUDGE_VERSION + newer)
    reviews = Reviews(place.client)
    assert reviews.request(subject, "acc_ada", 1)
    for _ in range(MOST_TRIES + 1):
        compute_some(place, subject.review_id)
    assert status_of(place, subject.review_id) == left
    assert reviews.pending(10) == ([subject.review_id] if left == stored.QUEUED else [])
