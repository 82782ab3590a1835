"""The dispatch of reviews: the relay keeps their queue filled while some are to be computed.

At most half of the workers compute reviews at the same time, so that rounds of ladders, whose queue is the
last, go on.
"""

from typing import Final

import structlog
from rq import Queue

from events.matches.puzzles import Puzzles
from events.matches.reviews import Reviews
from events.store.keys import now_ms
from workers.operations.metrics import JOBS_FOR_REVIEWS
from workers.queue.claims import are_free
from workers.queue.client import QueueUnavailable, count_workers, enqueue_reviews, reviews_waiting

LOOKED_AT: Final = 500
"""The most pending reviews that a run reads; with twice as many workers, some would stay idle."""

log = structlog.get_logger(__name__)


class ReviewDispatch:
    """Puts reviews on the queue, the first request first."""

    def __init__(self, reviews: Reviews, puzzles: Puzzles, queue: Queue) -> None:
        self._reviews = reviews
        self._puzzles = puzzles
        self._queue = queue
        self._has_puzzles = False

    def run(self) -> None:
        """Enqueue what is to be computed and is not being computed, as far as workers are free for it.

        The first time, this also adds the puzzles that every service begins with.

        Raises:
            StoreUnavailable.
        """
        if not self._has_puzzles:
            self._puzzles.add_shipped()
            self._has_puzzles = True
        pending = self._reviews.pending(LOOKED_AT)
        if not pending:
            return
        try:
            chosen = self._chosen(pending)
            enqueue_reviews(self._queue, chosen, now_ms())
        except QueueUnavailable as error:
            log.warning("queue_unavailable", error=str(error))
            return
        JOBS_FOR_REVIEWS.inc(len(chosen))

    def _chosen(self, pending: list[str]) -> list[str]:
        waiting = reviews_waiting(self._queue)
        free = are_free(self._queue.connection, pending)
        room = max(1, count_workers(self._queue) // 2) - len(waiting) - free.count(False)
        left = [one for one, is_free in zip(pending, free, strict=True) if is_free and one not in waiting]
        return left[: max(0, room)]
