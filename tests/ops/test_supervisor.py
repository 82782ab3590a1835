import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import pytest

from ops import child
from ops.child import Child
from ops.console import Console
from ops.run import ROOT
from ops.supervisor import Supervisor

DEADLINE_S = 60

# Ends on SIGTERM with code 0 and says so.
# Blocked and waited for, the signal cannot come at a wrong moment.
POLITE = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.write(1, b"working\\n")
signal.sigwait([signal.SIGTERM])
os.write(1, b"leaving\\n")
"""

# Also sends a heartbeat once a file says that it may, and leaves another.
BEATING = """
import os, pathlib, signal, socket, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.write(1, b"begun\\n")
while not pathlib.Path({allowed!r}).exists():
    time.sleep(0.01)
os.write(1, b"working\\n")
notes = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notes.sendto(b"WATCHDOG=1", os.environ["NOTIFY_SOCKET"].replace("@", chr(0), 1))
signal.sigwait([signal.SIGTERM])
os.write(1, b"leaving\\n")
"""

STUBBORN = """
import os, signal
signal.signal(signal.SIGTERM, lambda *_: None)
os.write(1, b"working\\n")
while True:
    signal.pause()
"""

RUN = """
import json, sys
from pathlib import Path
from ops import child
from ops.child import Child
from ops.console import Console
from ops.supervisor import Supervisor

commands, stores, times = json.loads(sys.argv[1])
vars(child).update(times)
console = Console(1, "text")
children = [Child(name, command, {}, Path.cwd(), console, 30) for name, command in commands.items()]
code = Supervisor(children, stores, console).run()
console.close()
sys.exit(code)
"""


class Run:
    """A supervisor under test and the lines it and its processes print."""

    def __init__(self, codes: dict[str, str], stores: dict[str, str], times: dict[str, float]) -> None:
        """`codes` are Python programs by the name of their process."""
        commands = {name: f"{sys.executable} -c '{code}'" for name, code in codes.items()}
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, json.dumps([commands, stores, times])],
            cwd=ROOT,
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
        """The next line that matches; fails when none comes in time, whatever other lines come."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            try:
                line = self._lines.get(timeout=max(0, deadline - time.monotonic()))
            except Empty:
                raise AssertionError(f"no line matching {pattern!r}") from None
            if found := re.search(pattern, line):
                return found

    def rest(self) -> list[str]:
        """The lines not yet expected, after the end of the output, without times."""
        self._reader.join(DEADLINE_S)
        return [re.sub(r" +\| (\d\d:\d\d:\d\d )?", ": ", line) for line in self._lines.queue]

    def close(self) -> None:
        """Leave no process and no open pipe."""
        self.process.kill()
        self.process.wait()
        self._reader.join(DEADLINE_S)
        assert self.process.stdout
        self.process.stdout.close()


Start = Callable[..., Run]


@pytest.fixture
def start() -> Iterator[Start]:
    runs: list[Run] = []

    def _start(codes: dict[str, str], stores: tuple[str, ...] = (), **times: float) -> Run:
        runs.append(Run(codes, dict.fromkeys(stores, "redis://127.0.0.1:1/0"), times))
        return runs[-1]

    yield _start
    for run in runs:
        run.close()


def test_a_killed_process_is_started_again(start: Start) -> None:
    run = start({"job": POLITE})
    first_pid = int(run.expect(r"job started \(pid (\d+)\)$")[1])
    run.expect("working")
    os.kill(first_pid, signal.SIGKILL)
    run.expect("job exited with code -9 after .* restart in 0.2 s")
    assert int(run.expect(r"job started \(pid (\d+)\)$")[1]) != first_pid


def test_a_process_that_ends_at_once_is_started_again_for_ever(start: Start) -> None:
    run = start({"job": "raise SystemExit(3)", "other": POLITE}, FIRST_PAUSE_S=0.01, LONGEST_PAUSE_S=0.02)
    for _ in range(12):
        run.expect("job exited with code 3")
    run.process.send_signal(signal.SIGTERM)
    assert run.process.wait(DEADLINE_S) == 0


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_and_stores_last(signal_number: signal.Signals, start: Start) -> None:
    run = start({"store": POLITE, "job": POLITE}, stores=("store",))
    for _ in range(2):
        run.expect("working")
    run.process.send_signal(signal_number)
    assert run.process.wait(DEADLINE_S) == 0
    assert run.rest() == ["job: leaving", "store: leaving"]


def test_a_signal_during_a_pause_ends_the_run(start: Start) -> None:
    run = start({"job": ""}, FIRST_PAUSE_S=1000.0)
    run.expect("restart in 1000.0 s")
    run.process.send_signal(signal.SIGTERM)
    assert run.process.wait(DEADLINE_S) == 0


def test_a_process_that_refuses_its_settings_ends_the_run(start: Start) -> None:
    run = start({"job": 'print("error: PORT"); raise SystemExit(78)', "other": POLITE})
    assert run.process.wait(DEADLINE_S) == os.EX_CONFIG
    lines = run.rest()
    assert lines.index("job: error: PORT") < lines.index("run: job rejected its settings")
    assert sum("job started" in line for line in lines) == 1


def test_a_process_that_does_not_heed_the_signal_is_killed(start: Start) -> None:
    run = start({"job": STUBBORN}, STOP_S=0.1)
    run.expect("working")
    run.process.send_signal(signal.SIGTERM)
    run.expect("job did not stop within 0 s: killing it")
    assert run.process.wait(DEADLINE_S) == 0


def beating(allowed: Path) -> str:
    return BEATING.format(allowed=str(allowed)).replace("'", '"')


@pytest.mark.long
def test_a_reload_stops_each_process_once_its_successor_works_and_no_store(
    start: Start, tmp_path: Path
) -> None:
    allowed = tmp_path / "allowed"
    allowed.touch()
    run = start({"store": POLITE, "job": beating(allowed), "other": beating(allowed)}, stores=("store",))
    for _ in range(3):
        run.expect("working")
    allowed.unlink()
    run.process.send_signal(signal.SIGUSR2)
    run.expect(r"job started \(pid \d+\)$")
    run.expect("job .*begun")
    allowed.touch()
    for expected in ("job .*working", "job .*leaving", "other started", "other .*working", "other .*leaving"):
        run.expect(expected)
    run.expect("all processes but the Redis servers were replaced")
    run.process.send_signal(signal.SIGTERM)
    assert run.process.wait(DEADLINE_S) == 0
    assert sorted(run.rest()) == ["job: leaving", "other: leaving", "store: leaving"]


@pytest.mark.parametrize("code", [3, os.EX_CONFIG])
def test_a_successor_that_exits_leaves_the_old_process_in_place(
    code: int, start: Start, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    ends = f'import pathlib\nif pathlib.Path("{broken}").exists(): raise SystemExit({code})\n'
    run = start({"job": ends + POLITE, "other": POLITE})
    for _ in range(2):
        run.expect("working")
    broken.touch()
    run.process.send_signal(signal.SIGUSR2)
    run.expect("the new job exited before it worked; the processes not yet replaced go on")
    run.process.send_signal(signal.SIGTERM)
    assert run.process.wait(DEADLINE_S) == 0
    assert sorted(run.rest()) == ["job: leaving", "other: leaving"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_nothing_lives_on_without_its_supervisor(start: Start) -> None:
    run = start({"job": POLITE, "other": POLITE})
    watches = [os.pidfd_open(int(run.expect(r"started \(pid (\d+)\)$")[1])) for _ in range(2)]
    run.process.kill()
    for watch in watches:
        assert select.select([watch], [], [], DEADLINE_S)[0]
        os.close(watch)


def test_pauses_double_up_to_five_seconds() -> None:
    pauses = [0.0]
    for _ in range(7):
        pauses.append(child.next_pause_s(pauses[-1], uptime_s=1))
    assert pauses[1:] == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_a_steady_process_starts_again_at_once() -> None:
    assert child.next_pause_s(5.0, uptime_s=10) == 0.2


@pytest.fixture
def sleeper() -> Iterator[Child]:
    """A process that does nothing, started at the time 0; it hangs if nothing is heard of it for 30 s."""
    with open(os.devnull, "wb") as nowhere:
        console = Console(nowhere.fileno(), "text")
        made = Child("job", "sleep 1000", {"PATH": os.environ["PATH"]}, Path.cwd(), console, 30)
        made.start(0)
        yield made
        if made.is_up:
            made.stop(0)
            _ended(made)
        made.close()
        console.close()


def _ended(made: Child) -> int:
    """The exit code, once the process has ended."""
    deadline = time.monotonic() + DEADLINE_S
    while (code := made.ended(0)) is None:
        assert time.monotonic() < deadline
    return code


def test_a_process_that_was_heard_of_and_is_silent_now_is_killed(sleeper: Child) -> None:
    sleeper.hear(10)
    sleeper.kill_if_silent(40)
    assert sleeper.ended(40) is None
    sleeper.kill_if_silent(41)
    assert _ended(sleeper) == -signal.SIGKILL


def test_a_process_that_is_never_heard_of_is_killed_once_it_had_time_to_start(sleeper: Child) -> None:
    sleeper.kill_if_silent(child.START_S)
    assert sleeper.ended(120) is None
    sleeper.kill_if_silent(1 + child.START_S)
    assert _ended(sleeper) == -signal.SIGKILL


def test_the_next_process_of_one_that_hung_has_time_to_start(sleeper: Child) -> None:
    sleeper.hear(10)
    sleeper.kill_if_silent(41)
    _ended(sleeper)
    sleeper.start(50)
    sleeper.kill_if_silent(50 + child.START_S)
    assert sleeper.ended(170) is None
    sleeper.kill_if_silent(51 + child.START_S)
    assert _ended(sleeper) == -signal.SIGKILL


def test_signs_of_life_come_as_notes_of_systemd(sleeper: Child) -> None:
    address = sleeper._environ["NOTIFY_SOCKET"].replace("@", "\0")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notes:
        notes.sendto(b"READY=1", address)
        sleeper.read_notes(5)
        assert not sleeper._was_heard
        notes.sendto(b"READY=1\nWATCHDOG=1", address)
        sleeper.read_notes(6)
    assert sleeper._was_heard


def test_nobody_is_killed_because_the_supervisor_itself_was_away(sleeper: Child) -> None:
    supervisor = Supervisor([sleeper], {}, sleeper._console)
    sleeper.hear(1_000)
    supervisor._look(1_000)
    supervisor._look(1_060)
    assert sleeper.ended(1_060) is None
    for now in range(1_061, 1_090, 2):
        supervisor._look(now)
        assert sleeper.is_up
    supervisor._look(1_091)
    assert _ended(sleeper) == -signal.SIGKILL
