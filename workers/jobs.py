"""The jobs that RQ runs, each in a forked process of its own."""

import os
import time
from functools import lru_cache

import structlog
from msgspec.structs import asdict

from events import Matches, Notary, RedisLines, RedisStore, Seeds, SigningKeys, StoreUnavailable
from events.connection import connect
from events.settings import from_env
from workers import metrics, playing
from workers.queueing import Turn

log = structlog.get_logger("workers.jobs")


def play(turns: list[Turn], attempt: int) -> None:
    """Play on in these matches, each from the version given; what is stale by now is left alone.

    `attempt` counts how often the same turns were handed out, from 1. A store that is away fails no job: the
    sweep hands the turns out again.
    """
    start = time.monotonic()
    try:
        with metrics.job():
            counts = playing.play(_matches(os.getpid()), turns)
    except StoreUnavailable as error:
        log.warning("store_unavailable", matches=len(turns), attempt=attempt, error=str(error))
        return
    took_ms = round((time.monotonic() - start) * 1000)
    log.debug("played", matches=len(turns), attempt=attempt, ms=took_ms, **asdict(counts))


@lru_cache(maxsize=1)
def _matches(process_id: int) -> Matches:
    """The store, connected in the process that uses it: a connection must not be shared through a fork."""
    settings = from_env(os.environ)
    client = connect(settings.events_redis_url)
    return Matches(
        RedisStore(client, settings.archive_dir),
        Seeds(settings.master_keys),
        cache_matches=settings.cache_matches,
        ai_grace_ms=settings.ai_grace_s * 1000,
        notary=Notary(RedisLines(client), SigningKeys(settings.signing_keys)),
    )
