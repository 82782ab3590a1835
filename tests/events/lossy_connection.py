"""A connection to a Redis server that loses calls or replies."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit


class LossyConnection:
    """A connection to the server that loses calls of scripts, or the replies to them, when told to."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = url.replace(f":{parts.port}/", f":{self._listener.getsockname()[1]}/")
        self.calls_to_lose = 0
        self.replies_to_lose = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        """Commands are small and come one at a time: each arrives in one piece, as does its reply."""
        with client, socket.create_connection(self._server) as server:
            while command := client.recv(1 << 20):
                is_call = b"EVALSHA" in command
                if is_call and self.calls_to_lose:
                    self.calls_to_lose -= 1
                    return
                server.sendall(command)
                reply = server.recv(1 << 20)
                if is_call and self.replies_to_lose:
                    self.replies_to_lose -= 1
                    return
                client.sendall(reply)
