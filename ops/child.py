"""One process of a run: restarted whenever it exits, and killed if it hangs.

Every process sends WATCHDOG=1 to NOTIFY_SOCKET as a heartbeat, like `sd_notify(3)`; a Redis server is probed.
"""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ops.console import Console
from ops.lifetime import die_with_parent

FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 5.0
STEADY_AFTER_S: Final = 10.0
"""A process that has run for this long is restarted after the first pause again."""
START_S: Final = 120.0
"""Time limit of the first heartbeat."""
STOP_S: Final = 10.0
"""Time between SIGTERM and SIGKILL."""
LONGEST_LINE: Final = 65_536

BEAT: Final = b"WATCHDOG=1"
_WORKING: Final = b"READY=1\n" + BEAT


def next_pause_s(last_pause_s: float, uptime_s: float) -> float:
    """The pause before the next start; a last pause of 0 means that there was none."""
    if last_pause_s == 0 or uptime_s >= STEADY_AFTER_S:
        return FIRST_PAUSE_S
    return min(last_pause_s * 2, LONGEST_PAUSE_S)


def send_beat(address: str) -> None:
    """Tell whoever supervises this process, at the address in its NOTIFY_SOCKET, that it works."""
    if address.startswith("@"):
        address = f"\0{address[1:]}"
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notes:
        notes.setblocking(False)
        notes.sendto(_WORKING, address)


class Child:
    """A command with its output and its heartbeats. All times are of the monotonic clock."""

    def __init__(
        self,
        name: str,
        command: str,
        environ: Mapping[str, str],
        directory: Path,
        console: Console,
        silence_s: float,
        files: Sequence[int] = (),
    ) -> None:
        """A process hangs if it sends no heartbeat for `silence_s`, or none in its first `START_S`.

        It inherits the file descriptors in `files`.
        """
        self.name = name
        self._silence_s = silence_s
        self._command = command
        self._directory = directory
        self._console = console
        self._files = files
        self.notes, address = _open_notes()
        """A socket that becomes readable when the process has sent a heartbeat."""
        self._given = environ
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

    def successor(self) -> "Child":
        """The same command anew, to take over from this process."""
        return Child(
            self.name,
            self._command,
            self._given,
            self._directory,
            self._console,
            self._silence_s,
            self._files,
        )

    @property
    def is_up(self) -> bool:
        """Whether there is a process, even if it hangs."""
        return self._process is not None

    @property
    def is_working(self) -> bool:
        """Whether the process has sent a heartbeat."""
        return self.is_up and self._was_heard

    def start(self, now: float) -> None:
        """Start the command; if that fails, treat it as one that exited at once."""
        parent_pid = os.getpid()
        try:
            # Its own process group: Ctrl-C must not reach it, because the run decides the order of stopping.
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", f"exec {self._command}"],
                cwd=self._directory,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=self._output_end,
                stderr=self._output_end,
                process_group=0,
                pass_fds=self._files,
                preexec_fn=lambda: die_with_parent(parent_pid),
            )
        except OSError as error:
            self._plan(now, f"could not be started: {error}", 0.0)
            return
        self._started_at = self._heard_at = now
        self._was_heard = False
        self._console.say(f"{self.name} started (pid {self._process.pid})")

    def ended(self, now: float) -> int | None:
        """The exit code if the process has exited since the last call, which also plans its restart."""
        process = self._process
        if process is None or _is_running(process.pid):
            return None
        # Its own children could hold its port. Nothing reuses the group's id before `wait`.
        _signal_group(process.pid, signal.SIGKILL)
        code = process.wait()
        self._process = None
        self._read_rest()
        if code == os.EX_CONFIG:
            self._console.say(f"{self.name} rejected its settings", "error")
        elif not self._stopped_at:
            self._plan(now, f"exited with code {code}", now - self._started_at)
        return code

    def _plan(self, now: float, what: str, uptime_s: float) -> None:
        self._pause_s = next_pause_s(self._pause_s, uptime_s)
        self.starts_at = now + self._pause_s
        text = f"{self.name} {what} after {uptime_s:.1f} s; restart in {self._pause_s:.1f} s"
        self._console.say(text, "warning")

    def hear(self, now: float) -> None:
        """Record a heartbeat; the next one is due sooner than the first."""
        self._heard_at = now
        self._was_heard = True

    def forgive(self, now: float) -> None:
        """Restart the wait for a heartbeat: the delay was not the fault of the process."""
        self._heard_at = now

    def kill_if_silent(self, now: float) -> None:
        """Kill a process that hangs; it is restarted like any that has exited."""
        patience_s = self._silence_s if self._was_heard else START_S
        silent_s = now - self._heard_at
        if self._process is not None and silent_s > patience_s:
            self._console.say(f"{self.name} sent no heartbeat for {silent_s:.0f} s: killing it", "error")
            self._heard_at = now
            _signal_group(self._process.pid, signal.SIGKILL)

    def stop(self, now: float) -> None:
        """Send SIGTERM on the first call, and SIGKILL after the time limit."""
        assert self._process is not None
        if not self._stopped_at:
            self._stopped_at = now
            self._process.send_signal(signal.SIGTERM)
        elif now - self._stopped_at > STOP_S:
            self._stopped_at = now
            self._console.say(f"{self.name} did not stop within {STOP_S:.0f} s: killing it", "warning")
            _signal_group(self._process.pid, signal.SIGKILL)

    def read_notes(self, now: float) -> None:
        """Read what has arrived on the socket."""
        with contextlib.suppress(BlockingIOError):
            while True:
                if BEAT in self.notes.recv(4096).split(b"\n"):
                    self.hear(now)

    def read_output(self) -> bool:
        """Pass on the lines printed since the last call; return whether there were any."""
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
        """Pass on all remaining output of a process that has exited."""
        while self.read_output():
            pass
        if self._unfinished:
            self._console.pass_on(self.name, self._unfinished)
            self._unfinished = b""

    def close(self) -> None:
        """Close the descriptors; the process has exited."""
        self.notes.close()
        for end in (self.output, self._output_end):
            os.close(end)


def _open_notes() -> tuple[socket.socket, str]:
    """A socket for heartbeats, and its address for NOTIFY_SOCKET."""
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
    """Whether a child of this process runs; one that has exited is left to be waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def _signal_group(pid: int, signal_number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal_number)
