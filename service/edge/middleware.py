"""What happens around every request, outside Flask: request id, security headers, log line, metrics.

It is WSGI middleware because adding headers costs least there, and because a log line written after the body
was sent includes the duration of a stream.
"""

import errno
import os
import re
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

import structlog
from flask import Flask

from service.operations import metrics

Environ = dict[str, Any]
_Headers = list[tuple[str, str]]
_WsgiApp = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

REQUEST_ID: Final = "machi.request_id"
ROUTE: Final = "machi.route"
"""In the environment: the path as in `openapi.yaml`, for the log and the metrics."""
HEALTH: Final = "/healthz"
READINESS: Final = "/readyz"
UNROUTED: Final = "unknown"
"""The path of a request without an operation, since clients can ask for any text."""
KIND: Final = "machi.kind"
"""In the environment: `metrics.LONG_POLL` or `metrics.STREAM`, for responses that take long by design."""
CODE: Final = "machi.code"
"""In the environment: the code of the problem in the response."""
ACCOUNT_ID: Final = "machi.account_id"
TOKEN_ID: Final = "machi.token_id"
"""In the environment, for the log only: the caller and the id of the token, never the token itself."""
MATCH_ID: Final = "machi.match_id"
"""In the environment, for the log only: the match in the path."""
ERROR: Final = "machi.error"
"""In the environment, for the log only: the error."""
TRACEBACK: Final = "machi.traceback"
"""In the environment, for the log only: the traceback of the error."""
RATE_LIMIT: Final = "machi.rate_limit"
"""In the environment: the rate limit headers of the response."""

_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)

ALWAYS: Final[_Headers] = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
]
UNLESS_SET: Final[_Headers] = [
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
]
"""Defaults for responses that set neither."""
_EXPOSED: Final = (
    "Access-Control-Expose-Headers",
    "ETag, Location, Link, RateLimit, RateLimit-Policy, Retry-After, Match-Head, Idempotency-Replayed, "
    "X-Request-Id",
)
_FOR_READS: Final[_Headers] = [*ALWAYS, ("Access-Control-Allow-Origin", "*"), _EXPOSED]

_SENT_WITH_READS: Final = "Authorization, If-None-Match, Invitation-Code, Last-Event-ID, X-Request-Id"

_FOR_OPTIONS: Final[_Headers] = [
    *_FOR_READS,
    ("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"),
    ("Access-Control-Allow-Headers", _SENT_WITH_READS),
    ("Access-Control-Max-Age", "600"),
]
_EXTRA: Final = {"GET": _FOR_READS, "HEAD": _FOR_READS, "OPTIONS": _FOR_OPTIONS}


def _for_writer(origin: str) -> dict[str, _Headers]:
    """The headers by method for scripts of an origin that may write."""
    writes = [*ALWAYS, ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"), _EXPOSED]
    preflight = [
        *writes,
        ("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE"),
        ("Access-Control-Allow-Headers", f"{_SENT_WITH_READS}, Content-Type, Idempotency-Key, If-Match"),
        ("Access-Control-Max-Age", "600"),
    ]
    methods = dict.fromkeys(("POST", "PUT", "PATCH", "DELETE"), writes)
    return {**_EXTRA, **methods, "OPTIONS": preflight}


_NOTED: Final = [
    (noted.partition(".")[2], noted) for noted in (CODE, ACCOUNT_ID, TOKEN_ID, MATCH_ID, ERROR, TRACEBACK)
]
"""Optional members of the log line, and their keys in the environment."""


class BodyCut(ConnectionResetError):
    """The body stops short: the server closes the connection, so that the client notices."""

    def __init__(self) -> None:
        super().__init__(errno.ECONNRESET, "the body is cut")


def install(app: Flask, writers: Collection[str]) -> None:
    """Wrap the app in the middleware. `writers` are the origins whose scripts may write."""
    app.wsgi_app = Edge(app.wsgi_app, writers)  # type: ignore[method-assign]  # as Flask's manual has it


def _request_id(environ: Environ) -> str:
    given: str = environ.get("HTTP_X_REQUEST_ID", "")
    return given if _GIVEN_ID.fullmatch(given) else os.urandom(12).hex()


class Edge:
    """The middleware."""

    def __init__(self, wsgi_app: _WsgiApp, writers: Collection[str]) -> None:
        self._wsgi_app = wsgi_app
        self._extra_of = {origin: _for_writer(origin) for origin in writers}
        self._log: Any = structlog.get_logger()

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        begun_s = time.perf_counter()
        request_id = environ[REQUEST_ID] = _request_id(environ)
        extra_of = self._extra_of.get(environ.get("HTTP_ORIGIN", ""), _EXTRA)
        extra = extra_of.get(environ["REQUEST_METHOD"], ALWAYS)
        statuses: list[str] = []

        def start(status: str, headers: _Headers, *exc_info: Any) -> Any:
            statuses.append(status)
            names = [name for name, _ in headers]
            defaults = [header for header in UNLESS_SET if header[0] not in names]
            limit = environ.get(RATE_LIMIT, ())
            headers = [*headers, ("X-Request-Id", request_id), *limit, *extra, *defaults]
            return start_response(status, headers, *exc_info)

        body = self._wsgi_app(environ, start)
        return _Body(body, environ, statuses, begun_s, self._log)


class _Body:
    """The body of a response; writes the log line and the metrics once it was sent or failed."""

    def __init__(
        self, body: Iterable[bytes], environ: Environ, statuses: list[str], begun_s: float, log: Any
    ) -> None:
        """`statuses` ends with the response's when it is closed; `begun_s` is by the performance counter."""
        self._body = body
        self._environ = environ
        self._statuses = statuses
        self._begun_s = begun_s
        self._log = log
        self._bytes = 0
        self._is_whole = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            for part in self._body:
                yield part
                # The server asks for the next part, so it has sent this one.
                self._bytes += len(part)
        except BodyCut:
            raise
        except Exception as error:
            self._environ.setdefault(ERROR, repr(error))
            self._environ[TRACEBACK] = traceback.format_exc()
            raise
        self._is_whole = True

    def close(self) -> None:
        try:
            close = getattr(self._body, "close", None)
            if close is not None:
                close()
        finally:
            self._finish()

    def _finish(self) -> None:
        environ = self._environ
        status = int(self._statuses[-1][:3]) if self._statuses else 500
        took_s = time.perf_counter() - self._begun_s
        route = environ.get(ROUTE, UNROUTED)
        metrics.count_request(environ["REQUEST_METHOD"], route, status, took_s, environ.get(KIND))
        if CODE in environ:
            metrics.count_problem(environ[CODE])
        line: dict[str, Any] = {
            "method": environ["REQUEST_METHOD"],
            "path": route,
            "status": status,
            "ms": round(took_s * 1000, 2),
            "bytes": self._bytes,
            "request_id": environ[REQUEST_ID],
            **{name: environ[noted] for name, noted in _NOTED if noted in environ},
        }
        if not self._is_whole:
            line["cut"] = True
        if TRACEBACK in environ or (status >= 500 and route != READINESS):
            self._log.error("request", **line)
        elif status >= 500:  # whoever asks knows that this can be the answer, as at each start
            self._log.warning("request", **line)
        elif route == HEALTH:  # the relay asks for it twice a second
            self._log.debug("request", **line)
        else:
            self._log.info("request", **line)
