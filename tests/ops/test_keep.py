import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import pytest

from ops import keep
from ops.servers import Server

DEADLINE_S = 20

# Ends on SIGTERM with code 0 and says so.
# Blocked and waited for, the signal cannot come at a wrong moment.
POLITE = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.write(1, b"working\\n")
signal.sigwait([signal.SIGTERM])
os.write(1, b"leaving\\n")
"""


class KeptCommand:
    """A keeper under test and the lines it and its command print."""

    def __init__(self, code: str, *options: str, **environ: str) -> None:
        command = [sys.executable, "-m", "ops.keep", *options, "job", "--", sys.executable, "-c", code]
        self.process = subprocess.Popen(
            command,
            env={**os.environ, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines: Queue[str] = Queue()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line.rstrip())

    def expect(self, pattern: str) -> re.Match[str]:
        """The next line that matches; fails when none comes in time."""
        while True:
            try:
                line = self._lines.get(timeout=DEADLINE_S)
            except Empty:
                raise AssertionError(f"no line matching {pattern!r}") from None
            if found := re.search(pattern, line):
                return found

    def rest(self) -> list[str]:
        """The lines not yet expected, after the end of the output."""
        self._reader.join(DEADLINE_S)
        return list(self._lines.queue)

    def close(self) -> None:
        """Leave no process and no open pipe."""
        self.process.kill()
        self.process.wait()
        self._reader.join(DEADLINE_S)
        assert self.process.stdout
        self.process.stdout.close()


@pytest.fixture
def kept() -> Iterator[Callable[..., KeptCommand]]:
    commands: list[KeptCommand] = []

    def start(code: str, *options: str, **environ: str) -> KeptCommand:
        commands.append(KeptCommand(code, *options, **environ))
        return commands[-1]

    yield start
    for command in commands:
        command.close()


def test_a_killed_command_is_started_again(kept: Callable[..., KeptCommand]) -> None:
    job = kept(POLITE)
    first_pid = int(job.expect(r"^job is up \(pid (\d+)\)$")[1])
    os.kill(first_pid, signal.SIGKILL)
    assert int(job.expect(r"^job is up \(pid (\d+)\)$")[1]) != first_pid


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_passed_on_and_ends_both(
    signal_number: signal.Signals, kept: Callable[..., KeptCommand]
) -> None:
    job = kept(POLITE.replace("SIGTERM", signal_number.name))
    job.expect("working")
    job.process.send_signal(signal_number)
    assert job.process.wait(DEADLINE_S) == 0
    assert job.rest() == ["leaving"]


def test_a_signal_during_the_pause_ends_the_keeper(kept: Callable[..., KeptCommand]) -> None:
    job = kept("")
    job.expect("next start in")
    job.process.send_signal(signal.SIGTERM)
    assert job.process.wait(DEADLINE_S) == 0


def test_a_crash_loop_is_given_up(kept: Callable[..., KeptCommand]) -> None:
    job = kept("raise SystemExit(3)")
    assert job.process.wait(DEADLINE_S) == 1
    lines = job.rest()
    assert sum("is up" in line for line in lines) == 5
    assert lines[-1] == "job ended 5 times within a second of its start: giving up"


def test_a_command_with_a_wrong_setting_is_not_started_again(kept: Callable[..., KeptCommand]) -> None:
    job = kept("import os; raise SystemExit(os.EX_CONFIG)")
    assert job.process.wait(DEADLINE_S) == os.EX_CONFIG
    assert sum("is up" in line for line in job.rest()) == 1


def test_a_command_that_does_not_exist_is_one_line() -> None:
    command = [sys.executable, "-m", "ops.keep", "job", "--", "/no/such/command"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=DEADLINE_S)
    assert ended.returncode == 1
    assert re.fullmatch(r"job cannot be started: .*/no/such/command'\n", ended.stderr)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_the_command_dies_with_a_killed_keeper(kept: Callable[..., KeptCommand]) -> None:
    job = kept(POLITE)
    job.expect("working")
    job.process.kill()
    assert job.rest() == []  # the output ends only when the command is gone too


def test_the_keeper_ends_when_its_runner_is_gone(kept: Callable[..., KeptCommand]) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as runner:
        job = kept(POLITE, **{keep.RUN_PID: str(runner.pid)})
        job.expect("working")
    assert job.process.wait(DEADLINE_S) == 0
    assert job.rest() == ["leaving"]


def test_the_last_command_outlives_the_others(kept: Callable[..., KeptCommand], tmp_path: Path) -> None:
    run = {keep.RUN_LOCK: str(tmp_path / "run.lock")}
    other, last = kept(POLITE, **run), kept(POLITE, "--last", **run)
    for job in (other, last):
        job.expect("working")
    last.process.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        last.process.wait(0.3)
    other.process.send_signal(signal.SIGTERM)
    assert last.process.wait(DEADLINE_S) == 0
    assert last.rest() == ["leaving"]


def test_a_command_that_needs_redis_waits_for_it(
    kept: Callable[..., KeptCommand], events_server: Server, queue_server: Server
) -> None:
    events_server.start()
    queue_server.kill()
    urls = {"EVENTS_REDIS_URL": events_server.url, "QUEUE_REDIS_URL": queue_server.url}
    job = kept(POLITE, "--needs-redis", **urls)
    job.expect("^job is waiting for QUEUE_REDIS_URL: .*refused")
    queue_server.start()
    job.expect("^job is up")


def test_pauses_double_up_to_five_seconds() -> None:
    pauses = [0.0]
    for _ in range(7):
        pauses.append(keep.next_pause_s(pauses[-1], uptime_s=1))
    assert pauses[1:] == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_a_steady_command_starts_again_at_once() -> None:
    assert keep.next_pause_s(5.0, uptime_s=30) == 0.2
