"""The job queues: how jobs are put on them, and how to connect to their Redis."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

import redis
import structlog
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue

from runtime import heartbeat
from runtime.connection import DRIVER, LONGEST_BLOCK_MS
from runtime.queue import LADDERS, PEOPLE, QUEUE, people_wait, tell_backlog

JOB: Final = "workers.jobs.play"
"""Named, not imported: whoever hands jobs out does not load the players."""
REPLY_JOB: Final = "workers.jobs.reply"
LADDER_JOB: Final = "workers.jobs.play_ladder"
TABLES_JOB: Final = "workers.jobs.compute_tables"
QUEUES: Final[Mapping[str, str]] = {
    REPLY_JOB: PEOPLE,
    JOB: QUEUE,
    LADDER_JOB: LADDERS,
    TABLES_JOB: LADDERS,
}
"""The queue of the jobs that call each function."""
GROUP_SIZE: Final = 16
"""As many matches go into one job at most: they share the cost of the fork and of each write to disk."""
TIMEOUT_S: Final = 60
"""A job that takes longer is stopped."""
LADDER_TIMEOUT_S: Final = 900
"""A job of a ladder may have much to read and to compute: a large history, the luck of many matches."""
TTL_S: Final = 60
"""A job that waits longer is forgotten."""
AT_ONCE: Final = 3
"""A turn that is lost with who had it is handed out again at once until it was handed out so often."""
FAILURE_TTL_S: Final = 86_400
"""A job that failed is kept for a look at it."""

UNDISTURBED_S: Final = 0.05
"""A job has so long at least, whoever waits: it would come to nothing but its beginning."""
ASKED_S: Final = 0.02
"""After that it looks as often whether people wait."""

Turn = tuple[str, int]
"""A match id and the version on which a built-in player is to decide."""


class LadderJob(NamedTuple):
    """A job of a ladder."""

    function: str
    """`LADDER_JOB` or `TABLES_JOB`."""
    ladder_id: str
    number: int
    """Of the round that is to be played on, or of the season whose tables are to be brought up to date."""


log = structlog.get_logger("workers.queueing")


class QueueUnavailable(Exception):
    """The queue's Redis did not answer as it should."""


def connect(url: str) -> redis.Redis:
    """A client of the queue's Redis. It never sends a command twice: whoever uses it deals with that."""
    return redis.Redis.from_url(
        url,
        socket_timeout=LONGEST_BLOCK_MS / 1000,
        socket_connect_timeout=2,
        retry=Retry(NoBackoff(), 0),
        driver_info=DRIVER,
    )


def open_queue(client: redis.Redis, name: str = QUEUE) -> Queue:
    """One of the queues that the workers listen on.

    Jobs are plain JSON, so reading one runs no code; what a worker runs of it, see `workers.play_job`.
    """
    return Queue(name, connection=client, serializer="json")


def hand_out(queue: Queue, turns: Sequence[Turn], attempt: int) -> None:
    """Put a job for the turns on the queue, at most `GROUP_SIZE`, each of another match.

    Raises:
        QueueUnavailable: perhaps it is not on the queue; putting it there once more does no harm.
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


def open_ladder_queue(client: redis.Redis) -> Queue:
    """The queue that the workers look at when nothing waits on the others."""
    return open_queue(client, LADDERS)


def hand_out_ladder_jobs(queue: Queue, jobs: Sequence[LadderJob], attempt: int) -> None:
    """Put these on the ladders' queue; a job that stands several times is there several times.

    Raises:
        QueueUnavailable: perhaps none is on the queue.
    """
    prepared = [
        Queue.prepare_data(
            function,
            args=[ladder_id, number, slot, attempt],
            job_id=f"ladder-{ladder_id}-{number}-{slot}-{attempt}",
            description=f"{function.rpartition('.')[2]} {number} of {ladder_id}",
            timeout=LADDER_TIMEOUT_S,
            result_ttl=0,
            ttl=TTL_S,
            failure_ttl=FAILURE_TTL_S,
        )
        for slot, (function, ladder_id, number) in enumerate(jobs)
    ]
    if prepared:
        with _unavailable_as_queue_error():
            queue.enqueue_many(prepared)


def count_workers(queue: Queue) -> int:
    """How many workers there are; RQ would count those that were killed too.

    Raises:
        QueueUnavailable.
    """
    with _unavailable_as_queue_error():
        return heartbeat.count(queue.connection, "worker")


def count_waiting(queue: Queue) -> int:
    """How many jobs wait for a worker.

    Raises:
        QueueUnavailable.
    """
    with _unavailable_as_queue_error():
        return queue.count


def beat(client: redis.Redis, name: heartbeat.Name) -> None:
    """Give a sign of life; without the queue's Redis there is none, and that is all."""
    try:
        heartbeat.beat(client, name)
    except redis.RedisError as error:
        log.debug("no_heartbeat", error=str(error))


def tell_waiting(client: redis.Redis, turns: int) -> None:
    """Say how many turns wait in the relay; without the queue's Redis nobody learns of it."""
    try:
        tell_backlog(client, turns)
    except redis.RedisError as error:
        log.debug("backlog_not_told", error=str(error))


class PeopleWait:
    """Whether a job is to end early, because turns wait in matches in which people play.

    Asked after every decision, it asks the queue's Redis now and then. Without an answer nobody waits.
    """

    def __init__(self, client: redis.Redis, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._client = client
        self._clock = clock
        self._next_s = clock() + UNDISTURBED_S
        self._do_wait = False

    def __call__(self) -> bool:
        now_s = self._clock()
        if now_s >= self._next_s:
            self._next_s = now_s + ASKED_S
            with suppress(redis.RedisError):
                self._do_wait = people_wait(self._client)
        return self._do_wait


@contextmanager
def _unavailable_as_queue_error() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        raise QueueUnavailable(f"{type(error).__name__}: {error}") from error


def job_id(turns: Sequence[Turn], attempt: int) -> str:
    """The same for the same turns and attempt, so that a job handed out twice is one job.

    RQ allows letters, digits, `_` and `-` alone, and keeps one record per id.
    """
    match_id, version = turns[0]
    digest = hashlib.sha256(json.dumps(turns).encode()).hexdigest()[:12]
    return f"ai-{match_id}-{version}-{attempt}-{digest}"
