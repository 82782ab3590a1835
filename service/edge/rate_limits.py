"""Which quota a request counts against, and the rate limit headers of its response.

Requests with a valid token count by token, all others by address. A request counts before its body is read,
even if it is refused.
"""

from enum import Enum
from typing import Final

from flask import Flask, request

from runtime.settings import Policy
from service.accounts.accounts import Token
from service.context import services
from service.edge.auth import identify
from service.edge.middleware import RATE_LIMIT
from service.edge.problems import Problem
from service.edge.requests import client_address


class Limit(Enum):
    """The quota that the requests of an endpoint count against."""

    BY_CALLER = "by caller"
    """`requests` of the token; `anonymous` without one."""
    MOVES = "moves"
    """`moves` of the token; `anonymous` without one."""
    MATCHES = "matches"
    """`matches` of the account, which can have many tokens, and `creations` of the address, which can have
    many accounts; `anonymous` without an account."""
    ACCOUNTS = "accounts"
    """`accounts` of the address."""
    AUDITS = "audits"
    """For expensive requests: `audits` of the account, or of the address without a token."""
    NONE = "none"
    """No quota: for monitoring and static pages."""


_OF_TOKEN: Final[dict[Limit, Policy]] = {
    Limit.BY_CALLER: "requests",
    Limit.MOVES: "moves",
    Limit.MATCHES: "matches",
    Limit.AUDITS: "audits",
}
_OF_ADDRESS: Final[dict[Limit, Policy]] = {Limit.ACCOUNTS: "accounts", Limit.AUDITS: "audits"}
_OF_ACCOUNT: Final = (Limit.MATCHES, Limit.AUDITS)
"""These count by account, however many tokens it has."""


def install(app: Flask) -> None:
    """Count requests without an endpoint too: their responses can reveal whether a match exists."""
    app.before_request(_count_unrouted)


def _count_unrouted() -> None:
    if request.routing_exception is not None:
        _count("anonymous", client_address())


def count_address(limit: Limit) -> None:
    """Count a request to an endpoint that does not ask for the caller.

    Raises:
        Problem: `rate_limited`.
    """
    if limit is not Limit.NONE:
        _count(_OF_ADDRESS.get(limit, "anonymous"), client_address())


def counted_caller(limit: Limit) -> Token | None:
    """Count the request, and return the token that it carries, or None.

    Raises:
        Problem: `rate_limited`, `token_invalid` or `token_expired`.
    """
    try:
        token = identify(services().accounts)
    except Exception:
        # Not before: counting valid tokens by address would let others there use up the quota.
        _count("anonymous", client_address())
        raise
    if token is None:
        _count(_OF_ADDRESS.get(limit, "anonymous"), client_address())
    else:
        _count(_OF_TOKEN[limit], token.account_id if limit in _OF_ACCOUNT else token.token_id)
        if limit is Limit.MATCHES:
            _count("creations", client_address(), is_beside=True)
    return token


def _count(policy: Policy, client: str, is_beside: bool = False) -> None:
    """Count a request. With `is_beside`, the headers describe another quota unless this one is used up."""
    quota = services().quotas[policy]
    grant = quota.spend(client)
    if is_beside and grant.is_granted:
        return
    request.environ[RATE_LIMIT] = (
        ("RateLimit-Policy", f'"{policy}";q={quota.quota};w={quota.window_s}'),
        ("RateLimit", f'"{policy}";r={grant.left};t={grant.reset_s}'),
    )
    if not grant.is_granted:
        detail = f'the quota "{policy}" is used up for {grant.reset_s} s'
        raise Problem("rate_limited", detail, headers={"Retry-After": str(grant.reset_s)})
