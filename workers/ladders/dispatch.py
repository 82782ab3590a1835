"""The dispatch of jobs of ladders: rounds to play and tables to compute.

What is to be done follows from the ladders' histories and the list of wanted tables, so the relay simply
enqueues a lost job again.
"""

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Final

import redis
import structlog
from rq import Queue

from domain.ladder.state import LadderState, Round
from events import StoreError, StoreUnavailable
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladders
from events.store import outages
from events.store.keys import now_ms
from workers.ladders import claims
from workers.operations.metrics import JOBS_FOR_ROUNDS, OUTAGES
from workers.queue.claims import are_free
from workers.queue.client import (
    LADDER_JOB,
    TABLES_JOB,
    LadderJob,
    QueueUnavailable,
    count_waiting,
    count_workers,
    enqueue_ladder_jobs,
)

PER_WORKER: Final = 2
"""Most jobs on the queue per worker: when a job ends, the next one is there."""

PUT_ASIDE_S: Final = 60.0
"""The pause after a ladder could not be loaded: reading it again each time would delay the others."""

PATIENCE_S: Final = 0.5
"""The time-out for connecting to the web processes."""
_REQUEST: Final = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

log = structlog.get_logger(__name__)


class WebPort:
    """The port of the web processes, which remote bots need; they may be on another machine."""

    def __init__(self, host: str, port: int) -> None:
        self._address = ({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)
        self._asked: socket.socket | None = None
        """The connection of a request without an answer."""
        self._has_answered = False

    def is_silent(self) -> bool:
        """Whether web processes answered before, and have not answered the request of the last call.

        Never waits for an answer: an open port says nothing, because connections can wait for a process.
        """
        is_answered = self._is_answered()
        self._has_answered = self._has_answered or is_answered
        if self._asked is None:
            self._ask()
        return self._has_answered and not is_answered

    def _is_answered(self) -> bool:
        if self._asked is None:
            return False
        try:
            is_answered = bool(self._asked.recv(4096))
        except BlockingIOError:
            return False
        except OSError:
            is_answered = False
        self._asked.close()
        self._asked = None
        return is_answered

    def _ask(self) -> None:
        try:
            self._asked = socket.create_connection(self._address, timeout=PATIENCE_S)
            self._asked.sendall(_REQUEST)
            self._asked.setblocking(False)
        except OSError:
            if self._asked is not None:
                self._asked.close()
            self._asked = None


class Rounds:
    """Keeps the queue of ladders filled while blocks are to be played or tables to be computed."""

    def __init__(
        self,
        ladders: Ladders,
        client: redis.Redis,
        queue: Queue,
        port: WebPort,
        is_store_full: Callable[[], bool] = lambda: False,
    ) -> None:
        """`client` is one of the event store. No round is played while that is full."""
        self._ladders = ladders
        self._client = client
        self._queue = queue
        self._port = port
        self._put_aside: dict[str, float] = {}
        """Ladders that could not be loaded, with the monotonic time of the next attempt."""
        self._is_store_full = is_store_full
        self._served = 0
        """Number of jobs enqueued so far, from which the round-robin over ladders continues."""

    def run(self) -> None:
        """Record that the service is available, and top up the queue.

        Raises:
            StoreUnavailable.
        """
        active = self._ladders.active()
        at_ms = now_ms()
        if not self._port.is_silent():
            self._record_outage(at_ms)
        if active and self._is_store_full():
            log.warning("rounds_rest", ladders=len(active))
            active = []
        jobs = self._jobs(active)
        if not jobs:
            return
        try:
            free = PER_WORKER * max(1, count_workers(self._queue)) - count_waiting(self._queue)
            first = self._served % len(jobs)
            chosen = list(islice(_interleaved(jobs[first:] + jobs[:first]), max(0, free)))
            self._served += len(chosen)
            enqueue_ladder_jobs(self._queue, chosen, at_ms)
        except QueueUnavailable as error:
            log.warning("queue_unavailable", error=str(error))
            return
        JOBS_FOR_ROUNDS.inc(len(chosen))

    def _record_outage(self, at_ms: int) -> None:
        outage = outages.record(self._client, at_ms)
        if outage is not None:
            OUTAGES.inc()
            log.warning("outage_noted", first_ms=outage.first_ms, last_ms=outage.last_ms)

    def _jobs(self, active: Sequence[str]) -> list[tuple[LadderJob, int]]:
        """The jobs for these ladders and for wanted tables, each with how many there is work for.

        Raises:
            StoreUnavailable.
        """
        jobs: list[tuple[LadderJob, int]] = []
        seasons: list[tuple[str, int]] = []
        for ladder_id in active:
            for state, round in self._played(ladder_id):
                jobs.append((LadderJob(LADDER_JOB, ladder_id, round.number), _work(state, round)))
                seasons.append((ladder_id, round.season))
        seasons = [*dict.fromkeys(seasons + ladder_tables.wanted(self._client))]
        # Claimed tables are being computed, or were finished just before.
        free = are_free(self._queue.connection, [claims.tables(*season) for season in seasons])
        due = [season for season, is_free in zip(seasons, free, strict=True) if is_free]
        return jobs + [(LadderJob(TABLES_JOB, *season), 1) for season in due]

    def _played(self, ladder_id: str) -> list[tuple[LadderState, Round]]:
        """The running rounds of the ladder, without those that wait for their public value."""
        if time.monotonic() < self._put_aside.get(ladder_id, 0):
            return []
        try:
            state = self._ladders.load(ladder_id).state
        except StoreUnavailable:
            raise
        except StoreError as error:
            # One ladder that cannot be loaded must not block the others.
            log.error("ladder_not_loaded", ladder_id=ladder_id, error=str(error))
            self._put_aside[ladder_id] = time.monotonic() + PUT_ASIDE_S
            return []
        return [(state, round) for round in state.rounds if round.may_begin]


def _work(state: LadderState, round: Round) -> int:
    """The number of jobs that a round has work for: at least one while a block is open, to finish what other
    jobs began.

    Blocks with strategies that this version does not know do not count, since its workers skip them.
    """
    open = [round.blocks[number - round.first_block] for number in islice(round.left, 1000)]
    return max(min(1, len(open)), sum([1 for block in open if claims.is_for_jobs(state, block)]))


def _interleaved(wanted: Sequence[tuple[LadderJob, int]]) -> Iterator[LadderJob]:
    """The jobs in round-robin order."""
    for jobs in zip_longest(*[[job] * count for job, count in wanted]):
        yield from [job for job in jobs if job is not None]
