"""The lifetime of processes: which ones run, and jobs that end with their worker.

RQ forks each job into its own process group, so killing the worker's group misses the job. Left alone, the
job would continue beside the next worker and keep its files and sockets open.
"""

import ctypes
import os
import secrets
import signal
import socket
import sys
from functools import cache, partial
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
"""From linux/prctl.h."""


@cache
def machine() -> str:
    """A name for the processes that share a process id space: host name and PID namespace."""
    try:
        return f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:  # anything but Linux
        return socket.gethostname()


def lives(pid: int) -> bool:
    """Whether a process with that id runs on this machine."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def token_of(pid: int | None = None) -> str:
    """A new token for what a process (by default this one) holds; `is_of_dead` recognises it."""
    return f"{pid or os.getpid()} {secrets.token_hex(8)} {machine()}"


def is_of_dead(token: str) -> bool:
    """Whether the token is of a process of this machine that no longer runs."""
    pid, _, where = token.partition(" ")
    return where.endswith(f" {machine()}") and not lives(int(pid))


def tie_children() -> None:
    """Have the kernel kill all children that this process forks from now on when this process ends.

    A child of such a child would be killed at once. Does nothing on systems other than Linux.
    """
    if sys.platform == "linux":
        os.register_at_fork(after_in_child=partial(_die_with, os.getpid()))


def _die_with(parent_id: int) -> None:
    """Die with the thread of the parent that forked, which for RQ is the main thread."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_id:  # the parent ended before prctl was called
        os._exit(1)
