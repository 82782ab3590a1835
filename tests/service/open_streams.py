"""Streams of events at the client's end."""

import json
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any

from tests.service.served import (
    Served,
)

SSE = "text/event-stream"


LINES = "application/x-ndjson"


class Stream:
    """An open stream at the client's end."""

    def __init__(self, web: Served, match_id: str, query: str = "", path: str = "", **headers: str) -> None:
        """Of the events of a match, or of what is at that path."""
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        self.connection = web.connect()
        target = f"{path or f'/v1/matches/{match_id}/events'}{query}"
        self.connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode())
        self.response = HTTPResponse(self.connection)
        self.response.begin()
        self.status = self.response.status

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *error: object) -> None:
        self.connection.close()
        self.response.close()

    def blocks(self) -> Iterator[dict[str, str]]:
        """Server-sent events as their fields, comments left out."""
        fields: dict[str, str] = {}
        while line := self.response.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif fields:
                yield fields
                fields = {}

    def lines(self) -> Iterator[dict[str, Any]]:
        """Lines of JSON, empty ones left out."""
        while line := self.response.readline():
            if line.strip():
                yield json.loads(line)
