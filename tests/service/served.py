"""The app behind real gunicorn, and requests to it byte by byte."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

from ops.redis_conf import free_port
from ops.servers import Server

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 60.0
MASTER_KEYS = "k1:" + "5e" * 32
SIGNING_KEYS = "s1:" + "51" * 32
ACCOUNT_STREAMS = 5
ADDRESS_UNFINISHED = 20
"""Few enough for tests to reach them."""


def environment(events: Server, queue: Server, **more: str) -> dict[str, str]:
    """Settings of a web service on these servers."""
    return {
        "EVENTS_REDIS_URL": events.url,
        "QUEUE_REDIS_URL": queue.url,
        "MASTER_KEYS": MASTER_KEYS,
        "SIGNING_KEYS": SIGNING_KEYS,
        **more,
    }


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about"
        threading.Event().wait(0.01)


@contextmanager
def gunicorn(log: Path, **environ: str) -> Iterator["Served"]:
    """The web service, by default in one process; `log` gets what it prints."""
    port = free_port()
    chosen = {"HOST": "127.0.0.1", "PORT": str(port), "WEB_WORKERS": "1", "LOG_LEVEL": "INFO"}
    words = [sys.executable, "-m", "gunicorn", "-c", "service/gunicorn.py", "service.wsgi:app"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            words, cwd=ROOT, env={**os.environ, **chosen, **environ}, stdout=output, stderr=output
        )
        try:
            served = Served(port, log, process.pid)
            wait_until(served.is_up)
            yield served
        finally:
            process.terminate()
            process.wait(DEADLINE_S)


def more_of(connection: socket.socket) -> bytes:
    """What comes next; there must be more."""
    received = connection.recv(65_536)
    assert received, "the service closed the connection"
    return received


def posted(path: str, headers: bytes, body: bytes, token: str = "") -> bytes:
    """A request as it goes over the line. `headers` are further lines without the last line break."""
    head = b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" % path.encode()
    bearer = b"Authorization: Bearer %b\r\n" % token.encode() if token else b""
    return head + bearer + headers + b"\r\n\r\n" + body


class Answer:
    """What came back."""

    def __init__(self, connection: socket.socket) -> None:
        response = HTTPResponse(connection)
        response.begin()
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode()

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Served:
    """A web service that listens."""

    def __init__(self, port: int, log: Path, pid: int) -> None:
        """`pid` is the arbiter's, the parent of the web processes."""
        self.port = port
        self.pid = pid
        self._log = log

    def is_up(self) -> bool:
        try:
            self.connect().close()
        except OSError:
            return False
        return True

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE_S)

    def send(self, request: bytes, is_whole: bool = True) -> Answer:
        """The answer to these bytes; where they are not the whole request, nothing follows them."""
        with self.connect() as connection:
            connection.sendall(request)
            if not is_whole:
                connection.shutdown(socket.SHUT_WR)
            return Answer(connection)

    def get(self, path: str) -> Answer:
        return self.send(b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode())

    def lines(self) -> list[dict[str, Any]]:
        """The lines of the log so far."""
        return [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]

    def lines_of(self, request_id: str) -> list[dict[str, Any]]:
        """Those of one request."""
        with self._log.open() as log:
            found = [json.loads(line) for line in log if request_id in line]
        return [line for line in found if line.get("request_id") == request_id]
