"""Tokens of an account: create, list and delete them."""

from typing import Any

from flask import Response
from msgspec.structs import asdict

from contract import accounts as contract
from contract.values import Timestamp
from events.store.keys import now_ms
from service.accounts.account_schemas import NewTokenSchema
from service.accounts.tokens import DEFAULT_TOKEN_MS, LONGEST_TOKEN_MS, MOST_TOKENS, Issued, Token
from service.context import services
from service.edge.answers import empty_answer, json_answer, replay_mark
from service.edge.idempotency import keyed_request
from service.edge.problems import Problem, problem_at
from service.edge.requests import milliseconds
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints(
    "tokens", "Additional tokens of an account: one for each program, with the scopes that it needs."
)


@blueprint.endpoint(
    "POST",
    "/v1/me/tokens",
    {
        201: Success(
            "The token. Only a retry under the same key returns its secret again.",
            contract.TokenWithSecret,
            ("Idempotency-Replayed",),
        )
    },
    caller=Caller.ACCOUNT,
    scope="account:write",
    body=NewTokenSchema(),
    examples={"bot": {"value": {"name": "my bot", "scopes": ["play"], "expires_at": None}}},
    headers=("Idempotency-Key",),
    refusals=("too_many_tokens", "idempotency_key_reused"),
)
def create_token(caller: Token, body: dict[str, Any]) -> Response:
    """Create another token.

    It cannot have a scope that the token in use lacks. It can outlive the token in use.

    To keep an account, create a token with `account:write` before the last such token expires. An account can
    have at most 100 unexpired tokens. The response is kept under the Idempotency-Key for 30 days.
    """
    lacking = [scope for scope in body["scopes"] if scope not in caller.scopes]
    if lacking:  # before the key, so that no retry returns a token with more scopes than the one in use
        detail = f"the token in use lacks the scope {lacking[0]!r}"
        raise problem_at(f"/scopes/{body['scopes'].index(lacking[0])}", detail, "scope_missing")
    issued = _issued(caller, body)
    if issued is None:
        raise Problem("too_many_tokens", f"an account can have at most {MOST_TOKENS} tokens: delete one")
    token = contract.TokenWithSecret(**asdict(present_token(issued.token)), token=issued.secret)
    return json_answer(token, 201, replay_mark(issued.replayed))


def _issued(caller: Token, body: dict[str, Any]) -> Issued | None:
    tokens = services().tokens
    keyed = keyed_request("tokens", caller.account_id)
    # Find a token that was created under the key first: its `expires_at` may have passed.
    known = tokens.issued(keyed) if keyed else None
    return known or tokens.create(caller, body["name"], body["scopes"], _end(body["expires_at"]), keyed)


def _end(expires_at: str | None) -> int:
    now = now_ms()
    if expires_at is None:
        return now + DEFAULT_TOKEN_MS
    end = milliseconds(expires_at, "/expires_at")
    if not now < end <= now + LONGEST_TOKEN_MS:
        raise problem_at("/expires_at", "must be in the future, at most 366 days ahead")
    return end


@blueprint.endpoint(
    "GET",
    "/v1/me/tokens",
    {200: Success("The unexpired tokens, oldest first.", contract.TokenPage)},
    caller=Caller.ACCOUNT,
)
def list_tokens(caller: Token) -> Response:
    """List the tokens of the account, without their secrets.

    The list includes the token in use. Delete tokens that you no longer need.
    """
    tokens = services().tokens.living(caller.account_id)
    return json_answer(contract.TokenPage(items=tuple([present_token(token) for token in tokens]), next=None))


def present_token(token: Token) -> contract.Token:
    """A token without its secret."""
    return contract.Token(
        token_id=token.token_id,
        name=token.name,
        scopes=token.scopes,
        created_at=Timestamp.at(token.created_ms),
        expires_at=Timestamp.at(token.expires_ms),
    )


@blueprint.endpoint(
    "DELETE",
    "/v1/me/tokens/<token_id>",
    {204: Success("The token is deleted. From now on, every request with it is refused.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("token_not_found",),
)
def delete_token(caller: Token, token_id: str) -> Response:
    """Delete a token, which can be the one in use.

    Streams that were opened with the token end, and long polls with it are refused. The answer arrives after
    a second; from then on, the whole service refuses the token.
    """
    if not services().tokens.delete(caller.account_id, token_id):
        raise Problem("token_not_found")
    return empty_answer(204)
