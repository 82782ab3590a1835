"""A place for each process that counts: a number that no other living process has.

The kernel takes it back when the process ends, however it ends, so there are never more places than there
were processes at the same time, and the next one goes on with the counts that lie there.
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
"""Of the files in which prometheus_client counts; the number of a place follows."""
_SIZE: Final = 65_536
"""Of a new file in bytes; it grows when there is more to count."""


class Place:
    """The number of this process; a forked child takes one of its own when it first asks."""

    def __init__(self, directory: Path) -> None:
        """The directory is made when a place is taken."""
        self._directory = directory
        self._process_id = 0
        self._number = 0
        self._lock = -1

    def __call__(self) -> int:
        """The number, from 1 on.

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
        self._number, self._lock = next(_free_places(self._directory))
        _forget(self._directory, self._number)
        _make_files(self._directory, self._number)
        if inherited != -1:
            os.close(inherited)


def forget_dead(directory: Path) -> None:
    """Remove what processes that are no more said of their present; what they counted stays."""
    for path in directory.glob("*.place"):
        with _held(path) as lock:
            if lock is not None:
                _forget(directory, int(path.stem))


def _free_places(directory: Path) -> Iterator[tuple[int, int]]:
    """The numbers that are free, each with the descriptor that holds it from now on."""
    for number in count(1):
        lock = _try_lock(directory / f"{number}.place")
        if lock is not None:
            yield number, lock


def _make_files(directory: Path, number: int) -> None:
    """Make the files that are not there, each at once: a scrape cannot read one that is still empty."""
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
