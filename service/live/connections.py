"""Client connections: timeouts, and which connections are closed when there are too many.

A connection is unfinished while the worker waits for the rest of a request, or for all of it. It is idle
between two requests. Neither costs more than its socket, and the oldest ones are closed to admit new ones.
"""

import errno
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

import gevent
from gunicorn.util import close_graceful

from service.edge.requests import RequestTimeout


class Timeouts(NamedTuple):
    """Timeouts in seconds."""

    request_s: float = 20.0
    """For a whole request with its body."""
    idle_s: float = 30.0
    """Between two requests."""
    answer_s: float = 120.0
    """For the client to receive a response, or one part of a stream."""


TIMEOUTS: Final = Timeouts()

_LARGE: Final = 32_768


class Bounds(NamedTuple):
    """The most connections of a process."""

    total: int
    unfinished: int
    of_address: int
    """Unfinished ones per address."""


class Connections:
    """All connections of a process."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._open: set[Connection] = set()
        self._idle: dict[Connection, None] = {}
        self._unfinished: set[Connection] = set()
        self._of_address: dict[str | None, set[Connection]] = defaultdict(set)

    def __len__(self) -> int:
        """The number of open connections."""
        return len(self._open)

    def add(self, connection: "Connection") -> None:
        """Register a new connection; if there are too many, close the one that was idle the longest."""
        self._open.add(connection)
        if len(self._open) > self._bounds.total and self._idle:
            next(iter(self._idle)).give_way()

    def remove(self, connection: "Connection") -> None:
        self._open.discard(connection)

    def add_unfinished(self, connection: "Connection") -> None:
        """Note that a request is awaited; if there are too many of these, close the oldest."""
        self._unfinished.add(connection)
        if len(self._unfinished) > self._bounds.unfinished:
            _oldest(self._unfinished).give_way()
        if connection.address is not None:
            neighbours = self._of_address[connection.address]
            neighbours.add(connection)
            if len(neighbours) > self._bounds.of_address:
                _oldest(neighbours).give_way()

    def remove_unfinished(self, connection: "Connection") -> None:
        """Note that data has arrived, or that none will."""
        self._unfinished.discard(connection)
        neighbours = self._of_address.get(connection.address)
        if neighbours is not None:
            neighbours.discard(connection)
            if not neighbours:
                del self._of_address[connection.address]

    def add_idle(self, connection: "Connection") -> None:
        self._idle[connection] = None

    def remove_idle(self, connection: "Connection") -> None:
        self._idle.pop(connection, None)

    def dismiss(self) -> None:
        """Close all connections without a request in progress."""
        for connection in [*self._idle, *self._unfinished]:
            connection.give_way()


def _oldest(connections: "set[Connection]") -> "Connection":
    """The connection whose request began first."""
    return min(connections, key=lambda connection: connection.deadline_s)


class Connection:
    """The connection of one client; gunicorn uses it in place of the socket."""

    def __init__(
        self,
        client: socket.socket,
        address: str | None,
        connections: Connections,
        timeouts: Timeouts = TIMEOUTS,
    ) -> None:
        """Without an address, the limit per address does not apply."""
        self.address: Final = address
        self.deadline_s = time.monotonic() + timeouts.request_s
        """When the request must have arrived, by the monotonic clock."""
        self._socket: Final = client
        self._connections: Final = connections
        self._timeouts: Final = timeouts
        self._is_idle = False
        self._has_begun = False
        self._is_over = False
        self._is_to_linger = False
        self._watch: Any = None
        connections.add(self)

    def recv(self, size: int) -> bytes:
        """Receive data; empty if the client has closed its end or sent nothing in time.

        Raises:
            RequestTimeout: only part of a request arrived in time.
            OSError: the connection is broken.
        """
        received = self._recv_next(size) if self._is_idle else self._recv_more(size)
        self._has_begun = self._has_begun or bool(received)
        if self._is_over and self._has_begun:
            raise RequestTimeout
        return received

    def _recv_next(self, size: int) -> bytes:
        self._connections.add_idle(self)
        try:
            received = self._recv(size, self._timeouts.idle_s)
        finally:
            self._connections.remove_idle(self)
        self._is_idle = False
        self.deadline_s = time.monotonic() + self._timeouts.request_s
        return received

    def _recv_more(self, size: int) -> bytes:
        self._connections.add_unfinished(self)
        try:
            return self._recv(size, self.deadline_s - time.monotonic())
        finally:
            self._connections.remove_unfinished(self)

    def _recv(self, size: int, timeout_s: float) -> bytes:
        if self._is_over:
            return b""
        self._socket.settimeout(max(timeout_s, 0.001))
        try:
            return self._socket.recv(size)
        except TimeoutError:
            self._is_over = True
        except OSError:
            if not self._is_over:  # `give_way` makes a pending recv fail
                raise
        return b""

    def give_way(self) -> None:
        """Stop waiting for the client, so that the connection closes."""
        self._is_over = True
        self._connections.remove_unfinished(self)
        self._connections.remove_idle(self)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RD)  # wakes whoever receives

    def rest(self) -> None:
        """Note that a request was completely received and answered."""
        self._stop_watching()
        self._is_idle = True
        self._has_begun = False

    def sendall(self, data: bytes) -> None:
        """Send the data.

        Raises:
            ConnectionResetError: the client did not receive it in time.
            OSError: the connection is broken.
        """
        self._socket.settimeout(self._timeouts.answer_s)
        try:
            self._socket.sendall(data)
        except TimeoutError:
            raise ConnectionResetError(errno.ECONNRESET, "the client receives nothing") from None
        if len(data) >= _LARGE:
            time.sleep(0)  # lets other greenlets run, since the next part may take long to compute

    send = sendall

    def is_gone(self) -> bool:
        """Whether the client has closed its end of the connection."""
        self._socket.settimeout(0)
        try:
            return not self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def when_readable(self, callback: Callable[[], object]) -> None:
        """Call the callback once, when the client closes its end or sends more."""
        self._stop_watching()
        self._watch = gevent.get_hub().loop.io(self._socket.fileno(), 1)
        self._watch.start(self._on_readable, callback)

    def _on_readable(self, callback: Callable[[], object]) -> None:
        self._stop_watching()
        callback()

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.stop()
            self._watch.close()
            self._watch = None

    def linger(self) -> None:
        """Have `close` let the client receive its response first, though it has more to send."""
        self._is_to_linger = True

    def setblocking(self, is_blocking: bool) -> None:
        """Do nothing: timeouts are set here alone."""

    def shutdown(self, how: int) -> None:
        self._socket.shutdown(how)

    def close(self) -> None:
        self._stop_watching()
        self._connections.remove(self)
        if self._is_to_linger:
            close_graceful(self._socket)
        else:
            self._socket.close()


def is_client_gone(environ: Mapping[str, object]) -> bool:
    """Whether the client has closed its end, as far as the server can tell."""
    connection = environ.get("gunicorn.socket")
    return isinstance(connection, Connection) and connection.is_gone()


def when_client_moves(environ: Mapping[str, object], callback: Callable[[], object]) -> None:
    """Call the callback once, when the client closes its end or sends more, if the server can tell."""
    connection = environ.get("gunicorn.socket")
    if isinstance(connection, Connection):
        connection.when_readable(callback)
