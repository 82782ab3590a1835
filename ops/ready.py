"""Says when the service is ready, at the start and after restarts."""

import json
import threading
import time
import urllib.error
import urllib.request
from typing import Final

from ops.console import Console

LATE_S: Final = 60.0
PAUSE_S: Final = 0.2


def problem(url: str) -> str | None:
    """Why the service is not ready; None if it is."""
    # No proxy, whatever the environment says: the service is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/readyz", timeout=2):
            return None
    except urllib.error.HTTPError as error:
        with error:
            return f"status {error.code}{_detail(error.read(65_536))}"
    except OSError as error:
        return str(error)


def _detail(body: bytes) -> str:
    try:
        return f": {json.loads(body)['detail']}"
    except (ValueError, KeyError, TypeError):
        return ""


class Announcer:
    """Polls the service from its own thread."""

    def __init__(self, url: str, console: Console) -> None:
        self._url = url
        self._console = console
        self._is_due = threading.Event()
        threading.Thread(target=self._announce, daemon=True, name="ready").start()

    def announce(self) -> None:
        """Print a line as soon as the service is ready."""
        self._is_due.set()

    def _announce(self) -> None:
        while self._is_due.wait():
            self._wait()
            self._is_due.clear()
            self._console.say(f"ready: {self._url}")

    def _wait(self) -> None:
        late_at = time.monotonic() + LATE_S
        while reason := problem(self._url):
            if time.monotonic() > late_at:
                late_at = float("inf")
                self._console.say(f"not ready after {LATE_S:.0f} s: {self._url}/readyz: {reason}", "warning")
            time.sleep(PAUSE_S)
