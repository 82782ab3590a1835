"""Keep one command running: `python -m ops.keep [--needs-redis] [--last] NAME -- COMMAND...`

The command is started again, after a pause, whenever it ends on its own. SIGTERM and SIGINT
are passed on to it once, and the keeper ends with it.

--needs-redis  start only while both Redis servers answer (EVENTS_REDIS_URL, QUEUE_REDIS_URL)
--last         on a signal, let the other keepers of this run end first
"""

import argparse
import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from types import FrameType

from ops.lifetime import die_with_parent

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 5.0
STEADY_AFTER_S = 30.0
QUICK_FAILURE_S = 1.0
SILENT_WAIT_S = 2.0
QUICK_FAILURE_LIMIT = 5
STOP_DEADLINE_S = 10.0
OTHERS_DEADLINE_S = 12.0

REDIS_URLS = ("EVENTS_REDIS_URL", "QUEUE_REDIS_URL")

RUN_PID = "KEEP_RUN_PID"
"""Environment: process id of the runner; without it the keeper has no reason to go on."""

RUN_LOCK = "KEEP_RUN_LOCK"
"""Environment: a file that keepers share a lock on, so that the last ones see who is left."""


def next_pause_s(last_pause_s: float, uptime_s: float) -> float:
    """The pause before the next start; 0 as the last one means that there was none."""
    if last_pause_s == 0 or uptime_s >= STEADY_AFTER_S:
        return FIRST_PAUSE_S
    return min(last_pause_s * 2, LONGEST_PAUSE_S)


def exit_code(returncode: int, stop_signal: int) -> int:
    """The keeper's exit code: 0 if the command ended as the signal asked."""
    if returncode in (0, -stop_signal):
        return 0
    return returncode if returncode > 0 else 128 - returncode


class Keeper:
    """One command and the signals about it."""

    def __init__(self, name: str, command: list[str], *, needs_redis: bool, is_last: bool) -> None:
        self._name = name
        self._command = command
        self._needs_redis = needs_redis
        self._is_last = is_last
        self._stop_signal = 0
        self._lock = _join_run(is_shared=not is_last)
        self._wake = _wake_on_signals(self._note_signal)

    def run(self) -> int:
        """Keep the command running until a signal or a crash loop; the exit code."""
        quick_failures, pause_s = 0, 0.0
        while self._may_start():
            started_at = time.monotonic()
            returncode = self._run_once()
            if self._stop_signal:
                return exit_code(returncode, self._stop_signal)
            if returncode == os.EX_CONFIG:
                # The command has said which setting is wrong: another start would not mend it.
                return returncode
            uptime_s = time.monotonic() - started_at
            quick_failures = quick_failures + 1 if uptime_s < QUICK_FAILURE_S else 0
            if quick_failures == QUICK_FAILURE_LIMIT:
                self._say(f"ended {quick_failures} times within a second of its start: giving up")
                return 1
            pause_s = next_pause_s(pause_s, uptime_s)
            self._say(f"ended with code {returncode} after {uptime_s:.1f} s; next start in {pause_s:.1f} s")
            self._pause_full(pause_s)
        return 0

    def _may_start(self) -> bool:
        """Wait for the Redis servers if they are needed; false once a signal has come."""
        if self._needs_redis:
            self._wait_for_redis()
        return not self._stop_signal

    def _wait_for_redis(self) -> None:
        from ops.servers import ping_problem  # late: redis-py is large and few keepers need it

        # At a start of everything the servers need a moment: that is not worth a line.
        silent_until = time.monotonic() + SILENT_WAIT_S
        last_reason = None
        for name in REDIS_URLS:
            while not self._stop_signal and (reason := ping_problem(os.environ[name])):
                if reason != last_reason and time.monotonic() > silent_until:
                    self._say(f"is waiting for {name}: {reason}")
                    last_reason = reason
                self._pause_full(FIRST_PAUSE_S)

    def _run_once(self) -> int:
        keeper_pid = os.getpid()
        # A process group of its own: a signal to the keeper's group must not arrive twice.
        child = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            process_group=0,
            preexec_fn=lambda: die_with_parent(keeper_pid),
        )
        self._say(f"is up (pid {child.pid})")
        self._wait_for(child)
        # What the command left behind could hold its port or its output open.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        return child.returncode

    def _wait_for(self, child: subprocess.Popen[bytes]) -> None:
        while child.poll() is None and not self._stop_signal:
            self._pause(1)
        if child.poll() is None:
            self._wait_for_others(child)
            child.send_signal(self._stop_signal)
        deadline = time.monotonic() + STOP_DEADLINE_S
        while child.poll() is None:
            if time.monotonic() > deadline:
                self._say(f"did not stop within {STOP_DEADLINE_S:.0f} s: killing it")
                child.kill()
                child.wait()
            self._pause(0.1)

    def _wait_for_others(self, child: subprocess.Popen[bytes]) -> None:
        if not self._is_last or self._lock is None:
            return
        deadline = time.monotonic() + OTHERS_DEADLINE_S
        while child.poll() is None and not _is_unshared(self._lock) and time.monotonic() < deadline:
            self._pause(0.05)

    def _pause_full(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._stop_signal and time.monotonic() < deadline:
            self._pause(max(0, deadline - time.monotonic()))

    def _pause(self, seconds: float) -> None:
        """Sleep until the time is over or any signal comes; notice the runner's end."""
        if select.select([self._wake], [], [], seconds)[0]:
            os.read(self._wake, 64)
        if not self._stop_signal and not _is_alive(os.environ.get(RUN_PID)):
            self._stop_signal = signal.SIGTERM

    def _note_signal(self, signal_number: int, _frame: object) -> None:
        if signal_number != signal.SIGCHLD and not self._stop_signal:
            self._stop_signal = signal_number

    def _say(self, text: str) -> None:
        print(f"{self._name} {text}", flush=True)


def _join_run(is_shared: bool) -> int | None:
    path = os.environ.get(RUN_LOCK)
    if not path:
        return None
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if is_shared:
        fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def _is_unshared(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(lock, fcntl.LOCK_UN)
    return True


def _is_alive(pid: str | None) -> bool:
    try:
        os.kill(int(pid or os.getpid()), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _wake_on_signals(note: Callable[[int, FrameType | None], None]) -> int:
    """Call `note` on SIGTERM, SIGINT and SIGCHLD; the descriptor becomes readable then."""
    wake, signalled = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(signalled, False)
    signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
    for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(signal_number, note)
    return wake


def main(arguments: list[str]) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser("python -m ops.keep")
    parser.add_argument("--needs-redis", action="store_true")
    parser.add_argument("--last", action="store_true")
    parser.add_argument("name")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    if options.needs_redis and not all(os.environ.get(name) for name in REDIS_URLS):
        parser.error(f"--needs-redis: {' and '.join(REDIS_URLS)} must be set")
    keeper = Keeper(options.name, options.command, needs_redis=options.needs_redis, is_last=options.last)
    try:
        return keeper.run()
    except OSError as error:
        print(f"{options.name} cannot be started: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
