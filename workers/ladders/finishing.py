"""The tables of a ladder while a round is played, and the end of the round.

One worker at a time computes them. A rated round is over when the official table has all its results.
"""

from typing import Final

import structlog
from msgspec.structs import replace

from domain.ladder.state import FINISHED, RUNNING, STOPPED, TABLE_FAILED, Round
from events.ladders import tables as ladder_tables
from events.ladders.entries import Ladder
from events.ladders.tables import PublishedTable
from workers.ladders import live, tabling, testing
from workers.ladders.changes import over, stopped
from workers.ladders.claims import Claims
from workers.ladders.live import Strength
from workers.ladders.place import Place
from workers.ladders.tabling import TableFailed

LONGEST_MS: Final = 60_000
"""A slice of the official table and all else takes no longer, as a rule: then another job may begin."""

log = structlog.get_logger("workers.ladders.finishing")


def look_after(place: Place, claims: Claims, ladder: Ladder, number: int) -> Ladder:
    """Compute what is due, and end the round when nothing is left of it.

    Where the round is not being played, the tables of its season are brought up to date if they are wanted.

    Raises:
        StoreUnavailable.
    """
    round = ladder.state.rounds[number - 1]
    name, pause_ms = f"{ladder.id}:{round.season}:tables", int(place.limits.live_s * 1000)
    if not _is_asked(place, ladder, round) or not all(claims.take_many([name])):
        return ladder
    claims.keep(name, LONGEST_MS)
    is_all = False
    try:
        ladder, is_all = _seen_to(place, ladder, round)
    finally:
        if is_all:
            claims.keep(name, pause_ms)
        else:
            claims.release(name)
    return ladder


def _seen_to(place: Place, ladder: Ladder, round: Round) -> tuple[Ladder, bool]:
    """The ladder afterwards, and whether no further slice of its table is due at once."""
    known = ladder_tables.load(place.events, ladder.id, round.season) or PublishedTable(round.season)
    try:
        published, is_all = _with_table(place, _brought_up(known, ladder, round), ladder, round)
    except TableFailed:
        return _given_up(place, ladder, round), False
    if published != known:
        published = _with_newer(place, published, ladder.id)
        ladder_tables.save(place.events, ladder.id, published)
    if round.status == RUNNING:
        ladder = _ended(place, published, ladder, round)
    elif is_all:
        ladder_tables.want_no_more(place.events, ladder.id, round.season)
    return ladder, is_all


def _is_asked(place: Place, ladder: Ladder, round: Round) -> bool:
    """Whether the round is played, or the tables of its season are wanted."""
    if round.status == RUNNING:
        return True
    has_failed = round.stopped_for == TABLE_FAILED
    if round.status == STOPPED and not has_failed and _is_behind(place, ladder, round.season):
        # Who stops a round wants to see how it stands: further jobs come for that.
        ladder_tables.want(place.events, ladder.id, round.season)
    return ladder_tables.is_wanted(place.events, ladder.id, round.season)


def _is_behind(place: Place, ladder: Ladder, season: int) -> bool:
    """Whether the ladder has news that no tables of that season were saved with."""
    known = ladder_tables.load(place.events, ladder.id, season)
    return known is None or known.live_version < ladder.version


def _with_newer(place: Place, published: PublishedTable, ladder_id: str) -> PublishedTable:
    """With the official table of another worker that knew more results, if it was faster."""
    saved = ladder_tables.load(place.events, ladder_id, published.season)
    if saved is None or saved.version <= published.version:
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
    known = replace(known, tests=testing.progress(known.tests, ladder.id, ladder.state, round.season))
    if round.purpose != "rated" and round.status == RUNNING:
        return known
    if known.live_version > ladder.version:
        known = replace(known, live=(), live_version=0, strengths=())
    if known.live_version == ladder.version:
        return known
    strengths = {number: Strength(mu, sigma, n) for number, mu, sigma, n in known.strengths}
    strengths = live.taken_in(strengths, ladder, round.season, known.live_version)
    return replace(
        known,
        live=live.shown(ladder.state, round.season, strengths),
        live_version=ladder.version,
        strengths=tuple([(number, one.mu, one.sigma, one.matches) for number, one in strengths.items()]),
    )


def _with_table(
    place: Place, published: PublishedTable, ladder: Ladder, round: Round
) -> tuple[PublishedTable, bool]:
    """The tables with the official one as far as it is due, and whether no further slice is due at once.

    Raises:
        TableFailed, StoreUnavailable.
    """
    rated = [one for one in ladder.state.rounds if one.season == round.season and one.purpose == "rated"]
    running = [one for one in rated if one.status == RUNNING]
    is_played = round.status == RUNNING
    has_failed = any(one.stopped_for == TABLE_FAILED for one in rated)
    if not rated or has_failed or ((running or is_played) and round not in running):
        return published, True
    if is_played and round.left:
        if tabling.is_due(place, published, ladder, round.opened_at_ms):
            published = tabling.computed_on(place, published, ladder, is_last=False)
        return published, True
    if not tabling.has_all(published, ladder.state):
        published = tabling.computed_on(place, published, ladder, is_last=True)
    return published, tabling.has_all(published, ladder.state)


def _given_up(place: Place, ladder: Ladder, round: Round) -> Ladder:
    """The ladder with a round that says why it does not end; whoever mends that resumes it."""
    ladder_tables.want_no_more(place.events, ladder.id, round.season)
    return place.record(ladder, [stopped(round.number, TABLE_FAILED)]) if round.status == RUNNING else ladder


def _ended(place: Place, published: PublishedTable, ladder: Ladder, round: Round) -> Ladder:
    """The ladder with the round's end, if that has come."""
    decision = testing.decision(published.tests, round)
    if round.left and decision in ("", testing.UNDECIDED):
        return ladder
    if round.purpose == "rated" and not tabling.has_all(published, ladder.state):
        return ladder
    seed = place.matches.seeds.seed_to_reveal(ladder.id, round)
    ladder = place.record(ladder, [over(round.number, decision, seed)])
    assert ladder.state.rounds[round.number - 1].status == FINISHED
    log.info("round_finished", ladder_id=ladder.id, round=round.number, decision=decision)
    return ladder
