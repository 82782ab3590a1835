"""A slot for each process that counts metrics: a number that no other running process has.

The slot is a file lock, which the kernel releases when the process ends, however it ends. A new process takes
the lowest free slot and continues the counters in its files, so there are never more slots than there were
concurrent processes. See docs/adr/0010.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from prometheus_client.multiprocess import mark_process_dead

_KINDS: Final = ("counter", "gauge_livesum", "histogram")
"""The kinds of prometheus_client's files; the number of the slot follows in the name."""
_SIZE: Final = 65_536
"""The size of a new file in bytes; prometheus_client enlarges it when needed."""


class ProcessSlot:
    """The slot of this process; a forked child takes its own at the first call."""

    def __init__(self, directory: Path) -> None:
        """The directory is created when a slot is taken."""
        self._directory = directory
        self._process_id = 0
        self._number = 0
        self._lock = -1

    def __call__(self) -> int:
        """The number of the slot, from 1.

        Raises:
            OSError: the directory cannot be written to.
        """
        process_id = os.getpid()
        if process_id != self._process_id:
            self._move()
            self._process_id = process_id
        return self._number

    def _move(self) -> None:
        inherited = self._lock
        self._directory.mkdir(parents=True, exist_ok=True)
        self._number, self._lock = next(_free_slots(self._directory))
        _forget(self._directory, self._number)
        _make_files(self._directory, self._number)
        if inherited != -1:
            os.close(inherited)


def forget_dead(directory: Path) -> None:
    """Remove the gauges of processes that have ended; their counters stay."""
    for path in directory.glob("*.place"):
        with _held(path) as lock:
            if lock is not None:
                _forget(directory, int(path.stem))


def _free_slots(directory: Path) -> Iterator[tuple[int, int]]:
    """Free slots, each with the descriptor that now holds its lock."""
    for number in count(1):
        lock = _try_lock(directory / f"{number}.place")
        if lock is not None:
            yield number, lock


def _make_files(directory: Path, number: int) -> None:
    """Create missing files atomically, because a scrape cannot read an empty one."""
    for kind in _KINDS:
        path = directory / f"{kind}_{number}.db"
        if not path.exists():
            new = path.with_suffix(".new")
            new.write_bytes(bytes(_SIZE))
            new.replace(path)


@contextmanager
def _held(path: Path) -> Iterator[int | None]:
    lock = _try_lock(path)
    try:
        yield lock
    finally:
        if lock is not None:
            os.close(lock)


def _try_lock(path: Path) -> int | None:
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _forget(directory: Path, number: int) -> None:
    mark_process_dead(number, str(directory))  # type: ignore[no-untyped-call]  # it has no types
