"""Ratings of people: the board of a ruleset and a number of seats, its results, and the caller's ratings."""

from collections.abc import Iterator
from typing import Any

import msgspec
from flask import Response
from marshmallow import Schema
from msgspec import Struct

from contract import ratings as contract
from contract.names import RulesetId
from contract.standings import TableProgress
from contract.values import MOST_SEATS, Timestamp
from domain.ladder import rated_matches as domain
from domain.ladder.config import METHOD
from domain.ladder.rated_matches import Board, BoardTable
from events.ladders import tables
from events.ladders.tables import PublishedTable
from events.matches.rated_results import ONLY_SEASON, boards, count_results, results_page, table_name
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import json_answer, paged
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import QueryInteger, matching, one_of

blueprint = Endpoints("ratings", "Ratings of people from rated matches, and the results behind them.")


class BoardQuerySchema(Schema):
    """The board."""

    ruleset = one_of(RulesetId, required=True, metadata={"description": "The ruleset, such as `base`."})
    seats = QueryInteger(
        2, MOST_SEATS, required=True, metadata={"description": "The number of seats, such as `2`."}
    )
    limit = QueryInteger(1, 500, load_default=100, metadata={"description": "The most items per page."})


class RatingQuerySchema(BoardQuerySchema):
    """The board, and the page."""

    cursor = QueryInteger(
        1, 99_999, metadata={"description": "The `next` of the previous page; omit it for the first page."}
    )


class ResultQuerySchema(BoardQuerySchema):
    """The board, and the page."""

    cursor = matching(
        r"mat_[0-9A-Z]{26}",
        metadata={"description": "The `next` of the previous page; omit it for the first page."},
    )


class _Shown(Struct, frozen=True):
    """The last table of a board that was computed."""

    published: PublishedTable
    table: BoardTable


@blueprint.endpoint(
    "GET",
    "/v1/ratings",
    {200: Success("One page, from strongest to weakest.", contract.RatingPage, ("Link",))},
    query=RatingQuerySchema(),
)
def list_ratings(query: dict[str, Any]) -> Response:
    """List the ratings of people who play rated matches of a ruleset with a number of seats.

    They follow from `GET /v1/ratings/results` alone, by the method of ladders: `machi ratings verify`
    computes the same digits. Workers compute them after rated matches have ended, at most twice a minute.
    Pages with another `as_of` are of another table.
    """
    board, first, limit = _board(query), query.get("cursor", 0), query["limit"]
    shown = _shown(board)
    rows = shown.table.ratings if shown else ()
    progress = tables.progress(services().events_redis, table_name(board), ONLY_SEASON)
    page = contract.RatingPage(
        ruleset=board.ruleset,
        seats=board.seats,
        method=METHOD,
        as_of=Timestamp.at(shown.published.version) if shown else None,
        computed_at=Timestamp.at(shown.published.computed_at_ms) if shown else None,
        results_counted=shown.table.results if shown else 0,
        results_digest=shown.table.digest if shown else None,
        results=count_results(services().matches.store, [board])[board],
        seat_ratings=shown.table.seats if shown else (),
        groups=shown.table.groups if shown else 0,
        computing=TableProgress(progress.blocks, progress.done, progress.total) if progress else None,
        items=tuple([contract.rating_shown(one) for one in rows[first : first + limit]]),
        next=str(first + limit) if len(rows) > first + limit else None,
    )
    return paged(page)


@blueprint.endpoint(
    "GET",
    "/v1/ratings/results",
    {200: Success("One page, the newest match first.", contract.RatedResultPage, ("Link",))},
    query=ResultQuerySchema(),
)
def list_rated_results(query: dict[str, Any]) -> Response:
    """List the results that the ratings are computed from, in descending order of match id.

    Each is the result of a finished match with the option `rated`, which anybody can verify. A match that is
    aborted has no result.
    """
    board = _board(query)
    found = results_page(services().matches.store, board, query.get("cursor"), query["limit"])
    items = tuple([_result(board.ruleset, one) for one in found.items])
    return paged(contract.RatedResultPage(items, found.next))


@blueprint.endpoint(
    "GET",
    "/v1/me/ratings",
    {200: Success("The ratings of the caller.", contract.OwnRatings)},
    caller=Caller.ACCOUNT,
    scope="play",
)
def list_my_ratings(caller: Token) -> Response:
    """List the ratings of the caller, for each ruleset and number of seats that it has played rated."""
    return json_answer(contract.OwnRatings(tuple(_own(caller.account_id)), None))


def _own(account_id: str) -> Iterator[contract.OwnRating]:
    for board in boards():
        if (shown := _shown(board)) is None:
            continue
        as_of = Timestamp.at(shown.published.version)
        for one in shown.table.ratings:
            if one.entry == account_id:
                yield contract.OwnRating(board.ruleset, board.seats, as_of, contract.rating_shown(one))


def _board(query: dict[str, Any]) -> Board:
    return Board(query["ruleset"], query["seats"])


def _shown(board: Board) -> _Shown | None:
    """The last table; None before the first."""
    published = tables.load(services().events_redis, table_name(board), ONLY_SEASON)
    if published is None or published.table is None:
        return None
    return _Shown(published, msgspec.convert(published.table, BoardTable))


def _result(ruleset: str, one: domain.RatedResult) -> contract.RatedResult:
    players = tuple([contract.RatedPlayer(player.account_id, player.handle) for player in one.players])
    return contract.RatedResult(one.match_id, ruleset, Timestamp.at(one.ended_ms), players, one.winner)
