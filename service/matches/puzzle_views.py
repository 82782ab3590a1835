"""Puzzles: list them, show a position, and show its solution."""

from typing import Any

from flask import Response
from marshmallow import Schema
from msgspec.structs import asdict

from contract import puzzles as contract
from contract.names import RulesetId
from contract.reviews import Candidate
from events.matches.puzzles import Puzzle
from service.catalogue.views import PUBLIC
from service.context import services
from service.edge.answers import json_answer, paged
from service.edge.problems import Problem
from service.matches.presentation import present_legal_commands, present_state
from service.openapi.endpoints import Endpoints, Success
from service.openapi.fields import QueryInteger, matching, one_of

blueprint = Endpoints("puzzles", "Puzzles: find the best command in a position of a finished match.")


class PuzzleListQuerySchema(Schema):
    """Filters of the list of puzzles."""

    ruleset = one_of(RulesetId, metadata={"description": "Only puzzles of this ruleset, such as `harbor`."})
    seats = QueryInteger(2, 5, metadata={"description": "Only puzzles with this number of seats."})
    limit = QueryInteger(1, 100, load_default=50, metadata={"description": "The most puzzles per page."})
    cursor = matching(
        r"pzl_[0-9a-f]{32}",
        metadata={"description": "The `next` of the previous page; omit it for the first page."},
    )


@blueprint.endpoint(
    "GET",
    "/v1/puzzles",
    {200: Success("One page of puzzles.", contract.PuzzlePage, ("Link",))},
    query=PuzzleListQuerySchema(),
)
def list_puzzles(query: dict[str, Any]) -> Response:
    """List puzzles: decisions of finished matches with a best command that is certain and not obvious.

    They come from reviews of public matches, and from matches of built-in players.
    """
    limit = query["limit"]
    found = services().puzzles.page(limit + 1, query.get("cursor"), query.get("ruleset"), query.get("seats"))
    items = tuple([_listed(one) for one in found[:limit]])
    return paged(contract.PuzzlePage(items, items[-1].puzzle_id if len(found) > limit else None), PUBLIC)


@blueprint.endpoint(
    "GET",
    "/v1/puzzles/<puzzle_id>",
    {200: Success("The puzzle.", contract.Puzzle)},
    refusals=("puzzle_not_found",),
)
def show_puzzle(puzzle_id: str) -> Response:
    """Show the position of a puzzle and the commands to choose from."""
    state = _puzzle(puzzle_id).state()
    shown = present_state(puzzle_id, state, None)
    assert shown.active_seat is not None
    assert shown.phase is not None
    body = contract.Puzzle(
        puzzle_id=puzzle_id,
        ruleset=shown.ruleset,
        options=shown.options,
        rules_version=shown.rules_version,
        turn=shown.turn,
        active_seat=shown.active_seat,
        phase=shown.phase,
        extra_turn=shown.extra_turn,
        dice=shown.dice,
        pending=shown.pending,
        players=shown.players,
        market=shown.market,
        commands=present_legal_commands(state).commands,
    )
    return json_answer(body, 200, PUBLIC)


@blueprint.endpoint(
    "GET",
    "/v1/puzzles/<puzzle_id>/solution",
    {200: Success("The solution.", contract.PuzzleSolution)},
    refusals=("puzzle_not_found",),
)
def show_solution(puzzle_id: str) -> Response:
    """Show the solution of a puzzle: the best command, the obvious one, and what each candidate loses."""
    puzzle = _puzzle(puzzle_id)
    candidates = tuple([Candidate(**asdict(one)) for one in puzzle.candidates])
    body = contract.PuzzleSolution(
        puzzle_id,
        candidates[0].command,
        candidates[puzzle.obvious].command,
        candidates,
        puzzle.judge_version,
        puzzle.value_function,
        puzzle.match_id or None,
        puzzle.version,
        None if puzzle.playouts is None else contract.Playouts(**asdict(puzzle.playouts)),
    )
    return json_answer(body, 200, PUBLIC)


def _listed(puzzle: Puzzle) -> contract.ListedPuzzle:
    position = puzzle.position
    return contract.ListedPuzzle(
        puzzle.puzzle_id, puzzle.ruleset, puzzle.seats, position.turn, position.seat, position.phase
    )


def _puzzle(puzzle_id: str) -> Puzzle:
    """The puzzle.

    Raises:
        Problem: `puzzle_not_found`.
    """
    found = services().puzzles.find(puzzle_id)
    if found is None:
        raise Problem("puzzle_not_found")
    return found
