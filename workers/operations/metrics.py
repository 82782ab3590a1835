"""The metrics of the relay and the workers.

A decision takes about 30 microseconds in all, so a job adds its decisions up and counts them when it ends.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import Histogram

from events.store.errors import StoreUnavailable
from runtime.metrics import counter, histogram
from runtime.queue import LADDERS, PEOPLE, QUEUE, REVIEWS, WEBHOOKS

RELAYED: Final = counter("machi_relay_pointers", "Pointers on the append log that the relay has processed")
_JOBS_OUT: Final = counter("machi_relay_jobs", "Jobs dispatched, by queue", "queue")
JOBS_FOR_PEOPLE: Final = _JOBS_OUT.labels(PEOPLE)
JOBS_FOR_MATCHES: Final = _JOBS_OUT.labels(QUEUE)
JOBS_FOR_ROUNDS: Final = _JOBS_OUT.labels(LADDERS)
JOBS_FOR_REVIEWS: Final = _JOBS_OUT.labels(REVIEWS)
JOBS_FOR_WEBHOOKS: Final = _JOBS_OUT.labels(WEBHOOKS)
SCRUBBED: Final = counter(
    "machi_matches_scrubbed", "Matches that the relay checked for damage in the background"
)
OUTAGES: Final = counter(
    "machi_outages",
    "Periods of more than three seconds in which the relay could not work or write, or the web processes "
    "accepted no connections",
)

_FINDINGS: Final = counter(
    "machi_sweep_findings", "Matches that the sweep found due, by what it found", "finding"
)
LATE_TURNS: Final = _FINDINGS.labels("late_turn")
"""A built-in player's turn is overdue."""
LOST_TURNS: Final = _FINDINGS.labels("lost_turn")
"""A built-in player's turn was lost with a worker or a queue."""
RUN_OUT_CLOCKS: Final = _FINDINGS.labels("run_out_clock")
NOT_LATE: Final = _FINDINGS.labels("not_late")
"""Somebody has acted since the match was found."""
PUT_ASIDE: Final = _FINDINGS.labels("put_aside")
"""The match cannot be loaded, or its clock cannot be expired."""

CLOCKS_EXPIRED: Final = counter("machi_clocks_expired", "Expired clocks whose consequence was recorded")

_JOBS: Final = counter("machi_worker_jobs", "Jobs that ended, by outcome", "outcome")
LADDER_MATCHES: Final = counter(
    "machi_ladder_matches", "Matches of built-in players that ladder rounds have finished"
)
_BLOCKS: Final = counter(
    "machi_ladder_blocks",
    "Blocks of built-in players that ladder rounds have completed, by outcome",
    "outcome",
)
BLOCKS_FINISHED: Final = _BLOCKS.labels("finished")
BLOCKS_VOIDED: Final = _BLOCKS.labels("voided")
_REVIEWS: Final = counter("machi_reviews", "Reviews that ended, by outcome", "outcome")
REVIEWS_FINISHED: Final = _REVIEWS.labels("finished")
REVIEWS_FAILED: Final = _REVIEWS.labels("failed")
NOTIFIED: Final = counter("machi_notifications", "Notifications added to inboxes, by type", "type")
NOT_NOTIFIED: Final = counter(
    "machi_notification_failures",
    "Pointers on the append log that notified nobody because their ladder could not be read",
)
WEBHOOK_ATTEMPTS: Final = counter("machi_webhook_attempts", "Requests to webhooks, by outcome", "outcome")
WEBHOOK_TIME: Final = histogram(
    "machi_webhook_attempt_duration_seconds",
    "Time that a request to a webhook took",
    (0.05, 0.25, 1.0, 2.0, 5.0, 10.0),
)
WEBHOOKS_DISABLED: Final = counter(
    "machi_webhooks_disabled", "Webhooks that the service disabled, by reason", "reason"
)
HANDED_BACK: Final = counter(
    "machi_worker_turns_handed_back", "Turns that a job did not reach and put back on the append log"
)
_DECISIONS: Final = counter(
    "machi_worker_decisions", "Decisions of built-in players, by strategy", "strategy"
)
_BOUNDS_S: Final = (
    *(0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005),
    *(0.001, 0.0025, 0.01, 0.05, 0.25, 1.0, 5.0),
)
_DECISION_TIME: Final = histogram(
    "machi_worker_decision_duration_seconds",
    "Time that a built-in player took to choose between several commands",
    _BOUNDS_S,
    "strategy",
)


class _Decided:
    """Decisions of one strategy that are not counted yet."""

    def __init__(self) -> None:
        self.decisions = 0
        self.seconds = 0.0
        self.buckets = [0] * (len(_BOUNDS_S) + 1)


_decided: Final[defaultdict[str, _Decided]] = defaultdict(_Decided)


def count_only_move(strategy: str) -> None:
    """Add a decision with only one legal command."""
    _decided[strategy].decisions += 1


def count_choice(strategy: str, took_s: float) -> None:
    """Add a decision between several commands."""
    decided = _decided[strategy]
    decided.decisions += 1
    decided.seconds += took_s
    decided.buckets[bisect_left(_BOUNDS_S, took_s)] += 1


@contextmanager
def job() -> Iterator[None]:
    """Count a job and its decisions when it ends or fails; a killed job is not counted."""
    outcome = "failed"
    try:
        yield
        outcome = "played"
    except StoreUnavailable:
        outcome = "store_unavailable"
        raise
    finally:
        _JOBS.labels(outcome).inc()
        _count_decisions()


def _count_decisions() -> None:
    for strategy, decided in _decided.items():
        _DECISIONS.labels(strategy).inc(decided.decisions)
        _observe(_DECISION_TIME.labels(strategy), decided)
    _decided.clear()


def _observe(histogram: Histogram, decided: _Decided) -> None:
    """Add all observations at once: `observe` for each would take a hundred times as long."""
    histogram._sum.inc(decided.seconds)
    for bucket, observations in zip(histogram._buckets, decided.buckets, strict=True):
        bucket.inc(observations)
