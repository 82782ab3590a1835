"""The official table of a season, in slices: no job takes long, and what a job has done is not lost.

The table is of the results at one version of the ladder, though more may come while it is computed.
"""

import time
from typing import Final

import structlog
from msgspec import to_builtins
from msgspec.structs import replace

from domain.ladder import publishing
from domain.ladder.crosstable import crosstable
from domain.ladder.fits import Fits, is_whole, made
from domain.ladder.ratings import rated
from domain.ladder.results import Results, collect
from domain.ladder.sample import Sample, sampled
from domain.ladder.standings import standings
from domain.ladder.state import LadderState
from events.ladders import fits as ladder_fits
from events.ladders.entries import Ladder, as_of
from events.ladders.fits import Progress
from events.ladders.tables import PublishedTable
from workers.ladders.place import Place

LEAST_SHARE: Final = 4
"""Of reading the results, which every slice does anew, a slice takes as many times at least."""
SHARE: Final = 10
"""A table is computed in a tenth of the time at most while a round is played."""

log = structlog.get_logger("workers.ladders.tabling")


class TableFailed(Exception):
    """The table cannot be computed; more of the same will not help."""


def finished_blocks(state: LadderState, season: int) -> int:
    """How many blocks count for a season."""
    return sum([1 for _ in state.rated_blocks(season)])


def has_all(published: PublishedTable, state: LadderState) -> bool:
    """Whether the official table is there with all results of its season."""
    return published.table is not None and published.blocks == finished_blocks(state, published.season)


def is_due(place: Place, published: PublishedTable, ladder: Ladder, opened_at_ms: int) -> bool:
    """Whether a slice is due while a round is played that was opened then."""
    far = ladder_fits.progress(place.events, ladder.id, published.season)
    if far is not None:
        return place.clock() - far.begun_at_ms >= SHARE * far.spent_ms
    pause_ms = max(place.limits.table_s * 1000, SHARE * published.took_ms)
    is_old = place.clock() - max(published.computed_at_ms, opened_at_ms) >= pause_ms
    return is_old and finished_blocks(ladder.state, published.season) > published.blocks


def computed_on(place: Place, published: PublishedTable, ladder: Ladder, is_last: bool) -> PublishedTable:
    """The tables after a further slice: with the official one if that is whole now.

    What was begun is dropped where more results are there by now and none will follow (`is_last`).

    Raises:
        TableFailed.
        StoreUnavailable.
    """
    season = published.season
    far, fits = _begun(place, ladder, season, is_last)
    known, then = len(fits.replicates), _as_of(ladder, season, far)
    begun_s = time.monotonic()
    try:
        results, sample = _slice(place, then, season, fits)
        found = _published(published, results, sample, fits) if is_whole(sample, fits) else published
    except Exception as error:
        # Of the same results it would come to nothing again, and whoever waits for the round must be told.
        log.exception("table_failed", ladder_id=ladder.id, season=season)
        ladder_fits.drop(place.events, ladder.id, season)
        raise TableFailed(str(error)) from error
    spent_ms = far.spent_ms + int((time.monotonic() - begun_s) * 1000)
    if found is published:
        far = replace(far, done=len(fits.replicates), spent_ms=spent_ms)
        ladder_fits.save(place.events, ladder.id, season, far, fits, known)
        return published
    log.info("table_computed", ladder_id=ladder.id, season=season, blocks=far.blocks, ms=spent_ms)
    ladder_fits.drop(place.events, ladder.id, season)
    return replace(found, version=far.version, computed_at_ms=place.clock(), took_ms=spent_ms)


def _begun(place: Place, ladder: Ladder, season: int, is_last: bool) -> tuple[Progress, Fits]:
    """What is to be gone on with, or a beginning."""
    blocks = finished_blocks(ladder.state, season)
    begun = ladder_fits.load(place.events, ladder.id, season)
    if (
        begun is not None
        and begun[0].version <= ladder.version
        and (begun[0].blocks == blocks or not is_last)
    ):
        return begun
    ladder_fits.drop(place.events, ladder.id, season)
    total = ladder.state.configs[season - 1].rating.replicates
    return Progress(ladder.version, blocks, place.clock(), total), Fits()


def _as_of(ladder: Ladder, season: int, far: Progress) -> Ladder:
    """The ladder with the results that the table is of."""
    if far.blocks == finished_blocks(ladder.state, season):
        return ladder
    return as_of(ladder, far.version)


def _slice(place: Place, ladder: Ladder, season: int, fits: Fits) -> tuple[Results, Sample]:
    """Make some more of the fits, at least one step."""
    begun_s = time.monotonic()
    results = collect(publishing.lines(ladder.id, ladder.state, season))
    sample = sampled(results)
    now_s = time.monotonic()
    until_s = now_s + max(place.limits.slice_s, LEAST_SHARE * (now_s - begun_s))
    for _ in made(sample, fits):
        if time.monotonic() >= until_s or place.people_wait():
            break
    return results, sample


def _published(published: PublishedTable, results: Results, sample: Sample, fits: Fits) -> PublishedTable:
    return replace(
        published,
        blocks=len(results.blocks),
        table=to_builtins(standings(results, rated(sample, fits))),
        crosstable=[to_builtins(cell) for cell in crosstable(results)],
    )
