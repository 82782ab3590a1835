"""The client of the job queues: names of jobs, connecting, enqueuing and counting."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import redis
import structlog
from redis.backoff import ConstantBackoff
from redis.retry import Retry
from rq import Queue

from runtime import heartbeat
from runtime.connection import DRIVER, LONGEST_BLOCK_MS
from runtime.queue import LADDERS, PEOPLE, QUEUE, REVIEWS, WEBHOOKS, publish_backlog

JOB: Final = "workers.jobs.play"
"""Named, not imported, so that the relay does not load the players."""
REPLY_JOB: Final = "workers.jobs.reply"
LADDER_JOB: Final = "workers.jobs.play_ladder"
TABLES_JOB: Final = "workers.jobs.compute_tables"
REVIEW_JOB: Final = "workers.jobs.review_match"
WEBHOOKS_JOB: Final = "workers.jobs.deliver"
QUEUES: Final[Mapping[str, str]] = {
    REPLY_JOB: PEOPLE,
    JOB: QUEUE,
    LADDER_JOB: LADDERS,
    TABLES_JOB: LADDERS,
    REVIEW_JOB: REVIEWS,
    WEBHOOKS_JOB: WEBHOOKS,
}
"""The queue of each job function."""
GROUP_SIZE: Final = 16
"""Most matches in one job; they share the fork and the syncs to disk."""
TIMEOUT_S: Final = 60
"""Time limit of a job that plays turns."""
LONG_TIMEOUT_S: Final = 900
"""Time limit of other jobs. That of a ladder may read a large history and compute the luck of many matches;
that of a review may have to compile the kernel."""
TTL_S: Final = 60
"""A job that waits longer on a queue expires."""
IMMEDIATE_ATTEMPTS: Final = 5
"""Up to this attempt, a lost turn is dispatched again at once; later ones are left to the sweep."""
FAILURE_TTL_S: Final = 86_400
"""How long a failed job is kept for inspection."""

RETRY_S: Final = 0.1
"""The pause before a command is sent again."""
CONNECT_S: Final = 2
"""The time limit of a connection."""

DueTurn = tuple[str, int]
"""A match id and the version on which a built-in player is to decide."""


class LadderJob(NamedTuple):
    """A job of a ladder."""

    function: str
    """`LADDER_JOB` or `TABLES_JOB`."""
    ladder_id: str
    number: int
    """The round to play, or the season whose tables to update."""


log = structlog.get_logger(__name__)


class QueueUnavailable(Exception):
    """The queue's Redis failed or did not answer."""


class _Pause(ConstantBackoff):
    """The pause before a command is sent again, with a call before it."""

    def __init__(self, on_retry: Callable[[], None]) -> None:
        """`on_retry` is a function, since redis-py copies a pause deeply for each connection."""
        super().__init__(RETRY_S)
        self._on_retry = on_retry

    def compute(self, failures: int) -> float:
        self._on_retry()
        return super().compute(failures)


def connect(url: str, retries: int = 0, on_retry: Callable[[], None] = lambda: None) -> redis.Redis:
    """A client of the queue's Redis. Without `retries`, the callers handle every failure.

    `on_retry` is called, in the thread that waits, whenever a command has failed and will be sent again.
    """
    return redis.Redis.from_url(
        url,
        socket_timeout=LONGEST_BLOCK_MS / 1000,
        socket_connect_timeout=CONNECT_S,
        retry=Retry(_Pause(on_retry), retries),
        driver_info=DRIVER,
    )


def open_queue(client: redis.Redis, name: str = QUEUE) -> Queue:
    """One of the queues that the workers listen on.

    Jobs are plain JSON, so reading one runs no code; `workers.queue.play_job` checks what a worker runs.
    """
    return Queue(name, connection=client, serializer="json")


def enqueue_turns(queue: Queue, turns: Sequence[DueTurn], attempt: int) -> str:
    """Enqueue a job for these turns, at most `GROUP_SIZE`, each of a different match; the id of the job.

    Raises:
        QueueUnavailable: the job may or may not be on the queue; enqueuing it again does no harm.
    """
    job = Queue.prepare_data(
        REPLY_JOB if queue.name == PEOPLE else JOB,
        args=[turns, attempt],
        job_id=job_id(turns, attempt),
        description=f"play {len(turns)} matches",
        timeout=TIMEOUT_S,
        result_ttl=0,
        ttl=TTL_S,
        failure_ttl=FAILURE_TTL_S,
    )
    with _unavailable_as_queue_error():
        queue.enqueue_many([job])
    return job_id(turns, attempt)


def open_ladder_queue(client: redis.Redis) -> Queue:
    """The queue of ladders, from which workers take jobs last."""
    return open_queue(client, LADDERS)


def enqueue_ladder_jobs(queue: Queue, jobs: Sequence[LadderJob], attempt: int) -> None:
    """Enqueue these jobs of ladders; equal jobs get different slots, so each is enqueued.

    Raises:
        QueueUnavailable: some, all or none may be on the queue.
    """
    _enqueue_long(
        queue,
        [
            (
                function,
                [ladder_id, number, slot, attempt],
                f"ladder-{ladder_id}-{number}-{slot}-{attempt}",
                f"{function.rpartition('.')[2]} {number} of {ladder_id}",
            )
            for slot, (function, ladder_id, number) in enumerate(jobs)
        ],
    )


def enqueue_reviews(queue: Queue, review_ids: Sequence[str], attempt: int) -> None:
    """Enqueue a job for each of these reviews.

    Raises:
        QueueUnavailable: some, all or none may be on the queue.
    """
    _enqueue_long(
        queue,
        [
            (REVIEW_JOB, [review_id, attempt], f"{review_id}-{attempt}", f"compute {review_id}")
            for review_id in review_ids
        ],
    )


def enqueue_delivery(queue: Queue, attempt: int) -> None:
    """Enqueue a job that sends what is due to webhooks.

    Raises:
        QueueUnavailable: it may or may not be on the queue.
    """
    _enqueue_long(queue, [(WEBHOOKS_JOB, [attempt], f"webhooks-{attempt}", "deliver notifications")])


def _enqueue_long(queue: Queue, jobs: Sequence[tuple[str, list[Any], str, str]]) -> None:
    """Enqueue jobs that play no turns: of each its function, arguments, id and description."""
    prepared = [
        Queue.prepare_data(
            function,
            args=arguments,
            job_id=id,
            description=description,
            timeout=LONG_TIMEOUT_S,
            result_ttl=0,
            ttl=TTL_S,
            failure_ttl=FAILURE_TTL_S,
        )
        for function, arguments, id, description in jobs
    ]
    if prepared:
        with _unavailable_as_queue_error():
            queue.enqueue_many(prepared)


def reviews_waiting(queue: Queue) -> list[str]:
    """The reviews whose jobs are on the queue.

    Raises:
        QueueUnavailable.
    """
    with _unavailable_as_queue_error():
        return [job_id.partition("-")[0] for job_id in queue.job_ids]


def count_workers(queue: Queue) -> int:
    """The number of workers with a recent heartbeat; RQ would also count killed ones.

    Raises:
        QueueUnavailable.
    """
    with _unavailable_as_queue_error():
        return heartbeat.count(queue.connection, "worker")


def count_waiting(queue: Queue) -> int:
    """The number of jobs on the queue.

    Raises:
        QueueUnavailable.
    """
    with _unavailable_as_queue_error():
        return queue.count


def beat(client: redis.Redis, name: heartbeat.Name, process: str = heartbeat.PROCESS) -> None:
    """Send a heartbeat; a failure is only logged."""
    try:
        heartbeat.beat(client, name, process)
    except redis.RedisError as error:
        log.debug("no_heartbeat", error=str(error))


def publish_waiting(client: redis.Redis, turns: int, tag: str) -> None:
    """Publish how many turns of that partition wait in the relay; a failure is only logged."""
    try:
        publish_backlog(client, turns, tag)
    except redis.RedisError as error:
        log.debug("backlog_not_published", error=str(error))


@contextmanager
def _unavailable_as_queue_error() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        raise QueueUnavailable(f"{type(error).__name__}: {error}") from error


def job_id(turns: Sequence[DueTurn], attempt: int) -> str:
    """An id that is equal for equal turns and attempt, so that enqueuing twice makes one job.

    RQ keeps one record per id and allows only letters, digits, `_` and `-`.
    """
    match_id, version = turns[0]
    digest = hashlib.sha256(json.dumps(turns).encode()).hexdigest()[:12]
    return f"ai-{match_id}-{version}-{attempt}-{digest}"
