"""Tie a process's life to its parent's."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

# Loaded here, because after a fork another thread may have held the loader's lock.
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(parent_pid: int, death_signal: int = signal.SIGKILL) -> None:
    """Have the kernel signal the calling process when the thread that started it ends.

    The setting survives exec. This does nothing except on Linux.
    """
    if _LIBC is None:
        return
    _LIBC.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != parent_pid:  # the parent ended before prctl was called
        os._exit(1)
