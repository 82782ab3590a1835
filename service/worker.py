"""gunicorn's threaded worker; what it refuses before the app sees it is a problem like any other."""

import os
import traceback
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final

import structlog
from gunicorn.http import errors
from gunicorn.util import write_nonblock
from gunicorn.workers.gthread import ThreadWorker

from service.edge import ALWAYS, NOT_STORED
from service.problems import KINDS, MIMETYPE, Problem, encoded

_CODES: Final[Mapping[type[Exception], str]] = {
    errors.LimitRequestLine: "uri_too_long",
    errors.LimitRequestHeaders: "headers_too_large",
    errors.ExpectationFailed: "expectation_failed",
    errors.UnsupportedTransferCoding: "unsupported_transfer_coding",
}
"""Of requests that gunicorn cannot read; the others are `malformed_request`."""

_OWN_FAULTS: Final = (
    errors.InvalidResponseHeader,
    errors.InvalidResponseHeaderName,
    errors.ConfigurationProblem,
)


class ProblemWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Never tells a client what it sent, nor what went wrong inside."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:
        """Answer instead of the app; gunicorn closes the connection afterwards."""
        code = _code(exc)
        if req is not None and code != "internal_error":
            return  # the rest of a body that the app did not read: the request has its answer
        request_id = os.urandom(12).hex()
        _write_line(code, request_id, exc)
        with suppress(OSError):
            write_nonblock(client, _answer(code, request_id))


def _code(error: Exception) -> str:
    if isinstance(error, _OWN_FAULTS) or not isinstance(error, errors.ParseException):
        return "internal_error"
    return _CODES.get(type(error), "malformed_request")


def _write_line(code: str, request_id: str, error: Exception) -> None:
    status = KINDS[code].status
    line: dict[str, Any] = {
        "method": "unknown",
        "path": "unknown",
        "status": status,
        "request_id": request_id,
    }
    if code != "internal_error":
        structlog.get_logger().info("request", **line, error=type(error).__name__)
        return
    trace = "".join(traceback.format_exception(error))
    structlog.get_logger().error("request", **line, error=repr(error), traceback=trace)


def _answer(code: str, request_id: str) -> bytes:
    status = HTTPStatus(KINDS[code].status)
    body = encoded(Problem(code), request_id)
    headers = [
        ("Connection", "close"),
        ("Content-Type", MIMETYPE),
        ("Content-Length", str(len(body))),
        ("X-Request-Id", request_id),
        NOT_STORED,
        *ALWAYS,
    ]
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *[f"{name}: {value}" for name, value in headers]]
    return "\r\n".join([*lines, "", ""]).encode() + body
