"""Accounts."""

from typing import Any

from flask import Response

from events.envelope import rfc3339
from service.accounts import Token, token_shape
from service.answers import json_answer
from service.context import services
from service.endpoints import Answer, Caller, Endpoints
from service.problems import Fault, Problem
from service.schemas.accounts import AccountWithTokenSchema, MeSchema, NewAccountSchema

blueprint = Endpoints("accounts", "Who plays")


@blueprint.endpoint(
    "POST",
    "/v1/accounts",
    {
        201: Answer(
            "The account, and a token that is shown this once.", AccountWithTokenSchema(), ("Location",)
        )
    },
    body=NewAccountSchema(),
    examples={"ada": {"value": {"handle": "ada"}}},
    refusals=("handle_taken",),
)
def create_account(body: dict[str, Any]) -> Response:
    """Make an account.

    An Idempotency-Key is not honoured here yet: sent twice, the second is refused as `handle_taken`.
    """
    created = services().accounts.create(body["handle"])
    if created is None:
        detail = f"{body['handle']} is taken"
        raise Problem("handle_taken", detail, (Fault("/handle", "handle_taken", detail),))
    account, secret = created
    shape = {"account_id": account.account_id, "handle": account.handle, "token": secret}
    return json_answer(shape, 201, {"Location": "/v1/me"})


@blueprint.endpoint(
    "GET", "/v1/me", {200: Answer("The account and the token in use.", MeSchema())}, caller=Caller.ACCOUNT
)
def show_me(caller: Token) -> Response:
    """Show the account of the caller."""
    account = services().accounts.get(caller.account_id)
    if account is None:
        raise Problem("token_invalid")
    return json_answer(
        {
            "account_id": account.account_id,
            "handle": account.handle,
            "created_at": rfc3339(account.created_ms),
            "token": token_shape(caller),
        }
    )
