"""The seeds that seats add to the dice of a match."""

from collections.abc import Callable
from typing import Any

from flask import Response

from contract.matches import Match
from domain.errors import RuleViolation
from domain.match.commands import Command, CommitSeatSeed, OpenSeatSeed
from domain.match.state import MatchState
from events.store.errors import MatchNotFound
from service.accounts.tokens import Token
from service.context import services
from service.matches.access import Choice, executed, may_see, seats_of
from service.matches.match_views import ABOUT_MATCH, RECEIPT, changed, match_after
from service.matches.seat_seed_schemas import (
    COMMITMENT_EXAMPLES,
    OPENING_EXAMPLES,
    SeatSeedCommitmentSchema,
    SeatSeedOpeningSchema,
)
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("seat_seeds", "The seeds that players add to the dice of a match before it starts.")

_REFUSALS = (
    *ABOUT_MATCH,
    "not_your_seat",
    "seat_seed_not_due",
    "match_finished",
    "idempotency_key_reused",
    "too_busy",
)


@blueprint.endpoint(
    "POST",
    "/v1/matches/<match_id>/seat-seed-commitments",
    {201: Success("The match.", Match, (*RECEIPT, "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    scope="play",
    body=SeatSeedCommitmentSchema(),
    examples=COMMITMENT_EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=_REFUSALS,
)
def commit_seat_seed(caller: Token, match_id: str, body: dict[str, Any]) -> Response:
    """Commit to the seed that a seat of the caller adds to the dice.

    This applies to matches that were created with `seat_seeds` in their `dice`. Generate a random seed, keep
    it, and send the hash. A seat can commit once, as soon as the caller has it. When the time is over, the
    match continues without seeds of the seats that have not committed.
    """
    command = CommitSeatSeed(body["seat"], body["commitment"])
    return _execute(caller, match_id, "commit_seat_seed", body, command)


@blueprint.endpoint(
    "POST",
    "/v1/matches/<match_id>/seat-seeds",
    {201: Success("The match. The last seed starts it.", Match, (*RECEIPT, "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    scope="play",
    body=SeatSeedOpeningSchema(),
    examples=OPENING_EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=(*_REFUSALS, "seat_seed_mismatch"),
)
def open_seat_seed(caller: Token, match_id: str, body: dict[str, Any]) -> Response:
    """Open the seed to which a seat of the caller has committed.

    This is possible while the `step` of the match's `seat_seeds` is `open`, which means that every seat has
    committed. The last seed starts the match. If a seed is missing when the time is over, the match is
    aborted with the reason `seat_seed_withheld`.
    """
    command = OpenSeatSeed(body["seat"], body["seed"])
    return _execute(caller, match_id, "open_seat_seed", body, command)


def _execute(caller: Token, match_id: str, kind: str, body: dict[str, Any], command: Command) -> Response:
    outcome = executed(caller, match_id, kind, body, _chooser(caller, body["seat"], command))
    return changed(outcome, match_after(outcome, services().matches.load(match_id).created_at_ms), 201)


def _chooser(caller: Token, seat: int, command: Command) -> Callable[[MatchState], Choice]:
    def choose(state: MatchState) -> Choice:
        if not may_see(state, caller):
            raise MatchNotFound("of others")
        if seat not in seats_of(state, caller):
            raise RuleViolation("not_your_seat", f"seat {seat} is not yours", "/seat")
        return f"seat:{seat}", command

    return choose
