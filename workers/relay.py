"""The relay process, `python -m workers.relay`: it turns the append log (the outbox) into jobs.

The relay reads the turns of built-in players from the log and dispatches them as workers become free, those
of matches with people first. The sweep finds lost turns in the due set. A turn that is dispatched twice does
no harm. Without the queue's Redis the relay does not advance in the log, but people's clocks still run. The
relay also has ended matches signed, checks stored matches in the background, enqueues reviews and jobs of
ladders, and has deleted accounts leave their matches.
"""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType
from typing import Final

import redis
import structlog
from msgspec import Struct
from redis.exceptions import LockError
from redis.lock import Lock

from events import (
    Matches,
    Notary,
    Outbox,
    RedisStore,
    Seeds,
    Settings,
    SigningKeyReused,
    SigningKeys,
    StoreUnavailable,
)
from events.ladders.ladders import Ladders
from events.matches.puzzles import Puzzles
from events.matches.reviews import Reviews
from events.store import keys
from events.store.client import connect_store
from events.store.damaged_streams import DamagedStreams
from events.store.durability import required_by
from events.store.heads import Heads
from events.store.high_water import HighWater
from events.store.keys import now_ms
from events.store.outbox import DAMAGED, RELAY
from events.store.records import Pointer
from runtime.connection import connect_blocking
from runtime.queue import REVIEWS
from runtime.settings import SettingsError, refuse
from runtime.watchdog import Watchdog
from workers.ladders.dispatch import Rounds, WebPort
from workers.operations import metrics
from workers.operations.deletions import Deletions
from workers.operations.lifetime import is_of_dead, token_of
from workers.operations.lost_events import LostEvents
from workers.operations.scrub import Scrub
from workers.operations.signing import MatchSigner, SigningDelays
from workers.operations.startup import begin
from workers.queue.client import QueueUnavailable, beat, open_ladder_queue, open_queue, publish_waiting
from workers.queue.client import connect as connect_queue
from workers.reviews.dispatch import ReviewDispatch
from workers.turns.dispatch import Dispatch
from workers.turns.lost_turns import LostTurns
from workers.turns.sweep import Sweep

READER: Final = RELAY
PAGE: Final = 500
FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 2.0
RECALLED: Final = 10_000
"""How many pointers before its checkpoint a new relay reads, so that the sweep knows lost turns by them."""

log = structlog.get_logger("workers.relay")


class RelayIntervals(Struct, frozen=True):
    """Intervals and time-outs of the relay, in seconds."""

    block_s: float = 0.25
    """The longest wait for the log; a signal takes effect after it."""
    refill_s: float = 0.02
    """The same while turns wait for workers: the longest time that a worker is idle."""
    sweep_s: float = 1.0
    lost_s: float = 0.25
    signer_s: float = 0.5
    rounds_s: float = 0.5
    reviews_s: float = 0.5
    scrub_s: float = 1.0
    deletions_s: float = 0.5
    trim_s: float = 60.0
    lease_s: float = 3.0
    """Validity of the lease: a relay that died on another machine blocks others for so long. It is renewed
    after a third of it."""
    back_off_s: float = 10.0
    signing: SigningDelays = SigningDelays()


class Interval:
    """A recurring task's next time."""

    def __init__(self, pause_s: float) -> None:
        self._pause_s = pause_s
        self._next_s = 0.0

    def is_due(self) -> bool:
        """Whether the task is due; if so, the next time is set."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return False
        self._next_s = now_s + self._pause_s
        return True


def hold(lease: Lock) -> bool:
    """Acquire or renew the lease; whether it is held now.

    The lease only avoids duplicate work; correctness does not depend on it.

    Raises:
        redis.RedisError.
    """
    try:
        return lease.reacquire()
    except LockError:  # never acquired, or expired
        return _acquired(lease) or (_was_left(lease) and _acquired(lease))


def _acquired(lease: Lock) -> bool:
    return bool(lease.acquire(blocking=False, token=token_of()))


def _was_left(lease: Lock) -> bool:
    """Release the lease if a dead process of this machine holds it; whether it did."""
    holder = lease.redis.get(lease.name)
    if not isinstance(holder, bytes) or not is_of_dead(holder.decode()):
        return False
    with contextlib.suppress(LockError):  # another relay was faster
        lease.do_release(holder)  # type: ignore[arg-type]  # bytes, as `Lock` itself keeps it
    return True


class Relay:
    """The reader of the append log. `stop` may be called from a signal handler or another thread."""

    def __init__(self, settings: Settings, intervals: RelayIntervals = RelayIntervals()) -> None:  # noqa: B008  # frozen
        client = connect_store(settings.events_redis_url, required_by(settings))
        self._queue_client = connect_queue(settings.queue_redis_url)
        self._dispatch = Dispatch(self._queue_client)
        self._outbox = Outbox(client, connect_blocking(settings.events_redis_url))
        ai_grace_ms = settings.ai_grace_s * 1000
        store, damages = RedisStore(client, settings.archive_dir), DamagedStreams(client)
        self._notary = Notary(store, SigningKeys(settings.signing_keys))
        self._matches = matches = Matches(
            store,
            Seeds(settings.master_keys),
            cache_matches=settings.cache_matches,
            ai_grace_ms=ai_grace_ms,
            notary=self._notary,
            on_damage=damages.try_record,
        )
        self._ladders = Ladders(store, on_damage=damages.try_record)
        self._scrub = Scrub(store, self._ladders, damages, client)
        self._deletions = Deletions(matches, self._ladders, client)
        self._lost_events = LostEvents(Heads(self._queue_client, client), self._notary)
        self._signer = MatchSigner(matches, self._notary, self._outbox, intervals.signing)
        self._ai_grace_ms = ai_grace_ms
        self._lost_turns = LostTurns(self._queue_client)
        self._sweep = Sweep(matches, self._outbox, self._dispatch, client, round(intervals.back_off_s * 1000))
        self._rounds = Rounds(
            self._ladders,
            client,
            open_ladder_queue(self._queue_client),
            WebPort(settings.host, settings.port),
            HighWater(
                settings.high_water_memory, settings.high_water_turns, client, self._queue_client
            ).is_memory_high,
        )
        self._reviews = ReviewDispatch(
            Reviews(client), Puzzles(client), open_queue(self._queue_client, REVIEWS)
        )
        self._lease = Lock(client, keys.lease(READER), timeout=intervals.lease_s, thread_local=False)
        self._intervals = intervals
        self._watchdog = Watchdog(settings.notify_socket)
        self._stopped = threading.Event()
        self._checkpoint = ""
        """The last relayed id of the log; empty while this relay does not hold the lease."""
        self._renewal = Interval(intervals.lease_s / 3)
        self._sweeping = Interval(intervals.sweep_s)
        self._checking_lost = Interval(intervals.lost_s)
        self._signer_interval = Interval(intervals.signer_s)
        self._filling_ladders = Interval(intervals.rounds_s)
        self._filling_reviews = Interval(intervals.reviews_s)
        self._scrubbing = Interval(intervals.scrub_s)
        self._deleting = Interval(intervals.deletions_s)
        self._trimming = Interval(intervals.trim_s)
        self._has_more_due = False
        self._has_more_ended = False
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
                self._checkpoint = ""
                self._stopped.wait(pause_s)
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        with contextlib.suppress(redis.RedisError):
            self._lease.release()

    def stop(self) -> None:
        """Make `run` return soon."""
        self._stopped.set()

    def _cycle(self) -> None:
        if (self._renewal.is_due() or not self._checkpoint) and not self._lead():
            self._stopped.wait(self._intervals.lease_s / 3)
            return
        if self._checking_lost.is_due():
            self._retry_lost()
        if self._has_more_due or self._sweeping.is_due():
            self._has_more_due = self._sweep.run()
        if self._has_more_ended or self._signer_interval.is_due():
            self._has_more_ended = self._signer.run(self._checkpoint)
            self._lost_events.run()
        if self._scrubbing.is_due():
            self._scrub.run()
        if self._has_more_deleted or self._deleting.is_due():
            self._has_more_deleted = self._deletions.run()
        if self._filling_ladders.is_due():
            self._rounds.run()
        if self._filling_reviews.is_due():
            self._reviews.run()
        if self._trimming.is_due():
            self._outbox.trim_log(self._checkpoint, now_ms())
        pointers = self._outbox.read_log(self._checkpoint, PAGE, self._block_ms())
        self._lost_events.store(pointers)
        self._signer.share_page(self._checkpoint, pointers)
        for pointer in pointers:
            if pointer.next == DAMAGED:
                self._matches.forget(pointer.match_id)
                self._ladders.forget(pointer.match_id)
        try:
            self._relay(pointers)
        except QueueUnavailable as error:
            log.warning("queue_unavailable", error=str(error))
            self._stopped.wait(0 if self._is_busy() else self._intervals.lost_s)

    def _retry_lost(self) -> None:
        if self._lost_turns.all_are_lost():
            self._sweep.retry_all(self._ai_grace_ms)
            self._has_more_due = True
            return
        turns = self._lost_turns.of_dead_workers()
        if (jobs := self._lost_turns.jobs()) is not None:
            turns += self._dispatch.lost(jobs)
        if turns:
            self._sweep.retry(turns)
            self._has_more_due = True

    def _is_busy(self) -> bool:
        return self._has_more_due or self._has_more_ended or self._has_more_deleted

    def _block_ms(self) -> int | None:
        """How long to block on the log; None for not at all."""
        if self._is_busy():
            return None
        return round(1000 * (self._intervals.refill_s if len(self._dispatch) else self._intervals.block_s))

    def _lead(self) -> bool:
        """Acquire or renew the lease and send a heartbeat; whether this relay is the active one."""
        if not hold(self._lease):
            self._checkpoint = ""
            self._dispatch.clear()
            return False
        if not self._checkpoint:
            self._notary.check_keys()
            self._lost_events.begin()
            self._signer.begin()
            self._checkpoint = self._outbox.checkpoint(READER)
            self._dispatch.recall(self._outbox.before(self._checkpoint, RECALLED))
        beat(self._queue_client, "relay")
        publish_waiting(self._queue_client, len(self._dispatch))
        return True

    def _relay(self, pointers: Sequence[Pointer]) -> None:
        self._dispatch.follow(pointers)
        self._dispatch.fill_queues()
        if not pointers:
            return
        self._outbox.save_checkpoint(READER, pointers[-1].id)
        self._checkpoint = pointers[-1].id
        metrics.RELAYED.inc(len(pointers))
        log.debug("relayed", pointers=len(pointers), turns_waiting=len(self._dispatch))


def main() -> int:
    """Run until SIGTERM or SIGINT; returns the exit code.

    Raises:
        SystemExit: the settings are invalid; the error has been printed for the operator.
    """
    settings = begin()
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
