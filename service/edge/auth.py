"""Who is asking: bearer tokens, their scopes, and who may see a match."""

from typing import Final

from flask import request

from domain.match.state import MatchState
from service.accounts.accounts import Accounts, Token, now_ms
from service.accounts.token_secrets import digest_of
from service.edge.middleware import ACCOUNT_ID, TOKEN_ID
from service.edge.problems import Problem

LONGEST_SECRET: Final = 200


def require_token(token: Token | None, scope: str = "") -> Token:
    """The token, provided that there is one and that it has the scope.

    Raises:
        Problem: `token_missing` or `scope_missing`.
    """
    if token is None:
        raise Problem("token_missing", "send Authorization: Bearer mk_...")
    if scope and scope not in token.scopes:
        raise Problem("scope_missing", f"the token lacks the scope {scope!r}")
    return token


def identify(accounts: Accounts) -> Token | None:
    """The token that the request carries, or None.

    It is read from the store each time, so a deleted token is invalid in all processes at once.

    Raises:
        Problem: `token_invalid` or `token_expired`.
    """
    given = request.environ.get("HTTP_AUTHORIZATION")
    if given is None:
        return None
    scheme, _, secret = given.partition(" ")
    if scheme.lower() != "bearer" or not secret.startswith("mk_") or len(secret) > LONGEST_SECRET:
        raise Problem("token_invalid", "the header is not Bearer mk_...")
    token = accounts.token(digest_of(secret))
    if token is None:
        raise Problem("token_invalid")
    request.environ[ACCOUNT_ID] = token.account_id
    request.environ[TOKEN_ID] = token.token_id
    if token.expires_ms <= now_ms():
        raise Problem("token_expired")
    return token


def token_digest() -> str:
    """The digest under which the request's token is stored, for a request whose token was found."""
    return digest_of(request.environ["HTTP_AUTHORIZATION"].partition(" ")[2])


def may_see(state: MatchState, caller: Token | None) -> bool:
    """Whether the caller may see the match.

    A private match is visible to its creator, to accounts that ever had a seat in it, and to invited ones.
    """
    created = state.created
    if created.visibility != "private":
        return True
    if caller is None:
        return False
    own = caller.account_id
    invited = [one.id for one in state.reservations.values()]
    return own == created.creator or own in state.accounts or own in invited


def seats_of(state: MatchState, caller: Token) -> list[int]:
    """The seats that the caller plays."""
    account_id = caller.account_id
    return [
        seat
        for seat, taken in enumerate(state.controllers)
        if taken is not None and taken.kind == "account" and taken.id == account_id
    ]
