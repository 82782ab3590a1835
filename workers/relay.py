"""The relay process, `python -m workers.relay`: it turns the append logs (the outboxes) into jobs.

The relay reads the turns of built-in players from the log and dispatches them as workers become free, those
of matches with people first. The sweep finds lost turns in the due set. A turn that is dispatched twice does
no harm. Without the queue's Redis the relay does not advance in the log, but people's clocks still run. The
relay also has ended matches signed, accounts notified, checks stored matches in the background, enqueues
reviews, deliveries and jobs of ladders, and has deleted accounts leave their matches.
"""

import math
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from types import FrameType
from typing import Final

import redis
import structlog

from events import (
    Settings,
    SigningKeyReused,
    StoreUnavailable,
)
from events.matches.puzzles import Puzzles
from events.matches.reviews import Reviews
from events.notifications.deliveries import Deliveries
from events.notifications.inbox import Inbox
from events.store.high_water import HighWater
from events.store.keys import partitions_of
from events.store.outbox import DAMAGED, read_pointers
from events.store.records import Pointer
from events.stores import open_stores
from runtime import heartbeat
from runtime.connection import connect_blocking
from runtime.queue import REVIEWS, WEBHOOKS
from runtime.settings import SettingsError, refuse
from runtime.watchdog import Watchdog
from workers.ladders.dispatch import Rounds, WebPort
from workers.ladders.rating_boards import BoardDispatch
from workers.notifications.dispatch import DeliveryDispatch
from workers.operations.deletions import Deletions
from workers.operations.scrub import Scrub
from workers.operations.startup import begin
from workers.queue.client import QueueUnavailable, beat, open_ladder_queue, open_queue
from workers.queue.client import connect as connect_queue
from workers.reviews.dispatch import ReviewDispatch
from workers.turns.lost_turns import LostTurns
from workers.turns.partition import Interval, PartitionRelay, RelayIntervals

PAGE: Final = 500
FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 2.0

log = structlog.get_logger("workers.relay")


class Relay:
    """The relay of some partitions. `stop` may be called from a signal handler or another thread."""

    def __init__(self, settings: Settings, intervals: RelayIntervals = RelayIntervals()) -> None:  # noqa: B008  # frozen
        stores = open_stores(settings)
        client, self._matches, self._ladders = stores.client, stores.matches, stores.ladders
        self._queue_client = connect_queue(settings.queue_redis_url)
        self._blocking = connect_blocking(settings.events_redis_url)
        self._scrub = Scrub(stores.store, self._ladders, stores.damages, client)
        self._deletions = Deletions(self._matches, self._ladders, client)
        self._lost_turns = LostTurns(self._queue_client)
        self._parts = [
            PartitionRelay(
                tag, stores, self._queue_client, self._lost_turns, settings.ai_grace_s * 1000, intervals
            )
            for tag in partitions_of(client).tags
        ]
        self._rounds = Rounds(
            self._ladders,
            client,
            open_ladder_queue(self._queue_client),
            WebPort(settings.host, settings.port),
            HighWater(
                settings.high_water_memory, settings.high_water_turns, client, self._queue_client
            ).is_memory_high,
        )
        self._boards = BoardDispatch(stores.store, client)
        self._reviews = ReviewDispatch(
            Reviews(client), Puzzles(client), open_queue(self._queue_client, REVIEWS)
        )
        self._deliveries = DeliveryDispatch(
            Inbox(client), Deliveries(client), open_queue(self._queue_client, WEBHOOKS)
        )
        self._name = secrets.token_hex(8)
        """Its name among all relays."""
        self._intervals = intervals
        self._watchdog = Watchdog(settings.notify_socket)
        self._stopped = threading.Event()
        self._renewal = Interval(intervals.lease_s / 3)
        self._checking_lost = Interval(intervals.lost_s)
        self._requesting_ratings = Interval(intervals.ratings_s)
        self._filling_ladders = Interval(intervals.rounds_s)
        self._filling_reviews = Interval(intervals.reviews_s)
        self._filling_webhooks = Interval(intervals.webhooks_s)
        self._scrubbing = Interval(intervals.scrub_s)
        self._deleting = Interval(intervals.deletions_s)
        self._has_more_deleted = False

    def run(self) -> None:
        """Relay until `stop` is called; retry with a back-off while the event store is away.

        Raises:
            SigningKeyReused: a signing key of the settings has the id of an earlier key.
        """
        pause_s = FIRST_PAUSE_S
        while not self._stopped.is_set():
            self._watchdog.beat()
            try:
                self._cycle()
                pause_s = FIRST_PAUSE_S
            except (StoreUnavailable, redis.RedisError) as error:
                log.warning("store_unavailable", error=str(error), pause_s=pause_s)
                for part in self._parts:
                    part.checkpoint = ""
                self._stopped.wait(pause_s)
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        for part in self._parts:
            part.release()

    def stop(self) -> None:
        """Make `run` return soon."""
        self._stopped.set()

    def _cycle(self) -> None:
        if self._renewal.is_due() or not self._led():
            self._lead()
        led = self._led()
        if not led:
            self._stopped.wait(self._intervals.lease_s / 3)
            return
        if self._checking_lost.is_due():
            jobs, dead = self._lost_turns.jobs(), self._lost_turns.of_dead_workers()
            for part in led:
                self._try(part, partial(part.retry_lost, jobs, dead))
        for part in self._renewed(self._led()):
            self._try(part, part.work)
        home = self._parts[0]
        if home.checkpoint:
            self._try(home, self._work_for_all)
        if led := self._led():
            self._relay(led)

    def _renewed(self, parts: Iterable[PartitionRelay]) -> Iterator[PartitionRelay]:
        """Those of the parts that are led when their turn comes. Leases that end meanwhile are renewed."""
        for part in parts:
            if self._renewal.is_due():
                self._lead()
            if part.checkpoint:
                yield part

    def _try(self, part: PartitionRelay, act: Callable[[], object]) -> bool:
        """Do something for a partition, and whether it could be done: without its server, others go on.

        Raises:
            StoreUnavailable, redis.RedisError: there is no other partition.
        """
        self._watchdog.beat()
        try:
            act()
        except (StoreUnavailable, redis.RedisError) as error:
            if len(self._parts) == 1:
                raise
            log.warning("partition_unavailable", partition=part.tag, error=str(error))
            part.checkpoint = ""
            return False
        return True

    def _led(self) -> list[PartitionRelay]:
        """The partitions whose leases this relay holds, in their order."""
        return [part for part in self._parts if part.checkpoint]

    def _lead(self) -> None:
        """Renew the leases, take free ones up to a fair share, and give up what is above it."""
        if len(self._parts) > 1:
            beat(self._queue_client, "relay", self._name)
        share, led = self._share(), 0
        # To begin with a partition can take long; the leases of the others must be renewed meanwhile.
        take_until_s = time.monotonic() + self._intervals.lease_s / 3
        for part in sorted(self._parts, key=lambda part: not part.checkpoint):
            if led >= share:
                if part.checkpoint:
                    part.release()
            elif part.checkpoint or time.monotonic() < take_until_s:
                led += self._try(part, part.lead) and bool(part.checkpoint)
        if led:
            beat(self._queue_client, "relay", self._name)

    def _share(self) -> int:
        """How many partitions this relay may have, so that all relays have equally many."""
        if len(self._parts) == 1:
            return 1
        try:
            relays = heartbeat.count(self._queue_client, "relay")
        except redis.RedisError:
            return len(self._parts)
        return math.ceil(len(self._parts) / max(1, relays))

    def _work_for_all(self) -> None:
        """What there is only once is the work of the relay of the first partition."""
        if self._scrubbing.is_due():
            self._scrub.run()
        if self._has_more_deleted or self._deleting.is_due():
            self._has_more_deleted = self._deletions.run()
        if self._requesting_ratings.is_due():
            self._boards.run()
        if self._filling_ladders.is_due():
            self._rounds.run()
        if self._filling_reviews.is_due():
            self._reviews.run()
        if self._filling_webhooks.is_due():
            self._deliveries.run()

    def _relay(self, led: list[PartitionRelay]) -> None:
        """Wait for pointers on the logs, and relay them."""
        is_busy = self._has_more_deleted or any(part.is_busy() for part in led)
        block_ms = None if is_busy else round(1000 * min([part.wait_s() for part in led]))
        after = {part.tag: part.checkpoint for part in led}
        news = read_pointers(self._blocking, after, PAGE, block_ms)
        try:
            for part in self._renewed(led):
                if part.checkpoint == after[part.tag]:
                    self._try(part, partial(self._relay_part, part, news.get(part.tag, [])))
        except QueueUnavailable as error:
            log.warning("queue_unavailable", error=str(error))
            self._stopped.wait(0 if is_busy else self._intervals.lost_s)

    def _relay_part(self, part: PartitionRelay, pointers: Sequence[Pointer]) -> None:
        part.follow(pointers)
        for pointer in pointers:
            if pointer.next == DAMAGED:
                self._matches.forget(pointer.match_id)
                self._ladders.forget(pointer.match_id)
        part.relay(pointers)


def main() -> int:
    """Run until SIGTERM or SIGINT; returns the exit code.

    Raises:
        SystemExit: the settings are invalid; the error has been printed for the operator.
    """
    settings = begin("relay")
    relay = Relay(settings, RelayIntervals(back_off_s=settings.ai_grace_s))

    def stop(signal_number: int, frame: FrameType | None) -> None:
        relay.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        relay.run()
    except SigningKeyReused as error:
        refuse(SettingsError(f"SIGNING_KEYS: {error}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
