"""Headers and the token scheme, as components of `openapi.yaml`."""

from typing import Any, Final

from domain.languages.names import LANGUAGES
from service.edge.requests import CODE

Doc = dict[str, Any]

IDEMPOTENCY_KEY: Final = """\
Any name for this request. Under one key, the request is executed once. A retry with the same body gets the \
same response, with `Idempotency-Replayed: true`, whatever has happened since; another body is refused as \
`idempotency_key_reused`. A refused request is not recorded, and a retry is decided again.

Each account and each path has keys of its own. The response for a new account is kept for 24 hours, for the \
client's network address, and its key needs at least 22 characters. The response for a new token, match, \
branch, review or ladder is kept for 30 days, and one about an existing match or ladder as long as that \
exists. The key is the whole header value, quotes included; two header lines are one key, joined by a comma.
"""

TOKEN: Final[Doc] = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "mk_...",
    "description": "`POST /v1/accounts` returns the first token of an account, `POST /v1/me/tokens` more.",
}

HEADERS: Final[dict[str, Doc]] = {
    "ETag": {
        "description": "The version of the match, or another mark of this content; weak (`W/`) if the "
        "response is compressed. Send it as `If-None-Match` with the next GET, or as `If-Match` with a "
        "command.",
        "schema": {"type": "string"},
        "example": '"42"',
    },
    "Content-Language": {
        "description": "The language of the response.",
        "schema": {"type": "string", "enum": [*LANGUAGES]},
        "required": True,
        "example": "uk",
    },
    "Vary": {
        "description": "The request headers that choose the form of the response.",
        "schema": {"type": "string"},
        "required": True,
        "example": "Accept-Language",
    },
    "Location": {
        "description": "The address of the new resource.",
        "schema": {"type": "string", "format": "uri-reference"},
        "example": "/v1/matches/mat_01M7WD7YKSS6TZ90RECWJ67GZH",
    },
    "Link": {
        "description": 'The next page, as rel="next"; absent on the last.',
        "schema": {"type": "string"},
        "example": '</v1/matches?limit=50&cursor=mat_01M7WD7YKSS6TZ90RECWJ67GZH>; rel="next"',
    },
    "X-Request-Id": {
        "description": "The id of this request in the log of the service.",
        "schema": {"type": "string"},
        "required": True,
        "example": "5f0e8b3c9a2d4716b1c0e7f2",
    },
    "Match-Head": {
        "description": "The receipt of the match: its version and the hash of its last event.",
        "schema": {"type": "string", "pattern": '^v=[0-9]+; h="sha-256:[0-9a-f]{64}"$'},
        "required": True,
        "example": 'v=42; h="sha-256:' + "0" * 64 + '"',
    },
    "Match-Head-if-known": {
        "description": "The receipt of the match; absent if the request is about none that the caller "
        "may see, or if the record of the match is damaged or lost.",
        "schema": {"type": "string", "pattern": '^v=[0-9]+; h="sha-256:[0-9a-f]{64}"$'},
        "example": 'v=42; h="sha-256:' + "0" * 64 + '"',
    },
    "Allow": {
        "description": "The methods of the address.",
        "schema": {"type": "string"},
        "example": "GET, HEAD, OPTIONS",
    },
    "Idempotency-Replayed": {
        "description": "`true` if the request had been executed before, otherwise absent. The response, its "
        "`ETag` and its `Match-Head` are then those of the first time: the match may have moved on since.",
        "schema": {"type": "string", "enum": ["true"]},
        "example": "true",
    },
    "WWW-Authenticate": {
        "description": "How to authenticate, and what is wrong with the token.",
        "schema": {"type": "string"},
        "example": 'Bearer realm="machi"',
    },
    "Retry-After": {
        "description": "Seconds to wait before a retry.",
        "schema": {"type": "string"},
        "example": "10",
    },
    "RateLimit-Policy": {
        "description": "The quota that the request counts against: its name, and `q` requests in a window of "
        "`w` seconds.",
        "schema": {"type": "string", "pattern": '^"[a-z]+";q=[0-9]+;w=[0-9]+$'},
        "required": True,
        "example": '"moves";q=12000;w=60',
    },
    "RateLimit": {
        "description": "What is left of it: `r` requests until the window ends in `t` seconds. Several "
        "processes respond, and one may know of less than another.",
        "schema": {"type": "string", "pattern": '^"[a-z]+";r=[0-9]+;t=[0-9]+$'},
        "required": True,
        "example": '"moves";r=11999;t=42',
    },
}

PARAMETERS: Final[dict[str, Doc]] = {
    "If-Match": {
        "description": "The version that you chose the command for; 412 if the match has moved on.",
        "schema": {"type": "string", "pattern": r'^(\*|(W/)?"[0-9]{1,9}")$'},
        "example": '"42"',
    },
    "If-None-Match": {
        "description": "The ETag of what you hold; 304 if it is still current.",
        "schema": {"type": "string"},
        "example": '"42"',
    },
    "Last-Event-ID": {
        "description": "For streams: the last sequence that you have; it overrides `after`.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,9}$"},
        "example": "42",
    },
    "Accept-Language": {
        "description": "The languages that the reader prefers, best first or with weights. If none is "
        "supported, the response is in English.",
        "schema": {"type": "string"},
        "example": "uk-UA, uk;q=0.9, en;q=0.5",
    },
    "Invitation-Code": {
        "description": "The `invitation_code` of a private match, from its creator.",
        "schema": {"type": "string", "pattern": f"^{CODE}$"},
        "example": "MZXW6YTBOI2DKNRX",
    },
    "Idempotency-Key": {
        "description": IDEMPOTENCY_KEY,
        "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
        "example": "3f0c2a52-9d1e-4b5a-8a63-0c7d1f2e4b90",
    },
}
