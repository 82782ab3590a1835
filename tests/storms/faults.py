"""What is done to the service in a storm."""

import os
import random
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import redis

from ops.redis_conf import address_in
from tests.e2e.stack import ROOT, Stack, descendants, wait_until
from tests.storms.surroundings import Clock, Disk, Network, Unavailable

PROCESSES: Final = (
    "web",
    "relay",
    "worker",
    "people-worker",
    "webhook-worker",
    "events-redis",
    "queue-redis",
)
SLOW_ADDRESS: Final = "127.0.0.2"
"""Where slow clients come from: not where people do."""


class Scale(NamedTuple):
    """How much of a fault there is, against what is meant for ten minutes."""

    shortest_pause_s: float = 5.0
    longest_pause_s: float = 60.0
    full_s: float = 20.0
    frozen_s: float = 20.0
    flood_s: float = 12.0
    slow_s: float = 15.0
    cut_s: float = 12.0
    """The longest time that a process is cut off."""
    slow_clients: int = 100
    jump_s: int = 60
    """The farthest that the clock is off."""


class Done(NamedTuple):
    """A fault that was brought about. Times are those of `time.monotonic`."""

    name: str
    what: str
    began_s: float
    ended_s: float
    is_outage: bool
    """Whether the service may be away meanwhile; where it may not, it has to answer as ever."""
    echo_s: float = 0.0
    """So much later a message may arrive: lost packets are sent again after longer and longer pauses."""


class Fault(NamedTuple):
    """A kind of fault."""

    bring_about: Callable[[Any], str]
    """Of the class that has it; tells what was done."""
    is_outage: bool = True
    """Where it is none, it is no excuse for a late answer."""
    weight: int = 1
    """How often it is brought about, against others."""
    needs: str = ""
    """What it is done to: an attribute."""


class Faults:
    """The faults that can be brought about on a service."""

    def __init__(self, stack: Stack, scale: Scale, dice: random.Random, place: Path) -> None:
        """`place` is a directory for what they need. The service is not started yet."""
        self._stack = stack
        self._scale = scale
        self._dice = dice
        self._place = place
        self._floods = 0
        self._opened = ExitStack()
        self._disk: Disk | None = None
        self._network: Network | None = None
        self._clock: Clock | None = None

    @classmethod
    def kinds(cls) -> dict[str, Fault]:
        """All kinds by name."""
        return _FAULTS

    def prepare(self, names: Collection[str]) -> dict[str, str]:
        """Set up what these faults need; those that cannot be brought about here, with the reason."""
        needs = {name: self.kinds()[name].needs for name in names}
        reasons = {need: self._prepare(need) for need in sorted({*needs.values()} - {""})}
        return {name: reasons[need] for name, need in needs.items() if reasons.get(need)}

    def _prepare(self, need: str) -> str:
        try:
            if need == "disk":
                self._disk = Disk(self._stack.var_dir)
                self._opened.callback(self._disk.close)
            elif need == "network":
                self._network = Network(self._place / "network")
                self._opened.callback(self._network.close)
            else:
                self._clock = Clock(self._place / "clock")
                self._stack.settings |= self._clock.environ
        except Unavailable as error:
            return str(error)
        return ""

    def close(self) -> None:
        """Take away what was set up."""
        self._opened.close()

    def bring_about(self, name: str) -> Done:
        """Returns when the fault is over; the service may still be on its way back."""
        kind = self.kinds()[name]
        began_s = time.monotonic()
        what = kind.bring_about(self)
        ended_s = time.monotonic()
        echo_s = ended_s - began_s if kind.needs == "network" else 0.0
        return Done(name, what, began_s, ended_s, kind.is_outage, echo_s)

    def kill(self) -> str:
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

    def kill_keeper(self) -> str:
        """kill -9 of something that the runner has started beside the processes of the service."""
        served = {pid for name in PROCESSES for pid in self._stack.find(name)}
        others = [pid for pid in descendants(self._stack.runner) if pid not in served]
        if not others:
            return "there are none"
        pid = self._dice.choice(others)
        words = ""
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        _signal(pid, signal.SIGKILL)
        return f"{words} {pid}"

    def pause(self) -> str:
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
        name, pids = "", []

        def is_found() -> bool:
            nonlocal name, pids
            name = self._dice.choice(PROCESSES)
            pids = self._stack.find(name)
            return bool(pids)

        wait_until(is_found)
        return name, self._dice.choice(pids)

    def mute(self) -> str:
        """Drop all packets that a process sends: it carries out what it is asked, and cannot answer."""
        assert self._network
        name, pid = self._any_process()
        seconds = self._dice.uniform(1.0, self._scale.cut_s)
        with self._network.filters([pid, *descendants(pid)], [f"{self._network.filtered} drop"]):
            time.sleep(seconds)
        return f"{name} {pid} for {seconds:.1f} s"

    def fill_disk(self) -> str:
        """No byte more fits on the disk."""
        assert self._disk
        with self._disk.filled():
            time.sleep(self._scale.full_s)
        return f"full for {self._scale.full_s:.0f} s"

    def freeze_disk(self) -> str:
        """The disk is slow: whoever writes waits, again and again."""
        assert self._disk
        end_s = time.monotonic() + self._scale.frozen_s
        longest_s = 0.0
        while time.monotonic() < end_s:
            seconds = self._dice.choice([0.05, 0.2, 0.5, 1.0, self._scale.frozen_s / 4])
            longest_s = max(longest_s, seconds)
            with self._disk.frozen():
                time.sleep(seconds)
            time.sleep(self._dice.uniform(0, 0.5))
        return f"slow for {self._scale.frozen_s:.0f} s, and for {longest_s:.1f} s at once"

    def set_clock(self) -> str:
        """The clock jumps."""
        assert self._clock
        offset_s = self._dice.randint(-self._scale.jump_s, self._scale.jump_s)
        self._clock.set(offset_s)
        return f"off by {offset_s:+} s"

    def open_slow_clients(self) -> str:
        """Clients that send half a head or half a body, and some that say nothing."""
        with ExitStack() as opened:
            count = 0
            for sent in (_HALF_A_HEAD, _HALF_A_BODY, b"", b""):
                for _ in range(self._scale.slow_clients):
                    with suppress(OSError):
                        address = ("127.0.0.1", self._dice.choice(self._stack.ports))
                        client = socket.create_connection(address, 5, source_address=(SLOW_ADDRESS, 0))
                        opened.enter_context(client)
                        client.sendall(sent)
                        count += 1
            time.sleep(self._scale.slow_s)
        return f"{count} clients for {self._scale.slow_s:.0f} s"

    def flood(self) -> str:
        """Matches of built-in players, as many as can be had."""
        self._floods += 1
        port = self._dice.choice(self._stack.ports)
        words = [str(port), str(self._scale.flood_s), f"flood-{os.getpid()}-{self._floods}"]
        command = [sys.executable, "-m", "tests.storms.flood", *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() or done.stderr[-500:]

    def wipe(self) -> str:
        """The queue's server loses everything."""
        (directory,) = self._stack.server_directories("queue")
        address = address_in(directory)
        assert address
        with suppress(redis.RedisError), redis.Redis.from_url(address.admin_url) as admin:
            admin.flushall()
        return "the queue"

    def reload(self) -> str:
        """Replace all processes one by one, as an upgrade does."""
        self._stack.reload()
        return "all processes but the servers"


_HALF_A_HEAD: Final = b"GET /v1/rulesets HTTP/1.1\r\nHost: localhost\r\nAccep"
_HALF_A_BODY: Final = (
    b"POST /v1/accounts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b'Content-Length: 100\r\n\r\n{"handle": '
)

_FAULTS: Final[dict[str, Fault]] = {
    "kill": Fault(Faults.kill, weight=6),
    "keeper": Fault(Faults.kill_keeper),
    "pause": Fault(Faults.pause, weight=2),
    "mute": Fault(Faults.mute, weight=2, needs="network"),
    "disk": Fault(Faults.fill_disk, needs="disk"),
    "slow-disk": Fault(Faults.freeze_disk, needs="disk"),
    "clock": Fault(Faults.set_clock, needs="clock"),
    "slow": Fault(Faults.open_slow_clients, is_outage=False),
    "flood": Fault(Faults.flood, is_outage=False),
    "wipe": Fault(Faults.wipe),
    "reload": Fault(Faults.reload, is_outage=False),
}


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
