"""What happens around every request, outside of Flask: its id, safe headers, and one log line.

It is WSGI middleware because headers of every answer cost least there, and because a line written when the
body has gone out counts the time that a stream took.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

import structlog
from flask import Flask

Environ = dict[str, Any]
_Headers = list[tuple[str, str]]
_WsgiApp = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

REQUEST_ID: Final = "machi.request_id"
BEGUN: Final = "machi.begun"
"""In the environment: when the request came, by the performance counter."""
ROUTE: Final = "machi.route"
"""In the environment: the path as it was declared, for the log."""
ERROR: Final = "machi.error"
"""In the environment: what went wrong, for the log alone."""
TRACEBACK: Final = "machi.traceback"
"""In the environment: where it went wrong, for the log alone."""
RATE_LIMIT: Final = "machi.rate_limit"
"""In the environment: the headers that tell of the quota that the request counted against."""

_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)

ALWAYS: Final[_Headers] = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
]
NOT_STORED: Final = ("Cache-Control", "no-store")
"""For answers that do not say otherwise."""
_FOR_READS: Final[_Headers] = [
    *ALWAYS,
    ("Access-Control-Allow-Origin", "*"),
    (
        "Access-Control-Expose-Headers",
        "ETag, Location, Link, RateLimit, RateLimit-Policy, Retry-After, Match-Head, Idempotency-Replayed, "
        "X-Request-Id",
    ),
]

_FOR_OPTIONS: Final[_Headers] = [
    *_FOR_READS,
    ("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"),
    ("Access-Control-Allow-Headers", "Authorization, If-None-Match, Last-Event-ID, X-Request-Id"),
    ("Access-Control-Max-Age", "600"),
]
_EXTRA: Final = {"GET": _FOR_READS, "HEAD": _FOR_READS, "OPTIONS": _FOR_OPTIONS}


def install(app: Flask) -> None:
    """Put the middleware around the app."""
    app.wsgi_app = Edge(app.wsgi_app)  # type: ignore[method-assign]  # as Flask's manual has it


def _request_id(environ: Environ) -> str:
    given: str = environ.get("HTTP_X_REQUEST_ID", "")
    return given if _GIVEN_ID.fullmatch(given) else os.urandom(12).hex()


class Edge:
    """The middleware."""

    def __init__(self, wsgi_app: _WsgiApp) -> None:
        self._wsgi_app = wsgi_app
        self._log: Any = structlog.get_logger()

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        begun = environ.setdefault(BEGUN, time.perf_counter())
        request_id = environ.setdefault(REQUEST_ID, _request_id(environ))
        extra = _EXTRA.get(environ["REQUEST_METHOD"], ALWAYS)
        statuses: list[str] = []

        def start(status: str, headers: _Headers, *exc_info: Any) -> Any:
            statuses.append(status)
            headers = [*headers, ("X-Request-Id", request_id), *environ.get(RATE_LIMIT, ()), *extra]
            if not any([name == "Cache-Control" for name, _ in headers]):
                headers.append(NOT_STORED)
            return start_response(status, headers, *exc_info)

        body = self._wsgi_app(environ, start)
        return _Body(body, partial(self._write_line, environ, begun, statuses))

    def _write_line(self, environ: Environ, begun: float, statuses: list[str]) -> None:
        status = int(statuses[-1][:3]) if statuses else 500
        line: dict[str, Any] = {
            "method": environ["REQUEST_METHOD"],
            "path": environ.get(ROUTE, "unknown"),
            "status": status,
            "ms": round((time.perf_counter() - begun) * 1000, 2),
            "request_id": environ[REQUEST_ID],
        }
        for name, left in (("error", ERROR), ("traceback", TRACEBACK)):
            if left in environ:
                line[name] = environ[left]
        (self._log.error if status >= 500 else self._log.info)("request", **line)


class _Body:
    """The body of an answer; says when it has gone out."""

    def __init__(self, body: Iterable[bytes], on_close: Callable[[], None]) -> None:
        self._body = body
        self._on_close = on_close

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)

    def close(self) -> None:
        postpone = getattr(self._body, "postpone", None)
        if postpone is not None and postpone(self._on_close):
            return
        try:
            close = getattr(self._body, "close", None)
            if close is not None:
                close()
        finally:
            self._on_close()
