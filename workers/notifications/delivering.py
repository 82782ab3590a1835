"""The delivery of notifications to webhooks: one job serves all that are due, several at a time.

Nothing else is sent to a webhook while one of the threads serves it. Of webhooks that failed or were slow
at their last attempt, a job serves few at a time, and none shortly before its end: whoever waits for them is
not in the way of others.
"""

import random
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Final
from urllib.parse import urlsplit

import structlog
from msgspec import Struct
from msgspec.structs import replace

from events import Seeds, StoreUnavailable
from events.notifications.deliveries import (
    DELIVERED,
    FAILED,
    MOST_ATTEMPTS_KEPT,
    PENDING,
    Attempt,
    Deliveries,
    Delivery,
    Listed,
    Settled,
)
from events.notifications.webhooks import FAILING, GONE, Webhook, Webhooks, signed_headers
from events.store.keys import now_ms
from workers.notifications.sending import Sender
from workers.operations import metrics

FIRST_DELAY_MS: Final = 5_000
FACTOR: Final = 5
MOST_TRIES: Final = 8
"""Attempts of a delivery, the first one included; the delays between them grow by `FACTOR`, to 22 hours."""
JITTER: Final = 0.2
"""The share by which a delay is longer or shorter, at random."""
FIRST_PAUSE_MS: Final = 1_000
LONGEST_PAUSE_MS: Final = 300_000
"""After a failed attempt, nothing else is sent to the webhook for a while: each time twice as long, up to
this."""
FAILING_MS: Final = 3 * 86_400_000
"""A webhook is disabled if every attempt failed for so long."""
PACE_MS: Final = 1_000
"""The pause after `IN_A_ROW` deliveries to a webhook."""
IN_A_ROW: Final = 10
SLOW_MS: Final = 2_000
"""A webhook whose last attempt took longer is slow."""
GONE_STATUS: Final = 410

log = structlog.get_logger(__name__)


class DeliveryLimits(Struct, frozen=True):
    """Limits of one job."""

    seconds: float = 20.0
    """How long it takes on webhooks."""
    slow_seconds: float = 8.0
    """How long it takes on slow ones."""
    threads: int = 16
    slow: int = 8
    """The most slow webhooks that are served at a time."""
    turn_s: float = 10.0
    """The time of a webhook, after which no further attempt begins."""
    lease_ms: int = 60_000
    """How long a webhook is taken for; more than a turn and an attempt."""
    look_s: float = 0.1
    """The interval between looks for webhooks that have become due."""


class Delivering:
    """Sends what is due."""

    def __init__(
        self,
        webhooks: Webhooks,
        deliveries: Deliveries,
        seeds: Seeds,
        sender: Sender,
        limits: DeliveryLimits = DeliveryLimits(),  # noqa: B008  # frozen
        clock: Callable[[], int] = now_ms,
    ) -> None:
        """`clock` gives the time in ms since 1970."""
        self._webhooks = webhooks
        self._deliveries = deliveries
        self._seeds = seeds
        self._sender = sender
        self._limits = limits
        self._clock = clock

    def run(self) -> None:
        """Serve due webhooks until none is left, or the time is over.

        Raises:
            StoreUnavailable: what was not recorded is sent again.
        """
        limits, began_s = self._limits, time.monotonic()
        busy: dict[Future[None], bool] = {}
        with ThreadPoolExecutor(limits.threads, "webhooks") as pool:
            while True:
                passed_s = time.monotonic() - began_s
                taken: list[tuple[str, bool]] = []
                if passed_s < limits.seconds:
                    slow = limits.slow - sum(busy.values()) if passed_s < limits.slow_seconds else 0
                    taken = self._take(limits.threads - len(busy), slow)
                busy |= {pool.submit(self._serve, webhook_id): is_slow for webhook_id, is_slow in taken}
                if not busy:
                    return
                done, _ = wait(busy, limits.look_s, FIRST_COMPLETED)
                for one in done:
                    del busy[one]
                    one.result()

    def _take(self, count: int, slow: int) -> list[tuple[str, bool]]:
        now = self._clock()
        return self._deliveries.take(now, now + self._limits.lease_ms, count, slow)

    def _serve(self, webhook_id: str) -> None:
        """Make the attempts that are due, until one fails, and give the webhook back.

        Raises:
            StoreUnavailable.
        """
        try:
            self._attempt_due(webhook_id)
        except StoreUnavailable:
            raise
        except Exception:  # one webhook must not stop the others; it is due again when its lease is over
            log.exception("webhook_not_served", webhook_id=webhook_id)

    def _attempt_due(self, webhook_id: str) -> None:
        ends_s = time.monotonic() + self._limits.turn_s
        for number in range(1, IN_A_ROW + 1):
            webhook = self._webhooks.get(webhook_id)
            listed = self._deliveries.due(webhook_id, self._clock())
            if webhook is None or not webhook.enabled or listed is None:
                break
            attempt = self._attempt(webhook, listed)
            self._settle(webhook, listed, attempt, PACE_MS if number == IN_A_ROW else 0)
            if not attempt.has_succeeded or time.monotonic() >= ends_s:
                break
        self._deliveries.give_back(webhook_id)

    def _attempt(self, webhook: Webhook, listed: Listed) -> Attempt:
        now = self._clock()
        body = bytes(listed.delivery.document)
        try:
            headers = signed_headers(self._seeds, webhook, listed.notification_id, now // 1000, body)
        except LookupError:  # the operator has removed the master key
            return Attempt(now, 0, error="secret_lost")
        return self._sender.post(webhook.url, headers, body)

    def _settle(self, webhook: Webhook, listed: Listed, attempt: Attempt, pause_ms: int) -> None:
        """Record an attempt and what follows from it."""
        now = self._clock()
        tries = listed.delivery.tries + 1
        attempts = (*listed.delivery.attempts, attempt)[-MOST_ATTEMPTS_KEPT:]
        delivery = replace(listed.delivery, attempts=attempts, tries=tries)
        due_ms: int | None = None
        if attempt.has_succeeded:
            delivery = replace(delivery, status=DELIVERED)
            settled = Settled(0, 0, now + pause_ms, attempt.took_ms > SLOW_MS)
        else:
            due_ms = now + delay_ms(tries) if tries < MOST_TRIES else None
            delivery = replace(delivery, status=PENDING if due_ms is not None else FAILED)
            settled = _failed(webhook, attempt, now)
        self._deliveries.settle(webhook.webhook_id, listed.notification_id, delivery, due_ms, settled)
        _tell(webhook, listed, delivery, attempt, settled)


def delay_ms(tries: int) -> int:
    """The delay after so many attempts of a delivery, with some chance in it: not all are to come at once."""
    delay: int = FIRST_DELAY_MS * FACTOR ** (tries - 1)
    return round(delay * random.uniform(1 - JITTER, 1 + JITTER))


def _failed(webhook: Webhook, attempt: Attempt, now: int) -> Settled:
    failures, since_ms = webhook.failures + 1, webhook.failing_since_ms or now
    pause_ms = min(FIRST_PAUSE_MS * 2 ** min(failures - 1, 16), LONGEST_PAUSE_MS)
    disabled_for = FAILING if now - since_ms >= FAILING_MS else ""
    if attempt.status == GONE_STATUS:
        disabled_for = GONE
    return Settled(failures, since_ms, now + pause_ms, True, disabled_for)


def _tell(webhook: Webhook, listed: Listed, delivery: Delivery, attempt: Attempt, settled: Settled) -> None:
    """Count the attempt, and log it without what may be secret: of the URL, only the host is."""
    outcome = "delivered" if attempt.has_succeeded else "failed" if delivery.status == PENDING else "given_up"
    metrics.WEBHOOK_ATTEMPTS.labels(outcome).inc()
    metrics.WEBHOOK_TIME.observe(attempt.took_ms / 1000)
    log.debug(
        "webhook_attempted",
        webhook_id=webhook.webhook_id,
        notification_id=listed.notification_id,
        host=urlsplit(webhook.url).hostname,
        status=attempt.status,
        error=attempt.error,
        ms=attempt.took_ms,
        outcome=outcome,
    )
    if settled.disabled_for:
        metrics.WEBHOOKS_DISABLED.labels(settled.disabled_for).inc()
        log.info(
            "webhook_disabled",
            webhook_id=webhook.webhook_id,
            account_id=webhook.account_id,
            host=urlsplit(webhook.url).hostname,
            reason=settled.disabled_for,
        )
