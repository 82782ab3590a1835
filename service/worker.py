"""gunicorn's threaded worker, with two habits of its own.

What it refuses before the app sees it is a problem like any other. A connection over which a stream goes is
handed over by the app, and a request that waits is parked: neither keeps a thread busy.
"""

import os
import selectors
import socket
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any, Final

import structlog
from gunicorn.http import errors
from gunicorn.util import write_nonblock
from gunicorn.workers.gthread import ThreadWorker

from service import metrics
from service.context import EXTENSION
from service.departures import CLOSE, HAND_OVER, Departed, HandedOver, Parked
from service.edge import ALWAYS, UNLESS_SET, UNROUTED
from service.following import Following
from service.parking import WAIT_UNTIL, ParkingLot, Place
from service.problems import KINDS, MIMETYPE, Problem, encoded

_CODES: Final[Mapping[type[Exception], str]] = {
    errors.LimitRequestLine: "uri_too_long",
    errors.LimitRequestHeaders: "headers_too_large",
    errors.ExpectationFailed: "expectation_failed",
    errors.UnsupportedTransferCoding: "unsupported_transfer_coding",
}
"""Of requests that gunicorn cannot read; the others are `malformed_request`."""

_REQUEST_S: Final = 20.0
"""A request has so long to come in whole, and where it has a body, to be answered."""

_ANSWER_S: Final = 120.0
"""An answer that is written by a thread has so long to be taken."""

_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})

_MOST_PARKED: Final = 3000
"""As many requests may wait at a time; the others are answered at once."""

_OWN_FAULTS: Final = (
    errors.InvalidResponseHeader,
    errors.InvalidResponseHeaderName,
    errors.ConfigurationProblem,
)


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Never tells a client what it sent, nor what went wrong inside."""

    wsgi: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadlines: dict[Any, float] = {}
        self._departed: dict[Any, tuple[Any, Departed]] = {}
        self._parked: dict[Any, Place] = {}
        self._resumed: dict[Any, Mapping[str, object]] = {}
        self._lot = ParkingLot()
        self._following: Following | None = None

    def load_wsgi(self) -> None:
        """Load the app, and tell it with every request that it may depart."""
        super().load_wsgi()
        app = self.wsgi
        services = app.extensions.get(EXTENSION)
        self._following = services.following if services is not None else None

        def announcing(environ: dict[str, Any], start_response: Any) -> Any:
            environ[HAND_OVER] = self.alive
            environ[CLOSE] = start_response.__self__.force_close
            environ.update(self._resumed.pop(environ["gunicorn.socket"], {}))
            if not self.alive or len(self._parked) >= _MOST_PARKED:
                environ[WAIT_UNTIL] = time.monotonic()  # there is no time, or no room, to wait
            return app(environ, start_response)

        self.wsgi = announcing

    def handle(self, conn: Any) -> Any:
        self._deadlines[conn] = time.monotonic() + _REQUEST_S
        try:
            return super().handle(conn)
        finally:
            del self._deadlines[conn]

    def handle_request(self, req: Any, conn: Any) -> Any:
        if req.method not in _WITH_BODY:
            self._deadlines[conn] = time.monotonic() + _ANSWER_S
        try:
            return super().handle_request(req, conn)
        except Departed as departed:
            self._departed[conn] = (req, departed)
            return False

    def murder_pending(self) -> None:
        """Also end what has taken too long: the thread that reads or writes there is needed by others."""
        super().murder_pending()
        now_s = time.monotonic()
        for conn, deadline_s in [*self._deadlines.items()]:
            if deadline_s < now_s:
                with suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RDWR)  # wakes the thread, which then closes it

    def finish_request(self, conn: Any, fs: Any) -> None:
        """As gunicorn does, but for a connection that is not done with."""
        if conn not in self._departed:
            super().finish_request(conn, fs)
            return
        req, departed = self._departed.pop(conn)
        if isinstance(departed, HandedOver):
            self.nr_conns -= 1
            departed.take(conn.sock)
        elif isinstance(departed, Parked):
            self._park(conn, req, departed)

    def _park(self, conn: Any, req: Any, parked: Parked) -> None:
        """Have the request handled once more when its wait is over, if its client is still there."""
        resume = partial(self.method_queue.defer, self._resume, conn, req, parked.kept)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_parked_readable, conn))
        self._parked[conn] = self._lot.place(parked, resume)

    def _on_parked_readable(self, conn: Any, client: Any) -> None:
        """The client is gone, or sends its next request already."""
        self.poller.unregister(client)
        try:
            is_gone = not client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except OSError:
            is_gone = True
        if is_gone:
            self._parked.pop(conn).abandon()
            self.nr_conns -= 1
            conn.close()

    def _resume(self, conn: Any, req: Any, kept: Mapping[str, object]) -> None:
        """Handle a request that was parked once more."""
        if self._parked.pop(conn, None) is None:
            return  # its client went at the same moment
        with suppress(KeyError):  # it may have sent more before
            self.poller.unregister(conn.sock)
        self._resumed[conn.sock] = kept
        conn.parser = _Again(conn, req)
        self.enqueue_req(conn)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Let go of all who wait, too; they come back to the next process."""
        self._lot.stop()
        if self._following is not None:
            self._following.stop()
        super().handle_exit(sig, frame)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:
        """Answer instead of the app; gunicorn closes the connection afterwards."""
        code = _code(exc)
        if req is not None and code != "internal_error":
            return  # the rest of a body that the app did not read: the request has its answer
        request_id = os.urandom(12).hex()
        _note(code, request_id, exc)
        with suppress(OSError):
            write_nonblock(client, _answer(code, request_id))


class _Again:
    """In the place of a connection's parser: gives a request that was read before, once."""

    def __init__(self, conn: Any, req: Any) -> None:
        self._conn = conn
        self._parser = conn.parser
        self._req = req

    def __next__(self) -> Any:
        self._conn.parser = self._parser
        return self._req


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
