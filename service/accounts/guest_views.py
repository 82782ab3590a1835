"""The lists of an account: whom it allows to seat it, and whom it blocks."""

from flask import Response

from contract.accounts import AccountList, ListedAccount
from service.accounts.accounts import Account
from service.accounts.seating import MOST_LISTED, ListName
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import empty_answer, json_answer
from service.edge.problems import Problem
from service.matches.invitations import decline_all
from service.openapi.endpoints import Answer, Caller, Endpoints

blueprint = Endpoints("guests", "Who may seat the account in matches, and who may not.")


@blueprint.endpoint(
    "GET",
    "/v1/me/allowed",
    {200: Answer("The accounts that are allowed, by handle.", AccountList)},
    caller=Caller.ACCOUNT,
)
def list_allowed(caller: Token) -> Response:
    """List the accounts that may seat the caller without asking.

    They count where `seating` is `allowed`.
    """
    return _listed(caller, "allowed")


@blueprint.endpoint(
    "PUT",
    "/v1/me/allowed/<handle>",
    {204: Answer("The account is on the list.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("account_not_found", "too_many_listed"),
)
def allow_account(caller: Token, handle: str) -> Response:
    """Allow an account to seat the caller in matches and to enter it in ladders without asking."""
    _add(caller, "allowed", _named(handle))
    return empty_answer(204)


@blueprint.endpoint(
    "DELETE",
    "/v1/me/allowed/<handle>",
    {204: Answer("The account is not on the list any more.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("account_not_found",),
)
def disallow_account(caller: Token, handle: str) -> Response:
    """Take an account off the list of those that are allowed.

    Matches in which it has seated the caller go on.
    """
    services().accounts.guests.remove(caller.account_id, "allowed", _named(handle).account_id)
    return empty_answer(204)


@blueprint.endpoint(
    "GET",
    "/v1/me/blocked",
    {200: Answer("The accounts that are blocked, by handle.", AccountList)},
    caller=Caller.ACCOUNT,
)
def list_blocked(caller: Token) -> Response:
    """List the accounts that can neither seat nor invite the caller."""
    return _listed(caller, "blocked")


@blueprint.endpoint(
    "PUT",
    "/v1/me/blocked/<handle>",
    {204: Answer("The account is on the list.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("account_not_found", "too_many_listed"),
)
def block_account(caller: Token, handle: str) -> Response:
    """Block an account.

    It can neither seat nor invite the caller any more, whatever `seating` says. Its invitations that wait are
    declined; matches that have begun go on. It is not told: a seat for the caller is refused as by an account
    that nobody may seat.
    """
    blocked = _named(handle)
    _add(caller, "blocked", blocked)
    decline_all(caller, blocked.account_id)
    return empty_answer(204)


@blueprint.endpoint(
    "DELETE",
    "/v1/me/blocked/<handle>",
    {204: Answer("The account is not on the list any more.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("account_not_found",),
)
def unblock_account(caller: Token, handle: str) -> Response:
    """Take an account off the list of those that are blocked."""
    services().accounts.guests.remove(caller.account_id, "blocked", _named(handle).account_id)
    return empty_answer(204)


def _named(handle: str) -> Account:
    account = services().accounts.by_handle(handle)
    if account is None:
        raise Problem("account_not_found")
    return account


def _add(caller: Token, name: ListName, other: Account) -> None:
    if not services().accounts.guests.add(caller.account_id, name, other.account_id):
        raise Problem("too_many_listed", f"a list has {MOST_LISTED} accounts at most: take one off")


def _listed(caller: Token, name: ListName) -> Response:
    accounts = services().accounts
    handles = accounts.handles(accounts.guests.listed(caller.account_id, name))
    items = [ListedAccount(account_id=account_id, handle=handle) for account_id, handle in handles.items()]
    return json_answer(AccountList(items=tuple(sorted(items, key=_by_handle)), next=None))


def _by_handle(account: ListedAccount) -> str:
    return account.handle.lower()
