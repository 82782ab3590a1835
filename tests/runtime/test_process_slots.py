"""Places: no two living processes have the same, and the next one goes on where the last one ended."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ops.servers import ROOT
from runtime import metrics
from runtime.process_slots import ProcessSlot, forget_dead
from tests.samples import samples_in, samples_of

DEADLINE_S = 60

# Counts as often as it is told to and prints its slot; a line "fork" has a child do the same once.
COUNTING = """
import os, sys
from runtime import metrics
from runtime.process_slots import ProcessSlot
from prometheus_client import values
made = metrics.counter("made", "things", "kind").labels("a")
here = metrics.present("here", "things")
def count(times):
    made.inc(times)
    here.set(times)
    slot, = [name[8:-3] for name in os.listdir(sys.argv[1])
              if name.startswith("counter_") and f"{sys.argv[1]}/{name}" in open("/proc/self/maps").read()]
    os.write(1, f"{slot}\\n".encode())
for line in sys.stdin:
    if line == "fork\\n":
        child = os.fork()
        if child == 0:
            count(1)
            os._exit(0)
        os.waitpid(child, 0)
    else:
        count(int(line))
"""


class Counting:
    """A process that counts in a directory."""

    def __init__(self, directory: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", COUNTING, str(directory)],
            cwd=ROOT,
            env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(directory)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def count(self, what: int | str) -> str:
        """Count, and return the slot."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self, signal_number: signal.Signals) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.send_signal(signal_number)
        self.process.wait(DEADLINE_S)
        self.process.stdin.close()
        self.process.stdout.close()


@contextmanager
def counting(directory: Path) -> Iterator[Counting]:
    one = Counting(directory)
    try:
        yield one
    finally:
        one.end(signal.SIGKILL)


def test_processes_that_live_together_have_slots_of_their_own_and_one_sum(tmp_path: Path) -> None:
    with counting(tmp_path) as first, counting(tmp_path) as second:
        assert {first.count(3), second.count(4)} == {"1", "2"}
        assert samples_of(tmp_path).value("made_total", kind="a") == 7


def test_who_comes_after_a_killed_process_goes_on_with_its_counts_in_its_slot(tmp_path: Path) -> None:
    for number in range(1, 4):
        with counting(tmp_path) as one:
            assert one.count(5) == "1"
        assert samples_of(tmp_path).value("made_total") == 5 * number
    assert {path.stem.rpartition("_")[2] for path in tmp_path.iterdir()} == {"1"}


def test_children_that_are_forked_one_after_the_other_share_a_slot(tmp_path: Path) -> None:
    with counting(tmp_path) as parent:
        assert parent.count(10) == "1"
        assert [parent.count("fork") for _ in range(5)] == ["2"] * 5
        assert parent.count(10) == "1"
        assert samples_of(tmp_path).value("made_total") == 25


@pytest.mark.long
def test_what_a_process_said_of_its_present_ends_with_it(tmp_path: Path) -> None:
    with counting(tmp_path) as first, counting(tmp_path) as second:
        first.count(3)
        second.count(4)
        first.end(signal.SIGKILL)
        assert samples_of(tmp_path).value("here") == 7
        forget_dead(tmp_path)
        samples = samples_of(tmp_path)
        assert (samples.value("here"), samples.value("made_total")) == (4, 7)
        with counting(tmp_path) as third:
            third.count(1)
            assert samples_of(tmp_path).value("here") == 5


def told(directory: Path) -> str:
    """What one more process tells of all."""
    code = "from runtime import metrics; print(metrics.exposition().decode())"
    environ = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(directory)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True).stdout


@pytest.mark.long
def test_whoever_is_asked_leaves_out_what_the_dead_have_said_of_their_present(tmp_path: Path) -> None:
    with counting(tmp_path) as first, counting(tmp_path) as second, counting(tmp_path) as third:
        for one, times in ((first, 1), (second, 10), (third, 100)):
            one.count(times)
        for one in (second, third):  # the one who is asked takes one of their slots, and not the other
            one.end(signal.SIGKILL)
        assert samples_in(told(tmp_path)).value("here") == 1
        assert samples_in(told(tmp_path)).value("made_total") == 111


def test_a_directory_that_cannot_be_used_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environ = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "file")}
    ended = subprocess.run(
        [sys.executable, "-m", "workers.relay"],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == os.EX_CONFIG
    assert ended.stderr.startswith("error: PROMETHEUS_MULTIPROC_DIR cannot be used: ")
    assert ended.stderr.count("\n") == 1


def test_without_a_directory_each_process_counts_for_itself(tmp_path: Path) -> None:
    code = "from runtime import metrics; metrics.EVENTS.inc(3); print(metrics.exposition().decode())"
    environ = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": "", "PYTHONPATH": str(ROOT)}
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environ, capture_output=True, text=True, check=True
    ).stdout
    assert "machi_events_appended_total 3.0" in printed
    assert list(tmp_path.iterdir()) == []


def test_a_slot_has_its_files_before_anything_counts_in_it(tmp_path: Path) -> None:
    """Prometheus may ask at any moment, and a file that is still empty would fail the scrape."""
    assert ProcessSlot(tmp_path)() == 1
    files = list(tmp_path.glob("*.db"))
    assert len(files) == 3
    assert all(path.stat().st_size for path in files)
    assert samples_of(tmp_path).values == {}


@pytest.mark.parametrize(
    ("number", "raised"), [(errno.ENOSPC, OSError), (errno.EDQUOT, OSError), (errno.EACCES, SystemExit)]
)
def test_a_full_disk_is_no_wrong_setting(
    number: int, raised: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong setting ends the run; another start may find space."""

    def fail(path: Path, content: bytes) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(raised):
        metrics._shared_directory()
