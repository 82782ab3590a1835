"""A connection that is written to without waiting: what does not fit now goes out later."""

import socket
import time
from contextlib import suppress
from typing import Final

_LAST_CHUNK: Final = b"0\r\n\r\n"


class Outgoing:
    """The body of one answer on its way out; the head is out already."""

    def __init__(self, connection: socket.socket, is_chunked: bool) -> None:
        """`is_chunked` is whether the client was promised chunks."""
        connection.setblocking(False)
        self._connection: Final = connection
        self._is_chunked: Final = is_chunked
        self._waiting = bytearray()
        self._is_finishing = False
        self.is_finished = False
        """Everything is out, and the client has been told that nothing will follow."""
        self.progress_s = time.monotonic()
        """When the client last took something, or had nothing to take."""
        self.bytes_sent = 0

    def fileno(self) -> int:
        return self._connection.fileno()

    @property
    def is_clear(self) -> bool:
        """Whether everything is out."""
        return not self._waiting

    def send(self, data: bytes) -> None:
        """Send the data, or keep it until `flush`.

        Raises:
            OSError: the client is gone.
        """
        if data:
            self._waiting += b"%X\r\n%b\r\n" % (len(data), data) if self._is_chunked else data
            self.flush()

    def finish(self) -> None:
        """End the body behind what was sent.

        Raises:
            OSError: the client is gone.
        """
        self._is_finishing = True
        if self._is_chunked:
            self._waiting += _LAST_CHUNK
        self.flush()

    def flush(self) -> None:
        """Send what the connection takes now.

        Raises:
            OSError: the client is gone.
        """
        now_s = time.monotonic()
        if self._waiting:
            with suppress(BlockingIOError):
                taken = self._connection.send(self._waiting)
                del self._waiting[:taken]
                self.bytes_sent += taken
                self.progress_s = now_s
        else:
            self.progress_s = now_s
        if self._is_finishing and not self._waiting and not self.is_finished:
            self.is_finished = True
            self._connection.shutdown(socket.SHUT_WR)

    def is_gone(self) -> bool:
        """Whether the client has closed its end; what it says instead is of no interest."""
        try:
            return not self._connection.recv(4096)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def close(self) -> None:
        with suppress(OSError):
            self._connection.close()
