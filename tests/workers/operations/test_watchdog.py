"""Relay, worker and gunicorn's arbiter give signs of life to whoever supervises them."""

import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.servers import ROOT, Server
from runtime.watchdog import Watchdog
from tests.service.served import MASTER_KEYS, SIGNING_KEYS, gunicorn
from tests.workers.endless_job import ENDLESS_JOB, _is_alive
from tests.workers.kit import Place, environment, wait_until
from workers.queue.client import enqueue_turns

DEADLINE_S = 60.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the socket has a name without a file")


class Notes:
    """What arrives at NOTIFY_SOCKET."""

    def __init__(self) -> None:
        name = f"machi-test-{secrets.token_hex(8)}"
        self.address = f"@{name}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(f"\0{name}")
        self.socket.settimeout(DEADLINE_S)

    def wait_for_beats(self, count: int) -> None:
        while count:
            count -= b"WATCHDOG=1" in self.socket.recv(4096).split(b"\n")


@pytest.fixture
def notes() -> Iterator[Notes]:
    made = Notes()
    yield made
    made.socket.close()


@pytest.mark.long
@pytest.mark.parametrize("module", ["workers.relay", "workers.main"])
def test_relay_and_worker_give_signs_of_life_with_and_without_their_stores(
    module: str, place: Place, notes: Notes, events_server: Server, queue_server: Server
) -> None:
    environ = environment(place) | {"NOTIFY_SOCKET": notes.address}
    with subprocess.Popen([sys.executable, "-m", module], cwd=ROOT, env=environ) as process:
        try:
            notes.wait_for_beats(2)
            events_server.kill()
            queue_server.kill()
            notes.wait_for_beats(3)
        finally:
            process.terminate()
            events_server.start()
            queue_server.start()


@pytest.mark.long
def test_the_arbiter_gives_signs_of_life(tmp_path: Path, notes: Notes) -> None:
    nowhere = "redis://127.0.0.1:1/0"
    chosen = {"EVENTS_REDIS_URL": nowhere, "QUEUE_REDIS_URL": nowhere, "NOTIFY_SOCKET": notes.address}
    with gunicorn(tmp_path / "log", MASTER_KEYS=MASTER_KEYS, SIGNING_KEYS=SIGNING_KEYS, **chosen):
        notes.wait_for_beats(2)


def test_a_process_that_nobody_supervises_says_nothing(tmp_path: Path) -> None:
    Watchdog("").beat()
    Watchdog(str(tmp_path / "nobody")).beat()


def test_a_sign_is_given_once_a_second_at_most(notes: Notes) -> None:
    watchdog = Watchdog(notes.address)
    for _ in range(100):
        watchdog.beat()
    notes.wait_for_beats(1)
    notes.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        notes.socket.recv(4096)


STOPPED_JOB = f"import workers.main; workers.main.MONITORING_S = 1\n{ENDLESS_JOB}"


@pytest.mark.long
def test_a_job_that_was_stopped_is_killed(place: Place) -> None:
    """Its own time limit cannot end it: that is a signal, and a stopped process heeds none."""
    enqueue_turns(place.queue, [("mat_any", 1)], 1)
    command = [sys.executable, "-c", STOPPED_JOB]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(place), stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        job = int(worker.stdout.readline())
        os.kill(job, signal.SIGSTOP)
        wait_until(lambda: not _is_alive(job))
        assert worker.poll() is None
        worker.kill()
