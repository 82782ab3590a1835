"""What the benchmarks tell of the processors, held to processes that do a known amount of work."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.figures import loops_per_second
from bench.usage import cpu_s, watched

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")

# More than is asked for: /proc counts user and system time of each process in whole ticks of 10 ms.
BURN = "import time\nwhile time.process_time() < 0.34: pass\n"
SAY = "print('burnt', flush=True)\n"
FORKED = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {BURN + SAY + 'input()'!r}])\n"
WAITED_FOR = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BURN!r}])\n" + SAY


@contextmanager
def running(program: str) -> Iterator[int]:
    """The program, from its first line of output to the end of its input."""
    command = [sys.executable, "-c", program + "input()\n"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"burnt\n"
        yield process.pid


@pytest.mark.parametrize("program", [FORKED, WAITED_FOR], ids=["lives", "was waited for"])
def test_what_a_child_used_counts_whether_it_lives_or_was_waited_for(program: str) -> None:
    with running(program) as pid:
        assert cpu_s(pid) >= 0.3


def test_of_the_process_that_measures_its_children_do_not_count() -> None:
    with watched({"bench": [os.getpid()]}, []) as usage:
        subprocess.run([sys.executable, "-c", BURN], check=True)
    assert usage.cpu_s["bench"] < 0.2
    assert usage.machine_s > 0.25


def test_a_worker_is_without_a_job_as_long_as_it_has_no_child() -> None:
    with running(FORKED) as busy, running(WAITED_FOR) as idle, watched({}, [busy, idle]) as usage:
        loops_per_second(0.3)
    assert (usage.workers, usage.jobs) == (2, 1)
    assert 0 < usage.no_job_s <= usage.took_s
