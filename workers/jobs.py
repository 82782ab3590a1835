"""The jobs that RQ runs, each in a forked process of its own."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

import redis
import structlog
from msgspec.structs import asdict

from events import (
    Loaded,
    Matches,
    Notary,
    Outbox,
    RedisStore,
    Seeds,
    SigningKeys,
    StaleVersion,
    StoreUnavailable,
)
from events.ladders.ladders import Ladders
from events.matches.projections import precedence
from events.store.client import connect_store
from events.store.damages import Damages
from runtime.connection import connect
from runtime.settings import from_env
from workers import metrics, playing
from workers.ladders.context import Context
from workers.ladders.rounds import work
from workers.ladders.standings import update
from workers.luck import value_function
from workers.playing import REPLIES, Limits, nobody_waits
from workers.queueing import PeopleWait, Turn
from workers.queueing import connect as connect_queue

SWITCH_S: Final = 0.001
"""In a job of a ladder one thread stores what another plays: it has little to do, but often."""
BRIEF_S: Final = 0.25
"""How long the queue's Redis is given to say whether people wait."""

log = structlog.get_logger("workers.jobs")


def play(turns: list[Turn], attempt: int) -> None:
    """Play on in these matches, each from the version given, until people wait for a worker; what is stale by
    now is left alone.

    `attempt` counts how often the same turns were handed out, from 1. Those that the job does not come to are
    handed back. A store that is away fails no job: the sweep hands the turns out again.
    """
    _play(turns, attempt, Limits(), _people_wait(os.getpid()))


def reply(turns: list[Turn], attempt: int) -> None:
    """As `play`, in matches in which people play."""
    _play(turns, attempt, REPLIES, nobody_waits)


def _play(turns: list[Turn], attempt: int, limits: Limits, must_end: Callable[[], bool]) -> None:
    start = time.monotonic()
    try:
        with metrics.job():
            counts = playing.play(_matches(os.getpid()), turns, limits, must_end=must_end)
        _hand_back(counts.left)
    except StoreUnavailable as error:
        log.warning("store_unavailable", matches=len(turns), attempt=attempt, error=str(error))
        return
    took_ms = round((time.monotonic() - start) * 1000)
    found = {**asdict(counts), "left": len(counts.left)}
    log.debug("played", matches=len(turns), attempt=attempt, ms=took_ms, **found)


def _hand_back(left: Sequence[Loaded]) -> None:
    """Put turns on the log once more; where that fails, the sweep will find them."""
    if left:
        Outbox(_events(os.getpid())).hand_back(
            [(one.match_id, one.version, precedence(one.state)) for one in left]
        )
        metrics.HANDED_BACK.inc(len(left))


def play_ladder(ladder_id: str, round: int, slot: int, attempt: int) -> None:
    """Play the round on for about a second.

    `slot` and `attempt` tell jobs apart that were handed out for one round. A store that is away fails no
    job: the relay hands out further ones.
    """
    start = time.monotonic()
    sys.setswitchinterval(SWITCH_S)
    try:
        with metrics.job():
            counts = work(_context(os.getpid()), ladder_id, round)
    except (StaleVersion, StoreUnavailable) as error:
        log.warning("round_not_played", ladder_id=ladder_id, round=round, error=str(error))
        return
    metrics.LADDER_MATCHES.inc(counts.matches)
    metrics.BLOCKS_FINISHED.inc(counts.blocks)
    metrics.BLOCKS_VOIDED.inc(counts.voided)
    took_ms = int((time.monotonic() - start) * 1000)
    log.debug("round_played", ladder_id=ladder_id, round=round, ms=took_ms, **asdict(counts))


def compute_tables(ladder_id: str, season: int, slot: int, attempt: int) -> None:
    """Bring the tables of a season up to date, and end its rounds that are over; on a large table that takes
    several jobs, each of some seconds.

    `slot` and `attempt` tell jobs apart. A store that is away fails no job: the relay hands out further ones.
    """
    start = time.monotonic()
    try:
        with metrics.job():
            update(_context(os.getpid()), ladder_id, season)
    except (StaleVersion, StoreUnavailable) as error:
        log.warning("tables_not_computed", ladder_id=ladder_id, season=season, error=str(error))
        return
    took_ms = int((time.monotonic() - start) * 1000)
    log.debug("tables_computed", ladder_id=ladder_id, season=season, ms=took_ms)


@lru_cache(maxsize=1)
def _context(process_id: int) -> Context:
    """What jobs of ladders work with, connected in the process that uses it."""
    client = _events(process_id)
    queue = connect_queue(from_env(os.environ).queue_redis_url)
    ladders = Ladders(RedisStore(client), on_damage=Damages(client).tell)
    return Context(
        _matches(process_id),
        ladders,
        client,
        queue,
        values=value_function,
        people_wait=_people_wait(process_id),
    )


@lru_cache(maxsize=1)
def _events(process_id: int) -> redis.Redis:
    """The event store's Redis, connected in the process that uses it: a connection must not be shared through
    a fork."""
    settings = from_env(os.environ)
    return connect_store(settings.events_redis_url, settings.store_fsync)


@lru_cache(maxsize=1)
def _people_wait(process_id: int) -> PeopleWait:
    return PeopleWait(connect(from_env(os.environ).queue_redis_url, BRIEF_S))


@lru_cache(maxsize=1)
def _matches(process_id: int) -> Matches:
    """The store, connected in the process that uses it."""
    settings = from_env(os.environ)
    client = _events(process_id)
    store = RedisStore(client, settings.archive_dir)
    return Matches(
        store,
        Seeds(settings.master_keys),
        cache_matches=settings.cache_matches,
        ai_grace_ms=settings.ai_grace_s * 1000,
        notary=Notary(store, SigningKeys(settings.signing_keys)),
        on_damage=Damages(client).tell,
    )
