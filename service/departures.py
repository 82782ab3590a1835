"""How a view leaves its thread before its answer is complete; for servers that say that they understand.

They are not `Exception`s: for everything between the view and the server, nothing has gone wrong.
"""

import socket
from collections.abc import Callable, Mapping
from typing import Final

from events.watch import Bell

HAND_OVER: Final = "machi.hand_over"
"""In the environment: true if the server understands `Departed`."""


CLOSE: Final = "machi.close"
"""In the environment, with `HAND_OVER`: has the head say that the connection ends with the answer."""


class Departed(BaseException):
    """The thread is free, and the connection stays open."""


class HandedOver(Departed):
    """The head of the answer is out, and the rest goes out without the server."""

    def __init__(self, take: Callable[[socket.socket], None]) -> None:
        """`take` gets the connection, for good."""
        super().__init__("the connection has another owner now")
        self.take: Final = take


class Parked(Departed):
    """The request is to be handled once more when the bell rings or its time is over."""

    def __init__(self, bell: Bell, deadline_s: float, kept: Mapping[str, object]) -> None:
        """`deadline_s` is a time of the monotonic clock. `kept` goes into the environment the next time."""
        super().__init__("the request waits")
        self.bell: Final = bell
        self.deadline_s: Final = deadline_s
        self.kept: Final = kept
