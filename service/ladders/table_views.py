"""The tables of ladders: standings, crosstables and sequential tests, as saved by workers."""

from typing import Any

import msgspec
from flask import Response
from marshmallow import Schema
from msgspec import Struct

from contract import standings as contract
from contract.values import GREATEST, Timestamp
from domain.ladder.state import FINISHED, RUNNING, TABLE_FAILED, LadderState, Round
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladder
from events.ladders.tables import LiveRating, Progress, PublishedTable, SequentialProgress
from service.catalogue.views import NOT_MODIFIED
from service.context import services
from service.edge.answers import cached_answer
from service.ladders.ladders import ABOUT_LADDER, PUBLIC, ladder_named, path_of, season_of
from service.openapi.endpoints import Endpoints, Success
from service.openapi.fields import QueryInteger

blueprint = Endpoints("ladder tables", "The standings and the crosstable of a ladder.")


class SeasonQuerySchema(Schema):
    """The season of a table."""

    season = QueryInteger(
        1, GREATEST, metadata={"description": "The season, such as `1`; by default the open one."}
    )


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/standings",
    {200: Success("The table.", contract.Standings, ("ETag",)), 304: NOT_MODIFIED},
    query=SeasonQuerySchema(),
    headers=("If-None-Match",),
    refusals=(*ABOUT_LADDER, "season_not_found"),
)
def show_standings(ladder_id: str, query: dict[str, Any]) -> Response:
    """Show the official table of a season, with intervals for rating and rank.

    The table derives from the season's results alone: `machi ladder rate` computes the same digits from
    `.../results`. Workers compute it at intervals during a round, and at its end. While it is behind,
    `blocks_counted` is below `blocks_finished`, and `computing` is the progress of the next table. Tables of
    earlier seasons remain; if one is lost, this request has it computed again.
    """
    ladder = ladder_named(ladder_id)
    season = season_of(ladder.state, query)
    tables = tables_of(ladder, season)
    return cached_answer(present_standings(ladder, season, tables), entity_tag(ladder, tables), PUBLIC)


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/crosstable",
    {200: Success("The crosstable.", contract.Crosstable, ("ETag",)), 304: NOT_MODIFIED},
    query=SeasonQuerySchema(),
    headers=("If-None-Match",),
    refusals=(*ABOUT_LADDER, "season_not_found"),
)
def show_crosstable(ladder_id: str, query: dict[str, Any]) -> Response:
    """Show the results of every entry against every other; computed together with the standings.

    Play is not transitive: an entry can lose most of its matches against another one with a lower rating.
    """
    ladder = ladder_named(ladder_id)
    season = season_of(ladder.state, query)
    tables = tables_of(ladder, season)
    return cached_answer(present_crosstable(ladder, season, tables), entity_tag(ladder, tables), PUBLIC)


class Tables(Struct, frozen=True):
    """The saved tables of a season."""

    published: PublishedTable | None
    """None before they are computed, and if they are lost."""
    progress: Progress | None
    """The progress of the next official table; None if none is being computed."""


def tables_of(ladder: Ladder, season: int) -> Tables:
    """The tables of the season. If they are missing, workers are asked to compute them.

    Raises:
        StoreUnavailable.
    """
    client = services().events_redis
    found = ladder_tables.load(client, ladder.id, season)
    if _is_missing(ladder.state, season, found):
        ladder_tables.want(client, ladder.id, season)
    return Tables(found, ladder_tables.progress(client, ladder.id, season))


def _is_missing(state: LadderState, season: int, found: PublishedTable | None) -> bool:
    """Whether the official table lacks results, and no running round will add them."""
    rated = state.rated_rounds(season)
    if any(round.status == RUNNING or round.stopped_for == TABLE_FAILED for round in rated):
        return False
    return (found.blocks if found is not None else 0) < state.finished_blocks(season)


def entity_tag(ladder: Ladder, tables: Tables) -> str:
    """The entity tag of a response about the tables."""
    published, progress = tables.published, tables.progress
    saved = (published.version, published.computed_at_ms, published.live_version) if published else (0,)
    far = (progress.version, progress.spent_ms) if progress else ()
    return "-".join(map(str, (ladder.version, *saved, *far)))


def present_standings(ladder: Ladder, season: int, tables: Tables) -> contract.Standings:
    """The official table and the live ratings; both empty if nothing is computed yet."""
    state, published = ladder.state, tables.published or PublishedTable(season)
    table = published.table or {}
    live = {each.entry: _live(state, each) for each in published.live}
    rows = [{**row, "live": live.get(row["entry"])} for row in table.get("standings", ())]
    return contract.Standings(
        ladder_id=ladder.id,
        season=season,
        digest=state.digests[season - 1] if season else "",
        blocks_counted=published.blocks,
        blocks_finished=state.finished_blocks(season),
        as_of=_age(published),
        computing=_progress(tables.progress),
        anchor=table.get("anchor"),
        seat_ratings=tuple(table.get("seat_ratings", ())),
        groups=table.get("groups", 0),
        items=msgspec.convert(rows, tuple[contract.Standing, ...]),
        live=tuple(live.values()),
    )


def present_crosstable(ladder: Ladder, season: int, tables: Tables) -> contract.Crosstable:
    """A cell for every ordered pair of entries."""
    published = tables.published or PublishedTable(season)
    cells = msgspec.convert(published.crosstable or (), tuple[contract.CrosstableCell, ...])
    names = {entry.id: entry.name for entry in ladder.state.entries}
    ids = dict.fromkeys([cell.entry for cell in cells])
    return contract.Crosstable(
        ladder_id=ladder.id,
        season=season,
        blocks_counted=published.blocks,
        blocks_finished=ladder.state.finished_blocks(season),
        as_of=_age(published),
        computing=_progress(tables.progress),
        entries=tuple([contract.CrosstableEntry(entry=id, name=names[id]) for id in ids]),
        items=cells,
    )


def _age(published: PublishedTable) -> contract.TableAge | None:
    if not published.table:
        return None
    return contract.TableAge(
        version=published.version,
        blocks=published.blocks,
        computed_at=Timestamp.at(published.computed_at_ms),
    )


def table_progress(ladder: Ladder, round: Round) -> contract.TableProgress | None:
    """The progress of the official table that a rated round waits for; None if none is being computed.

    Raises:
        StoreUnavailable.
    """
    if round.purpose != "rated" or round.status == FINISHED:
        return None
    return _progress(ladder_tables.progress(services().events_redis, ladder.id, round.season))


def _progress(progress: Progress | None) -> contract.TableProgress | None:
    if progress is None:
        return None
    return contract.TableProgress(blocks=progress.blocks, done=progress.done, total=progress.total)


def _live(state: LadderState, live: LiveRating) -> contract.LiveRating:
    entry = state.entry(live.entry)
    return contract.LiveRating(
        entry=live.entry,
        name=entry.name if entry else "",
        rating=live.rating,
        rating_interval=(live.low, live.high),
        matches=live.matches,
    )


def present_test(ladder: Ladder, round: Round) -> contract.SequentialTest:
    """A sequential test, as counted by workers so far.

    Raises:
        StoreUnavailable.
    """
    test, entries = round.test, ladder.state.entries
    assert test is not None, "the round is a test"
    counted = _counted(ladder, round)
    return contract.SequentialTest(
        test_id=str(round.number),
        ladder_id=ladder.id,
        job_id=round.job,
        season=round.season,
        status=round.status,
        a=entries[test.a].id,
        b=entries[test.b].id,
        elo0=test.elo0,
        elo1=test.elo1,
        alpha=test.alpha_percent / 100,
        beta=test.beta_percent / 100,
        most_blocks=test.most_blocks,
        blocks=counted.blocks if counted else 0,
        wins_a=counted.wins_a if counted else 0,
        wins_b=counted.wins_b if counted else 0,
        others=counted.others if counted else 0,
        llr=counted.llr if counted else None,
        lower=counted.lower if counted else None,
        upper=counted.upper if counted else None,
        elo=counted.elo if counted else None,
        elo_interval=counted.elo_interval if counted else None,
        decision=round.decision or None,
        results=f"{path_of(ladder.id)}/results?test={round.number}",
    )


def _counted(ladder: Ladder, round: Round) -> SequentialProgress | None:
    """The counts of a test. If those of a test that is over are missing, workers are asked to count again."""
    client = services().events_redis
    found = ladder_tables.load(client, ladder.id, round.season)
    counted = next((one for one in (found.tests if found else ()) if one.round == round.number), None)
    if counted is None and round.status != RUNNING:
        ladder_tables.want(client, ladder.id, round.season)
    return counted
