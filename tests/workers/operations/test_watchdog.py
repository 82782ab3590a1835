"""Relay, worker and gunicorn's arbiter give signs of life to whoever supervises them."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.run import LEAST_WATCHDOG_S
from ops.servers import ROOT, Server
from runtime.connection import LONGEST_BLOCK_MS
from runtime.watchdog import Watchdog
from tests.service.served import MASTER_KEYS, SIGNING_KEYS, gunicorn
from tests.workers.endless_job import ENDLESS_JOB, _is_alive
from tests.workers.kit import Place, environment, wait_until
from workers.main import ANSWER_S, WORKER_TTL_S, _beats_of_loop
from workers.queue.client import CONNECT_S, RETRY_S, enqueue_turns

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
def test_a_worker_gives_signs_of_life_while_its_queue_hangs(
    place: Place, notes: Notes, queue_server: Server
) -> None:
    """No server refuses a connection here: it accepts all, and answers nothing."""
    environ = environment(place) | {"NOTIFY_SOCKET": notes.address}
    with subprocess.Popen([sys.executable, "-m", "workers.main"], cwd=ROOT, env=environ) as process:
        try:
            notes.wait_for_beats(2)
            assert queue_server.pid
            os.kill(queue_server.pid, signal.SIGSTOP)
            notes.socket.settimeout(LEAST_WATCHDOG_S)
            notes.wait_for_beats(3)
            assert process.poll() is None
        finally:
            if queue_server.pid:
                os.kill(queue_server.pid, signal.SIGCONT)
            process.terminate()


def test_a_worker_waits_for_an_answer_less_long_than_anybody_for_its_signs() -> None:
    assert LONGEST_BLOCK_MS / 1000 < ANSWER_S
    assert WORKER_TTL_S - 15 < ANSWER_S, "so long RQ blocks"
    assert CONNECT_S + ANSWER_S + RETRY_S < LEAST_WATCHDOG_S


def test_only_the_loop_of_a_worker_gives_signs_of_life_while_it_waits(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat = _beats_of_loop(Watchdog(notes.address))
    thread = threading.Thread(target=beat)
    thread.start()
    thread.join()
    with monkeypatch.context() as in_a_job:
        in_a_job.setattr(os, "getpid", lambda: 0)
        beat()
    notes.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        notes.socket.recv(4096)
    beat()
    notes.wait_for_beats(1)


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
