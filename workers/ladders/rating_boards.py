"""The ratings of people: when they are due, and the jobs that compute them.

The tables of boards are kept, requested and computed like those of ladders, under the name of the board. The
input is the set of results in the event store, so a job that is lost or done twice changes nothing.
"""

import math
import os
import time
from typing import Final

import redis
import structlog
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from domain.ladder.rated_matches import RULES, Board, RatedResult, digest_of, sampled, tabled
from domain.ladder.ratings import Fits, Sample, is_whole, made
from events.ladders import tables as ladder_tables
from events.ladders.tables import Progress, PublishedTable
from events.matches.rated_results import (
    ONLY_SEASON,
    board_named,
    boards,
    count_results,
    counted_results,
    table_name,
)
from events.store.keys import now_ms
from events.store.records import Store
from workers.ladders import claims
from workers.ladders.context import Context
from workers.ladders.table_job import LONGEST_MS, SHARE
from workers.queue.claims import Claims

SETTLED_MS: Final = 2_000
"""A result counts that long after its match has ended: no result of an earlier time is still to come then."""
PAUSE_MS: Final = 30_000
"""The least time between two tables of a board."""

log = structlog.get_logger(__name__)


class _Known(Struct):
    """What the dispatch knows of a board."""

    results: int
    """The number of results in its table."""
    due_ms: int
    """When the next table may be computed."""


class BoardDispatch:
    """Requests the tables of boards with new results. Computing one takes a tenth of the time at most."""

    def __init__(self, store: Store, client: redis.Redis) -> None:
        """`client` is one of the event store."""
        self._store = store
        self._client = client
        self._known: dict[Board, _Known] = {}

    def run(self) -> None:
        """Request the tables that are due.

        Raises:
            StoreUnavailable.
        """
        now = now_ms()
        for board, results in count_results(self._store, boards()).items():
            known = self._known.setdefault(board, _Known(0, 0))
            if results == known.results or now < known.due_ms:
                continue
            self._known[board] = known = self._read(board, now)
            if results != known.results and now >= known.due_ms:
                ladder_tables.want(self._client, table_name(board), ONLY_SEASON)

    def _read(self, board: Board, now: int) -> _Known:
        published = ladder_tables.load(self._client, table_name(board), ONLY_SEASON)
        if published is None:
            # The first result of a board has to settle first.
            return self._known[board] if self._known[board].due_ms else _Known(0, now + SETTLED_MS)
        pause_ms = max(PAUSE_MS, SHARE * published.took_ms)
        return _Known(published.blocks, published.computed_at_ms + pause_ms)


def update(context: Context, name: str) -> None:
    """Continue the table of a board, by its name, for some seconds, unless another job has the claim.

    Raises:
        StoreUnavailable: the next job continues from what was saved.
    """
    board = board_named(name)
    own, claim = Claims(context.queue, os.getpid()), claims.tables(name, ONLY_SEASON)
    if board is None or not all(own.take_many([claim])):
        return
    own.keep(claim, LONGEST_MS)
    try:
        if _computed(context, board):
            ladder_tables.want_no_more(context.events, name, ONLY_SEASON)
    finally:
        own.release(claim)


def _computed(context: Context, board: Board) -> bool:
    """Compute a part of the table; whether it is published."""
    name = table_name(board)
    progress, fits = _begun(context, name)
    found = counted_results(context.matches.store, board, progress.version)
    digest = digest_of(found.results)
    if not progress.digest:
        progress = replace(progress, blocks=found.known, digest=digest)
    elif progress.digest != digest:
        log.warning("ratings_begin_again", board=name)  # a result has come late: the next job counts it
        ladder_tables.drop_fits(context.events, name, ONLY_SEASON)
        return False
    known, begun_s = len(fits.replicates), time.monotonic()
    sample = sampled(board, found.results)
    if found.results:
        _continue(context, sample, fits)
    spent_ms = progress.spent_ms + math.ceil((time.monotonic() - begun_s) * 1000)
    if found.results and not is_whole(sample, fits):
        progress = replace(progress, done=len(fits.replicates), spent_ms=spent_ms)
        ladder_tables.save_fits(context.events, name, ONLY_SEASON, progress, fits, known)
        return False
    ladder_tables.save(
        context.events, name, _published(context, progress, sample, fits, found.results, spent_ms)
    )
    ladder_tables.drop_fits(context.events, name, ONLY_SEASON)
    log.info("ratings_computed", board=name, results=len(found.results), ms=spent_ms)
    return True


def _begun(context: Context, name: str) -> tuple[Progress, Fits]:
    """The saved progress and fits to continue, or new ones. Their version is the time as of which results
    count."""
    begun = ladder_tables.load_fits(context.events, name, ONLY_SEASON)
    now = context.clock()
    return begun or (Progress(now - SETTLED_MS, 0, now, RULES.replicates), Fits())


def _continue(context: Context, sample: Sample, fits: Fits) -> None:
    """Compute at least one step of the fits, until they are complete, the time is up or people wait."""
    until_s = time.monotonic() + context.limits.fits_s
    for _ in made(sample, fits):
        if time.monotonic() >= until_s or context.people_wait():
            return


def _published(
    context: Context,
    progress: Progress,
    sample: Sample,
    fits: Fits,
    results: tuple[RatedResult, ...],
    spent_ms: int,
) -> PublishedTable:
    return PublishedTable(
        ONLY_SEASON,
        version=progress.version,
        blocks=progress.blocks,
        computed_at_ms=context.clock(),
        table=to_builtins(tabled(sample, fits, results)) if results else None,
        took_ms=spent_ms,
    )
