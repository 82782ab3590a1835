"""One process of a run: started again for ever, however it ends, and killed if it hangs.

Every process says WATCHDOG=1 on NOTIFY_SOCKET again and again, as `sd_notify(3)` has it; a Redis server is
asked.
"""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ops.console import Console
from ops.lifetime import die_with_parent

FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 5.0
STEADY_AFTER_S: Final = 30.0
"""A process that ran for so long is started again after the first pause."""
START_S: Final = 120.0
"""So long it may take until it is heard of first."""
STOP_S: Final = 10.0
"""From the polite signal to the one that cannot be refused."""
LONGEST_LINE: Final = 65_536

BEAT: Final = b"WATCHDOG=1"


def next_pause_s(last_pause_s: float, uptime_s: float) -> float:
    """The pause before the next start; 0 as the last one means that there was none."""
    if last_pause_s == 0 or uptime_s >= STEADY_AFTER_S:
        return FIRST_PAUSE_S
    return min(last_pause_s * 2, LONGEST_PAUSE_S)


class Child:
    """A command with what it says and its signs of life. All times are of the monotonic clock."""

    def __init__(
        self,
        name: str,
        command: str,
        environ: Mapping[str, str],
        directory: Path,
        console: Console,
        silence_s: float,
    ) -> None:
        """A process that is not heard of for `silence_s`, or in its first `START_S`, hangs."""
        self.name = name
        self._silence_s = silence_s
        self._command = command
        self._directory = directory
        self._console = console
        self.notes, address = _open_notes()
        """A socket that becomes readable when the process has sent a note."""
        self._environ = {**environ, "NOTIFY_SOCKET": address, "WATCHDOG_USEC": str(round(silence_s * 1e6))}
        self.output, self._output_end = os.pipe()
        """Becomes readable when the process has printed something."""
        os.set_blocking(self.output, False)
        self._unfinished = b""
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._heard_at = 0.0
        self._was_heard = False
        self._stopped_at = 0.0
        self._pause_s = 0.0
        self.starts_at = 0.0
        """When to start it next."""

    @property
    def is_up(self) -> bool:
        """Whether there is a process; whether it works is another question."""
        return self._process is not None

    def start(self, now: float) -> None:
        """Start the command; where that fails, it counts as one that ended at once."""
        parent_pid = os.getpid()
        try:
            # A group of its own: Ctrl-C must not reach it before the run decides who stops first.
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", f"exec {self._command}"],
                cwd=self._directory,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=self._output_end,
                stderr=self._output_end,
                process_group=0,
                preexec_fn=lambda: die_with_parent(parent_pid),
            )
        except OSError as error:
            self._plan(now, f"cannot be started: {error}", 0.0)
            return
        self._started_at = self._heard_at = now
        self._was_heard = False
        self._console.say(f"{self.name} is up (pid {self._process.pid})")

    def ended(self, now: float) -> int | None:
        """The exit code if the process has ended since the last look; its next start is planned then."""
        process = self._process
        if process is None or _is_running(process.pid):
            return None
        # What it left behind could hold its port. The group's id is its own until it is waited for.
        _signal_group(process.pid, signal.SIGKILL)
        code = process.wait()
        self._process = None
        self._read_rest()
        if code == os.EX_CONFIG:
            self._console.say(f"{self.name} cannot run with these settings", "error")
        elif not self._stopped_at:
            self._plan(now, f"ended with code {code}", now - self._started_at)
        return code

    def _plan(self, now: float, what: str, uptime_s: float) -> None:
        self._pause_s = next_pause_s(self._pause_s, uptime_s)
        self.starts_at = now + self._pause_s
        text = f"{self.name} {what} after {uptime_s:.1f} s; next start in {self._pause_s:.1f} s"
        self._console.say(text, "warning")

    def hear(self, now: float) -> None:
        """Note a sign of life; the next one is expected sooner than the first."""
        self._heard_at = now
        self._was_heard = True

    def forgive(self, now: float) -> None:
        """Begin to wait anew: the time before was not the process's fault."""
        self._heard_at = now

    def kill_if_silent(self, now: float) -> None:
        """End a process that hangs; it is started again like any that ended."""
        patience_s = self._silence_s if self._was_heard else START_S
        silent_s = now - self._heard_at
        if self._process is not None and silent_s > patience_s:
            self._console.say(f"{self.name} gave no sign of life for {silent_s:.0f} s: killing it", "error")
            self._heard_at = now
            _signal_group(self._process.pid, signal.SIGKILL)

    def stop(self, now: float) -> None:
        """Ask the process to end, at the first call; kill it when it has had its time."""
        assert self._process is not None
        if not self._stopped_at:
            self._stopped_at = now
            self._process.send_signal(signal.SIGTERM)
        elif now - self._stopped_at > STOP_S:
            self._stopped_at = now
            self._console.say(f"{self.name} did not stop within {STOP_S:.0f} s: killing it", "warning")
            _signal_group(self._process.pid, signal.SIGKILL)

    def read_notes(self, now: float) -> None:
        """Take in what has come on the socket."""
        with contextlib.suppress(BlockingIOError):
            while True:
                if BEAT in self.notes.recv(4096).split(b"\n"):
                    self.hear(now)

    def read_output(self) -> bool:
        """Pass on the lines that were printed since the last look; whether there was anything."""
        try:
            printed = os.read(self.output, LONGEST_LINE)
        except BlockingIOError:
            return False
        *lines, self._unfinished = (self._unfinished + printed).split(b"\n")
        if len(self._unfinished) > LONGEST_LINE:
            lines, self._unfinished = [*lines, self._unfinished], b""
        for line in lines:
            self._console.pass_on(self.name, line)
        return True

    def _read_rest(self) -> None:
        """Pass on all that was printed, for the process has ended."""
        while self.read_output():
            pass
        if self._unfinished:
            self._console.pass_on(self.name, self._unfinished)
            self._unfinished = b""

    def close(self) -> None:
        """Close what was opened here; the process has ended."""
        self.notes.close()
        for end in (self.output, self._output_end):
            os.close(end)


def _open_notes() -> tuple[socket.socket, str]:
    """A socket for notes and its address as NOTIFY_SOCKET has it."""
    notes = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notes.setblocking(False)
    if sys.platform == "linux":  # a name without a file: nothing to fill a disk, nothing to remove
        name = f"machi-{secrets.token_hex(16)}"
        notes.bind(f"\0{name}")
        return notes, f"@{name}"
    address = os.path.join(tempfile.mkdtemp(prefix="machi-"), "notes")
    notes.bind(address)
    return notes, address


def _is_running(pid: int) -> bool:
    """Whether a child of this process lives; one that has ended stays to be waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def _signal_group(pid: int, signal_number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal_number)
