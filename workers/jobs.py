"""The jobs that RQ runs, each in a forked process of its own."""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from typing import Final

import structlog
from msgspec.structs import asdict

from events import Matches, Notary, RedisLines, RedisStore, Seeds, SigningKeys, StaleVersion, StoreUnavailable
from events.damages import Damages
from events.ladders import Ladders
from events.settings import from_env
from events.store_client import connect_store
from workers import metrics, playing
from workers.ladders.jobs import work
from workers.ladders.place import Place
from workers.ladders.values import value_function
from workers.queueing import QueueUnavailable, Turn, hand_out, open_queue
from workers.queueing import connect as connect_queue

SWITCH_S: Final = 0.001
"""In a job of a ladder one thread stores what another plays: it has little to do, but often."""

log = structlog.get_logger("workers.jobs")


def play(turns: list[Turn], attempt: int) -> None:
    """Play on in these matches, each from the version given; what is stale by now is left alone.

    `attempt` counts how often the same turns were handed out, from 1. Those that the time was too short for
    go back on the queue. A store that is away fails no job: the sweep hands the turns out again.
    """
    start = time.monotonic()
    try:
        with metrics.job():
            counts = playing.play(_matches(os.getpid()), turns)
    except StoreUnavailable as error:
        log.warning("store_unavailable", matches=len(turns), attempt=attempt, error=str(error))
        return
    _hand_on(counts.left, attempt)
    took_ms = round((time.monotonic() - start) * 1000)
    log.debug("played", matches=len(turns), attempt=attempt, ms=took_ms, **asdict(counts))


def _hand_on(left: Sequence[Turn], attempt: int) -> None:
    """Put turns behind all that wait on the queue; where that fails, the sweep will find them.

    There are fewer of them than the job had, so their job has another id than this one.
    """
    if not left:
        return
    url = from_env(os.environ).queue_redis_url
    try:
        with closing(connect_queue(url)) as client:
            metrics.JOBS_FROM_JOBS.inc(hand_out(open_queue(client), left, attempt))
    except QueueUnavailable as error:
        log.warning("queue_unavailable", matches=len(left), error=str(error))


def play_ladder(ladder_id: str, round: int, slot: int, attempt: int) -> None:
    """Play the round on for about a second.

    `slot` and `attempt` tell jobs apart that were handed out for one round. A store that is away fails no
    job: the relay hands out further ones.
    """
    start = time.monotonic()
    sys.setswitchinterval(SWITCH_S)
    try:
        with metrics.job():
            counts = work(_place(os.getpid()), ladder_id, round)
    except (StaleVersion, StoreUnavailable) as error:
        log.warning("round_not_played", ladder_id=ladder_id, round=round, error=str(error))
        return
    metrics.LADDER_MATCHES.inc(counts.matches)
    metrics.BLOCKS_FINISHED.inc(counts.blocks)
    metrics.BLOCKS_VOIDED.inc(counts.voided)
    took_ms = int((time.monotonic() - start) * 1000)
    log.debug("round_played", ladder_id=ladder_id, round=round, ms=took_ms, **asdict(counts))


@lru_cache(maxsize=1)
def _place(process_id: int) -> Place:
    """What rounds are played with, connected in the process that uses it."""
    settings = from_env(os.environ)
    client = connect_store(settings.events_redis_url, settings.store_fsync)
    queue = connect_queue(settings.queue_redis_url)
    ladders = Ladders(client, on_damage=Damages(client).tell)
    return Place(_matches(process_id), ladders, client, queue, values=value_function)


@lru_cache(maxsize=1)
def _matches(process_id: int) -> Matches:
    """The store, connected in the process that uses it: a connection must not be shared through a fork."""
    settings = from_env(os.environ)
    client = connect_store(settings.events_redis_url, settings.store_fsync)
    return Matches(
        RedisStore(client, settings.archive_dir),
        Seeds(settings.master_keys),
        cache_matches=settings.cache_matches,
        ai_grace_ms=settings.ai_grace_s * 1000,
        notary=Notary(RedisLines(client), SigningKeys(settings.signing_keys)),
        on_damage=Damages(client).tell,
    )
