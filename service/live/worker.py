"""gunicorn's gevent worker: each connection has a greenlet, so waiting and slow clients cost little.

A request that it refuses before the app sees it gets a problem like any other. Its connections are
`Connection`s.
"""

import os
import select
import time
import traceback
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from http import HTTPStatus
from typing import Any, Final

import gevent
import structlog
from gevent import monkey
from gunicorn.http import errors
from gunicorn.workers.ggevent import GeventWorker

from contract.problems import KINDS
from runtime.settings import settings_or_exit
from service.context import EXTENSION
from service.edge.middleware import ALWAYS, UNLESS_SET, UNROUTED
from service.edge.problems import MIMETYPE, Problem, encoded
from service.edge.requests import RequestTimeout, network_of
from service.live.connections import Bounds, Connection, Connections
from service.operations import metrics

_CODES: Final[Mapping[type[Exception], str]] = {
    RequestTimeout: "request_timeout",
    errors.LimitRequestLine: "uri_too_long",
    errors.LimitRequestHeaders: "headers_too_large",
    errors.ExpectationFailed: "expectation_failed",
    errors.UnsupportedTransferCoding: "unsupported_transfer_coding",
}
"""The problems of requests that gunicorn cannot parse; all others are `malformed_request`."""

_OWN_FAULTS: Final = (
    errors.InvalidResponseHeader,
    errors.InvalidResponseHeaderName,
    errors.ConfigurationProblem,
)

_UNREAD: Final = 65_536
"""The most unread bytes of a body that are skipped; with more, the connection closes."""

_DRAIN_S: Final = 1.0
"""How long a stopping worker still accepts requests on open connections."""
_DRAIN_CHECK_S: Final = 0.05


class Worker(GeventWorker):  # type: ignore[misc]  # gunicorn has no types
    """A gevent worker that never tells clients what they sent, or what went wrong inside."""

    wsgi: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        total = self.worker_connections
        settings = settings_or_exit()
        self._connections = Connections(Bounds(total - total // 10, total // 6, settings.address_unfinished))
        self._is_behind_proxy = settings.trusted_proxies > 0

    def patch(self) -> None:
        """Have the standard library wait cooperatively."""
        with warnings.catch_warnings():
            # About `ssl`, imported before: that matters only to subclasses of its contexts, and we have none.
            warnings.simplefilter("ignore", monkey.MonkeyPatchWarning)
            super().patch()
        # redis-py polls a connection without waiting before each use; gevent's poll would let all other
        # greenlets run first.
        select.poll = monkey.get_original("select", "poll")  # type: ignore[misc]

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        # A proxy opens the connections of all clients, and buffers requests before it passes them on.
        address = None if self._is_behind_proxy else network_of(addr[0] if addr else "")
        super().handle(listener, Connection(client, address, self._connections), addr)

    def timeout_ctx(self) -> AbstractContextManager[None]:
        """Connections have timeouts of their own."""
        return nullcontext()

    def handle_request(self, listener_name: Any, req: Any, sock: Connection, addr: Any) -> None:
        """As gunicorn does, but refuse what it should have refused, and close a connection if too much of the
        body is left unread."""
        unfit = _unfit(req)
        if unfit is not None:
            self.handle_error(None, sock, addr, unfit)
            raise StopIteration
        super().handle_request(listener_name, req, sock, addr)
        if not _skip_rest(req.body):
            sock.linger()
            raise StopIteration
        sock.rest()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Also release waiting clients, which reconnect to the next process."""
        super().handle_exit(sig, frame)
        gevent.spawn(self._drain)

    def _drain(self) -> None:
        services = self.wsgi.extensions.get(EXTENSION)
        if services is not None:
            services.watcher.stop()
        until_s = time.monotonic() + _DRAIN_S
        gevent.sleep(_DRAIN_CHECK_S)
        while len(self._connections) and time.monotonic() < until_s:
            gevent.sleep(_DRAIN_CHECK_S)
        self._connections.dismiss()

    def handle_error(self, req: Any, client: Connection, addr: Any, exc: BaseException) -> None:
        """Send the response that the app could not; gunicorn then closes the connection."""
        if not isinstance(exc, Exception):
            return  # the process ends
        code = _code(exc)
        if req is not None and code != "internal_error":
            return  # in the unread rest of a body: the request was answered
        request_id = os.urandom(12).hex()
        _note(code, request_id, exc)
        if code != "request_timeout":
            client.linger()
        with suppress(OSError):
            client.sendall(_answer(code, request_id))


def _unfit(request: Any) -> errors.ParseException | None:
    """Why the request is refused though gunicorn could parse it; None if it is not.

    gunicorn lets codings pass that nobody decodes. RFC 9112 (3.2) wants one Host; only HTTP/1.0 may lack it.
    """
    codings = [value for name, value in request.headers if name == "TRANSFER-ENCODING"]
    if [coding.lower() for coding in codings] not in ([], ["chunked"]):
        return errors.UnsupportedTransferCoding(", ".join(codings))
    hosts = sum(name == "HOST" for name, _ in request.headers)
    if hosts > 1 or (not hosts and request.version >= (1, 1)):
        return errors.InvalidHeader("HOST")
    return None


def _skip_rest(body: Any) -> bool:
    """Skip the unread rest of the body; whether that was short enough and arrived."""
    left = _UNREAD
    try:
        while left > 0 and (read := body.read(left)):
            left -= len(read)
    except (OSError, errors.ParseException):
        return False
    return left > 0 and not body.failed


def _code(error: Exception) -> str:
    if isinstance(error, _OWN_FAULTS) or not isinstance(error, errors.ParseException):
        return "internal_error"
    return _CODES.get(type(error), "malformed_request")


def _note(code: str, request_id: str, error: Exception) -> None:
    status = KINDS[code].status
    metrics.count_unread(code, status, UNROUTED)
    line: dict[str, Any] = {
        "method": "unknown",
        "path": UNROUTED,
        "status": status,
        "request_id": request_id,
        "code": code,
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
        *ALWAYS,
        *UNLESS_SET,
    ]
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *[f"{name}: {value}" for name, value in headers]]
    return "\r\n".join([*lines, "", ""]).encode() + body
