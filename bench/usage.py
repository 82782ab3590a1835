"""Who uses the processors meanwhile, from /proc: CPU time by process, and how long workers are without a job.

Where there is no /proc everything is 0.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

LOOK_S: Final = 0.02
"""Between two looks at what the workers have forked."""


class Usage(Struct):
    """What was used between the beginning and the end of `watched`, in seconds."""

    took_s: float = 0.0
    cpu_s: dict[str, float] = {}
    """By group: of its processes and of all that they have forked."""
    machine_s: float = 0.0
    """CPU time of everything on the machine, those groups included."""
    workers: int = 0
    jobs: int = 0
    """Processes that the workers have forked."""
    no_job_s: float = 0.0
    """How long there was none, all workers together."""

    def cores(self) -> str:
        """How many cores each group kept busy, and all on the machine."""
        ours = [f"{group} {used / self.took_s:.2f}" for group, used in self.cpu_s.items()]
        machine = f"everything {self.machine_s / self.took_s:.2f} of {os.cpu_count()}"
        return "cores busy: " + ", ".join([*ours, machine])


@contextlib.contextmanager
def watched(groups: Mapping[str, Sequence[int]], workers: Sequence[int]) -> Iterator[Usage]:
    """Watch groups of processes, and the jobs of some: each job is a process that a worker forks."""
    usage, ended = Usage(workers=len(workers)), threading.Event()
    before = {group: _group_s(pids) for group, pids in groups.items()}
    machine_s, begun_s = _machine_s(), time.perf_counter()
    thread = threading.Thread(target=_look, args=(workers, usage, ended), daemon=True)
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
    """CPU time up to now of the process and of all that it has forked, those that ended included."""
    return _ticks(pid) / os.sysconf("SC_CLK_TCK") + sum([cpu_s(child) for child in _children(pid)])


def resident_bytes(pid: int) -> int:
    """Memory that the process and all that it has forked hold; pages that they share count for each."""
    with contextlib.suppress(OSError):
        own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return own + sum([resident_bytes(child) for child in _children(pid)])
    return 0


def _group_s(pids: Sequence[int]) -> float:
    """As `cpu_s`; of this process what it has forked does not count: that is everything."""
    return sum([time.process_time() if pid == os.getpid() else cpu_s(pid) for pid in pids])


def _look(workers: Sequence[int], usage: Usage, ended: threading.Event) -> None:
    """Add up for how long the workers have no child, until it is over."""
    seen: set[int] = set()
    last_s = time.perf_counter()
    while not ended.wait(LOOK_S):
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
    """User and system time of the process, and of its children that it has waited for."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum([int(field) for field in fields[11:15]])
    return 0


def _machine_s() -> float:
    """CPU time of all cores, but that in which they had nothing to do or waited for a disk."""
    with contextlib.suppress(OSError):
        user, nice, system, _, _, *interrupts = Path("/proc/stat").read_text().split("\n")[0].split()[1:8]
        return sum(map(int, [user, nice, system, *interrupts])) / os.sysconf("SC_CLK_TCK")
    return 0.0
