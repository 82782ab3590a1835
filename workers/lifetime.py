"""Which processes live; and jobs that end when their worker does, however that went.

RQ runs each job in a forked process with a process group of its own, so whoever kills the worker and its
group misses the job. Left alone, it would go on beside the next worker, and keep what it has open.
"""

import ctypes
import os
import signal
import socket
import sys
from functools import cache, partial
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
"""From linux/prctl.h."""


@cache
def machine() -> str:
    """Names those processes that see each other's ids: a host may have several sets of them."""
    try:
        return f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:  # anything but Linux
        return socket.gethostname()


def lives(pid: int) -> bool:
    """Whether there is a process with that id on this machine."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def tie_children() -> None:
    """Have the kernel kill whatever this process forks from now on, when this process ends.

    A child that forks in its turn would end at once. On anything but Linux this does nothing.
    """
    if sys.platform == "linux":
        os.register_at_fork(after_in_child=partial(_die_with, os.getpid()))


def _die_with(parent_id: int) -> None:
    """More exactly: when the thread of the parent ends that forked. With RQ that is the main thread."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_id:  # the parent ended before prctl was called
        os._exit(1)
