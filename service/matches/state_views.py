"""The state of a match, and what can be done in it."""

from typing import Any

from flask import Response
from marshmallow import Schema

from contract.states import LegalCommands, State
from service.accounts.tokens import Token
from service.edge.answers import cached_answer
from service.matches.access import deadline, receipt_of, visible_match
from service.matches.match_views import ABOUT_MATCH, NOT_MODIFIED, RECEIPT
from service.matches.presentation import present_legal_commands, present_state
from service.openapi.endpoints import Answer, Caller, Endpoints
from service.openapi.fields import QueryFlag

blueprint = Endpoints("state", "The table as it is now, and what the seat to act can do.")


class LegalQuerySchema(Schema):
    """How much is said."""

    explain = QueryFlag(
        load_default=False,
        metadata={"description": "With `true` also the cards that cannot be built, and why."},
    )


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/state",
    {200: Answer("The state.", State, RECEIPT), 304: NOT_MODIFIED},
    caller=Caller.ANYBODY,
    headers=("If-None-Match",),
    refusals=ABOUT_MATCH,
)
def show_state(caller: Token | None, match_id: str) -> Response:
    """Show everything on the table.

    Nothing on the table is secret but the order of the decks. Before the match starts, purses, cities and
    market are empty. To wait for a change, follow the events; to ask often, send `If-None-Match`.
    """
    loaded = visible_match(match_id, caller)
    shown = present_state(match_id, loaded.state, deadline(loaded))
    return cached_answer(shown, str(loaded.version), receipt_of(loaded))


@blueprint.endpoint(
    "GET",
    "/v1/matches/<match_id>/legal-commands",
    {200: Answer("The commands, ready to be posted.", LegalCommands, RECEIPT), 304: NOT_MODIFIED},
    caller=Caller.ANYBODY,
    query=LegalQuerySchema(),
    headers=("If-None-Match",),
    refusals=ABOUT_MATCH,
)
def list_legal_commands(caller: Token | None, match_id: str, query: dict[str, Any]) -> Response:
    """List what the seat to act can do.

    Each command is ready to be posted, as it stands. `resign` is never listed: it is possible at any time of
    a running match, for every seat. The list is empty unless the match is running.
    """
    loaded = visible_match(match_id, caller)
    shown = present_legal_commands(loaded.state, query["explain"])
    return cached_answer(shown, str(loaded.version), receipt_of(loaded))
