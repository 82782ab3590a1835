"""A server that receives webhooks, and answers as a test wants it to."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any, NamedTuple

from runtime.webhook_targets import TargetRules

LOCAL = TargetRules(allows_http=True, networks=frozenset([ip_network("127.0.0.0/8")]))
"""Tests have no other addresses."""
_DEADLINE_S = 60.0


class Received(NamedTuple):
    """One request."""

    path: str
    headers: dict[str, str]
    """By name in lower case."""
    body: bytes


class Receiver:
    """What it received, and what it answers next."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.port: int = server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self.received: list[Received] = []
        self.statuses: list[int] = []
        """Of the next answers; then 200."""
        self.hold: threading.Event | None = None
        """If there is one, an answer waits for it."""

    def wait_for(self, count: int) -> Sequence[Received]:
        """The requests, once there are so many."""
        deadline_s = time.monotonic() + _DEADLINE_S
        while len(self.received) < count:
            assert time.monotonic() < deadline_s, f"only {len(self.received)} requests came"
            threading.Event().wait(0.01)
        return self.received

    def ids(self) -> list[str]:
        """The ids of the messages that were received."""
        return [one.headers["webhook-id"] for one in self.received]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a port of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.path, headers, body))
            if receiver.hold is not None:
                receiver.hold.wait(_DEADLINE_S)
            status = receiver.statuses.pop(0) if receiver.statuses else 200
            self.send_response(status)
            if status in (301, 302, 307, 308):
                self.send_header("Location", f"http://127.0.0.1:{receiver.port}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, pattern: str, *args: Any) -> None:
            """Nothing: tests look at what was received."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver = Receiver(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        if receiver.hold is not None:
            receiver.hold.set()
        server.shutdown()
        thread.join()
        server.server_close()
