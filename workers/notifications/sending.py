"""One request to a webhook: to an address that was checked, within a time limit, and without redirects.

The name is looked up once. Every address that it stands for is checked, and the connection goes to one of
these: a name that stands for another address a moment later changes nothing. TLS still verifies the name.
"""

import http.client
import io
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple

from events.notifications.deliveries import Attempt
from events.store.keys import now_ms
from runtime.webhook_targets import Target, TargetRefused, TargetRules, require_allowed, target_of

Resolve = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a host. Raises: OSError."""

_MOST_ADDRESSES: Final = 3
"""The most addresses of a name to which connections are tried."""
_READ: Final = 4096
"""The most bytes that are read of the body of a response. Nothing is done with them."""
_HEADERS: Final = {
    "Content-Type": "application/json",
    "User-Agent": "machi-koro-webhooks",
    "Connection": "close",
}


class SendLimits(NamedTuple):
    """Time limits in seconds."""

    whole_s: float = 10.0
    """For a whole attempt."""
    connect_s: float = 3.0
    """For each connection to an address, with TLS."""


def addresses_of(host: str, port: int) -> list[str]:
    """The addresses of a host, by the resolver of the system, which has time limits of its own."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys([str(one[4][0]) for one in found]))


class Sender:
    """Sends requests; safe to share among threads."""

    def __init__(
        self,
        rules: TargetRules,
        limits: SendLimits = SendLimits(),  # noqa: B008  # frozen
        resolve: Resolve = addresses_of,
    ) -> None:
        self._rules = rules
        self._limits = limits
        self._resolve = resolve

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Attempt:
        """Send the body; what came of it is never an exception."""
        began_ms, began_s = now_ms(), time.monotonic()
        status, error = 0, ""
        try:
            status = self._status(url, {**_HEADERS, **headers}, body, began_s + self._limits.whole_s)
        except TargetRefused:
            error = "address_refused"
        except TimeoutError:
            error = "timeout"
        except ssl.SSLError:
            error = "tls"
        except _Unresolved:
            error = "unresolved"
        except OSError:
            error = "unreachable"
        except (http.client.HTTPException, ValueError):
            error = "malformed_response"
        return Attempt(began_ms, round(1000 * (time.monotonic() - began_s)), status, error)

    def _status(self, url: str, headers: Mapping[str, str], body: bytes, ends_s: float) -> int:
        target = target_of(url, self._rules)
        addresses = self._addresses(target, ends_s)
        for address in addresses:
            require_allowed(address, self._rules)
        with self._connected(target, addresses[:_MOST_ADDRESSES], ends_s) as connection:
            connection.settimeout(_left(ends_s))
            connection.sendall(_request(target, headers, body))
            response = http.client.HTTPResponse(_Timed(connection, ends_s), method="POST")  # type: ignore[arg-type]
            response.begin()
            with suppress(OSError, http.client.HTTPException):  # the status tells what came of it
                response.read(_READ)
            return response.status

    def _addresses(self, target: Target, ends_s: float) -> Sequence[str]:
        """The addresses of the host. A thread asks for them, because nothing can interrupt the resolver.

        Raises:
            TimeoutError, _Unresolved.
        """
        answers: SimpleQueue[Sequence[str] | OSError] = SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._resolve(target.host, target.port))
            except (OSError, UnicodeError) as error:
                answers.put(OSError(str(error)))

        threading.Thread(target=ask, daemon=True, name="resolver").start()
        try:
            found = answers.get(timeout=_left(ends_s))
        except Empty:
            raise TimeoutError from None
        if isinstance(found, OSError) or not found:
            raise _Unresolved
        return found

    def _connected(self, target: Target, addresses: Sequence[str], ends_s: float) -> socket.socket:
        """A connection to the first address that takes one.

        Raises:
            OSError: none does; also as TimeoutError or SSLError.
        """
        for address in addresses[:-1]:
            try:
                return self._connect(target, address, ends_s)
            except OSError:
                continue
        return self._connect(target, addresses[-1], ends_s)

    def _connect(self, target: Target, address: str, ends_s: float) -> socket.socket:
        timeout_s = min(self._limits.connect_s, _left(ends_s))
        connection = socket.create_connection((address, target.port), timeout_s)
        if target.scheme == "http":
            return connection
        try:
            return self._tls.wrap_socket(connection, server_hostname=target.host)
        except BaseException:
            connection.close()
            raise


class _Unresolved(OSError):
    """The host has no address."""


class _Timed(io.RawIOBase):
    """What a connection sends, up to a time: a server that sends byte by byte gains nothing."""

    def __init__(self, connection: socket.socket, ends_s: float) -> None:
        self._connection = connection
        self._ends_s = ends_s

    def makefile(self, mode: str) -> io.BufferedReader:
        """What `http.client` reads from."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        self._connection.settimeout(_left(self._ends_s))
        return self._connection.recv_into(buffer)


def _left(ends_s: float) -> float:
    """The time that is left, in seconds. Raises: TimeoutError."""
    left_s = ends_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s


def _request(target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [f"POST {target.path} HTTP/1.1", f"Host: {target.authority}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode("ascii") + body
