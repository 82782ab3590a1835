"""A client with one connection that is kept: each request is sent until it is answered, to whichever node."""

import http.client
import json
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from tests.storms.journal import Journal, Json, Reply

PAUSE_S: Final = 0.05
"""Between two attempts."""

PATIENCE_S: Final = 90.0
"""For one attempt: longer than any process is halted."""


AGAIN: Final = (408, 429)
"""Answers that ask a client to send the same again."""


class Over(Exception):
    """The storm is over, or the service is gone for good: no answer is waited for any more."""


class Answer:
    """An answer, whatever its status."""

    def __init__(self, status: int, headers: http.client.HTTPMessage, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Json:
        return dict(json.loads(self.body))


class Wire:
    """One client of the service."""

    def __init__(self, ports: Sequence[int], journal: Journal, over: threading.Event) -> None:
        """`ports` are those of the nodes. Nothing is asked any more once `over` is set."""
        self._ports = ports
        self._node = 0
        self._journal = journal
        self._over = over
        self._connection: http.client.HTTPConnection | None = None
        self.token = ""

    def sign_up(self, handle: str) -> Json:
        """Make an account; from now on requests are its own."""
        made = self.ask(
            "POST", "/v1/accounts", {"handle": handle}, key=f"key-of-the-account-of-{handle}"
        ).json
        self.token = made["token"]
        return made

    def ask(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        key: str | None = None,
        version: int | None = None,
        kind: str = "",
        wait_s: float = 0.0,
    ) -> Answer:
        """The answer, however often it is to be asked for. A long poll may take `wait_s`.

        Raises:
            Over.
        """
        began_s = time.monotonic()
        while True:
            if self._over.is_set():
                raise Over
            tried_s = time.monotonic()
            answer = self.attempt(method, path, body, key=key, version=version, timeout_s=PATIENCE_S + wait_s)
            if answer is not None and answer.status < 500 and answer.status not in AGAIN:
                break
            self._over.wait(PAUSE_S)
        ended_s = time.monotonic()
        # A long poll begins to wait anew with each attempt.
        self._journal.note(Reply(kind or method, tried_s if wait_s else began_s, ended_s, wait_s))
        if answer.status >= 400:
            told = answer.body.decode(errors="replace")[:500]
            self._journal.fault("refused", f"{method} {path} {body} {key}: {answer.status} {told}")
        return answer

    def attempt(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        key: str | None = None,
        version: int | None = None,
        timeout_s: float = PATIENCE_S,
    ) -> Answer | None:
        """What came back for one try; None if that was no answer."""
        given: dict[str, str] = {}
        if self.token:
            given["Authorization"] = f"Bearer {self.token}"
        if key is not None:
            given["Idempotency-Key"] = key
        if version is not None:
            given["If-Match"] = f'"{version}"'
        content = None
        if body is not None:
            given["Content-Type"] = "application/json"
            content = json.dumps(body)
        try:
            connection = self._connected(timeout_s)
            connection.request(method, path, content, given)
            with connection.getresponse() as response:
                answer = Answer(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException) as error:
            self._journal.count(f"no answer: {type(error).__name__}")
            self._go_on()
            return None
        if response.status == 503 and len(self._ports) > 1:
            self._go_on()
        elif response.will_close:
            self.close()
        self._journal.count(f"status {answer.status}")
        if answer.status >= 500 and answer.status != 503:
            self._journal.fault("broken", f"{method} {path}: {answer.status} {answer.body[:300]!r}")
        return answer

    def _connected(self, timeout_s: float) -> http.client.HTTPConnection:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(
                "127.0.0.1", self._ports[self._node], timeout=timeout_s
            )
        self._connection.timeout = timeout_s
        if self._connection.sock is not None:
            self._connection.sock.settimeout(timeout_s)
        return self._connection

    def _go_on(self) -> None:
        """Turn to the next node."""
        self.close()
        self._node = (self._node + 1) % len(self._ports)

    def close(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None
