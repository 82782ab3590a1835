"""CPU time by process and idle time of workers, from /proc; without /proc, everything is 0."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

POLL_S: Final = 0.02
"""The interval at which the children of the workers are read."""


class Usage(Struct):
    """The usage during `watched`, in seconds."""

    took_s: float = 0.0
    cpu_s: dict[str, float] = {}
    """By group: CPU time of its processes and their descendants."""
    machine_s: float = 0.0
    """CPU time of all processes on the machine, including these groups."""
    workers: int = 0
    jobs: int = 0
    """Number of processes that the workers forked."""
    no_job_s: float = 0.0
    """Time without a job, summed over all workers."""

    def cores(self) -> str:
        """The number of busy cores by group and in total, as text."""
        ours = [f"{group} {used / self.took_s:.2f}" for group, used in self.cpu_s.items()]
        machine = f"everything {self.machine_s / self.took_s:.2f} of {os.cpu_count()}"
        return "cores busy: " + ", ".join([*ours, machine])


@contextlib.contextmanager
def watched(groups: Mapping[str, Sequence[int]], workers: Sequence[int]) -> Iterator[Usage]:
    """Measure groups of processes, and the jobs of workers: each job is a process that a worker forks."""
    usage, ended = Usage(workers=len(workers)), threading.Event()
    before = {group: _group_s(pids) for group, pids in groups.items()}
    machine_s, begun_s = _machine_s(), time.perf_counter()
    thread = threading.Thread(target=_poll, args=(workers, usage, ended), daemon=True)
    thread.start()
    try:
        yield usage
    finally:
        ended.set()
        thread.join()
        usage.took_s = time.perf_counter() - begun_s
        usage.cpu_s = {group: _group_s(pids) - before[group] for group, pids in groups.items()}
        usage.machine_s = _machine_s() - machine_s


def cpu_s(pid: int) -> float:
    """CPU time of the process and its descendants until now, including ended ones, in seconds."""
    return _ticks(pid) / os.sysconf("SC_CLK_TCK") + sum([cpu_s(child) for child in _children(pid)])


def resident_bytes(pid: int) -> int:
    """Resident memory of the process and its descendants in bytes; shared pages count for each."""
    with contextlib.suppress(OSError):
        own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return own + sum([resident_bytes(child) for child in _children(pid)])
    return 0


def _group_s(pids: Sequence[int]) -> float:
    """As `cpu_s`, but without the descendants of this process, since all processes are."""
    return sum([time.process_time() if pid == os.getpid() else cpu_s(pid) for pid in pids])


def _poll(workers: Sequence[int], usage: Usage, ended: threading.Event) -> None:
    """Add up the time in which workers have no child until `ended` is set."""
    seen: set[int] = set()
    last_s = time.perf_counter()
    while not ended.wait(POLL_S):
        now_s = time.perf_counter()
        for pid in workers:
            children = _children(pid)
            seen.update(children)
            usage.no_job_s += 0.0 if children else now_s - last_s
        last_s = now_s
    usage.jobs = len(seen)


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _ticks(pid: int) -> int:
    """User and system time of the process and of children that it has waited for, in clock ticks."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum([int(field) for field in fields[11:15]])
    return 0


def _machine_s() -> float:
    """CPU time of all cores without idle and I/O wait time, in seconds."""
    with contextlib.suppress(OSError):
        user, nice, system, _, _, *interrupts = Path("/proc/stat").read_text().split("\n")[0].split()[1:8]
        return sum(map(int, [user, nice, system, *interrupts])) / os.sysconf("SC_CLK_TCK")
    return 0.0
