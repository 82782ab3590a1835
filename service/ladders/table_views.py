"""The tables of ladders, as workers computed them."""

from typing import Any

from flask import Response

from contract.tables import Crosstable, Standings
from service.catalogue.views import NOT_MODIFIED
from service.contract.endpoints import Answer, Endpoints
from service.edge.answers import cached_answer
from service.ladders.ladder_schemas import SeasonQuerySchema
from service.ladders.ladder_views import ABOUT_LADDER, PUBLIC
from service.ladders.ladders import ladder_named, season_of
from service.ladders.standings import mark, present_crosstable, present_standings, tables_of

blueprint = Endpoints("ladder tables", "Who is how strong, and who won against whom.")


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/standings",
    {200: Answer("The table.", Standings, ("ETag",)), 304: NOT_MODIFIED},
    query=SeasonQuerySchema(),
    headers=("If-None-Match",),
    refusals=(*ABOUT_LADDER, "season_not_found"),
)
def show_standings(ladder_id: str, query: dict[str, Any]) -> Response:
    """Show the official table of a season, with intervals for rating and rank.

    It follows from the season's results alone: `machi ladder rate` computes the same digits from
    `.../results`. Workers compute it, every now and then while a round is played and at its end;
    `blocks_counted` below `blocks_finished` says that it is behind, and `computing` how far the next one is.
    That of an earlier season stays; where it is missing, asking for it has it computed anew.
    """
    ladder = ladder_named(ladder_id)
    season = season_of(ladder.state, query)
    tables = tables_of(ladder, season)
    return cached_answer(present_standings(ladder, season, tables), mark(ladder, tables), PUBLIC)


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/crosstable",
    {200: Answer("The crosstable.", Crosstable, ("ETag",)), 304: NOT_MODIFIED},
    query=SeasonQuerySchema(),
    headers=("If-None-Match",),
    refusals=(*ABOUT_LADDER, "season_not_found"),
)
def show_crosstable(ladder_id: str, query: dict[str, Any]) -> Response:
    """Show who met whom how often, and who won; as old as the standings.

    Play is not transitive: who is rated higher may lose more often than not against somebody further down.
    """
    ladder = ladder_named(ladder_id)
    season = season_of(ladder.state, query)
    tables = tables_of(ladder, season)
    return cached_answer(present_crosstable(ladder, season, tables), mark(ladder, tables), PUBLIC)
