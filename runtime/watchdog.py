"""Signs of life to whoever supervises this process, as systemd's `sd_notify(3)` has them.

A loop that gives them must be the one that does the work: a hang that stops the loop stops them too.
"""

import socket
import time
from contextlib import suppress
from typing import Final

PAUSE_S: Final = 1.0
"""A loop may turn faster: one sign in so long is enough."""
_MESSAGE: Final = b"READY=1\nWATCHDOG=1"


class Watchdog:
    """Tells the supervisor that this process works; without one it does nothing."""

    def __init__(self, address: str) -> None:
        """`address` is that of NOTIFY_SOCKET, or empty."""
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self._told_at = float("-inf")

    def beat(self) -> None:
        """Say that the loop goes round. Never waits, never fails."""
        now_s = time.monotonic()
        if not self._address or now_s - self._told_at < PAUSE_S:
            return
        self._told_at = now_s
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notes:
            notes.setblocking(False)
            notes.sendto(_MESSAGE, self._address)
