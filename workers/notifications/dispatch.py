"""The dispatch of deliveries: the relay keeps a job on the queue of webhooks while something is due."""

from typing import Final

import structlog
from rq import Queue

from events.notifications.deliveries import Deliveries
from events.notifications.inbox import Inbox
from events.store.keys import now_ms
from workers.operations.metrics import JOBS_FOR_WEBHOOKS
from workers.queue.client import QueueUnavailable, count_waiting, enqueue_delivery

CLEANED_MS: Final = 60_000
"""The interval at which subscriptions that are over are removed."""

log = structlog.get_logger(__name__)


class DeliveryDispatch:
    """Puts jobs on the queue of webhooks. The event store says what is due, so none is ever missing long."""

    def __init__(self, inbox: Inbox, deliveries: Deliveries, queue: Queue) -> None:
        self._inbox = inbox
        self._deliveries = deliveries
        self._queue = queue
        self._clean_ms = 0

    def run(self) -> None:
        """Enqueue a job if something is due and no job waits. What a job has taken is not due.

        Raises:
            StoreUnavailable.
        """
        now = now_ms()
        if now >= self._clean_ms:
            self._clean_ms = now + CLEANED_MS
            self._inbox.end_subscriptions()
        if not self._deliveries.has_due(now):
            return
        try:
            if not count_waiting(self._queue):
                enqueue_delivery(self._queue, now)
                JOBS_FOR_WEBHOOKS.inc()
        except QueueUnavailable as error:
            log.warning("queue_unavailable", error=str(error))
