"""The relay of one partition: it dispatches the turns, runs the clocks and has ended matches signed, while it
holds the partition's lease.
"""

import contextlib
import time
from collections.abc import Sequence
from typing import Final

import redis
import structlog
from msgspec import Struct
from redis.exceptions import LockError
from redis.lock import Lock

from events import Outbox
from events.notifications.inbox import Inbox
from events.store import keys
from events.store.heads import Heads
from events.store.keys import now_ms, partitions_of
from events.store.outbox import RELAY
from events.store.records import Pointer
from events.stores import Stores
from workers.notifications.notifying import Notifier
from workers.operations import metrics
from workers.operations.lifetime import is_of_dead, token_of
from workers.operations.lost_events import LostEvents
from workers.operations.signing import MatchSigner, SigningDelays
from workers.queue.client import DueTurn, publish_waiting
from workers.turns.dispatch import Dispatch
from workers.turns.lost_turns import LostTurns
from workers.turns.sweep import Sweep

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
    ratings_s: float = 2.0
    reviews_s: float = 0.5
    webhooks_s: float = 0.25
    scrub_s: float = 1.0
    deletions_s: float = 0.5
    trim_s: float = 60.0
    lease_s: float = 3.0
    """Validity of a lease: a relay that died on another machine blocks others for so long. It is renewed
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


class PartitionRelay:
    """The relay of one partition."""

    def __init__(
        self,
        tag: str,
        stores: Stores,
        queue: redis.Redis,
        lost_turns: LostTurns,
        ai_grace_ms: int,
        intervals: RelayIntervals,
    ) -> None:
        """`queue` is a client of the queue's Redis."""
        client, matches = stores.client, stores.matches
        self.tag: Final = tag
        self.checkpoint = ""
        """The last relayed id of the log; empty while this relay does not hold the lease."""
        self._partitions = partitions_of(client)
        self._queue = queue
        self._notary = stores.notary
        self._lost_turns = lost_turns
        self._ai_grace_ms = ai_grace_ms
        self._intervals = intervals
        self._outbox = Outbox(client, tag=tag)
        self._dispatch = Dispatch(queue)
        self._sweep = Sweep(matches, self._outbox, self._dispatch, client, round(intervals.back_off_s * 1000))
        self._notifier = Notifier(Inbox(client), self._outbox, matches, stores.ladders, tag)
        self._signer = MatchSigner(matches, self._notary, self._outbox, intervals.signing, self._has)
        is_home = tag == keys.HOME
        self._lost_events = LostEvents(Heads(queue, client, tag=tag), self._notary if is_home else None)
        name = keys.at(keys.lease(RELAY), tag)
        self._lease = Lock(client, name, timeout=intervals.lease_s, thread_local=False)
        self._sweeping = Interval(intervals.sweep_s)
        self._signing = Interval(intervals.signer_s)
        self._trimming = Interval(intervals.trim_s)
        self._has_more_due = False
        self._has_more_ended = False
        self._has_more_news = False

    def lead(self) -> bool:
        """Acquire or renew the lease; whether this relay is the one of the partition.

        Raises:
            SigningKeyReused, StoreUnavailable, redis.RedisError.
        """
        if not hold(self._lease):
            self._forget()
            return False
        if not self.checkpoint:
            self._notary.check_keys()
            self._lost_events.begin()
            self._signer.begin()
            self._notifier.begin()
            self.checkpoint = self._outbox.checkpoint(RELAY)
            self._dispatch.recall(self._outbox.before(self.checkpoint, RECALLED))
        publish_waiting(self._queue, len(self._dispatch), self.tag)
        return True

    def release(self) -> None:
        """Leave the partition to another relay."""
        self._forget()
        with contextlib.suppress(redis.RedisError):
            self._lease.release()

    def _has(self, match_id: str) -> bool:
        """Whether that match is in this partition."""
        return self._partitions.of(match_id) == self.tag

    def _forget(self) -> None:
        self.checkpoint = ""
        self._dispatch.clear()

    def retry_lost(self, jobs: set[str] | None, dead: Sequence[DueTurn]) -> None:
        """Retry lost turns. `jobs` are all that are known, `dead` the turns of workers that died.

        Raises:
            StoreUnavailable.
        """
        if self._lost_turns.all_are_lost(self.tag):
            self._sweep.retry_all(self._ai_grace_ms)
            self._has_more_due = True
            return
        turns = [turn for turn in dead if self._has(turn[0])]
        if jobs is not None:
            turns += self._dispatch.lost(jobs)
        if turns:
            self._sweep.retry(turns)
            self._has_more_due = True

    def work(self) -> None:
        """Do some of what is due: overdue matches, signatures, the end of the log that nobody needs.

        Raises:
            StoreUnavailable, redis.RedisError.
        """
        if self._has_more_due or self._sweeping.is_due():
            self._has_more_due = self._sweep.run()
        if self._has_more_ended or self._signing.is_due():
            self._has_more_ended = self._signer.run(self.checkpoint)
            self._lost_events.run()
        self._has_more_news = self._notifier.run(self.checkpoint)
        if self._trimming.is_due():
            self._outbox.trim_log(self.checkpoint, now_ms())

    def is_busy(self) -> bool:
        """Whether there is more to do at once."""
        return self._has_more_due or self._has_more_ended or self._has_more_news

    def wait_s(self) -> float:
        """How long to wait for the log at most."""
        return self._intervals.refill_s if len(self._dispatch) else self._intervals.block_s

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """Note what these pointers tell, before they are relayed.

        Raises:
            StoreUnavailable.
        """
        self._lost_events.store(pointers)
        self._signer.share_page(self.checkpoint, pointers)
        self._notifier.share_page(self.checkpoint, pointers)

    def relay(self, pointers: Sequence[Pointer]) -> None:
        """Dispatch the turns that these pointers bring, and remember that.

        Raises:
            QueueUnavailable: the turns are still in the backlog.
            StoreUnavailable.
        """
        self._dispatch.follow(pointers)
        self._dispatch.fill_queues()
        if not pointers:
            return
        self._outbox.save_checkpoint(RELAY, pointers[-1].id)
        self.checkpoint = pointers[-1].id
        metrics.RELAYED.inc(len(pointers))
        log.debug("relayed", pointers=len(pointers), turns_waiting=len(self._dispatch))
