"""Accounts: create, show, change and delete them."""

from typing import Any

from flask import Response

from contract.accounts import AccountWithToken, Me
from contract.values import Timestamp
from service.accounts.account_schemas import ChangedAccountSchema, DeletionQuerySchema, NewAccountSchema
from service.accounts.accounts import Account
from service.accounts.token_views import present_token
from service.accounts.tokens import Token
from service.context import services
from service.edge.admission import require_memory
from service.edge.answers import empty_answer, json_answer, replay_mark
from service.edge.guard import Limit
from service.edge.idempotency import SHORTEST_SECRET, keyed_request
from service.edge.problems import Problem, problem_at
from service.edge.requests import client_address
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("accounts", "Accounts: one request creates an account and its first token.")


@blueprint.endpoint(
    "POST",
    "/v1/accounts",
    {
        201: Success(
            "The account and its first token, which only a retry under the same key returns again.",
            AccountWithToken,
            ("Location", "Idempotency-Replayed"),
        )
    },
    body=NewAccountSchema(),
    examples={
        "ada": {"value": {"handle": "ada"}},
        "bot": {"value": {"handle": "eves-bot", "seating": "anybody"}},
    },
    headers=("Idempotency-Key",),
    refusals=("handle_taken", "idempotency_key_reused", "overloaded"),
    limit=Limit.ACCOUNTS,
)
def create_account(body: dict[str, Any]) -> Response:
    """Create an account.

    `seating` determines who can seat the account in matches; a bot that plays with everybody uses `anybody`.

    The response, including the token, is kept under the Idempotency-Key for 24 hours, for the same network
    address. Keep the key secret, and use a random one such as a UUID, with at least 22 characters.
    """
    require_memory()
    issued = services().accounts.create(
        body["handle"], body["seating"], keyed_request("accounts", client_address(), SHORTEST_SECRET)
    )
    if issued is None:
        detail = f"the handle {body['handle']} is taken"
        raise problem_at("/handle", detail, "handle_taken")
    token = issued.token
    account = AccountWithToken(account_id=token.account_id, handle=token.handle, token=issued.secret)
    return json_answer(account, 201, {"Location": "/v1/me", **replay_mark(issued.replayed)})


@blueprint.endpoint(
    "GET", "/v1/me", {200: Success("The account and the token in use.", Me)}, caller=Caller.ACCOUNT
)
def show_me(caller: Token) -> Response:
    """Show the caller's account."""
    account = services().accounts.get(caller.account_id)
    if account is None:
        raise Problem("token_invalid")
    return json_answer(_me(account, caller))


@blueprint.endpoint(
    "PATCH",
    "/v1/me",
    {200: Success("The changed account.", Me)},
    caller=Caller.ACCOUNT,
    scope="account:write",
    body=ChangedAccountSchema(),
    examples={"bot": {"value": {"seating": "anybody"}}},
)
def change_me(caller: Token, body: dict[str, Any]) -> Response:
    """Change who can seat the caller in matches.

    This does not affect the caller's matches and pending invitations.
    """
    account = services().accounts.get(caller.account_id)
    if account is None:
        raise Problem("token_invalid")
    if "seating" in body:
        account = services().accounts.change_seating(account, body["seating"])
    return json_answer(_me(account, caller))


@blueprint.endpoint(
    "DELETE",
    "/v1/me",
    {204: Success("The account is deleted, and its tokens are refused.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    query=DeletionQuerySchema(),
)
def delete_me(caller: Token, query: dict[str, Any]) -> Response:
    """Delete the caller's account, irrevocably.

    Soon after, it resigns its running matches; open ones that it created are aborted, a built-in player takes
    its seats in others, and its ladder entries are withdrawn. Matches and ladders remain, with its handle,
    which nobody can have again. A repetition is refused like any request with a deleted token.
    """
    if query["handle"].lower() != caller.handle.lower():
        raise problem_at("/handle", "must be the handle of the account", "invalid_parameter")
    services().accounts.delete(caller.account_id)
    return empty_answer(204)


def _me(account: Account, caller: Token) -> Me:
    return Me(
        account_id=account.account_id,
        handle=account.handle,
        created_at=Timestamp.at(account.created_ms),
        seating=account.seating,
        token=present_token(caller),
    )
