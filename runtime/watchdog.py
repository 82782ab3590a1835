"""Watchdog notifications to the supervisor of this process, by the protocol of systemd's `sd_notify(3)`.

Call `beat` from the loop that does the work, so that a hang of the loop stops the notifications. This is
apart from `runtime.heartbeat` because it needs no Redis.
"""

import socket
import time
from contextlib import suppress
from typing import Final

PAUSE_S: Final = 1.0
"""`beat` sends at most one notification in this time."""
_MESSAGE: Final = b"READY=1\nWATCHDOG=1"


class Watchdog:
    """Notifies the supervisor; does nothing without one."""

    def __init__(self, address: str) -> None:
        """`address` is the value of NOTIFY_SOCKET; empty without a supervisor."""
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self._sent_s = float("-inf")

    def beat(self) -> None:
        """Notify the supervisor that the loop runs. Never blocks and never raises."""
        now_s = time.monotonic()
        if not self._address or now_s - self._sent_s < PAUSE_S:
            return
        self._sent_s = now_s
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notes:
            notes.setblocking(False)
            notes.sendto(_MESSAGE, self._address)
