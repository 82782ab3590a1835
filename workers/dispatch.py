"""What the relay hands out to the workers, and in which order.

Turns of matches in which people play have a queue of their own, which workers look at first. On both queues
there are only a few jobs: all other turns wait in the relay, and accounts get equal shares.
"""

import time
from collections.abc import Iterable
from typing import Final

import redis
from prometheus_client import Counter
from rq import Queue

from events.store.records import Pointer, Precedence
from runtime.queue import PEOPLE, QUEUE
from workers import metrics
from workers.backlog import Backlog, Pending
from workers.queueing import (
    GROUP_SIZE,
    QueueUnavailable,
    count_waiting,
    count_workers,
    hand_out,
    open_queue,
)

PER_WORKER: Final = 2
"""As many jobs wait on a queue at most: when one ends, another is there."""
COUNTED_S: Final = 1.0
"""Workers are counted as often."""


class Lane:
    """One queue, and the turns that wait for room on it."""

    def __init__(self, queue: Queue, in_a_row: int, jobs: Counter) -> None:
        self.queue = queue
        self.backlog = Backlog(in_a_row)
        self._jobs = jobs

    def fill(self, most: int) -> None:
        """Hand turns out until so many jobs wait, or no turn is left.

        Raises:
            QueueUnavailable: perhaps none is on the queue; the turns wait on.
        """
        if not self.backlog:
            return
        for _ in range(most - count_waiting(self.queue)):
            group = self.backlog.take(GROUP_SIZE)
            if not group:
                return
            self._hand_out(group)

    def _hand_out(self, group: list[Pending]) -> None:
        turns = [(one.match_id, one.version) for one in group]
        try:
            hand_out(self.queue, turns, max([one.attempt for one in group]))
        except QueueUnavailable:
            for one in group:
                self.backlog.put(one)
            raise
        self._jobs.inc()


class Dispatch:
    """The turns that built-in players are to take, until a worker has them."""

    def __init__(self, client: redis.Redis) -> None:
        """`client` is one of the queue's Redis."""
        # A job for people has one turn of each account, for nobody is to wait for another's matches. One for
        # matches without people has those of one account, as far as there are any: so time is shared out.
        self._people = Lane(open_queue(client, PEOPLE), 1, metrics.JOBS_FOR_PEOPLE)
        self._others = Lane(open_queue(client, QUEUE), GROUP_SIZE, metrics.JOBS_FOR_MATCHES)
        self._workers = 1
        self._counted_s = float("-inf")

    def __len__(self) -> int:
        """How many turns wait here."""
        return len(self._people.backlog) + len(self._others.backlog)

    def __contains__(self, match_id: str) -> bool:
        """Whether a turn of the match waits here."""
        return match_id in self._people.backlog or match_id in self._others.backlog

    def see(self, pointers: Iterable[Pointer]) -> None:
        """Take in what the log says: new turns, and matches that went on without waiting for theirs."""
        for pointer in pointers:
            if pointer.next == "ai":
                self.put(pointer.match_id, pointer.version, pointer.precedence)
            else:
                self._people.backlog.drop(pointer.match_id)
                self._others.backlog.drop(pointer.match_id)

    def put(self, match_id: str, version: int, precedence: Precedence, attempt: int = 1) -> bool:
        """Have a turn handed out as soon as its time has come; false if there is no room for it."""
        lane, other = self._people, self._others
        if not precedence.has_people:
            lane, other = other, lane
        other.backlog.drop(match_id)
        return lane.backlog.put(Pending(match_id, version, precedence.creator, attempt))

    def hand_out(self) -> None:
        """Keep as many jobs on the queues as the workers need.

        Raises:
            QueueUnavailable: the turns wait on.
        """
        if not len(self):
            return
        if time.monotonic() - self._counted_s >= COUNTED_S:
            self._workers = max(1, count_workers(self._others.queue))
            self._counted_s = time.monotonic()
        for lane in (self._people, self._others):
            lane.fill(PER_WORKER * self._workers)

    def clear(self) -> None:
        """Forget all turns: another relay has them."""
        self._people.backlog.clear()
        self._others.backlog.clear()
