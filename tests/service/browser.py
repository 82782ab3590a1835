"""A real browser without a window, driven over its DevTools pipe."""

import fcntl
import json
import os
import select
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
DEADLINE_S = 60.0
OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"),
)
_TO_BROWSER, _FROM_BROWSER = 3, 4
"""The descriptors on which a browser listens and talks."""


def path_or_skip() -> str:
    """The browser on the PATH."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(
            f"no browser on the PATH, neither {' nor '.join(NAMES)}; Debian: apt-get install chromium"
        )
    return found


@contextmanager
def opened(directory: Path) -> Iterator["Page"]:
    """An empty page of a new browser that keeps its files in the directory."""
    ours_in, theirs_out = os.pipe()
    theirs_in, ours_out = os.pipe()
    high_in, high_out = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (theirs_in, theirs_out)]

    def place() -> None:
        os.dup2(high_in, _TO_BROWSER)
        os.dup2(high_out, _FROM_BROWSER)

    with (directory / "log").open("wb") as log:
        process = subprocess.Popen(
            [path_or_skip(), *OPTIONS, f"--user-data-dir={directory / 'profile'}"],
            env={**os.environ, "HOME": str(directory)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            close_fds=False,
            preexec_fn=place,
        )
    for end in (theirs_in, theirs_out, high_in, high_out):
        os.close(end)
    try:
        yield Page(ours_in, ours_out)
    finally:
        os.close(ours_out)  # it ends when nobody talks to it
        process.wait(DEADLINE_S)
        os.close(ours_in)


class Page:
    """One page, and everything that it has asked for and complained of."""

    def __init__(self, reads: int, writes: int) -> None:
        self._reads = reads
        self._writes = writes
        self._received = b""
        self._number = 0
        self._session: dict[str, str] = {}
        self.requests: list[str] = []
        """The addresses of all requests."""
        self.complaints: list[str] = []
        """What a developer would see in the console: errors, and what a policy has refused."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": session["sessionId"]}
        for domain in ("Network", "Runtime", "Log", "Page"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """The result of a method of the DevTools protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters, **self._session}
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        while (reply := self._next()).get("id") != self._number:
            self._note(reply)
        assert "error" not in reply, reply["error"]
        return reply["result"]

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def value(self, script: str) -> Any:
        """What the script gives; a promise is awaited."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait_for(self, script: str) -> Any:
        """What the script gives as soon as that is something."""
        deadline = time.monotonic() + DEADLINE_S
        while not (found := self.value(script)):
            assert time.monotonic() < deadline, f"it did not come about: {script}"
            threading.Event().wait(0.05)
        return found

    def click(self, selector: str) -> None:
        """Click on the element, once it is there and can be clicked on."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.wait_for(f"{element} && !{element}.disabled")
        self.value(f"{element}.click()")

    def type(self, selector: str, text: str) -> None:
        """Enter the text as a keyboard would."""
        self.wait_for(f"!!document.querySelector({json.dumps(selector)})")
        self.value(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", text=text)

    def _next(self) -> Any:
        while b"\0" not in self._received:
            assert select.select([self._reads], [], [], DEADLINE_S)[0], "the browser is silent"
            part = os.read(self._reads, 1 << 20)
            assert part, "the browser is gone"
            self._received += part
        message, self._received = self._received.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event: Any) -> None:
        match event["method"], event["params"]:
            case "Network.requestWillBeSent", parameters:
                self.requests.append(parameters["request"]["url"])
            case "Runtime.exceptionThrown", parameters:
                self.complaints.append(str(parameters["exceptionDetails"]))
            case "Log.entryAdded", {"entry": entry} if entry["level"] == "error":
                self.complaints.append(f"{entry['source']}: {entry['text']}")
