"""The lists of an account: the accounts that it allows to seat it, and those that it blocks."""

from flask import Response

from contract.accounts import AccountList, ListedAccount
from service.accounts.accounts import Account
from service.accounts.seating import MOST_LISTED, ListName
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import empty_answer, json_answer
from service.edge.problems import Problem
from service.matches.invitations import decline_all
from service.openapi.endpoints import Caller, Endpoints, Success

blueprint = Endpoints("guests", "The accounts that may seat the caller in matches, and those that may not.")


@blueprint.endpoint(
    "GET",
    "/v1/me/allowed",
    {200: Success("The allowed accounts, by handle.", AccountList)},
    caller=Caller.ACCOUNT,
)
def list_allowed(caller: Token) -> Response:
    """List the accounts that can seat the caller without an invitation.

    The list applies while the caller's `seating` is `allowed`.
    """
    return _listed(caller, "allowed")


@blueprint.endpoint(
    "PUT",
    "/v1/me/allowed/<handle>",
    {204: Success("The account is on the list.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("account_not_found", "too_many_listed"),
)
def allow_account(caller: Token, handle: str) -> Response:
    """Allow an account to seat the caller in matches without an invitation, and to enter it in ladders."""
    _add(caller, "allowed", _named(handle))
    return empty_answer(204)


@blueprint.endpoint(
    "DELETE",
    "/v1/me/allowed/<handle>",
    {204: Success("The account is no longer on the list.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("account_not_found",),
)
def disallow_account(caller: Token, handle: str) -> Response:
    """Remove an account from the list of allowed accounts.

    Matches in which it has seated the caller continue.
    """
    services().accounts.guests.remove(caller.account_id, "allowed", _named(handle).account_id)
    return empty_answer(204)


@blueprint.endpoint(
    "GET",
    "/v1/me/blocked",
    {200: Success("The blocked accounts, by handle.", AccountList)},
    caller=Caller.ACCOUNT,
)
def list_blocked(caller: Token) -> Response:
    """List the blocked accounts, which can neither seat nor invite the caller."""
    return _listed(caller, "blocked")


@blueprint.endpoint(
    "PUT",
    "/v1/me/blocked/<handle>",
    {204: Success("The account is on the list.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("account_not_found", "too_many_listed"),
)
def block_account(caller: Token, handle: str) -> Response:
    """Block an account.

    It can no longer seat or invite the caller, whatever the caller's `seating` is. Its pending invitations
    are declined; matches that have begun continue. The blocked account is not notified: its requests to seat
    the caller are refused as if the caller allowed nobody.
    """
    blocked = _named(handle)
    _add(caller, "blocked", blocked)
    decline_all(caller, blocked.account_id)
    return empty_answer(204)


@blueprint.endpoint(
    "DELETE",
    "/v1/me/blocked/<handle>",
    {204: Success("The account is no longer on the list.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=("account_not_found",),
)
def unblock_account(caller: Token, handle: str) -> Response:
    """Remove an account from the list of blocked accounts."""
    services().accounts.guests.remove(caller.account_id, "blocked", _named(handle).account_id)
    return empty_answer(204)


def _named(handle: str) -> Account:
    account = services().accounts.by_handle(handle)
    if account is None:
        raise Problem("account_not_found")
    return account


def _add(caller: Token, name: ListName, other: Account) -> None:
    if not services().accounts.guests.add(caller.account_id, name, other.account_id):
        raise Problem("too_many_listed", f"a list can have at most {MOST_LISTED} accounts: remove one")


def _listed(caller: Token, name: ListName) -> Response:
    accounts = services().accounts
    handles = accounts.handles(accounts.guests.listed(caller.account_id, name))
    items = [ListedAccount(account_id=account_id, handle=handle) for account_id, handle in handles.items()]
    return json_answer(AccountList(items=tuple(sorted(items, key=_by_handle)), next=None))


def _by_handle(account: ListedAccount) -> str:
    return account.handle.lower()
