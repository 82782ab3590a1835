"""Tokens of an account."""

import re
from datetime import datetime
from typing import Any, Final

from flask import Response

from service.accounts import DEFAULT_TOKEN_MS, LONGEST_TOKEN_MS, Token, now_ms, token_shape
from service.answers import empty_answer, json_answer
from service.context import services
from service.endpoints import Answer, Caller, Endpoints
from service.problems import Problem, at
from service.schemas.accounts import NewTokenSchema, TokenPageSchema, TokenWithSecretSchema

_RFC_3339: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)

blueprint = Endpoints("tokens", "What an account's programs may do")


@blueprint.endpoint(
    "POST",
    "/v1/me/tokens",
    {201: Answer("The token, which is shown this once.", TokenWithSecretSchema())},
    caller=Caller.ACCOUNT,
    scope="account:write",
    body=NewTokenSchema(),
    examples={"bot": {"value": {"name": "my bot", "scopes": ["play"], "expires_at": None}}},
)
def create_token(caller: Token, body: dict[str, Any]) -> Response:
    """Make a further token. It has no scope that the token in use lacks, and does not outlive it.

    An Idempotency-Key is not honoured here yet: sent twice, it makes two tokens.
    """
    lacking = [scope for scope in body["scopes"] if scope not in caller.scopes]
    if lacking:
        raise Problem("scope_missing", f"the token in use lacks the scope {lacking[0]!r}")
    token, secret = services().accounts.create_token(
        caller, body["name"], body["scopes"], _end(body["expires_at"], caller)
    )
    return json_answer({**token_shape(token), "token": secret}, 201)


def _end(expires_at: str | None, caller: Token) -> int:
    now = now_ms()
    if expires_at is None:
        return min(now + DEFAULT_TOKEN_MS, caller.expires_ms)
    end = _milliseconds(expires_at)
    if not now < end <= now + LONGEST_TOKEN_MS:
        raise at("/expires_at", "the end lies in the past or more than 366 days ahead")
    if end > caller.expires_ms:
        raise at("/expires_at", "the end lies after that of the token in use")
    return end


def _milliseconds(text: str) -> int:
    fault = at("/expires_at", "the end is not a time with a time zone in RFC 3339")
    if not _RFC_3339.fullmatch(text.upper()):
        raise fault
    try:
        time = datetime.fromisoformat(text.upper())
    except ValueError:
        raise fault from None
    return int(time.timestamp() * 1000)


@blueprint.endpoint(
    "GET",
    "/v1/me/tokens",
    {200: Answer("The tokens, the oldest first, without their secrets.", TokenPageSchema())},
    caller=Caller.ACCOUNT,
)
def list_tokens(caller: Token) -> Response:
    """List the tokens of the account."""
    tokens = services().accounts.tokens(caller.account_id)
    return json_answer({"items": [token_shape(token) for token in tokens], "next": None})


@blueprint.endpoint(
    "DELETE",
    "/v1/me/tokens/<token_id>",
    {204: Answer("The token is gone; it stops at once here and within 5 seconds everywhere.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("token_not_found",),
)
def delete_token(caller: Token, token_id: str) -> Response:
    """Delete a token, be it the one in use."""
    digest = services().accounts.delete_token(caller.account_id, token_id)
    if digest is None:
        raise Problem("token_not_found")
    services().tokens.forget(digest)
    return empty_answer(204)
