"""The disk, the network and the clock that a service runs on, and what can be done to them.

Each is set up if this user may, on Linux: a disk needs `mount`, `mkfs.ext4` and `fsfreeze`, packet filters
need `nft` and the control groups `net_cls`, the clock needs a C compiler.
"""

import os
import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

DISK_BYTES: Final = 1 << 30

_MEMBERS: Final = "cgroup.procs"


class Unavailable(Exception):
    """This machine or user cannot do it; the message says why."""


def _run(*command: str | Path) -> str:
    """What the command printed. Raises: Unavailable."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Unavailable(f"there is no {command[0]}") from error
    if done.returncode:
        raise Unavailable(f"{command[0]}: {done.stderr.strip()[:200]}")
    return done.stdout


class Disk:
    """A disk of its own for a directory."""

    def __init__(self, directory: Path) -> None:
        """Raises: Unavailable."""
        directory.mkdir(parents=True, exist_ok=True)
        image = directory.with_name(directory.name + ".disk")
        with image.open("wb") as file:
            file.truncate(DISK_BYTES)
        _run("mkfs.ext4", "-q", "-m", "0", image)
        _run("mount", "-o", "loop", image, directory)
        self._directory = directory

    def close(self) -> None:
        for command in (("fsfreeze", "-u"), ("umount", "-l")):
            with suppress(Unavailable):
                _run(*command, self._directory)

    @contextmanager
    def filled(self) -> Iterator[None]:
        """No byte more fits on it meanwhile."""
        path = self._directory / "filler"
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
    def frozen(self) -> Iterator[None]:
        """Whoever writes to it waits meanwhile."""
        try:
            _run("fsfreeze", "-f", self._directory)
            yield
        finally:
            _run("fsfreeze", "-u", self._directory)


def _remove_tables_of_the_dead() -> None:
    """Remove the packet filters of storms that were killed. Raises: Unavailable."""
    for pid in re.findall(r"machi_storm_(\d+)", _run("nft", "list", "tables", "inet")):
        if not Path("/proc", pid).exists():
            _run("nft", "delete", "table", "inet", f"machi_storm_{pid}")


class Network:
    """Packet filters for chosen processes, by a control group that they are moved to."""

    def __init__(self, directory: Path) -> None:
        """`directory` is where the control groups are mounted. Raises: Unavailable."""
        self._mounted = directory
        directory.mkdir()
        _run("mount", "-t", "cgroup", "-o", "net_cls", "none", directory)
        name = f"machi-storm-{os.getpid()}"
        self._group = directory / name
        # Any number that nobody else has: these are those of a process.
        self.filtered = f"meta cgroup {0x10000 + os.getpid() % 0xFFFF}"
        """Matches what the filtered processes send."""
        self._table = name.replace("-", "_")
        try:
            self._group.mkdir()
            (self._group / "net_cls.classid").write_text(self.filtered.split()[-1])
            _remove_tables_of_the_dead()
            _run("nft", "add", "table", "inet", self._table)
            _run("nft", f"add chain inet {self._table} output {{ type filter hook output priority 0; }}")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with suppress(Unavailable):
            _run("nft", "delete", "table", "inet", self._table)
        self._move_back()
        with suppress(OSError):
            self._group.rmdir()
        with suppress(Unavailable):
            _run("umount", "-l", self._mounted)

    @contextmanager
    def filters(self, pids: Collection[int], rules: Sequence[str]) -> Iterator[None]:
        """Filter what is sent on this machine; `filtered` in a rule means what is sent by these processes."""
        try:
            for pid in pids:
                self._move(pid, self._group)
            for rule in rules:
                _run("nft", f"add rule inet {self._table} output {rule}")
            yield
        finally:
            _run("nft", "flush", "table", "inet", self._table)
            self._move_back()

    def _move_back(self) -> None:
        """Move all processes back that are filtered, and those that they have started since."""
        with suppress(OSError):
            for pid in (self._group / _MEMBERS).read_text().split():
                self._move(int(pid), self._mounted)

    def _move(self, pid: int, group: Path) -> None:
        with suppress(OSError):  # it has ended
            (group / _MEMBERS).write_text(str(pid))


class Clock:
    """The wall clock of a service; its monotonic clock goes on as ever."""

    def __init__(self, directory: Path) -> None:
        """Raises: Unavailable."""
        directory.mkdir()
        library = directory / "clock.so"
        _run("cc", "-shared", "-fPIC", "-O2", "-o", library, Path(__file__).with_name("clock.c"))
        self._file = directory / "offset"
        self._file.write_bytes(b"\0")
        self.environ = {"LD_PRELOAD": str(library), "MACHI_CLOCK": str(self._file)}
        """For the processes that are to go by it."""

    def set(self, offset_s: int) -> None:
        """Have it differ from the machine's by so much, from -128 to 127."""
        with self._file.open("r+b") as file:
            file.write(offset_s.to_bytes(1, signed=True))
