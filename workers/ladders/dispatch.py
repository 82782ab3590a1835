"""What the relay does for ladders: jobs for rounds that are played and tables that are due.

What is to be done follows from the ladders' histories and the list of wanted tables, so a job that got lost
is handed out again.
"""

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Final

import redis
import structlog
from rq import Queue

from domain.ladder.state import Block, LadderState, Round
from events import StoreError, StoreUnavailable
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladders
from events.store import outages
from events.store.streams import now_ms
from workers.ladders import claims, seats
from workers.metrics import JOBS_FOR_ROUNDS, OUTAGES
from workers.queueing import (
    LADDER_JOB,
    TABLES_JOB,
    LadderJob,
    QueueUnavailable,
    count_waiting,
    count_workers,
    hand_out_ladder_jobs,
)

PER_WORKER: Final = 2
"""As many jobs wait at most: when one ends, another is there."""

PUT_ASIDE_S: Final = 60.0
"""For a ladder that cannot be loaded: to read it whole each time would keep the others waiting."""

PATIENCE_S: Final = 0.5
"""For the web processes to take a connection."""

log = structlog.get_logger("workers.ladders.dispatch")


class WebPort:
    """Where remote bots come in: the web processes, if they are on this machine."""

    def __init__(self, host: str, port: int) -> None:
        self._address = ({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)
        self._was_open = False

    def is_closed(self) -> bool:
        """Whether nobody takes connections any more; where nobody ever did, that is not known."""
        try:
            with socket.create_connection(self._address, timeout=PATIENCE_S):
                self._was_open = True
                return False
        except OSError:
            return self._was_open


class Rounds:
    """Keeps the ladders' queue filled as long as there is something to play or to compute."""

    def __init__(
        self,
        ladders: Ladders,
        client: redis.Redis,
        queue: Queue,
        port: WebPort,
        is_store_full: Callable[[], bool] = lambda: False,
    ) -> None:
        """`client` is one of the event store. While that is full, rounds rest: they would fill it further."""
        self._ladders = ladders
        self._client = client
        self._queue = queue
        self._port = port
        self._put_aside: dict[str, float] = {}
        """Ladders that cannot be loaded, each with the time to try again."""
        self._is_store_full = is_store_full
        self._served = 0
        """Jobs handed out so far: the next ladder in turn begins where the last one ended."""

    def run(self) -> None:
        """Note that the service works, and hand out what is missing.

        Raises:
            StoreUnavailable.
        """
        active = self._ladders.active()
        at_ms = now_ms()
        if not self._port.is_closed():
            self._note(at_ms)
        if active and self._is_store_full():
            log.warning("rounds_rest", ladders=len(active))
            active = []
        jobs = self._jobs(active)
        if not jobs:
            return
        try:
            free = PER_WORKER * max(1, count_workers(self._queue)) - count_waiting(self._queue)
            first = self._served % len(jobs)
            chosen = list(islice(_in_turn(jobs[first:] + jobs[:first]), max(0, free)))
            self._served += len(chosen)
            hand_out_ladder_jobs(self._queue, chosen, at_ms)
        except QueueUnavailable as error:
            log.warning("queue_unavailable", error=str(error))
            return
        JOBS_FOR_ROUNDS.inc(len(chosen))

    def _note(self, at_ms: int) -> None:
        outage = outages.note(self._client, at_ms)
        if outage is not None:
            OUTAGES.inc()
            log.warning("outage_noted", first_ms=outage.first_ms, last_ms=outage.last_ms)

    def _jobs(self, active: Sequence[str]) -> list[tuple[LadderJob, int]]:
        """What is to be done for these ladders, and the tables that are wanted; each with how many jobs there
        is work for.

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
        # Tables that a job computes at this moment, or was done with just before, are left alone.
        are_free = claims.are_free(self._queue.connection, [claims.tables(*season) for season in seasons])
        free = [season for season, is_free in zip(seasons, are_free, strict=True) if is_free]
        return jobs + [(LadderJob(TABLES_JOB, *season), 1) for season in free]

    def _played(self, ladder_id: str) -> list[tuple[LadderState, Round]]:
        """The rounds of the ladder that are played, but for those that wait for their public value."""
        if time.monotonic() < self._put_aside.get(ladder_id, 0):
            return []
        try:
            state = self._ladders.load(ladder_id).state
        except StoreUnavailable:
            raise
        except StoreError as error:
            # One ladder that cannot be helped must not keep the others waiting.
            log.error("ladder_not_loaded", ladder_id=ladder_id, error=str(error))
            self._put_aside[ladder_id] = time.monotonic() + PUT_ASIDE_S
            return []
        return [(state, round) for round in state.rounds if round.may_begin]


def _work(state: LadderState, round: Round) -> int:
    """How many jobs there is work for in a round: at least one while a block is open, for what others began.

    A block of strategies that are not known here asks for none: workers as old as this would leave it alone.
    """
    open = [round.blocks[number - round.first_block] for number in islice(round.left, 1000)]
    return max(min(1, len(open)), sum([1 for block in open if _is_for_jobs(state, block)]))


def _is_for_jobs(state: LadderState, block: Block) -> bool:
    return not (seats.has_bot(state, block) or seats.has_newcomer(state, block))


def _in_turn(wanted: Sequence[tuple[LadderJob, int]]) -> Iterator[LadderJob]:
    """One job of each kind, then the next of each."""
    for jobs in zip_longest(*[[job] * count for job, count in wanted]):
        yield from [job for job in jobs if job is not None]
