"""The tables of a ladder while a round is played, and the end of the round.

One worker at a time computes them. A rated round is over when the official table has all its results.
"""

import time

import structlog
from msgspec import to_builtins
from msgspec.structs import replace

from domain.ladder import publishing
from domain.ladder.crosstable import crosstable
from domain.ladder.results import collect
from domain.ladder.standings import standings
from domain.ladder.state import FINISHED, STOPPED, LadderState, Round
from events import ladder_tables
from events.ladder_entries import Ladder
from events.ladder_tables import PublishedTable
from workers.ladders import live, testing
from workers.ladders.changes import over
from workers.ladders.claims import Claims
from workers.ladders.live import Strength
from workers.ladders.place import Place

LONGEST_MS = 30_000
"""The first official table takes no longer; every further one no longer than three times the one before."""
SHARE = 10
"""An official table is computed in a tenth of the time at most while a round is played."""

log = structlog.get_logger("workers.ladders.finishing")


def look_after(place: Place, claims: Claims, ladder: Ladder, number: int) -> Ladder:
    """Compute what is due, and end the round when nothing is left of it.

    Raises:
        StoreUnavailable.
    """
    round = ladder.state.rounds[number - 1]
    name = f"{ladder.id}:tables"
    pause_ms = int(place.limits.live_s * 1000)
    # Who stops a round wants to see how it stands: no other job may come to compute that.
    is_stopped = round.status == STOPPED
    if round.status == FINISHED or not (is_stopped or claims.take(name, pause_ms)):
        return ladder
    known = ladder_tables.load(place.events, ladder.id) or PublishedTable(0)
    published = _brought_up(known, ladder, round)
    if round.purpose == "rated" and _is_table_due(place, published, ladder, round):
        claims.keep(name, max(LONGEST_MS, 3 * published.took_ms))
        published = _with_table(place, published, ladder, round)
    if published != known:
        published = _with_newer(place, published, ladder.id)
        ladder_tables.save(place.events, ladder.id, published)
    ladder = ladder if is_stopped else _ended(place, published, ladder, round)
    claims.keep(name, pause_ms)
    return ladder


def _with_newer(place: Place, published: PublishedTable, ladder_id: str) -> PublishedTable:
    """With the official table of another worker that knew more results, if it was faster."""
    saved = ladder_tables.load(place.events, ladder_id)
    if saved is None or saved.season != published.season or saved.version <= published.version:
        return published
    return replace(
        published,
        version=saved.version,
        blocks=saved.blocks,
        computed_at_ms=saved.computed_at_ms,
        table=saved.table,
        crosstable=saved.crosstable,
        took_ms=saved.took_ms,
    )


def _brought_up(known: PublishedTable, ladder: Ladder, round: Round) -> PublishedTable:
    """The live ratings and the tests as of now."""
    tests = testing.progress(known.tests, ladder.id, ladder.state)
    if round.purpose != "rated":
        return replace(known, tests=tests)
    if known.season != round.season or known.live_version > ladder.version:
        known = PublishedTable(round.season)
    if known.live_version == ladder.version:
        return replace(known, tests=tests)
    strengths = {number: Strength(mu, sigma, n) for number, mu, sigma, n in known.strengths}
    strengths = live.taken_in(strengths, ladder, round.season, known.live_version)
    return replace(
        known,
        live=live.shown(ladder.state, round.season, strengths),
        live_version=ladder.version,
        strengths=tuple([(number, one.mu, one.sigma, one.matches) for number, one in strengths.items()]),
        tests=tests,
    )


def _is_table_due(place: Place, published: PublishedTable, ladder: Ladder, round: Round) -> bool:
    if not round.left or round.status == STOPPED:
        return not _has_all(published, ladder.state, round)
    pause_ms = max(place.limits.table_s * 1000, SHARE * published.took_ms)
    is_old = place.clock() - max(published.computed_at_ms, round.opened_at_ms) >= pause_ms
    return is_old and _blocks(ladder.state, round.season) > published.blocks


def _has_all(published: PublishedTable, state: LadderState, round: Round) -> bool:
    is_there = published.season == round.season and published.table is not None
    return is_there and published.blocks == _blocks(state, round.season)


def _blocks(state: LadderState, season: int) -> int:
    return sum([1 for _ in state.rated_blocks(season)])


def _with_table(place: Place, published: PublishedTable, ladder: Ladder, round: Round) -> PublishedTable:
    begun_s = time.monotonic()
    results = collect(publishing.lines(ladder.id, ladder.state, round.season))
    table = to_builtins(standings(results))
    took_ms = int((time.monotonic() - begun_s) * 1000)
    log.info("table_computed", ladder_id=ladder.id, blocks=len(results.blocks), ms=took_ms)
    return replace(
        published,
        version=ladder.version,
        blocks=len(results.blocks),
        computed_at_ms=place.clock(),
        table=table,
        crosstable=[to_builtins(cell) for cell in crosstable(results)],
        took_ms=took_ms,
    )


def _ended(place: Place, published: PublishedTable, ladder: Ladder, round: Round) -> Ladder:
    """The ladder with the round's end, if that has come."""
    decision = testing.decision(published.tests, round)
    if round.left and decision in ("", testing.UNDECIDED):
        return ladder
    if round.purpose == "rated" and not _has_all(published, ladder.state, round):
        return ladder
    ladder = place.record(ladder, [over(round.number, decision)])
    assert ladder.state.rounds[round.number - 1].status == FINISHED
    log.info("round_finished", ladder_id=ladder.id, round=round.number, decision=decision)
    return ladder
