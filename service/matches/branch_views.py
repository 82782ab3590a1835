"""Branches: matches that continue another match from any of its versions."""

from typing import Any

from flask import Response

from contract.matches import Match
from service.accounts.tokens import Token
from service.context import services
from service.edge.guard import Limit
from service.edge.idempotency import keyed_request
from service.matches.access import visible_match
from service.matches.creation import create_once
from service.matches.match_views import ABOUT_MATCH, ADMISSION, RECEIPT, changed, match_after
from service.matches.new_branch import branch_of
from service.matches.new_branch_schemas import EXAMPLES, NewBranchSchema
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints(
    "branches", "Branches continue a match from any of its versions, with the same dice or with others."
)


@blueprint.endpoint(
    "POST",
    "/v1/matches/<match_id>/branches",
    {201: Success("The new match.", Match, ("Location", *RECEIPT, "Idempotency-Replayed"))},
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
    """Create a branch: a match that begins with the state of another match at one of its versions.

    A branch is a match like any other, names its `origin`, and is never rated. Anybody who can see the origin
    can create one. The `same` dice are available once the origin is over: in each of its turns, a seat rolls
    what it would have rolled in the origin, whatever happened before. If the origin's dice are scripted, the
    rest of the script is rolled. `Match-Head` and `ETag` are those of the branch, but in a problem
    `Match-Head` is that of the origin.

    The response is kept under the Idempotency-Key for 30 days.
    """
    loaded = visible_match(match_id, caller)
    keyed = keyed_request("branches", f"{caller.account_id} {match_id}")
    outcome = create_once(lambda: branch_of(body, caller, loaded, services().accounts), keyed)
    match = match_after(outcome, outcome.at_ms)
    return changed(outcome, match, 201, {"Location": f"/v1/matches/{outcome.match_id}"})
