"""What every endpoint checks before its view: who asks, how often, and whether the request is well formed.

Requests with a valid token count against quotas of the token or its account, all others against quotas of the
client's address. A request counts before its body is read, even if it is refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from typing import Any, Final

from flask import Flask, Response, request
from marshmallow import Schema

from events.store.keys import now_ms
from runtime.settings import Policy
from service.accounts.tokens import Token, digest_of
from service.context import services
from service.edge.middleware import ACCOUNT_ID, RATE_LIMIT, ROUTE, TOKEN_ID
from service.edge.problems import Problem
from service.edge.requests import accepted_type, client_address, read_body, read_query

View = Callable[..., Response]

LONGEST_SECRET: Final = 200
_NO_QUERY: Final = Schema()


class Caller(Enum):
    """Whether an endpoint asks who is calling."""

    NOBODY = "nobody"
    ANYBODY = "anybody"
    """A token is optional; the view gets None without one."""
    ACCOUNT = "account"


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


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks of one endpoint."""

    route: str
    """The path as in `openapi.yaml`."""
    is_api: bool
    """A token that is sent must be valid, even if the endpoint does not ask for one."""
    caller: Caller
    scope: str
    """The scope that the token must have; empty for none."""
    limit: Limit
    media_types: Sequence[str]
    """The types that the client can choose from; empty if there is no choice."""
    is_json: bool
    """The answer is JSON only."""
    query: Schema | None
    body: Schema | None
    optional_body: bool

    def around(self, view: View) -> View:
        """The view behind these checks. It gets `caller`, `media_type`, `query` and `body` as it needs."""
        query, body = self.query, self.body
        is_required = query is not None and any(field.required for field in query.fields.values())
        defaults: dict[str, Any] = query.load({}) if query is not None and not is_required else {}

        @wraps(view)
        def run(**arguments: Any) -> Response:
            environ = request.environ
            environ[ROUTE] = self.route
            if self.caller is Caller.NOBODY:
                count_address(self.limit)
                if self.is_api:
                    identify()
            else:
                token = _counted_caller(self.limit)
                is_optional = self.caller is Caller.ANYBODY
                arguments["caller"] = token if is_optional else require_token(token, self.scope)
            if self.media_types:
                arguments["media_type"] = accepted_type(self.media_types)
            elif self.is_json:
                accepted_type(("application/json",))
            is_given = is_required or environ.get("QUERY_STRING")
            given = read_query(query or _NO_QUERY) if is_given else defaults.copy()
            if query is not None:
                arguments["query"] = given
            if body is not None:
                arguments["body"] = read_body(environ, body, self.optional_body)
            return view(**arguments)

        return run


def identify(is_waiting: bool = False) -> Token | None:
    """The token that the request carries, or None.

    A request that is waiting reads it from the store again, since it may have been deleted; the others may
    use a token that this process read up to a second ago, see `service.accounts.tokens`.

    Raises:
        Problem: `token_invalid` or `token_expired`.
    """
    environ = request.environ
    given = environ.get("HTTP_AUTHORIZATION")
    if given is None:
        return None
    scheme, _, secret = given.partition(" ")
    if scheme.lower() != "bearer" or not secret.startswith("mk_") or len(secret) > LONGEST_SECRET:
        raise Problem("token_invalid", "the header is not Bearer mk_...")
    tokens = services().tokens
    token = (tokens.get if is_waiting else tokens.recent)(digest_of(secret))
    if token is None:
        raise Problem("token_invalid")
    environ[ACCOUNT_ID] = token.account_id
    environ[TOKEN_ID] = token.token_id
    if token.expires_ms <= now_ms():
        raise Problem("token_expired")
    return token


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


def token_digest() -> str:
    """The digest that the request's token is stored under, for a request whose token was found."""
    return digest_of(request.environ["HTTP_AUTHORIZATION"].partition(" ")[2])


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


def _counted_caller(limit: Limit) -> Token | None:
    """Count the request, and return the token that it carries, or None.

    Raises:
        Problem: `rate_limited`, `token_invalid` or `token_expired`.
    """
    try:
        token = identify()
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
