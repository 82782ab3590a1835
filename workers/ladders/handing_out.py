"""What the relay does for ladders: jobs for the rounds that are played, as many as there are workers for."""

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Final

import redis
import structlog
from rq import Queue

from domain.ladder.state import RUNNING, Block, LadderState, Round
from events import StoreError, StoreUnavailable
from events.ladders.ladders import Ladders
from events.store import outages
from events.store.clock import now_ms
from workers.ladders import seating
from workers.ladders.wanting import wanted_rounds
from workers.metrics import JOBS_FOR_ROUNDS, OUTAGES
from workers.queueing import LadderRound, QueueUnavailable, count_waiting, count_workers, hand_out_rounds

PER_WORKER: Final = 2
"""As many jobs wait at most: when one ends, another is there."""

PUT_ASIDE_S: Final = 60.0
"""For a ladder that cannot be loaded: to read it whole each time would keep the others waiting."""

PATIENCE_S: Final = 0.5
"""For the web processes to take a connection."""

log = structlog.get_logger("workers.ladders.handing_out")


class Door:
    """Where remote bots come in: the web processes, if they are on this machine."""

    def __init__(self, host: str, port: int) -> None:
        self._address = ({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)
        self._was_open = False

    def is_shut(self) -> bool:
        """Whether nobody takes connections any more; where nobody ever did, that is not known."""
        try:
            with socket.create_connection(self._address, timeout=PATIENCE_S):
                self._was_open = True
                return False
        except OSError:
            return self._was_open


class Rounds:
    """Keeps the ladders' queue filled as long as there is something to play."""

    def __init__(
        self,
        ladders: Ladders,
        client: redis.Redis,
        queue: Queue,
        door: Door,
        is_store_full: Callable[[], bool] = lambda: False,
    ) -> None:
        """`client` is one of the event store. While that is full, rounds rest: they would fill it further."""
        self._ladders = ladders
        self._client = client
        self._queue = queue
        self._door = door
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
        if not self._door.is_shut():
            self._note(at_ms)
        if active and self._is_store_full():
            log.warning("rounds_rest", ladders=len(active))
            active = []
        wanted = [round for ladder_id in active for round in self._wanted(ladder_id)]
        wanted += [(round, 1) for round in wanted_rounds(self._ladders, self._client)]
        if not wanted:
            return
        try:
            free = PER_WORKER * max(1, count_workers(self._queue)) - count_waiting(self._queue)
            first = self._served % len(wanted)
            jobs = list(islice(_in_turn(wanted[first:] + wanted[:first]), max(0, free)))
            self._served += len(jobs)
            hand_out_rounds(self._queue, jobs, at_ms)
        except QueueUnavailable as error:
            log.warning("queue_unavailable", error=str(error))
            return
        JOBS_FOR_ROUNDS.inc(len(jobs))

    def _note(self, at_ms: int) -> None:
        outage = outages.note(self._client, at_ms)
        if outage is not None:
            OUTAGES.inc()
            log.warning("outage_noted", first_ms=outage.first_ms, last_ms=outage.last_ms)

    def _wanted(self, ladder_id: str) -> list[tuple[LadderRound, int]]:
        """The rounds of the ladder that are played, each with how many jobs it has work for."""
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
        rounds = [round for round in state.rounds if round.status == RUNNING]
        return [((ladder_id, round.number), _jobs(state, round)) for round in rounds]


def _jobs(state: LadderState, round: Round) -> int:
    """How many jobs there is work for: at least one, for what is not over and for the round's end.

    A block of strategies that are not known here asks for none: workers as old as this would leave it alone.
    A round that waits for its public value has no work.
    """
    if round.awaits_value:
        return 0
    open = (round.blocks[number - round.first_block] for number in round.left)
    return max(1, sum([1 for block in islice(open, 1000) if _is_for_jobs(state, block)]))


def _is_for_jobs(state: LadderState, block: Block) -> bool:
    return not (seating.has_bot(state, block) or seating.has_newcomer(state, block))


def _in_turn(wanted: Sequence[tuple[LadderRound, int]]) -> Iterator[LadderRound]:
    """One job of each round, then the next of each."""
    for jobs in zip_longest(*[[round] * count for round, count in wanted]):
        yield from [job for job in jobs if job is not None]
