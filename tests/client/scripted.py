"""An HTTP server on a real socket that does what a test tells it: answers, stalls, or cuts the connection."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

from machi import Client, Retries

DEADLINE_S = 60.0

SILENT_S = 3.0
"""How long clients listen to a server that says nothing; one that speaks is not as slow on a busy machine."""

QUICK = Retries(total_s=120.0, first_s=0.01, most_s=0.02)
"""For tests in which a later attempt succeeds."""


class Clock:
    """Time passes for those who sleep, and in no other way. It can stand for the module `time`."""

    def __init__(self) -> None:
        self.slept_s = 0.0

    def monotonic(self) -> float:
        return self.slept_s

    def time(self) -> float:
        return time.time() + self.slept_s

    def sleep(self, seconds: float) -> None:
        self.slept_s += seconds


class Asked(NamedTuple):
    """A request that came."""

    method: str
    target: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    def forwarded(self) -> bytes:
        """The same request for a connection of its own."""
        headers = {**self.headers, "connection": "close"}
        named = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"{self.method} {self.target} HTTP/1.1\r\n{named}\r\n".encode() + self.body


class Move:
    """What is done with one request: bytes are sent, and then the connection is closed or held."""

    def __init__(self, *sent: bytes, hold: bool = False, wait_s: float = 0.0) -> None:
        self.sent = sent
        self.hold = hold
        self.wait_s = wait_s
        """The pause before each part that is sent."""


Script = Callable[[Asked], Move]


def answer(
    status: int, body: Any = None, headers: Mapping[str, str] | None = None, kind: str = "application/json"
) -> Move:
    """A whole answer; a body that is no text becomes JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Content-Type": kind, "Content-Length": str(len(content)), "Connection": "close"}
    return Move(_head(status, {**given, **(headers or {})}) + content)


def problem(status: int, code: str, headers: Mapping[str, str] | None = None, **more: Any) -> Move:
    body = {
        "type": f"urn:machi-koro:problem:{code}",
        "title": code,
        "status": status,
        "detail": f"it is {code}",
        "code": code,
        "request_id": "req-1",
        "errors": [],
    }
    return answer(status, {**body, **more}, headers, "application/problem+json")


def cut() -> Move:
    """The request is read, and nothing comes back."""
    return Move()


def silence() -> Move:
    """The request is read, nothing comes back, and the connection stays."""
    return Move(hold=True)


def cut_short(move: Move, length: int) -> Move:
    """The first bytes of an answer alone."""
    return Move(b"".join(move.sent)[:length])


def lines(
    *chunks: bytes,
    ended: bool = True,
    hold: bool = False,
    wait_s: float = 0.0,
    headers: Mapping[str, str] | None = None,
) -> Move:
    """A stream of lines, chunk by chunk; one that is not `ended` is cut behind the last chunk."""
    given = {"Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked", "Connection": "close"}
    parts = [chunk for chunk in chunks if chunk]
    framed = [b"%x\r\n%b\r\n" % (len(part), part) for part in (*parts, *([b""] if ended else []))]
    return Move(_head(200, {**given, **(headers or {})}), *framed, hold=hold, wait_s=wait_s)


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    named = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Said\r\n{named}\r\n".encode()


def in_turn(*moves: Move) -> Script:
    """One move for each request; the last one again and again."""
    left = list(moves)
    return lambda asked: left.pop(0) if len(left) > 1 else left[0]


class Listener:
    """A server that reads one request from each connection and leaves the rest to `serve`."""

    def __init__(self, port: int = 0) -> None:
        self.asked: list[Asked] = []
        self._ended = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def close(self) -> None:
        self._ended.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(DEADLINE_S)

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                connection = self._listener.accept()[0]
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(DEADLINE_S)
            asked = read_request(connection)
            if asked is not None:
                self.asked.append(asked)
                self.serve(connection, asked)

    def serve(self, connection: socket.socket, asked: Asked) -> None:
        raise NotImplementedError


class Scripted(Listener):
    """A server that follows a script."""

    def __init__(self, script: Script, port: int = 0) -> None:
        self.closed = threading.Event()
        """The other side has ended a connection that was held."""
        self._script = script
        super().__init__(port)

    def serve(self, connection: socket.socket, asked: Asked) -> None:
        move = self._script(asked)
        for part in move.sent:
            self._ended.wait(move.wait_s)
            connection.sendall(part)
        if move.hold:
            self._hold(connection)

    def _hold(self, connection: socket.socket) -> None:
        connection.settimeout(0.02)
        while not self._ended.is_set():
            with suppress(TimeoutError):
                if not connection.recv(1):
                    self.closed.set()
                    return


class Cutter(Listener):
    """Stands before a server, and lets only the first bytes of an answer through where it is told to."""

    def __init__(self, port: int, length_of: Callable[[Asked], int | None]) -> None:
        self._behind = port
        self._length_of = length_of
        super().__init__()

    def serve(self, connection: socket.socket, asked: Asked) -> None:
        left = self._length_of(asked)
        with socket.create_connection(("127.0.0.1", self._behind), DEADLINE_S) as behind:
            behind.sendall(asked.forwarded())
            while chunk := behind.recv(65_536):
                connection.sendall(chunk if left is None else chunk[: max(left, 0)])
                if left is not None:
                    left -= len(chunk)


def read_request(connection: socket.socket) -> Asked | None:
    """The request; None if there is none."""
    with connection.makefile("rb") as stream:
        first = stream.readline().decode().split()
        if len(first) != 3:
            return None
        headers: dict[str, str] = {}
        while line := stream.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers.get("content-length", "0")))
    return Asked(first[0], first[1], headers, body)


T = TypeVar("T", bound=Listener)


@contextmanager
def open_until_end(server: T) -> Iterator[T]:
    try:
        yield server
    finally:
        server.close()


def serving(script: Script, port: int = 0) -> AbstractContextManager[Scripted]:
    return open_until_end(Scripted(script, port))


@contextmanager
def speaking(
    *moves: Move,
    script: Script | None = None,
    token: str | None = "mk_token",
    retries: Retries = QUICK,
    timeout: float | None = None,
    **wishes: Any,
) -> Iterator[tuple[Scripted, Client]]:
    """A server that makes these moves in turn, or follows the script, and a client of it.

    The client is patient, unless one of the moves is silence.
    """
    if timeout is None:
        timeout = SILENT_S if any(move.hold for move in moves) else DEADLINE_S
    with (
        serving(script or in_turn(*moves)) as server,
        Client(server.url, token, timeout=timeout, retries=retries, **wishes) as client,
    ):
        yield server, client
