"""The relay process, `python -m workers.relay`: from the log of all appends to jobs for the workers.

It reads the turns of built-in players from the log and hands them out as workers become free, first those of
matches in which people play. Whatever gets lost with it or behind the queue, the sweep finds in the set of
what is due. A turn that is handed out twice does no harm. Without the queue's Redis the log waits, and
people's clocks run on. Beside that, a witness has every match signed that ended, and the rounds of ladders
get their jobs.
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
from events.store import keys
from events.store.client import connect_store
from events.store.damages import Damages
from events.store.heads import Heads
from events.store.high_water import HighWater
from events.store.outbox import DAMAGED, RELAY
from events.store.records import Pointer
from events.store.streams import now_ms
from runtime.connection import connect_blocking
from runtime.settings import SettingsError, refuse
from runtime.watchdog import Watchdog
from workers import metrics
from workers.dispatch import Dispatch
from workers.ladders.dispatch import Rounds, WebPort
from workers.losses import Losses
from workers.lost_turns import LostTurns
from workers.queueing import QueueUnavailable, beat, open_ladder_queue, tell_waiting
from workers.queueing import connect as connect_queue
from workers.scrub import Scrub
from workers.startup import begin
from workers.sweep import Sweep
from workers.witness import Patience, Witness

READER: Final = RELAY
PAGE: Final = 500
FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 2.0

log = structlog.get_logger("workers.relay")


class Pace(Struct, frozen=True):
    """How often things are done, in seconds."""

    block_s: float = 0.25
    """The longest wait for the log; a signal is heeded behind it."""
    refill_s: float = 0.02
    """The same while turns wait for workers: so long may a worker be without a job."""
    sweep_s: float = 1.0
    lost_s: float = 0.25
    witness_s: float = 0.5
    rounds_s: float = 0.5
    scrub_s: float = 1.0
    trim_s: float = 60.0
    lease_s: float = 3.0
    """How long a relay that died keeps others out; the lease is renewed three times as often."""
    back_off_s: float = 10.0
    patience: Patience = Patience()


class Every:
    """A time that comes round again."""

    def __init__(self, pause_s: float) -> None:
        self._pause_s = pause_s
        self._next_s = 0.0

    def is_due(self) -> bool:
        """Whether it is time; if so, the next time is a pause away."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return False
        self._next_s = now_s + self._pause_s
        return True


def hold(lease: Lock) -> bool:
    """Take the lease, or renew it where it is ours already; whether it is ours.

    It keeps double work rare; nothing depends on it for being right.

    Raises:
        redis.RedisError.
    """
    try:
        return lease.reacquire()
    except LockError:  # never taken, or run out
        return bool(lease.acquire(blocking=False))


class Relay:
    """One reader of the log. `run` until `stop`; safe to stop from a signal handler or another thread."""

    def __init__(self, settings: Settings, pace: Pace = Pace()) -> None:  # noqa: B008  # frozen
        client = connect_store(settings.events_redis_url, settings.store_fsync)
        self._queue_client = connect_queue(settings.queue_redis_url)
        self._dispatch = Dispatch(self._queue_client)
        self._outbox = Outbox(client, connect_blocking(settings.events_redis_url))
        store, damages = RedisStore(client, settings.archive_dir), Damages(client)
        self._notary = Notary(store, SigningKeys(settings.signing_keys))
        self._matches = matches = Matches(
            store,
            Seeds(settings.master_keys),
            cache_matches=settings.cache_matches,
            ai_grace_ms=settings.ai_grace_s * 1000,
            notary=self._notary,
            on_damage=damages.tell,
        )
        self._ladders = Ladders(store, on_damage=damages.tell)
        self._scrub = Scrub(store, self._ladders, damages, client)
        self._losses = Losses(Heads(self._queue_client, client), self._notary)
        self._witness = Witness(matches, self._notary, self._outbox, pace.patience)
        self._ai_grace_ms = settings.ai_grace_s * 1000
        self._lost_turns = LostTurns(self._queue_client)
        self._sweep = Sweep(matches, self._outbox, self._dispatch, client, round(pace.back_off_s * 1000))
        self._rounds = Rounds(
            self._ladders,
            client,
            open_ladder_queue(self._queue_client),
            WebPort(settings.host, settings.port),
            HighWater(
                settings.high_water_memory, settings.high_water_turns, client, self._queue_client
            ).is_memory_high,
        )
        self._lease = Lock(client, keys.lease(READER), timeout=pace.lease_s, thread_local=False)
        self._pace = pace
        self._watchdog = Watchdog(settings.notify_socket)
        self._stopped = threading.Event()
        self._checkpoint = ""
        """The log id that is relayed; empty while this relay has no lease."""
        self._renewal = Every(pace.lease_s / 3)
        self._sweeping = Every(pace.sweep_s)
        self._looking_for_lost = Every(pace.lost_s)
        self._witnessing = Every(pace.witness_s)
        self._handing_out = Every(pace.rounds_s)
        self._scrubbing = Every(pace.scrub_s)
        self._trimming = Every(pace.trim_s)
        self._has_more_due = False
        self._has_more_ended = False

    def run(self) -> None:
        """Relay until told to stop; an event store that is away is waited for.

        Raises:
            SigningKeyReused: a signing key of the settings has the id of another one.
        """
        pause_s = FIRST_PAUSE_S
        while not self._stopped.is_set():
            self._watchdog.beat()
            try:
                self._turn()
                pause_s = FIRST_PAUSE_S
            except (StoreUnavailable, redis.RedisError) as error:
                log.warning("store_unavailable", error=str(error), pause_s=pause_s)
                self._checkpoint = ""
                self._stopped.wait(pause_s)
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        with contextlib.suppress(redis.RedisError):
            self._lease.release()

    def stop(self) -> None:
        """Have `run` return soon."""
        self._stopped.set()

    def _turn(self) -> None:
        if (self._renewal.is_due() or not self._checkpoint) and not self._lead():
            self._stopped.wait(self._pace.lease_s / 3)
            return
        if self._looking_for_lost.is_due():
            self._take_lost_back()
        if self._has_more_due or self._sweeping.is_due():
            self._has_more_due = self._sweep.run()
        if self._has_more_ended or self._witnessing.is_due():
            self._has_more_ended = self._witness.run(self._checkpoint)
            self._losses.run()
        if self._scrubbing.is_due():
            self._scrub.run()
        if self._handing_out.is_due():
            self._rounds.run()
        if self._trimming.is_due():
            self._outbox.trim_log(self._checkpoint, now_ms())
        pointers = self._outbox.read_log(self._checkpoint, PAGE, self._block_ms())
        self._losses.see(pointers)
        self._witness.see(self._checkpoint, pointers)
        for pointer in pointers:
            if pointer.next == DAMAGED:
                self._matches.forget(pointer.match_id)
                self._ladders.forget(pointer.match_id)
        try:
            self._relay(pointers)
        except QueueUnavailable as error:
            log.warning("queue_unavailable", error=str(error))
            self._stopped.wait(0 if self._is_busy() else self._pace.sweep_s)

    def _take_lost_back(self) -> None:
        if self._lost_turns.all_are_lost():
            self._sweep.take_back_all(self._ai_grace_ms)
            self._has_more_due = True
        elif turns := self._lost_turns.of_dead_workers():
            self._sweep.take_back(turns)
            self._has_more_due = True

    def _is_busy(self) -> bool:
        return self._has_more_due or self._has_more_ended

    def _block_ms(self) -> int | None:
        """How long to wait for the log; None for not at all."""
        if self._is_busy():
            return None
        return round(1000 * (self._pace.refill_s if len(self._dispatch) else self._pace.block_s))

    def _lead(self) -> bool:
        """Take or renew the lease and give a sign of life; whether this relay is the one that works."""
        if not hold(self._lease):
            self._checkpoint = ""
            self._dispatch.clear()
            return False
        if not self._checkpoint:
            self._notary.check_keys()
            self._losses.begin()
            self._witness.begin()
            self._checkpoint = self._outbox.checkpoint(READER)
        beat(self._queue_client, "relay")
        tell_waiting(self._queue_client, len(self._dispatch))
        return True

    def _relay(self, pointers: Sequence[Pointer]) -> None:
        self._dispatch.see(pointers)
        self._dispatch.hand_out()
        if not pointers:
            return
        self._outbox.save_checkpoint(READER, pointers[-1].id)
        self._checkpoint = pointers[-1].id
        metrics.RELAYED.inc(len(pointers))
        log.debug("relayed", pointers=len(pointers), turns_waiting=len(self._dispatch))


def main() -> int:
    """Relay until SIGTERM or SIGINT; the exit code.

    Raises:
        SystemExit: the settings are at fault; the operator has been told.
    """
    settings = begin()
    relay = Relay(settings, Pace(back_off_s=settings.ai_grace_s))

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
