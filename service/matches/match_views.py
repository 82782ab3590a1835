"""Matches: create, list, join and abort them."""

from collections.abc import Callable
from typing import Any, Final

from flask import Response
from msgspec.structs import asdict

from contract.matches import Joined, ListedMatch, ListedSeat, Match, MatchPage
from contract.values import Timestamp
from domain.errors import RuleViolation
from domain.match.commands import AbortMatch, TakeSeat
from domain.match.state import MatchState
from events.matches import lists
from events.matches.history import CommandResult
from events.matches.lists import SummaryPage
from events.matches.projections import Summary, deadline_ms, player_id
from events.store.errors import MatchNotFound
from runtime.strategies import STRATEGIES
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import cached_answer, json_answer, paged
from service.edge.guard import Limit
from service.edge.idempotency import keyed_request
from service.edge.problems import Problem
from service.edge.requests import invitation_code
from service.ladders.ladders import is_owner, matches_of
from service.matches.access import (
    Choice,
    deadline,
    executed,
    instant,
    may_see,
    receipt_after,
    receipt_of,
    visible_match,
)
from service.matches.creation import create_once
from service.matches.invitations import code_for, opens, require_room, reserved_seats
from service.matches.match_schemas import ACCOUNT_ID, MatchListQuerySchema
from service.matches.new_match import create_command
from service.matches.new_match_examples import EXAMPLES
from service.matches.new_match_schemas import AbortSchema, JoinSchema, NewMatchSchema
from service.matches.presentation import present_match
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("matches", "Matches and their seats: create, list, join and abort matches.")

RECEIPT: Final = ("ETag", "Match-Head")
JOINED: Final = Success(
    "The match, and the seat that the caller has taken.",
    Joined,
    ("Location", *RECEIPT, "Idempotency-Replayed"),
)
NOT_MODIFIED: Final = Success("The client's copy is current.", headers=RECEIPT)
ADMISSION: Final = ("too_many_matches", "overloaded")
ABOUT_MATCH: Final = ("match_not_found", "stream_corrupt", "rules_changed")


@blueprint.endpoint(
    "POST",
    "/v1/matches",
    {201: Success("The match.", Match, ("Location", *RECEIPT, "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    scope="match:create",
    body=NewMatchSchema(),
    examples=EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=(
        "unknown_card",
        "major_already_owned",
        "copy_limit_reached",
        "idempotency_key_reused",
        "stream_corrupt",
        "seating_refused",
        "too_many_invitations",
        "not_ratable",
        *ADMISSION,
    ),
    limit=Limit.MATCHES,
)
def create_match(caller: Token, body: dict[str, Any]) -> Response:
    """Create a match, which starts by itself once no seat is open.

    If its `dice` have `seat_seeds`, it then waits for the seeds of the seats and starts with the last one.

    A seat for an account is taken at once if the account allows the caller to seat it. Otherwise the seat is
    reserved (`invited`) until the account accepts the invitation (`GET /v1/me/invitations`). If the account
    allows nobody to seat it, or blocks the caller, the problem is `seating_refused`.

    With the option `rated`, the result counts for the ratings of the players (`GET /v1/ratings`). Such a
    match is public, has a clock and secret dice, and is played by the ruleset as it is. Each seat has an
    account of its own: other accounts are always invited, and built-in players have no seat. What does not
    fit is refused as `not_ratable`.

    `POST /v1/matches/{match_id}/seats` takes an open seat. In a private match, this requires the
    `invitation_code`, which only the creator is shown, as its `code`.

    The unfinished matches that an account, or all accounts at one address, have created within a day are
    limited (429 `too_many_matches`). Matches in which people can play and matches of built-in players only
    have separate limits of the same size; matches of ladders do not count. While the service is at its
    capacity, no match is created (503 `overloaded`).

    The response is kept under the Idempotency-Key for 30 days: the match as it was after its creation.
    """
    keyed = keyed_request("matches", caller.account_id)
    outcome = create_once(lambda: require_room(create_command(body, caller, services().accounts)), keyed)
    match = match_after(outcome, outcome.at_ms, code_for(caller, outcome.match_id, outcome.state))
    return changed(outcome, match, 201, {"Location": f"/v1/matches/{outcome.match_id}"})


def match_after(outcome: CommandResult, created_at_ms: int, invitation_code: str | None = None) -> Match:
    """The match as a command left it."""
    due = instant(deadline_ms(outcome.state, outcome.at_ms))
    return present_match(outcome.match_id, outcome.state, created_at_ms, due, invitation_code)


def changed(
    outcome: CommandResult, match: Match, status: int, headers: dict[str, str] | None = None
) -> Response:
    """The response to a request that changed the match."""
    receipts = {**receipt_after(outcome), "ETag": f'"{outcome.last}"'}
    return json_answer(match, status, {**(headers or {}), **receipts})


@blueprint.endpoint(
    "GET",
    "/v1/matches",
    {200: Success("One page, newest first.", MatchPage, ("Link",))},
    caller=Caller.ANYBODY,
    query=MatchListQuerySchema(),
    refusals=("stream_corrupt",),
)
def list_matches(caller: Token | None, query: dict[str, Any]) -> Response:
    """List the public matches and, with a token, those of the caller.

    Unlisted and private matches are listed for their creator and for accounts that ever had a seat in them.
    A page can have fewer than `limit` items although there are more: continue with `next` as `cursor` until
    it is null.
    """
    found = _listed(caller, query)
    return paged(MatchPage(items=tuple([_summary(item) for item in found.items]), next=found.next))


def _listed(caller: Token | None, query: dict[str, Any]) -> SummaryPage:
    player = query.get("player")
    if player is not None:
        player = _player(player)
    if player is None and "player" in query:
        return SummaryPage((), None)
    if "ladder" in query:
        return matches_of(query["ladder"], player, query, query["limit"])
    return lists.list_matches(
        services().matches.store,
        status=query.get("status"),
        ruleset=query.get("ruleset"),
        player=player,
        tag=query.get("tag"),
        rated=query.get("rated"),
        viewer=caller.account_id if caller else None,
        cursor=query.get("cursor"),
        limit=query["limit"],
    )


def _player(name: str) -> str | None:
    """The player id in the index of matches: the id of an account, or `strategy:` and a name."""
    if name in STRATEGIES:
        return player_id("strategy", name)
    if ACCOUNT_ID.fullmatch(name):
        return name
    return services().accounts.id_of(name)


def _summary(summary: Summary) -> ListedMatch:
    taken = {player.seat: player for player in summary.players}
    invited = {one.seat: one.name for one in summary.invited}
    seats = [
        ListedSeat(seat=seat, kind=taken[seat].kind, name=taken[seat].name, invited=None)
        if seat in taken
        else ListedSeat(seat=seat, kind="open", name=None, invited=invited.get(seat))
        for seat in range(summary.seats)
    ]
    return ListedMatch(
        match_id=summary.match_id,
        status=summary.status,
        ruleset=summary.ruleset,
        rules_version=summary.rules_version,
        seats=tuple(seats),
        visibility=summary.visibility,
        tags=tuple(summary.tags),
        creator=summary.creator,
        created_at=Timestamp.fromisoformat(summary.created_at),
        winner=summary.winner,
        rated=summary.rated,
    )


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>",
    {200: Success("The match.", Match, RECEIPT), 304: NOT_MODIFIED},
    caller=Caller.ANYBODY,
    headers=("If-None-Match", "Invitation-Code"),
    refusals=ABOUT_MATCH,
)
def show_match(caller: Token | None, match_id: str) -> Response:
    """Show a match: its seats, its options and its status.

    `GET /v1/matches/{match_id}/state` shows the table. An open private match is also shown to anybody who
    sends its `Invitation-Code`.
    """
    loaded = visible_match(match_id, caller, invitation_code())
    code = code_for(caller, match_id, loaded.state)
    match = present_match(match_id, loaded.state, loaded.created_at_ms, deadline(loaded), code)
    return cached_answer(match, str(loaded.version), receipt_of(loaded))


@blueprint.endpoint(
    "POST",
    "/v1/matches/<match_id>/seats",
    {201: JOINED},
    caller=Caller.ACCOUNT,
    scope="play",
    body=JoinSchema(),
    optional_body=True,
    examples={"any": {"value": {}}, "second": {"value": {"seat": 1}}},
    headers=("Idempotency-Key",),
    refusals=(
        *ABOUT_MATCH,
        "seat_taken",
        "seat_reserved",
        "already_seated",
        "not_ratable",
        "match_full",
        "match_finished",
        "idempotency_key_reused",
        "too_busy",
    ),
)
def take_seat(caller: Token, match_id: str, body: dict[str, Any]) -> Response:
    """Take an open seat; the same account may take several, but not in a rated match.

    Taking a seat of a rated match means to agree that its result counts.

    Once its last open seat is taken, the match starts, or waits for the seeds of its seats. `seat` in the
    response is the seat taken. Without `seat` in the request, it is the first one that is reserved for the
    caller, otherwise the first one that is free. A private match can be joined by its creator, by accounts
    that had a seat in it or are invited, and by anybody who sends its `code`; for others, it is 404.
    """
    return joined(caller, match_id, body, "take_seat", lambda state: _chosen_seat(state, caller, body))


def joined(
    caller: Token, match_id: str, body: dict[str, Any], kind: str, choose_seat: Callable[[MatchState], int]
) -> Response:
    """Take a seat, and build the response. `kind` separates the request's keys from those of others."""
    code = body.get("code", "")

    def choose(state: MatchState) -> Choice:
        if not may_see(state, caller) and not opens(match_id, state, code):
            raise MatchNotFound("of others")
        if state.status in ("finished", "aborted"):
            raise RuleViolation("match_finished", f"the match is {state.status}")
        seat = choose_seat(state)
        command = TakeSeat(seat, "account", caller.account_id, caller.handle, seed=body.get("seed", ""))
        return f"account:{caller.account_id}", command

    outcome = executed(caller, match_id, kind, body, choose, code)
    match = match_after(outcome, services().matches.load(match_id).created_at_ms)
    seated = Joined(**asdict(match), seat=int(outcome.events[0].data["seat"]))
    return changed(outcome, seated, 201, {"Location": f"/v1/matches/{match_id}"})


def _chosen_seat(state: MatchState, caller: Token, body: dict[str, Any]) -> int:
    """The given seat, or the best free one; if there is none, a seat whose refusal gives the reason."""
    seat = body.get("seat")
    if seat is not None:
        return int(seat)
    open_seats = [seat for seat, taken in enumerate(state.controllers) if taken is None]
    free = [seat for seat in open_seats if seat not in state.reservations]
    return next(iter([*reserved_seats(state, caller.account_id), *free, *open_seats, 0]))


@blueprint.endpoint(
    "POST",
    "/v1/matches/<match_id>/abort",
    {200: Success("The aborted match.", Match, (*RECEIPT, "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    scope="match:create",
    body=AbortSchema(),
    optional_body=True,
    examples={"nothing": {"value": {}}},
    headers=("Idempotency-Key",),
    refusals=(
        *ABOUT_MATCH,
        "not_creator",
        "wrong_phase",
        "match_finished",
        "idempotency_key_reused",
        "too_busy",
    ),
)
def abort_match(caller: Token, match_id: str, body: dict[str, Any]) -> Response:
    """Abort a match before its first roll; only for its creator.

    After the first roll, players can only resign. Matches of ladders cannot be aborted, nor can matches with
    `seat_seeds` once every seat has committed.
    """
    outcome = executed(caller, match_id, "abort", body, lambda state: _abort_choice(state, caller))
    return changed(outcome, match_after(outcome, services().matches.load(match_id).created_at_ms), 200)


def _abort_choice(state: MatchState, caller: Token) -> Choice:
    if not may_see(state, caller):
        raise MatchNotFound("of others")
    if state.created.creator != caller.account_id:
        raise Problem("not_creator")
    # Its owner must not choose which of its matches count. Tags of strangers say nothing.
    if any(is_owner(caller.account_id, tag) for tag in state.created.tags):
        raise Problem("not_creator", "a match of a ladder cannot be aborted")
    return f"account:{caller.account_id}", AbortMatch()
