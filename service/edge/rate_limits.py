"""Which quota a request counts against, and what its answer says of it.

Whoever calls with a good token counts by that; everybody else by address. A request counts before its body is
read, and whatever becomes of it.
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
    """Against what the requests of an endpoint count."""

    BY_CALLER = "by caller"
    """`requests` of the token; without one `anonymous`."""
    MOVES = "moves"
    """A quota of the token for moves alone; without one `anonymous`."""
    MATCHES = "matches"
    """A quota of the account, for it can have many tokens, and beside it `creations` of the address, for that
    can have many accounts; without an account `anonymous`."""
    ACCOUNTS = "accounts"
    """A quota of the address."""
    AUDITS = "audits"
    """What takes much work: a quota of the account, or without a token of the address."""
    NONE = "none"
    """Against nothing: for what watches the service, and for pages that are made once."""


_OF_TOKEN: Final[dict[Limit, Policy]] = {
    Limit.BY_CALLER: "requests",
    Limit.MOVES: "moves",
    Limit.MATCHES: "matches",
    Limit.AUDITS: "audits",
}
_OF_ADDRESS: Final[dict[Limit, Policy]] = {Limit.ACCOUNTS: "accounts", Limit.AUDITS: "audits"}
_OF_ACCOUNT: Final = (Limit.MATCHES, Limit.AUDITS)
"""For these it does not matter how many tokens an account has."""


def install(app: Flask) -> None:
    """Count requests for what no endpoint answers, too: their answers can tell of a match."""
    app.before_request(_count_unrouted)


def _count_unrouted() -> None:
    if request.routing_exception is not None:
        _count("anonymous", client_address())


def count_address(limit: Limit) -> None:
    """Count a request of which nobody asks who calls.

    Raises:
        Problem: `rate_limited`.
    """
    if limit is not Limit.NONE:
        _count(_OF_ADDRESS.get(limit, "anonymous"), client_address())


def counted_caller(limit: Limit) -> Token | None:
    """The token that the request carries, None without one; the request has been counted.

    Raises:
        Problem: `rate_limited`, `token_invalid` or `token_expired`.
    """
    try:
        token = identify(services().accounts)
    except Exception:
        # Only now: if tokens were looked up at the cost of the address, others there could use up its moves.
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
    """Count a request. `is_beside` says that answers tell of another quota, unless this one is used up."""
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
