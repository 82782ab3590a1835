"""The state of a match, and its legal commands."""

from typing import Any

from flask import Response
from marshmallow import Schema

from contract.states import LegalCommands, State
from service.accounts.tokens import Token
from service.edge.answers import cached_answer
from service.matches.access import deadline, receipt_of, visible_match
from service.matches.match_views import ABOUT_MATCH, NOT_MODIFIED, RECEIPT
from service.matches.presentation import present_legal_commands, present_state
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import QueryFlag

blueprint = Endpoints("state", "The current state of a match, and its legal commands.")


class LegalQuerySchema(Schema):
    """Parts of the list."""

    explain = QueryFlag(
        load_default=False,
        metadata={"description": "`true` to include the cards that cannot be built, with the reasons."},
    )


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/state",
    {200: Success("The state.", State, RECEIPT), 304: NOT_MODIFIED},
    caller=Caller.ANYBODY,
    headers=("If-None-Match",),
    refusals=ABOUT_MATCH,
)
def show_state(caller: Token | None, match_id: str) -> Response:
    """Show the state of a match: everything on the table.

    Only the order of the decks is secret. Before the match starts, the players have no coins and no cards,
    and the market is empty. To wait for a change, follow the events; to poll, send `If-None-Match`.
    """
    loaded = visible_match(match_id, caller)
    shown = present_state(match_id, loaded.state, deadline(loaded))
    return cached_answer(shown, str(loaded.version), receipt_of(loaded))


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/legal-commands",
    {200: Success("The commands, ready to be posted.", LegalCommands, RECEIPT), 304: NOT_MODIFIED},
    caller=Caller.ANYBODY,
    query=LegalQuerySchema(),
    headers=("If-None-Match",),
    refusals=ABOUT_MATCH,
)
def list_legal_commands(caller: Token | None, match_id: str, query: dict[str, Any]) -> Response:
    """List the legal commands of the seat to act.

    You can post each of them as it is. `resign` is never listed: every seat can send it at any time while the
    match is running. The list is empty unless the match is running.
    """
    loaded = visible_match(match_id, caller)
    shown = present_legal_commands(loaded.state, query["explain"])
    return cached_answer(shown, str(loaded.version), receipt_of(loaded))
