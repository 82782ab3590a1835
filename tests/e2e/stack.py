"""The whole service as `make run` starts it, and the processes that it consists of, found in /proc."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import redis

from ops.redis_conf import address_in, free_port
from runtime.connection import connect

ROOT = Path(__file__).resolve().parents[2]

DEADLINE_S = 180.0
"""It only ends what hangs: a busy machine may take its time."""

PAUSE_S = 0.02

MODULES = {
    "web": "gunicorn",
    "relay": "workers.relay",
    "worker": "workers.main",
    "people-worker": "workers.main",
    "webhook-worker": "workers.main",
}
"""Of the processes of the Procfile that are Python."""
SPECIAL = {"people-worker": {"--people"}, "webhook-worker": {"--webhooks"}}
"""The flags of workers that do not do everything."""

ROOMY = {
    f"RATE_{name}": "1000000/minute"
    for name in ("MOVES", "MATCHES", "CREATIONS", "ACCOUNTS", "AUDITS", "REQUESTS", "ANONYMOUS")
} | {"ACCOUNT_MATCHES": "1000000", "ADDRESS_MATCHES": "1000000"}
"""Programs play as fast as they can, all from one address."""


def wait_until(is_so: Callable[[], object], deadline_s: float = DEADLINE_S) -> None:
    deadline = time.monotonic() + deadline_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about"
        threading.Event().wait(PAUSE_S)


def descendants(pid: int) -> list[int]:
    """Whom the process has started, and whom they have, parents before children."""
    found = []
    # Any of them may end while it is looked at.
    with suppress(OSError):
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            found += [int(child) for child in path.read_text().split()]
    return [*found, *[further for child in found for further in descendants(child)]]


def _arguments(pid: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    return []


def _has_halted(pid: int) -> bool:
    """Whether the process stands still, by SIGSTOP or for good."""
    with suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
        return state in "TZX"
    return True


def is_told_to_end(pid: int) -> bool:
    """Whether SIGINT or SIGTERM waits for a process that stands still, or the process is gone."""
    asked = 1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        waiting = [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd:", "ShdPnd:"))]
        return any(signals & asked for signals in waiting)
    return True


def _directory(pid: int) -> str:
    with suppress(OSError):
        return os.readlink(f"/proc/{pid}/cwd")
    return ""


class Stack:
    """One service with its own port and data directory; it can be started again and again."""

    module = "ops.run"

    def __init__(self, var_dir: Path, **settings: str) -> None:
        self.var_dir = var_dir
        self.settings = settings
        self.port = free_port()
        self.output: list[str] = []
        self.tokens: list[str] = []
        """Those that tests were given: nothing may print them."""

    @property
    def ports(self) -> tuple[int, ...]:
        """Where it listens: one for each node."""
        return (self.port,)

    def environment(self) -> dict[str, str]:
        """That of the runner."""
        unset = {"EVENTS_REDIS_URL": "", "QUEUE_REDIS_URL": "", "MASTER_KEYS": "", "SIGNING_KEYS": ""}
        chosen = {
            "PORT": str(self.port),
            "VAR_DIR": str(self.var_dir),
            "AI_GRACE_S": "1",
            "COMPILE_RULES": "no",
            **ROOMY,
            **self.settings,
        }
        # With MAKELEVEL the service ends when the tests do, however they end.
        return {**os.environ, **unset, **chosen, "HOST": "127.0.0.1", "MAKELEVEL": "1"}

    def start(self, awaited: str = "ready: http://") -> None:
        """Start, and wait for a line of output with these words."""
        self._runner = subprocess.Popen(
            [sys.executable, "-m", self.module],
            cwd=ROOT,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        came = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(self._runner, awaited, came))
        self._reader.start()
        assert came.wait(DEADLINE_S), self.tail()

    def _read(self, runner: subprocess.Popen[str], awaited: str, came: threading.Event) -> None:
        assert runner.stdout
        with runner.stdout as lines:
            for line in lines:
                self.output.append(line.rstrip("\n"))
                if awaited in line:
                    came.set()

    def tail(self) -> str:
        return "\n".join(self.output[-40:])

    def stop(self) -> None:
        """Press Ctrl-C and wait for the end."""
        self.interrupt()
        self.wait_for_the_end()

    def interrupt(self) -> None:
        """Press Ctrl-C: the signal goes to all that stand in the foreground."""
        os.killpg(self._runner.pid, signal.SIGINT)

    def reload(self) -> None:
        """Have all processes but the Redis servers replaced, node by node, and wait until they are."""
        done = "all processes but the Redis servers were replaced"
        for path in self.pid_files():
            before = len(self.output)
            os.kill(int(path.read_text()), signal.SIGUSR2)
            wait_until(lambda before=before: any(done in line for line in self.output[before:]))

    def wait_until_whole(self) -> None:
        """Wait until it could stand the loss of a server as well as ever."""

    def pid_files(self) -> list[Path]:
        """One for the runner of each node."""
        return [self.var_dir / "run.pid"]

    def server_directories(self, role: str) -> list[Path]:
        """The data directories of the Redis servers with that role, `events` or `queue`."""
        return [self.var_dir / "redis" / role]

    def wait_for_the_end(self) -> None:
        """Wait until all have ended as they should after Ctrl-C."""
        code = self._runner.wait(DEADLINE_S)
        assert (code, self.marked()) == (0, []), self.tail()
        self._reader.join(DEADLINE_S)
        assert not self._reader.is_alive(), "somebody holds the output"
        assert not [line for line in self.output if line.endswith("Traceback (most recent call last):")]
        self.assert_kept_secrets()

    def assert_kept_secrets(self) -> None:
        logs = [path.read_text() for path in self.var_dir.rglob("redis.log")]
        printed = "\n".join([*self.output, *logs])
        assert not [secret for secret in self.secrets() if secret in printed]

    def secrets(self) -> list[str]:
        names = ("master.key", "signing.key")
        found = [path.read_text().strip() for name in names for path in self.var_dir.rglob(name)]
        found += self.tokens
        for path in self.var_dir.rglob("server.json"):
            address = json.loads(path.read_text())
            found += [address["app_password"], address["admin_password"]]
        assert found
        assert all(found)
        return found

    def events_client(self) -> redis.Redis:
        """A client of the event store."""
        address = address_in(self.server_directories("events")[0])
        assert address
        return connect(address.url)

    def end(self) -> None:
        """Wait for the end, whatever the exit code."""
        self._runner.wait(DEADLINE_S)
        self._reader.join(DEADLINE_S)

    def kill_all(self) -> None:
        """SIGKILL to every process, as near to the same moment as can be."""
        while pids := self.marked():
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._runner.wait(DEADLINE_S)
        self._reader.join(DEADLINE_S)

    def kill_runner(self) -> None:
        """SIGKILL to the runner alone."""
        self._runner.kill()
        self._runner.wait(DEADLINE_S)

    @property
    def runner(self) -> int:
        """The process that all others come from."""
        return self._runner.pid

    @property
    def is_running(self) -> bool:
        """Whether the runner lives."""
        return self._runner.poll() is None

    def wait_until_gone(self) -> None:
        """Wait until all others have ended by themselves, after the runner."""
        try:
            wait_until(lambda: not self.marked())
        except AssertionError as error:
            left = [" ".join(_arguments(pid)) for pid in self.marked()]
            raise AssertionError(f"these live on without their runner: {left}\n{self.tail()}") from error
        self._reader.join(DEADLINE_S)

    def marked(self) -> list[int]:
        """All that was started with this data directory and lives, whoever its parent is."""
        mark = f"VAR_DIR={self.var_dir}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                entries = path.read_bytes().split(b"\0")
                if any(entry == mark or entry.startswith(mark + b"/") for entry in entries):
                    found.append(int(path.parts[2]))
        return sorted(found)

    def find(self, name: str) -> list[int]:
        """The processes of that name; the first is the parent of the others."""
        return [pid for pid in descendants(self._runner.pid) if self._is(pid, name)]

    def _is(self, pid: int, name: str) -> bool:
        if name.endswith("-redis"):
            return Path(_directory(pid)) in self.server_directories(name.removesuffix("-redis"))
        arguments = _arguments(pid)
        special = {"--people", "--webhooks"} & {*arguments}
        return arguments[1:3] == ["-m", MODULES[name]] and special == SPECIAL.get(name, set())

    @contextmanager
    def held(self, name: str) -> Iterator[list[int]]:
        """The processes of that name stand still meanwhile; which they are, parents before children."""
        halted: list[int] = []
        try:
            # Who is halted starts no further ones.
            while new := [pid for pid in self.find(name) if pid not in halted]:
                halted += new
                _signal(new, signal.SIGSTOP)
                wait_until(lambda pids=new: all(_has_halted(pid) for pid in pids))
            yield self.find(name)
        finally:
            _signal(halted, signal.SIGCONT)

    def kill(self, victim: str) -> None:
        """SIGKILL to one of `VICTIMS`; it is gone afterwards."""
        name, chosen = VICTIMS[victim]
        pids: list[int] = []

        def are_found() -> bool:
            pids[:] = self.find(name)[chosen]
            return bool(pids)

        wait_until(are_found)
        with _watched(pids) as watches:
            _signal(pids, signal.SIGKILL)
            for watch in watches:
                assert select.select([watch], [], [], DEADLINE_S)[0], "it lives on"


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@contextmanager
def _watched(pids: list[int]) -> Iterator[list[int]]:
    watches = []
    for pid in pids:
        with suppress(ProcessLookupError):
            watches.append(os.pidfd_open(pid))
    yield watches
    for watch in watches:
        os.close(watch)


FIRST, OTHERS, ALL = slice(0, 1), slice(1, 2), slice(None)

VICTIMS = {
    "the worker": ("worker", FIRST),
    "the worker's job": ("worker", OTHERS),
    "the worker with its job": ("worker", ALL),
    "the relay": ("relay", FIRST),
    "one web worker": ("web", OTHERS),
    "the web master": ("web", FIRST),
    "the events server": ("events-redis", FIRST),
    "the queue server": ("queue-redis", FIRST),
}
"""By words: the name of the processes, and which of them, the first being the parent of the others."""


@contextmanager
def running(var_dir: Path, **settings: str) -> Iterator[Stack]:
    """A service that is ready; stopped at the end, however it ends. A failure tells its last lines."""
    stack = Stack(var_dir, **settings)
    try:
        stack.start()
        yield stack
        stack.stop()
    except BaseException as error:
        error.add_note(stack.tail())
        raise
    finally:
        stack.kill_all()
