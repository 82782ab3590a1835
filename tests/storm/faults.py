"""What is done to the service in a storm."""

import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import redis

from ops.redis_conf import Address
from tests.e2e.stack import ROOT, Stack, descendants

PROCESSES: Final = ("web", "relay", "worker", "people-worker", "events-redis", "queue-redis")
SHORTEST_PAUSE_S: Final = 5.0
LONGEST_PAUSE_S: Final = 60.0
FULL_S: Final = 20.0
FLOOD_S: Final = 12.0
SLOW_S: Final = 15.0
SLOW_ADDRESS: Final = "127.0.0.2"
"""Where slow clients come from: not where people do."""

DISK_BYTES: Final = 1 << 30


class Scale(NamedTuple):
    """How much of a fault there is, against what is meant for ten minutes."""

    longest_pause_s: float = LONGEST_PAUSE_S
    shortest_pause_s: float = SHORTEST_PAUSE_S
    full_s: float = FULL_S
    flood_s: float = FLOOD_S
    slow_s: float = SLOW_S
    slow_clients: int = 100


class Done(NamedTuple):
    """A fault that was brought about. Times are those of `time.monotonic`."""

    name: str
    what: str
    began_s: float
    ended_s: float
    is_outage: bool
    """Whether the service may be away meanwhile; where it may not, it has to answer as ever."""


class Faults:
    """The faults that can be brought about on a service."""

    def __init__(self, stack: Stack, scale: Scale, dice: random.Random, over: threading.Event) -> None:
        self._stack = stack
        self._scale = scale
        self._dice = dice
        self._over = over
        self._floods = 0
        self.may_fill = False
        """Whether the data directory is on a disk of its own."""

    def bring_about(self, name: str) -> Done:
        """Returns when the fault is over; the service may still be on its way back."""
        began_s = time.monotonic()
        what = _FAULTS[name](self)
        return Done(name, what, began_s, time.monotonic(), name in OUTAGES)

    def _kill(self) -> str:
        """kill -9 of one process of the service.

        What it has started may answer a little longer, until it is ended, too: so long the fault lasts.
        """
        name, pid = self._any_process()
        with ExitStack() as opened:
            watches = []
            for one in (pid, *descendants(pid)):
                with suppress(ProcessLookupError):
                    if os.getpgid(one) == os.getpgid(pid):
                        watches.append(opened.enter_context(_watch(one)))
            _signal(pid, signal.SIGKILL)
            for watch in watches:
                select.select([watch], [], [])
        return f"{name} {pid}"

    def _keeper(self) -> str:
        """kill -9 of something that the runner has started beside the processes of the service."""
        served = {pid for name in PROCESSES for pid in self._stack.find(name)}
        others = [pid for pid in descendants(self._stack.runner) if pid not in served]
        if not others:
            return "there are none"
        pid = self._dice.choice(others)
        words = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        _signal(pid, signal.SIGKILL)
        return f"{words} {pid}"

    def _pause(self) -> str:
        """SIGSTOP to one process; it may go on later, if nobody has replaced it."""
        name, pid = self._any_process()
        seconds = self._dice.uniform(self._scale.shortest_pause_s, self._scale.longest_pause_s)
        began_s = time.monotonic()
        with suppress(ProcessLookupError):
            with _watch(pid) as watch:
                _signal(pid, signal.SIGSTOP)
                is_gone = bool(select.select([watch], [], [], seconds)[0])
            if is_gone:
                return f"{name} {pid}, replaced after {time.monotonic() - began_s:.1f} s"
            _signal(pid, signal.SIGCONT)
        return f"{name} {pid} for {time.monotonic() - began_s:.1f} s"

    def _any_process(self) -> tuple[str, int]:
        while True:
            name = self._dice.choice(PROCESSES)
            if pids := self._stack.find(name):
                return name, self._dice.choice(pids)
            if self._over.wait(0.05):
                raise SystemExit

    def _disk(self) -> str:
        """No byte more fits on the disk."""
        path = self._stack.var_dir / "filler"
        with _filled(path):
            self._over.wait(self._scale.full_s)
        return f"full for {self._scale.full_s:.0f} s"

    def _slow(self) -> str:
        """Clients that send half a head or half a body, and some that say nothing."""
        with ExitStack() as opened:
            count = 0
            for sent in (_HALF_A_HEAD, _HALF_A_BODY, b"", b""):
                for _ in range(self._scale.slow_clients):
                    with suppress(OSError):
                        address = ("127.0.0.1", self._stack.port)
                        client = socket.create_connection(address, 5, source_address=(SLOW_ADDRESS, 0))
                        opened.enter_context(client)
                        client.sendall(sent)
                        count += 1
            self._over.wait(self._scale.slow_s)
        return f"{count} clients for {self._scale.slow_s:.0f} s"

    def _flood(self) -> str:
        """Matches of built-in players, as many as can be had."""
        self._floods += 1
        words = [str(self._stack.port), str(self._scale.flood_s), f"flood-{os.getpid()}-{self._floods}"]
        command = [sys.executable, "-m", "tests.storm.flood", *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() or done.stderr[-500:]

    def _wipe(self) -> str:
        """The queue's server loses everything."""
        address = json.loads((self._stack.var_dir / "redis" / "queue" / "server.json").read_text())
        with suppress(redis.RedisError), redis.Redis.from_url(Address(**address).admin_url) as admin:
            admin.flushall()
        return ""


_HALF_A_HEAD: Final = b"GET /v1/rulesets HTTP/1.1\r\nHost: localhost\r\nAccep"
_HALF_A_BODY: Final = (
    b"POST /v1/accounts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b'Content-Length: 100\r\n\r\n{"handle": '
)

_FAULTS: Final[dict[str, Callable[[Faults], str]]] = {
    "kill": Faults._kill,
    "keeper": Faults._keeper,
    "pause": Faults._pause,
    "disk": Faults._disk,
    "slow": Faults._slow,
    "flood": Faults._flood,
    "wipe": Faults._wipe,
}

NAMES: Final = tuple(_FAULTS)

OUTAGES: Final = ("kill", "keeper", "pause", "disk", "wipe")
"""While these last, and until the service is back, nobody can expect an answer; the others are no excuse."""


@contextmanager
def _filled(path: Path) -> Iterator[None]:
    """The file takes all that is left on its disk."""
    with path.open("wb") as file:
        size, step = 0, 1 << 24
        while step >= 4096:
            try:
                os.posix_fallocate(file.fileno(), size, step)
                size += step
            except OSError:
                step //= 2
        try:
            yield
        finally:
            path.unlink()


@contextmanager
def _watch(pid: int) -> Iterator[int]:
    """A descriptor that becomes readable when the process has ended."""
    watch = os.pidfd_open(pid)
    try:
        yield watch
    finally:
        os.close(watch)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


@contextmanager
def small_disk(directory: Path, size: int = DISK_BYTES) -> Iterator[bool]:
    """Mount a disk of that many bytes there, if this user may; whether it was."""
    directory.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(directory)]
    try:
        is_mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        is_mounted = False
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(directory)], capture_output=True, check=False)
