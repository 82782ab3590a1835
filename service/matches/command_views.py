"""Commands of seats: execute them, check them, and look them up."""

from collections.abc import Callable
from typing import Any

from flask import Response
from marshmallow import Schema
from msgspec import UNSET

from contract.commands import CommandAnswer, CommandRecord, NextDecision, Validated
from domain.errors import RuleViolation
from domain.match.commands import PLAY_COMMANDS
from domain.match.decide import building
from domain.match.decide.draft import require_running
from domain.match.state import MatchState, seat_to_act
from events.matches.history import CommandResult
from events.matches.projections import deadline_ms
from events.store.errors import MatchNotFound, StaleVersion
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import json_answer
from service.edge.guard import Limit
from service.edge.problems import Problem
from service.edge.requests import expected_version, idempotency_key, is_key
from service.matches.access import (
    Choice,
    canonical,
    command_id,
    commanded,
    instant,
    may_see,
    receipt_after,
    receipt_of,
    require_match_id,
    seats_of,
    visible_match,
)
from service.matches.command_schemas import EXAMPLES, CommandQuerySchema, CommandSchema
from service.matches.match_views import ABOUT_MATCH
from service.matches.presentation import present_legal_commands, present_state
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("commands", "The commands of seats: each is checked, stored and executed once.")

SCHEMA: Schema = CommandSchema()

DRY_REFUSALS = (
    "not_your_seat",
    "not_your_turn",
    "wrong_phase",
    "match_not_started",
    "match_finished",
    "two_dice_need_station",
    *building.REFUSALS,
    "card_not_owned",
    "card_not_tradable",
    "invalid_target",
    "unknown_card",
    "dice_tape_exhausted",
    "dice_tape_mismatch",
    "stale_version",
)
"""The refusals of a command."""


@blueprint.endpoint(
    "POST",
    "/v1/matches/<match_id>/commands",
    {
        201: Success(
            "The result of the command.",
            CommandAnswer,
            ("ETag", "Match-Head", "Idempotency-Replayed"),
        )
    },
    caller=Caller.ACCOUNT,
    scope="play",
    query=CommandQuerySchema(),
    body=SCHEMA,
    examples=EXAMPLES,
    headers=("Idempotency-Key", "If-Match"),
    refusals=(*ABOUT_MATCH, *DRY_REFUSALS, "idempotency_key_reused", "too_busy"),
    limit=Limit.MOVES,
)
def post_command(caller: Token, match_id: str, query: dict[str, Any], body: dict[str, Any]) -> Response:
    """Execute a command of a seat: roll, choose, build, pass or resign.

    Post one of the legal commands as it is. `next` in the response is the next decision; `embed` adds the
    state and the legal commands, so that a turn needs no other requests. With an `Idempotency-Key`, you can
    safely retry. Without `If-Match`, the command applies to the match as it is when the command arrives.

    `resign` is possible at any time while the match is running, all other commands only on the seat's turn.
    """
    require_match_id(match_id)
    key, expected = idempotency_key(), expected_version()
    with commanded(match_id, caller, expected):
        if query["validate_only"]:
            # Kept for a release. The document names this answer only in words: of operations with two
            # successful answers, clients in TypeScript get a type that fits neither.
            return _checked(caller, match_id, body, expected)
        outcome = services().matches.execute_chosen(
            match_id,
            _chooser(caller, body),
            canonical(caller, "command", body),
            command_id(caller, key) if key else None,
            expected,
        )
        return _executed(outcome, query.get("embed", []))


@blueprint.endpoint(
    "POST",
    "/v1/matches/<match_id>/dry-runs",
    {200: Success("The command would be accepted.", Validated, ("ETag", "Match-Head"))},
    caller=Caller.ACCOUNT,
    scope="play",
    body=SCHEMA,
    examples={"roll_dice": EXAMPLES["roll_dice"]},
    headers=("If-Match",),
    refusals=(*ABOUT_MATCH, *DRY_REFUSALS),
    limit=Limit.MOVES,
)
def dry_run_command(caller: Token, match_id: str, body: dict[str, Any]) -> Response:
    """Check a command without executing it.

    The command is refused as `POST /v1/matches/{match_id}/commands` would refuse it. Nothing is appended, and
    the response does not reveal the results: the dice stay secret until they are rolled.
    """
    require_match_id(match_id)
    expected = expected_version()
    with commanded(match_id, caller, expected):
        return _checked(caller, match_id, body, expected)


def _checked(caller: Token, match_id: str, body: dict[str, Any], expected: int | None) -> Response:
    choose = _at_version(match_id, expected, _chooser(caller, body))
    loaded = services().matches.dry_run(match_id, choose)
    headers = {**receipt_of(loaded), "ETag": f'"{loaded.version}"'}
    return json_answer(Validated(valid=True, version=loaded.version), 200, headers)


def _executed(outcome: CommandResult, embed: list[str]) -> Response:
    headers = {**receipt_after(outcome), "ETag": f'"{outcome.last}"'}
    return json_answer(_answer(outcome, embed), 201, headers)


def _answer(outcome: CommandResult, embed: list[str]) -> CommandAnswer:
    state = outcome.state
    deadline = instant(deadline_ms(outcome.state, outcome.at_ms))
    return CommandAnswer(
        command_id=outcome.command_id,
        version=outcome.last,
        events=tuple(outcome.events),
        next=NextDecision(seat=seat_to_act(state), phase=state.phase or None, deadline=deadline),
        state=present_state(outcome.match_id, state, deadline) if "state" in embed else UNSET,
        legal_commands=present_legal_commands(state) if "legal_commands" in embed else UNSET,
    )


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/commands/<key:idempotency_key>",
    {200: Success("The executed command and its events.", CommandRecord, ("Match-Head",))},
    caller=Caller.ACCOUNT,
    refusals=(*ABOUT_MATCH, "command_not_found"),
)
def show_command(caller: Token, match_id: str, idempotency_key: str) -> Response:
    """Look up a command of the caller by its Idempotency-Key.

    Use this if the response to a command was lost. With 404 `command_not_found`, nothing has been executed:
    the command has not arrived, is still on its way, or was refused. Post it again under the same key. Keys
    of other operations are not found here.
    """
    loaded = visible_match(match_id, caller)
    outcome = None
    if is_key(idempotency_key):
        outcome = services().matches.history.find_command(match_id, command_id(caller, idempotency_key))
    if outcome is None:
        raise Problem("command_not_found")
    if outcome.last > loaded.version:
        loaded = visible_match(match_id, caller)
    record = CommandRecord(
        command_id=outcome.command_id,
        status="accepted",
        first_sequence=outcome.first,
        last_sequence=outcome.last,
        events=tuple(outcome.events),
    )
    return json_answer(record, 200, receipt_of(loaded))


def _chooser(caller: Token, body: dict[str, Any]) -> Callable[[MatchState], Choice]:
    """What gives the command of the checked body on the state at hand.

    It raises `MatchNotFound` for a private match of others, and `RuleViolation` where the seat cannot act.
    """
    members = {name: value for name, value in body.items() if name not in ("type", "seat")}
    command_type = PLAY_COMMANDS[body["type"]]
    leaves = body["type"] == "resign"

    def choose(state: MatchState) -> Choice:
        seat = _acting_seat(state, caller, body.get("seat"), leaves)
        return f"seat:{seat}", command_type(seat=seat, **members)

    return choose


def _at_version(
    match_id: str, version: int | None, choose: Callable[[MatchState], Choice]
) -> Callable[[MatchState], Choice]:
    """What chooses only on a state of that version, if one is given, before it looks at anything else.

    It raises `StaleVersion`.
    """

    def choose_there(state: MatchState) -> Choice:
        if version is not None and version != state.version:
            raise StaleVersion(match_id, version, state.version)
        return choose(state)

    return choose_there


def _acting_seat(state: MatchState, caller: Token, named: int | None, leaves: bool) -> int:
    mine = seats_of(state, caller)
    if not mine:
        if not may_see(state, caller):
            raise MatchNotFound("of others")
        raise RuleViolation("not_your_seat", "you have no seat in this match")
    require_running(state)
    if named is not None:
        return _named_seat(state, mine, named, leaves)
    if state.active in mine:
        return state.active
    if leaves:
        return next((seat for seat in mine if not state.resigned[seat]), mine[0])
    raise RuleViolation("not_your_turn", f"seat {state.active} is to act")


def _named_seat(state: MatchState, mine: list[int], named: int, leaves: bool) -> int:
    if named >= len(state.controllers):
        raise RuleViolation("validation_failed", f"no seat {named}", "/seat")
    if named not in mine:
        raise RuleViolation("not_your_seat", f"seat {named} is not yours", "/seat")
    if named != state.active and not leaves:
        raise RuleViolation("not_your_turn", f"seat {state.active} is to act", "/seat")
    return named
