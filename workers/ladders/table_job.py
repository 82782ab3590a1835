"""The tables of a season, which separate jobs compute, one at a time.

A job updates the live ratings and the sequential tests, computes part of the official table if that is due,
and finishes the rounds that are over. It computes for some seconds at most and saves its fits, so that the
next job continues there. A table belongs to one version of the ladder, even if more results arrive meanwhile.
A rated round is over when the official table has all its results. The next round of a tournament opens then.
"""

import math
import os
import time
from typing import Final

import structlog
from msgspec import to_builtins
from msgspec.structs import replace

from domain.ladder import decide
from domain.ladder.ratings import Fits, Sample, is_whole, made, rated, sampled
from domain.ladder.results import Results, results_of
from domain.ladder.standings import crosstable, standings
from domain.ladder.state import RUNNING, STOPPED, TABLE_FAILED, LadderState, Round
from domain.ladder.tournament.schedule import follow
from events import StoreError, StoreUnavailable
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladder, as_of
from events.ladders.tables import Progress, PublishedTable
from events.store.keys import new_id
from workers.ladders import claims, live
from workers.ladders.context import Change, Context, stopped
from workers.queue.claims import Claims
from workers.queue.play_job import ENDS_JOB

LONGEST_MS: Final = 60_000
"""The validity of the claim, which a job normally does not exceed."""
LEAST_SHARE: Final = 4
"""A job computes at least this many times as long as it took to read the results, which every job repeats."""
SHARE: Final = 10
"""While a round is played, computing its table takes at most a tenth of the time."""

log = structlog.get_logger(__name__)


class TableFailed(Exception):
    """The table cannot be computed, and a retry would fail as well."""


def want_if_stopped(context: Context, ladder: Ladder, round: Round) -> None:
    """Request the tables of a stopped round if they are outdated, so that its operator sees the standings.

    Raises:
        StoreUnavailable.
    """
    if round.status != STOPPED or round.stopped_for == TABLE_FAILED:
        return
    known = ladder_tables.load(context.events, ladder.id, round.season)
    if known is None or known.live_version < ladder.version:
        ladder_tables.want(context.events, ladder.id, round.season)


def update_tables(context: Context, ladder_id: str, season: int) -> None:
    """Update the tables of the season and finish its rounds that are over, unless another job has the claim.

    If no round of the season is running, the tables are only computed if they were requested.

    Raises:
        StoreUnavailable, JobTimeoutException: the next job continues from what was saved.
    """
    own, name = Claims(context.queue, os.getpid()), claims.tables(ladder_id, season)
    if not all(own.take_many([name])):
        return
    own.keep(name, LONGEST_MS)
    is_done = False
    try:
        is_done = _updated(context, ladder_id, season)
    finally:
        own.release(name)
        if is_done:
            Claims(context.queue).take(name, int(context.limits.live_s * 1000))


def _updated(context: Context, ladder_id: str, season: int) -> bool:
    """Update the tables; whether nothing is left to compute now."""
    is_wanted = ladder_tables.is_wanted(context.events, ladder_id, season)
    ladder = _ladder(context, ladder_id)
    rounds = [round for round in ladder.state.rounds if round.season == season] if ladder else []
    running = [round for round in rounds if round.status == RUNNING]
    is_done = True
    if ladder and (running or (rounds and is_wanted)):
        known = ladder_tables.load(context.events, ladder_id, season) or PublishedTable(season)
        try:
            published = _with_live(known, ladder)
            published, is_done = _with_official(context, published, ladder, rounds, is_wanted)
        except TableFailed:
            # The stop shows why the round does not finish; an operator resumes it after a fix.
            failed = [stopped(round.number, TABLE_FAILED) for round in running if round.purpose == "rated"]
            context.record(ladder, failed)
        else:
            _save(context, ladder_id, published, known)
            for round in running:
                ladder = _ended(context, published, ladder, round)
    if is_wanted and is_done:
        ladder_tables.want_no_more(context.events, ladder_id, season)
    return is_done


def _ladder(context: Context, ladder_id: str) -> Ladder | None:
    """The ladder; None if it is damaged or gone."""
    try:
        return context.ladders.load(ladder_id)
    except StoreUnavailable:
        raise
    except StoreError as error:
        log.error("ladder_not_loaded", ladder_id=ladder_id, error=str(error))
        return None


def _with_live(known: PublishedTable, ladder: Ladder) -> PublishedTable:
    """The tables with current live ratings and tests."""
    tests = live.progress_of_tests(known.tests, ladder.id, ladder.state, known.season)
    known = replace(known, tests=tests)
    if known.live_version > ladder.version:
        known = replace(known, live=(), live_version=0, strengths=())
    if known.live_version == ladder.version:
        return known
    strengths = {number: live.LiveStrength(mu, sigma, n) for number, mu, sigma, n in known.strengths}
    strengths = live.updated(strengths, ladder, known.season, known.live_version)
    return replace(
        known,
        live=live.live_ratings(ladder.state, known.season, strengths),
        live_version=ladder.version,
        strengths=tuple([(number, one.mu, one.sigma, one.matches) for number, one in strengths.items()]),
    )


def _with_official(
    context: Context, published: PublishedTable, ladder: Ladder, rounds: list[Round], is_wanted: bool
) -> tuple[PublishedTable, bool]:
    """The tables, with the official one if it was due and is complete, and whether nothing more is due now.

    `rounds` are those of the season.

    Raises:
        TableFailed, StoreUnavailable.
    """
    counting = [round for round in rounds if round.purpose == "rated"]
    played = next((round for round in counting if round.status == RUNNING), None)
    has_failed = any(round.stopped_for == TABLE_FAILED for round in counting)
    if not counting or has_failed or not (played or is_wanted):
        return published, True
    if played is not None and played.left:
        if _is_due(context, published, ladder, played.opened_at_ms):
            published = _computed_on(context, published, ladder, is_last=False)
        return published, True
    if not _has_all(published, ladder.state):
        published = _computed_on(context, published, ladder, is_last=True)
    return published, _has_all(published, ladder.state)


def _save(context: Context, ladder_id: str, published: PublishedTable, known: PublishedTable) -> None:
    """Save the tables; keep the official table of another job if that has more results."""
    if published == known:
        return
    saved = ladder_tables.load(context.events, ladder_id, published.season)
    if saved is not None and saved.version > published.version:
        published = replace(
            published,
            version=saved.version,
            blocks=saved.blocks,
            computed_at_ms=saved.computed_at_ms,
            table=saved.table,
            crosstable=saved.crosstable,
            took_ms=saved.took_ms,
        )
    ladder_tables.save(context.events, ladder_id, published)


def _ended(context: Context, published: PublishedTable, ladder: Ladder, round: Round) -> Ladder:
    """Finish the round if it is over; the ladder afterwards."""
    decision = live.decision(published.tests, round)
    if round.left and decision in ("", live.UNDECIDED):
        return ladder
    if round.purpose == "rated" and not _has_all(published, ladder.state):
        return ladder
    seed = context.matches.seeds.seed_to_reveal(ladder.id, round)
    changes: list[Change] = [lambda state: decide.finish_round(state, round.number, decision, seed)]
    if round.purpose == "rated":
        # In the same entry, so that no tournament is ever between two rounds.
        changes.append(lambda state: follow(state, context.clock(), new_id("job")))
    ladder = context.record(ladder, changes)
    log.info("round_finished", ladder_id=ladder.id, round=round.number, decision=decision)
    return ladder


def _has_all(published: PublishedTable, state: LadderState) -> bool:
    """Whether the official table exists with all results of its season."""
    return published.table is not None and published.blocks == state.finished_blocks(published.season)


def _is_due(context: Context, published: PublishedTable, ladder: Ladder, opened_at_ms: int) -> bool:
    """Whether to compute the table while a round that was opened then is played."""
    progress = ladder_tables.progress(context.events, ladder.id, published.season)
    if progress is not None:
        return context.clock() - progress.begun_at_ms >= SHARE * progress.spent_ms
    pause_ms = max(context.limits.table_s * 1000, SHARE * published.took_ms)
    is_old = context.clock() - max(published.computed_at_ms, opened_at_ms) >= pause_ms
    return is_old and ladder.state.finished_blocks(published.season) > published.blocks


def _computed_on(
    context: Context, published: PublishedTable, ladder: Ladder, is_last: bool
) -> PublishedTable:
    """The tables, with the official one if it is complete now; otherwise its fits are saved.

    With `is_last`, no further results will follow, so fits of fewer results are dropped.

    Raises:
        TableFailed, StoreUnavailable.
    """
    season = published.season
    progress, fits = _begun(context, ladder, season, is_last)
    known, then = len(fits.replicates), _as_of(ladder, season, progress)
    begun_s = time.monotonic()
    try:
        results, sample = _fitted(context, then, season, fits)
        found = _published(published, results, sample, fits) if is_whole(sample, fits) else None
    except ENDS_JOB:
        raise
    except Exception as error:
        # The same results would fail again, and whoever waits for the round must learn of it.
        log.exception("table_failed", ladder_id=ladder.id, season=season)
        ladder_tables.drop_fits(context.events, ladder.id, season)
        raise TableFailed(str(error)) from error
    spent_ms = progress.spent_ms + math.ceil((time.monotonic() - begun_s) * 1000)
    if found is None:
        progress = replace(progress, done=len(fits.replicates), spent_ms=spent_ms)
        ladder_tables.save_fits(context.events, ladder.id, season, progress, fits, known)
        return published
    log.info("table_computed", ladder_id=ladder.id, season=season, blocks=progress.blocks, ms=spent_ms)
    ladder_tables.drop_fits(context.events, ladder.id, season)
    return replace(found, version=progress.version, computed_at_ms=context.clock(), took_ms=spent_ms)


def _begun(context: Context, ladder: Ladder, season: int, is_last: bool) -> tuple[Progress, Fits]:
    """The saved progress and fits to continue, or new ones."""
    blocks = ladder.state.finished_blocks(season)
    begun = ladder_tables.load_fits(context.events, ladder.id, season)
    if begun and begun[0].version <= ladder.version and (begun[0].blocks == blocks or not is_last):
        return begun
    ladder_tables.drop_fits(context.events, ladder.id, season)
    total = ladder.state.configs[season - 1].rating.replicates
    return Progress(ladder.version, blocks, context.clock(), total), Fits()


def _as_of(ladder: Ladder, season: int, progress: Progress) -> Ladder:
    """The ladder at the version that the table belongs to."""
    if progress.blocks == ladder.state.finished_blocks(season):
        return ladder
    return as_of(ladder, progress.version)


def _fitted(context: Context, ladder: Ladder, season: int, fits: Fits) -> tuple[Results, Sample]:
    """Compute at least one step of the fits, until they are complete, the time is up or people wait."""
    begun_s = time.monotonic()
    results = results_of(ladder.id, ladder.state, season)
    sample = sampled(results)
    now_s = time.monotonic()
    until_s = now_s + max(context.limits.fits_s, LEAST_SHARE * (now_s - begun_s))
    for _ in made(sample, fits):
        if time.monotonic() >= until_s or context.people_wait():
            break
    return results, sample


def _published(published: PublishedTable, results: Results, sample: Sample, fits: Fits) -> PublishedTable:
    return replace(
        published,
        blocks=len(results.blocks),
        table=to_builtins(standings(results, rated(sample, fits))),
        crosstable=[to_builtins(cell) for cell in crosstable(results)],
    )
