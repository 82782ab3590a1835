"""The computation of a review in jobs of some seconds each, of which every one continues from what was saved.

Two jobs may work on one review: both compute the same, and the first to finish counts.
"""

import os
import time
from typing import Final

import structlog
from msgspec.structs import asdict

from domain.canonical import hash_text
from domain.match.branches import branch_started
from domain.match.rated import without_rating
from events.matches.entries import Loaded
from events.matches.puzzles import Puzzle, PuzzleCandidate, PuzzlePlayouts, Puzzles
from events.matches.replay import recorded_events
from events.matches.reviews import Begun, Reviews
from kernel.engine import engine
from players.weight_files import digest
from review import JUDGE_VERSION
from review.puzzles import PLAYOUTS, FoundPuzzle
from review.reviewer import Reviewer, encode
from workers.ladders.context import Context
from workers.operations import metrics
from workers.queue.claims import Claims
from workers.queue.play_job import ENDS_JOB

SECONDS: Final = 4.0
"""The time that a job computes; less if people's turns wait."""
PUZZLES_SECONDS: Final = 10.0
"""The time for the puzzles of a match, after which no further decision is played to the end."""
LONGEST_MS: Final = 60_000
"""The validity of the claim, which a job normally does not exceed."""
MOST_TRIES: Final = 10
"""After so many jobs in a row that saved nothing, the review fails: it may be what kills the workers."""

log = structlog.get_logger(__name__)


def compute(context: Context, review_id: str, seconds: float = SECONDS) -> None:
    """Continue a review for some time, unless another job has the claim or nothing is left to compute.

    Raises:
        StoreUnavailable, JobTimeoutException: the next job continues from what was saved.
    """
    reviews = Reviews(context.events)
    requested = reviews.find(review_id)
    if requested is None or requested.subject.judge_version > JUDGE_VERSION:
        return  # a worker of a newer version computes it
    own = Claims(context.queue, os.getpid())
    if not all(own.take_many([review_id])):
        return
    own.keep(review_id, LONGEST_MS)
    try:
        begun = reviews.begin(review_id)
        if begun is not None:
            _continue(context, reviews, begun, seconds)
    finally:
        own.release(review_id)


def _continue(context: Context, reviews: Reviews, begun: Begun, seconds: float) -> None:
    subject = begun.subject
    try:
        loaded = context.matches.load(subject.match_id)
        reviewer = _reviewer(context, begun, loaded)
        if reviewer is None:
            reviews.drop(begun)
            return
        _advance(context, reviewer, seconds)
        document = encode(reviewer.review()) if reviewer.done == reviewer.total else None
    except ENDS_JOB:
        raise
    except Exception as error:
        # The same events would fail again, and whoever waits for the review must learn of it.
        log.exception("review_failed", review_id=subject.review_id, match_id=subject.match_id)
        metrics.REVIEWS_FAILED.inc()
        reviews.fail(begun, f"{type(error).__name__}: {error}")
        return
    if document is None:
        reviews.save(subject, reviewer.done, reviewer.total, reviewer.saved())
    else:
        reviews.finish(begun, document, reviewer.total)
        metrics.REVIEWS_FINISHED.inc()
        try:
            _keep_puzzles(context, reviewer, loaded)
        except ENDS_JOB:
            raise
        except Exception:
            log.exception("puzzles_failed", review_id=subject.review_id, match_id=subject.match_id)


def _keep_puzzles(context: Context, reviewer: Reviewer, loaded: Loaded) -> None:
    """Keep the puzzles of a match that everybody may see. Without numba, finding them would take minutes.

    Nobody waits for puzzles: those that a job has no time for are not kept.
    """
    state = loaded.state
    if state.created.visibility == "public" and engine().is_compiled:
        end_s = time.monotonic() + PUZZLES_SECONDS
        found = reviewer.puzzles(lambda: time.monotonic() < end_s and not context.people_wait())
        records = [puzzle_record(one, loaded.match_id) for one in found]
        Puzzles(context.events).add(state.rules.ruleset.id, records)


def puzzle_record(found: FoundPuzzle, match_id: str = "") -> Puzzle:
    """The stored form of a puzzle; without a match id, its match is not stored and cannot be shown."""
    created, rules = found.state.created, found.state.rules
    return Puzzle(
        rules.ruleset.version,
        without_rating(created.options),
        branch_started(found.state, keeps_orders=False),
        tuple([PuzzleCandidate(**asdict(one)) for one in found.candidates]),
        found.obvious,
        JUDGE_VERSION,
        digest(rules.ruleset.id),
        match_id,
        found.before if match_id else 0,
        None if found.playouts is None else PuzzlePlayouts(PLAYOUTS, *found.playouts),
    )


def _reviewer(context: Context, begun: Begun, loaded: Loaded) -> Reviewer | None:
    """The reviewer, with what is saved; None if the review is one of an older judge.

    Raises:
        StoreError: the events cannot be read.
        Exception: the events do not follow from the rules, or this has killed too many jobs.
    """
    subject = begun.subject
    if begun.tries > MOST_TRIES:
        raise ValueError(f"{begun.tries - 1} jobs have saved nothing")
    head_hash = hash_text(loaded.head_hash)
    if head_hash != subject.head_hash:
        raise ValueError(f"the last event is {head_hash}")
    judge = (JUDGE_VERSION, digest(loaded.state.rules.ruleset.id))
    if judge != (subject.judge_version, subject.value_function):
        return None
    events = [*recorded_events(context.matches.store, loaded)]
    reviewer = Reviewer(subject.match_id, events, head_hash, engine())
    if begun.saved:
        reviewer.restore(begun.saved)
    return reviewer


def _advance(context: Context, reviewer: Reviewer, seconds: float) -> None:
    """Compute at least one item, until all are done, the time is up or people wait."""
    end_s = time.monotonic() + seconds
    while reviewer.done < reviewer.total:
        reviewer.advance()
        if time.monotonic() >= end_s or context.people_wait():
            return
