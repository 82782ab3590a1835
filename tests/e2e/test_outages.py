"""A full disk and hung processes: the service comes back by itself, and what was acknowledged stays."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.stack import running, wait_until
from tests.e2e.underway import in_the_middle_of_play

MORE_THAN_A_MOMENT = 7
"""As often the events server may try in vain to start; pauses between that add up to about ten seconds."""
BLOCK = bytes(4096)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, which only root may make."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", tmp_path],
        capture_output=True,
        check=False,
        text=True,
    )
    if mounted.returncode:
        pytest.skip(f"no file system could be made that may be filled: {mounted.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


def fill(disk: Path, is_enough: Callable[[], bool]) -> None:
    """Let nothing more fit on the disk, whatever others give back, until something has come about."""
    with open(disk / "ballast", "wb", buffering=0) as ballast:

        def is_enough_when_full() -> bool:
            with suppress(OSError):
                while True:
                    ballast.write(BLOCK)
            return is_enough()

        wait_until(is_enough_when_full)
    (disk / "ballast").unlink()


@pytest.mark.long
def test_the_service_comes_back_by_itself_when_a_full_disk_has_space_again(small_disk: Path) -> None:
    def has_ended_often() -> bool:
        return sum("events-redis exited with code 1" in line for line in stack.output) >= MORE_THAN_A_MOMENT

    with running(small_disk / "var") as stack, in_the_middle_of_play(stack):
        fill(small_disk, has_ended_often)


@pytest.mark.long
def test_hung_processes_are_replaced(tmp_path: Path) -> None:
    names = ["events-redis", "queue-redis", "web", "relay", "worker", "people-worker", "webhook-worker"]
    with (
        running(tmp_path / "var", WATCHDOG_S="15") as stack,
        in_the_middle_of_play(stack) as underway,
        underway.held(),
    ):
        hung = {name: stack.find(name)[0] for name in names}
        for pid in hung.values():
            os.kill(pid, signal.SIGSTOP)
        for name, pid in hung.items():
            wait_until(lambda name=name, pid=pid: pid not in stack.find(name)[:1])  # type: ignore[misc]
            wait_until(lambda name=name: stack.find(name))  # type: ignore[misc]
        assert sum("sent no heartbeat" in line for line in stack.output) == len(names), stack.tail()
