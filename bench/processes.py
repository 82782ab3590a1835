"""The real thing for a while: both Redis servers, a relay and workers as processes of their own."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from events import Matches, Notary, RedisStore, Seeds, SigningKeys
from ops.servers import ROOT, Server, running_server
from runtime.connection import connect

MASTER_KEYS: Final = "bench:" + "5e" * 32
SIGNING_KEYS: Final = "bench:" + "51" * 32


class Servers(Struct, frozen=True):
    """Where everything is."""

    events: Server
    queue: Server

    @property
    def environment(self) -> dict[str, str]:
        """What a process of the service needs to know."""
        return {
            **os.environ,
            "EVENTS_REDIS_URL": self.events.url,
            "QUEUE_REDIS_URL": self.queue.url,
            "MASTER_KEYS": MASTER_KEYS,
            "SIGNING_KEYS": SIGNING_KEYS,
            "LOG_LEVEL": "WARNING",
            # As many as by default, so slices are as large, but in a window that no client can use up.
            "RATE_MOVES": "12000/second",
        }

    def matches(self) -> Matches:
        """The store, with an empty cache."""
        client = connect(self.events.url)
        store = RedisStore(client)
        return Matches(store, Seeds(MASTER_KEYS), notary=Notary(store, SigningKeys(SIGNING_KEYS)))


@contextlib.contextmanager
def servers() -> Iterator[Servers]:
    """Two empty Redis servers with the settings of the service."""
    with tempfile.TemporaryDirectory() as folder:
        events, queue = Path(folder) / "events", Path(folder) / "queue"
        with running_server("events", events) as first, running_server("queue", queue) as second:
            yield Servers(first, second)


@contextlib.contextmanager
def running(where: Servers, *modules: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """`python -m MODULE` for each module; stopped at the end."""
    command = [sys.executable, "-m"]
    started = [subprocess.Popen([*command, name], cwd=ROOT, env=where.environment) for name in modules]
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(20)
