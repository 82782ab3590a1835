"""Invitations of the caller: seats that are reserved for it."""

from typing import Any

from flask import Response
from marshmallow import Schema

from contract.matches import InvitationPage
from contract.values import MOST_SEATS
from domain.match.commands import EndReservation
from domain.match.state import MatchState
from events.store.errors import MatchNotFound
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import empty_answer, json_answer
from service.edge.problems import Problem
from service.live.long_polls import wait_for
from service.matches.access import (
    Choice,
    canonical,
    commanded,
    executed,
    may_see,
    receipt_after,
    require_match_id,
)
from service.matches.event_schemas import WaitQuerySchema
from service.matches.invitations import pending_invitations, reserved_seat
from service.matches.match_views import ABOUT_MATCH, JOINED, joined
from service.matches.new_match_schemas import SEED
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import integer, matching

blueprint = Endpoints("invitations", "Invitations to matches: list, accept, decline and withdraw them.")


class AcceptSchema(Schema):
    """The reserved seat to take; the first one by default."""

    seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)
    seed = matching(SEED, metadata={"description": "A seed for the dice of the match."})


class DeclineSchema(Schema):
    """The reserved seat to decline; the first one by default."""

    seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)


ANSWERED = (*ABOUT_MATCH, "invitation_not_found", "match_finished", "idempotency_key_reused", "too_busy")


@blueprint.endpoint(
    "GET",
    "/v1/me/invitations",
    {200: Success("The pending invitations, newest match first.", InvitationPage)},
    caller=Caller.ACCOUNT,
    scope="play",
    query=WaitQuerySchema(),
)
def list_my_invitations(caller: Token, query: dict[str, Any]) -> Response:
    """List the seats that are reserved for the caller, or wait for the first one.

    The caller can see the matches that it is invited to, even private ones, but has no decisions to make in
    them before it accepts. With `wait`, the response comes at once if an invitation is pending.
    """
    subscription = services().watcher.turns_of(caller.account_id)
    found = wait_for(subscription, query["wait"], lambda: pending_invitations(caller) or None)
    return json_answer(InvitationPage(items=tuple(found or ()), next=None))


@blueprint.endpoint(
    "POST",
    "/v1/me/invitations/<match_id>/accept",
    {201: JOINED},
    caller=Caller.ACCOUNT,
    scope="play",
    body=AcceptSchema(),
    optional_body=True,
    examples={"any": {"value": {}}, "with_a_seed": {"value": {"seat": 1, "seed": "a-word-of-mine"}}},
    headers=("Idempotency-Key",),
    refusals=(*ANSWERED, "already_seated", "not_ratable"),
)
def accept_invitation(caller: Token, match_id: str, body: dict[str, Any]) -> Response:
    """Take a seat that is reserved for the caller: the given one, or the first one in the match.

    The match starts once its last seat is taken. `POST /v1/matches/{match_id}/seats` does the same.
    """

    def reserved(state: MatchState) -> int:
        return reserved_seat(state, caller.account_id, body.get("seat"))

    return joined(caller, match_id, body, "accept", reserved)


@blueprint.endpoint(
    "POST",
    "/v1/me/invitations/<match_id>/decline",
    {204: Success("The seat is open to others.", headers=("Match-Head", "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    scope="play",
    body=DeclineSchema(),
    optional_body=True,
    examples={"any": {"value": {}}},
    headers=("Idempotency-Key",),
    refusals=ANSWERED,
)
def decline_invitation(caller: Token, match_id: str, body: dict[str, Any]) -> Response:
    """Decline a seat that is reserved for the caller: the given one, or the first one in the match.

    The seat is then open to anybody who can join the match.
    """

    def choose(state: MatchState) -> Choice:
        if not may_see(state, caller):
            raise MatchNotFound("of others")
        seat = reserved_seat(state, caller.account_id, body.get("seat"))
        return f"account:{caller.account_id}", EndReservation(seat, caller.account_id)

    return empty_answer(204, receipt_after(executed(caller, match_id, "decline", body, choose)))


@blueprint.endpoint(
    "DELETE",
    "/v1/matches/<match_id>/seats/<int:seat>/invitation",
    {204: Success("The seat is open to others.", headers=("Match-Head",))},
    caller=Caller.ACCOUNT,
    scope="match:create",
    refusals=(*ABOUT_MATCH, "not_found", "invitation_not_found", "not_creator", "match_finished", "too_busy"),
)
def withdraw_invitation(caller: Token, match_id: str, seat: int) -> Response:
    """Open a reserved seat to anybody; only for the creator of the match."""

    def choose(state: MatchState) -> Choice:
        if not may_see(state, caller):
            raise MatchNotFound("of others")
        if state.created.creator != caller.account_id:
            raise Problem("not_creator")
        return f"account:{caller.account_id}", EndReservation(seat, caller.account_id)

    require_match_id(match_id)
    with commanded(match_id, caller):
        outcome = services().matches.execute_chosen(match_id, choose, canonical(caller, "withdraw", {}))
    return empty_answer(204, receipt_after(outcome))
