"""Branches: matches that go on from any event of another one."""

from typing import Any

from flask import Response

from contract.matches import Match
from service.accounts.tokens import Token
from service.context import services
from service.edge.guard import Limit
from service.edge.idempotency import keyed_request
from service.matches.access import visible_match
from service.matches.creation import make_match
from service.matches.match_views import ABOUT_MATCH, ADMISSION, RECEIPT, changed, match_after
from service.matches.new_branch import branch_of
from service.matches.new_branch_schemas import EXAMPLES, NewBranchSchema
from service.openapi.endpoints import Answer, Caller, Endpoints

blueprint = Endpoints(
    "branches", "Branches: going on from any event of a match, with the same dice or others."
)


@blueprint.endpoint(
    "POST",
    "/v1/matches/<match_id>/branches",
    {201: Answer("The new match.", Match, ("Location", *RECEIPT, "Idempotency-Replayed"))},
    caller=Caller.ACCOUNT,
    scope="match:create",
    body=NewBranchSchema(),
    examples=EXAMPLES,
    headers=("Idempotency-Key",),
    refusals=(
        *ABOUT_MATCH,
        "version_not_found",
        "match_not_started",
        "match_finished",
        "seed_unavailable",
        "seating_refused",
        "idempotency_key_reused",
        *ADMISSION,
    ),
    limit=Limit.MATCHES,
)
def create_branch(caller: Token, match_id: str, body: dict[str, Any]) -> Response:
    """Make a branch: a match that begins where another one stood.

    It is a match like any other, names its `origin`, and is never rated. Whoever can see the origin can make
    one. The `same` dice can be had once the origin is over: in each of its turns a seat then throws what it
    would have thrown there, whatever was done before; of scripted dice, what was left of the tape is thrown.
    `Match-Head` and `ETag` are those of the branch, the receipt of a refusal is that of the origin.

    Under an Idempotency-Key the answer can be had again for 30 days.
    """
    loaded = visible_match(match_id, caller)
    keyed = keyed_request("branches", f"{caller.account_id} {match_id}")
    outcome = make_match(lambda: branch_of(body, caller, loaded, services().accounts), keyed)
    match = match_after(outcome, outcome.at_ms)
    return changed(outcome, match, 201, {"Location": f"/v1/matches/{outcome.match_id}"})
