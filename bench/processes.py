"""Temporary processes of the service: both Redis servers, a relay and workers."""

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
    """The two Redis servers."""

    events: Server
    queue: Server

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process of the service."""
        return {
            **os.environ,
            "EVENTS_REDIS_URL": self.events.url,
            "QUEUE_REDIS_URL": self.queue.url,
            "MASTER_KEYS": MASTER_KEYS,
            "SIGNING_KEYS": SIGNING_KEYS,
            "LOG_LEVEL": "WARNING",
            # The default number, so that permits come in equal slices, but in a window that no client
            # exhausts.
            "RATE_MOVES": "12000/second",
        }

    def matches(self) -> Matches:
        """The matches, with an empty cache."""
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
def running(where: Servers, *programs: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run `python -m PROGRAM` for each, a module with its arguments, until the end of the body."""
    started = [
        subprocess.Popen([sys.executable, "-m", *program.split()], cwd=ROOT, env=where.environment)
        for program in programs
    ]
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(20)
