"""Reviews of matches: request one, follow its progress, and show it; and the chances of winning alone."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from flask import Response
from marshmallow import Schema

from contract.reviews import ChanceCurve, Review, ReviewJob, ReviewList, ReviewProgress
from domain.canonical import hash_text
from domain.match.state import ABORTED, FINISHED, OPEN, RUNNING, is_over
from events.matches.entries import Loaded
from events.matches.reviews import FAILED, MOST_PENDING, Requested, ReviewSubject
from events.matches.reviews import FINISHED as COMPUTED
from events.store.keys import now_ms
from service.accounts.tokens import Token
from service.context import services
from service.edge.admission import require_memory
from service.edge.answers import Headers, cached_answer, has_current, json_answer, replay_mark
from service.edge.guard import Limit
from service.edge.idempotency import Record, keyed_request
from service.edge.problems import Problem
from service.matches.access import kept_for_ever, receipt_of, visible_match
from service.matches.chances import allows_commentary, has_judge, judge_of
from service.matches.match_views import ABOUT_MATCH, NOT_MODIFIED, RECEIPT
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("reviews", "Reviews of finished matches: chances of winning, luck, skill and mistakes.")

WAIT_S: Final = "1"
"""When to ask again for a review that is not finished."""
REQUESTED: Final = ("Location", "Match-Head", "Idempotency-Replayed")
_NOT_OVER: Final = {
    OPEN: "match_not_started",
    RUNNING: "match_running",
    ABORTED: "match_aborted",
}
"""By status of a match that has no review: the code of the problem."""


class ReviewRequestSchema(Schema):
    """An empty object."""


class _Record(Record, frozen=True):
    """The response to a request under an Idempotency-Key."""

    status: int
    job: ReviewJob


@blueprint.endpoint(
    "POST",
    "/v1/matches/<match_id>/reviews",
    {
        200: Success("The review, which is finished.", ReviewJob, REQUESTED),
        202: Success("The review, and its progress.", ReviewJob, REQUESTED),
    },
    caller=Caller.ACCOUNT,
    scope="play",
    body=ReviewRequestSchema(),
    optional_body=True,
    examples={"nothing": {"value": {}}},
    headers=("Idempotency-Key",),
    refusals=(
        *ABOUT_MATCH,
        *_NOT_OVER.values(),
        "review_not_found",
        "too_many_reviews",
        "idempotency_key_reused",
        "overloaded",
    ),
    limit=Limit.AUDITS,
)
def request_review(caller: Token, match_id: str, body: dict[str, Any]) -> Response:
    """Request the review of a finished match, which workers then compute in some seconds.

    The `review_id` derives from the match, its last event and the judge, so every request for the same match
    returns the same review, until a later version of the service has another judge. Reviews are kept; a
    failed one is computed again. An account can have ten reviews that are not finished. Matches of a ruleset
    without a trained network have no reviews: the problem is `review_not_found`.

    The response is kept under the Idempotency-Key for 30 days: the progress as it was then.
    """
    loaded = visible_match(match_id, caller)
    keyed = keyed_request("reviews", f"{caller.account_id} {match_id}")
    record = keyed.recorded(services().events_redis, _Record) if keyed else None
    if record is not None:
        return _requested(loaded, record.status, record.job, is_replayed=True)
    subject = _subject(loaded)
    found = _present(subject, _request(subject, caller))
    status = 200 if found.status == COMPUTED else 202
    if keyed is not None:
        record = keyed.record_once(services().events_redis, _Record(keyed.fingerprint, status, found))
        status, found = record.status, record.job
    return _requested(loaded, status, found)


def _request(subject: ReviewSubject, caller: Token) -> Requested:
    """Request the review, and return it.

    Raises:
        Problem: `too_many_reviews` or `overloaded`.
    """
    reviews, review_id = services().reviews, subject.review_id
    known = reviews.find(review_id)
    if known is None or known.status == FAILED:
        require_memory()
        if not reviews.request(subject, caller.account_id, now_ms()):
            detail = f"{MOST_PENDING} reviews that the account has requested are not finished"
            raise Problem("too_many_reviews", detail, headers={"Retry-After": WAIT_S})
        known = reviews.find(review_id)
    assert known is not None
    return known


def _subject(loaded: Loaded) -> ReviewSubject:
    """What the review of the match is computed from.

    Raises:
        Problem: the match has no review.
    """
    status = loaded.state.status
    if status != FINISHED:
        raise Problem(_NOT_OVER[status], f"the match is {status}")
    judge = judge_of(loaded.state)
    return ReviewSubject(loaded.match_id, loaded.version, hash_text(loaded.head_hash), *judge)


def _requested(loaded: Loaded, status: int, job: ReviewJob, is_replayed: bool = False) -> Response:
    location = {"Location": f"/v1/matches/{job.match_id}/reviews/{job.review_id}"}
    return json_answer(job, status, {**location, **receipt_of(loaded), **replay_mark(is_replayed)})


def _present(subject: ReviewSubject, found: Requested) -> ReviewJob:
    percent = 100 * found.done // found.total if found.total else 0
    return ReviewJob(
        review_id=subject.review_id,
        match_id=subject.match_id,
        version=subject.version,
        status=found.status,
        progress=ReviewProgress(done=found.done, total=found.total, percent=percent),
    )


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/reviews",
    {200: Success("The reviews.", ReviewList, ("Match-Head",))},
    caller=Caller.ANYBODY,
    refusals=ABOUT_MATCH,
)
def list_reviews(caller: Token | None, match_id: str) -> Response:
    """List the review of a match by the present judge, if anybody has requested it."""
    loaded = visible_match(match_id, caller)
    items: tuple[ReviewJob, ...] = ()
    if loaded.state.status == FINISHED and has_judge(loaded.state):
        subject = _subject(loaded)
        found = services().reviews.find(subject.review_id)
        items = (_present(subject, found),) if found else ()
    return json_answer(ReviewList(items=items, next=None), 200, receipt_of(loaded))


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/reviews/<review_id>",
    {
        200: Success("The review, which never changes.", Review, RECEIPT),
        202: Success("The review is not finished.", ReviewJob, ("Retry-After", "Match-Head")),
        304: NOT_MODIFIED,
    },
    caller=Caller.ANYBODY,
    headers=("If-None-Match",),
    refusals=(*ABOUT_MATCH, "review_not_found"),
)
def show_review(caller: Token | None, match_id: str, review_id: str) -> Response:
    """Show a review, or its progress while it is computed.

    The body is canonical JSON (RFC 8785): `machi review` computes the same bytes from the export of the
    match. If the recorded events do not follow from the rules, the problem is `stream_corrupt`.
    """
    loaded = visible_match(match_id, caller)
    found = services().reviews.find(review_id)
    if found is None or found.subject.match_id != match_id:
        raise Problem("review_not_found")
    if found.status == FAILED:
        raise Problem("stream_corrupt", "the recorded events do not follow from the rules")
    if found.status != COMPUTED:
        return json_answer(_present(found.subject, found), 202, {"Retry-After": WAIT_S, **receipt_of(loaded)})
    return _kept_answer(review_id, kept_for_ever(loaded), lambda: services().reviews.document(review_id))


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/chances",
    {200: Success("The chances so far.", ChanceCurve, RECEIPT), 304: NOT_MODIFIED},
    caller=Caller.ANYBODY,
    headers=("If-None-Match",),
    refusals=(*ABOUT_MATCH, "match_not_started", "commentary_off", "review_not_found"),
    limit=Limit.AUDITS,
)
def show_chances(caller: Token | None, match_id: str) -> Response:
    """Show the chances of winning of all seats throughout a match, by the value network alone.

    Before the end, a match has them only if it is public and was created with the option `commentary`,
    because they help its players. Matches of a ruleset without a trained network have none: the problem is
    `review_not_found`.
    """
    loaded = visible_match(match_id, caller)
    if not is_over(loaded.state) and not allows_commentary(loaded.state):
        raise Problem("commentary_off")
    _, network = judge_of(loaded.state)
    mark = f"{loaded.version}-{network.removeprefix('sha-256:')[:16]}"
    return _kept_answer(mark, receipt_of(loaded), lambda: services().chances.chances_of(loaded))


def _kept_answer(etag: str, headers: Headers, make: Callable[[], bytes]) -> Response:
    """The JSON that `make` returns, which is only called if the client does not hold it."""
    body = b"" if has_current(etag) else make()
    return cached_answer(msgspec.Raw(body), etag, headers)
