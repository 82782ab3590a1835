"""The dispatch of turns to the workers: which turns become jobs, and in which order.

Turns of matches with people go on a queue that workers check first. Both queues hold only a few jobs. All
other turns wait in the relay, where accounts get equal shares.
"""

import time
from collections.abc import Container, Iterable
from typing import Final

import redis
from cachetools import LRUCache
from msgspec import Struct
from msgspec.structs import replace
from prometheus_client import Counter
from rq import Queue

from events.store.records import Pointer, Precedence
from runtime.queue import PEOPLE, QUEUE
from workers.operations import metrics
from workers.queue.client import (
    GROUP_SIZE,
    IMMEDIATE_ATTEMPTS,
    DueTurn,
    QueueUnavailable,
    count_waiting,
    count_workers,
    enqueue_turns,
    open_queue,
)
from workers.turns.backlog import Backlog, WaitingTurn

PER_WORKER: Final = 2
"""Most jobs on a queue per worker: when a job ends, the next one is there."""
COUNTED_S: Final = 1.0
"""The interval at which workers are counted."""
REMEMBERED: Final = 20_000
"""The number of matches whose last pointers are kept."""
MISSED: Final = 2
"""A turn is lost if its job is missed at so many looks in a row. At one, a worker may be about to begin the
job, or the job may have ended and its pointers are still to be read."""


class SentTurn(Struct):
    """A turn in a job that was put on a queue."""

    version: int
    job_id: str
    attempt: int
    missed: int = 0


class Lane:
    """A queue and the backlog of turns for it."""

    def __init__(self, queue: Queue, in_a_row: int, jobs: Counter, sent: dict[str, SentTurn]) -> None:
        """`sent` takes the turns in jobs, by match."""
        self.queue = queue
        self.backlog = Backlog(in_a_row)
        self._jobs = jobs
        self._sent = sent

    def fill(self, most: int) -> None:
        """Enqueue turns until `most` jobs are on the queue or the backlog is empty.

        Raises:
            QueueUnavailable: turns that may not be on the queue are back in the backlog.
        """
        if not self.backlog:
            return
        for _ in range(most - count_waiting(self.queue)):
            group = self.backlog.take(GROUP_SIZE)
            if not group:
                return
            self._enqueue(group)

    def _enqueue(self, group: list[WaitingTurn]) -> None:
        turns = [(one.match_id, one.version) for one in group]
        attempt = max([one.attempt for one in group])
        try:
            enqueued = enqueue_turns(self.queue, turns, attempt)
        except QueueUnavailable:
            for one in group:
                self.backlog.put(one)
            raise
        self._sent.update({match_id: SentTurn(version, enqueued, attempt) for match_id, version in turns})
        self._jobs.inc()


class Dispatch:
    """All turns of built-in players that wait for a worker."""

    def __init__(self, client: redis.Redis) -> None:
        """`client` is one of the queue's Redis."""
        # A job for people has one turn of each account, so that nobody waits for another account's matches.
        # Other jobs have turns of one account while it has any, so that accounts get equal shares of time.
        self._sent: dict[str, SentTurn] = {}
        self._people = Lane(open_queue(client, PEOPLE), 1, metrics.JOBS_FOR_PEOPLE, self._sent)
        self._others = Lane(open_queue(client, QUEUE), GROUP_SIZE, metrics.JOBS_FOR_MATCHES, self._sent)
        self._last: LRUCache[str, Pointer] = LRUCache(REMEMBERED)
        self._workers = 1
        self._counted_s = float("-inf")

    def __len__(self) -> int:
        """The number of waiting turns."""
        return len(self._people.backlog) + len(self._others.backlog)

    def __contains__(self, match_id: str) -> bool:
        """Whether a turn of the match waits."""
        return match_id in self._people.backlog or match_id in self._others.backlog

    def follow(self, pointers: Iterable[Pointer]) -> None:
        """Follow the log: add new turns, and drop those of matches that have moved on."""
        for pointer in pointers:
            self._last[pointer.match_id] = pointer
            sent = self._sent.pop(pointer.match_id, None)
            if sent and pointer.next == "held":  # the job goes on with the match
                self._sent[pointer.match_id] = replace(sent, version=pointer.version)
            if pointer.next == "ai":
                self.put(pointer.match_id, pointer.version, pointer.precedence)
            else:
                self._people.backlog.drop(pointer.match_id)
                self._others.backlog.drop(pointer.match_id)

    def recall(self, pointers: Iterable[Pointer]) -> None:
        """Know these earlier pointers of the log, as if this relay had followed them."""
        for pointer in pointers:
            known = self._last.get(pointer.match_id)
            if known is None or known.version < pointer.version:
                self._last[pointer.match_id] = pointer

    def last_pointer(self, match_id: str) -> Pointer | None:
        """The last pointer of the match, as far as it is known; the log may be ahead of it."""
        return self._last.get(match_id)

    def lost(self, jobs: Container[str]) -> list[DueTurn]:
        """The turns whose jobs are gone although their matches have not moved on; each is returned once.

        `jobs` are the ids of those on a queue or with a worker. Turns that were lost too often are left to
        the sweep and its back-off, since they may be what kills the workers.
        """
        for sent in self._sent.values():
            sent.missed = 0 if sent.job_id in jobs else sent.missed + 1
        gone = [(match_id, sent) for match_id, sent in self._sent.items() if sent.missed >= MISSED]
        for match_id, _ in gone:
            del self._sent[match_id]
        return [(match_id, sent.version) for match_id, sent in gone if sent.attempt < IMMEDIATE_ATTEMPTS]

    def put(self, match_id: str, version: int, precedence: Precedence, attempt: int = 1) -> bool:
        """Add a turn to the backlog; false if the backlog is full."""
        lane, other = self._people, self._others
        if not precedence.has_people:
            lane, other = other, lane
        other.backlog.drop(match_id)
        return lane.backlog.put(WaitingTurn(match_id, version, precedence.creator, attempt))

    def fill_queues(self) -> None:
        """Top up both queues to `PER_WORKER` jobs per worker.

        Raises:
            QueueUnavailable: the turns are still in the backlog.
        """
        if not len(self):
            return
        if time.monotonic() - self._counted_s >= COUNTED_S:
            self._workers = max(1, count_workers(self._others.queue))
            self._counted_s = time.monotonic()
        for lane in (self._people, self._others):
            lane.fill(PER_WORKER * self._workers)

    def clear(self) -> None:
        """Forget everything, because another relay has taken over."""
        self._last.clear()
        self._sent.clear()
        self._people.backlog.clear()
        self._others.backlog.clear()
