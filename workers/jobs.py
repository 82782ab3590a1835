"""The functions that jobs call, each in its own forked process, or all in that of the worker for people.

Queued jobs name them as `workers.jobs.<function>`, so neither the module nor a function may be renamed.

The worker calls `prepare` before it forks. No connection survives a fork: a client connects at its first
command, and the connection pools of redis-py begin anew in another process.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

import redis
import structlog
from msgspec.structs import asdict, replace

from events import (
    Loaded,
    StaleVersion,
    StoreUnavailable,
)
from events.matches.projections import precedence
from events.matches.rated_results import TABLE_PREFIX
from events.notifications.deliveries import Deliveries
from events.notifications.webhooks import Webhooks
from events.store.outbox import hand_back
from events.stores import open_stores
from runtime.connection import connect
from runtime.queue import PeopleWait
from runtime.settings import Settings
from runtime.webhook_targets import TargetRules
from workers.ladders import rating_boards
from workers.ladders.context import Context
from workers.ladders.luck import value_function
from workers.ladders.round_job import play_round
from workers.ladders.table_job import update_tables
from workers.notifications.delivering import Delivering
from workers.notifications.sending import Sender
from workers.operations import metrics
from workers.queue.client import DueTurn
from workers.queue.client import connect as connect_queue
from workers.reviews.job import compute
from workers.turns import decisions
from workers.turns.decisions import REPLIES, TurnLimits, nobody_waits

BRIEF_S: Final = 0.25
"""The time-out for asking the queue's Redis whether people wait."""

log = structlog.get_logger("workers.jobs")

_context: Context
"""The stores and the queue, for jobs that do not play turns. Set by `prepare`, like `_waiting`."""
_waiting: redis.Redis
"""The client that asks whether people wait."""
_delivering: Delivering


def prepare(settings: Settings) -> None:
    """Build the stores and clients that jobs use. This connects to nothing."""
    global _context, _waiting, _delivering
    stores = open_stores(settings)
    sender = Sender(TargetRules(settings.webhook_http, settings.webhook_networks))
    _delivering = Delivering(Webhooks(stores.client), Deliveries(stores.client), stores.seeds, sender)
    queue = connect_queue(settings.queue_redis_url)
    _context = Context(stores.matches, stores.ladders, stores.client, queue, values=value_function)
    _waiting = connect(settings.queue_redis_url, BRIEF_S)


def play(turns: list[DueTurn], attempt: int) -> None:
    """Play these turns and those that follow until people's turns wait; skip matches that have moved on.

    `attempt` counts from 1 how often the same turns were dispatched. Turns that the job does not reach go
    back on the append log. If the store is away, the job ends without an error: the sweep retries the turns.
    """
    play_turns(_context, turns, attempt, TurnLimits(), PeopleWait(_waiting))


def reply(turns: list[DueTurn], attempt: int) -> None:
    """As `play`, for matches with people."""
    try:
        play_turns(_context, turns, attempt, REPLIES, nobody_waits)
    finally:
        for match_id, _ in turns:
            # The next job in this process is to check all events again: a worker does not follow the log, and
            # would not learn of damage.
            _context.matches.forget(match_id)


def play_turns(
    context: Context, turns: list[DueTurn], attempt: int, limits: TurnLimits, must_end: Callable[[], bool]
) -> None:
    """As `play`, within these limits and until `must_end` is true.

    Raises:
        JobTimeoutException: a decision took too long; what was decided before is stored.
    """
    start = time.monotonic()
    try:
        with metrics.job():
            counts = decisions.play(context.matches, turns, limits, must_end=must_end)
            _hand_back(context, counts.left)
            if counts.timeout is not None:
                raise counts.timeout
    except StoreUnavailable as error:
        log.warning("store_unavailable", matches=len(turns), attempt=attempt, error=str(error))
        return
    took_ms = round((time.monotonic() - start) * 1000)
    found = {**asdict(counts), "left": len(counts.left)}
    log.debug("played", matches=len(turns), attempt=attempt, ms=took_ms, **found)


def _hand_back(context: Context, left: Sequence[Loaded]) -> None:
    """Put turns back on the append log; if that fails, the sweep retries them."""
    if left:
        hand_back(context.events, [(one.match_id, one.version, precedence(one.state)) for one in left])
        metrics.HANDED_BACK.inc(len(left))


def play_ladder(ladder_id: str, round: int, slot: int, attempt: int) -> None:
    """Play blocks of the round for about a second.

    `slot` and `attempt` only distinguish the ids of jobs of one round. If the store is away, the job ends
    without an error: the relay enqueues another.
    """
    start = time.monotonic()
    try:
        with metrics.job():
            counts = play_round(_context_of_job(), ladder_id, round)
    except (StaleVersion, StoreUnavailable) as error:
        log.warning("round_not_played", ladder_id=ladder_id, round=round, error=str(error))
        return
    metrics.LADDER_MATCHES.inc(counts.matches)
    metrics.BLOCKS_FINISHED.inc(counts.blocks)
    metrics.BLOCKS_VOIDED.inc(counts.voided)
    took_ms = int((time.monotonic() - start) * 1000)
    log.debug("round_played", ladder_id=ladder_id, round=round, ms=took_ms, **asdict(counts))


def compute_tables(ladder_id: str, season: int, slot: int, attempt: int) -> None:
    """Update the tables of a season and finish its rounds that are over, or update the ratings of a board; a
    large table takes several jobs of some seconds each.

    `slot` and `attempt` only distinguish the ids of jobs. If the store is away, the job ends without an
    error: the relay enqueues another.
    """
    start = time.monotonic()
    try:
        with metrics.job():
            if ladder_id.startswith(TABLE_PREFIX):
                rating_boards.update(_context_of_job(), ladder_id)
            else:
                update_tables(_context_of_job(), ladder_id, season)
    except (StaleVersion, StoreUnavailable) as error:
        log.warning("tables_not_computed", ladder_id=ladder_id, season=season, error=str(error))
        return
    took_ms = int((time.monotonic() - start) * 1000)
    log.debug("tables_computed", ladder_id=ladder_id, season=season, ms=took_ms)


def review_match(review_id: str, attempt: int) -> None:
    """Compute a part of a review, some seconds of it.

    `attempt` only distinguishes the ids of jobs. If the store is away, the job ends without an error: the
    relay enqueues another.
    """
    start = time.monotonic()
    try:
        with metrics.job():
            compute(_context_of_job(), review_id)
    except StoreUnavailable as error:
        log.warning("review_not_computed", review_id=review_id, error=str(error))
        return
    log.debug("review_computed", review_id=review_id, ms=int((time.monotonic() - start) * 1000))


def deliver(attempt: int) -> None:
    """Send what is due to webhooks, for some seconds.

    `attempt` only distinguishes the ids of jobs. If the store is away, the job ends without an error: the
    relay enqueues another.
    """
    try:
        with metrics.job():
            _delivering.run()
    except StoreUnavailable as error:
        log.warning("nothing_delivered", error=str(error))


def _context_of_job() -> Context:
    """The context of a job that begins now and gives way to people's turns."""
    return replace(_context, people_wait=PeopleWait(_waiting))
