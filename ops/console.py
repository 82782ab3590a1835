"""The output of a run: its own lines and those of its processes, each with the name of its writer.

A terminal gets text. Anything else gets one JSON object per line, for log collectors.
"""

import json
import os
import threading
import time
from collections import deque
from datetime import UTC, datetime
from typing import Final, Literal

Form = Literal["text", "json"]
Level = Literal["info", "warning", "error"]

MOST_BYTES: Final = 8_000_000
"""Limit of what is buffered for a slow reader; lines above it are dropped and counted."""
NAME_WIDTH: Final = 12
RUN: Final = "run"
"""The name that the run uses for its own lines."""


class Console:
    """Never blocks its callers and never fails, even if the disk is full or the reader is gone."""

    def __init__(self, output: int, form: Form) -> None:
        """`output` is a file descriptor."""
        self._output = output
        self._form = form
        self._lines: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._lost = 0
        self._is_closed = False
        self._changed = threading.Condition()
        self._writer = threading.Thread(target=self._write, daemon=True, name="console")
        self._writer.start()

    def say(self, text: str, level: Level = "info") -> None:
        """Print a line of the run itself."""
        now = datetime.now(UTC)
        if self._form == "text":
            self._add(RUN, f"{now.astimezone():%H:%M:%S} {text}".encode())
        else:
            line = {"event": text, "level": level, "time": now.isoformat().replace("+00:00", "Z")}
            self._add(RUN, json.dumps(line).encode())

    def pass_on(self, name: str, line: bytes) -> None:
        """Print a line of a process; in JSON output, a line that is not a JSON object is wrapped in one."""
        if self._form == "json" and not (line.startswith(b'{"') and line.endswith(b"}")):
            line = json.dumps({"event": line.decode(errors="replace")}).encode()
        self._add(name, line)

    def close(self, patience_s: float = 2.0) -> None:
        """Print what is buffered, as far as it is read in time."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._writer.join(patience_s)

    def _add(self, name: str, line: bytes) -> None:
        if self._form == "text":
            line = f"{name:<{NAME_WIDTH}} | ".encode() + line + b"\n"
        else:
            # A node of a cluster has named the process already.
            member = "node" if line.startswith(b'{"process":') else "process"
            line = f'{{"{member}":{json.dumps(name)},'.encode() + line[1:] + b"\n"
        with self._changed:
            if self._waiting_bytes + len(line) > MOST_BYTES:
                self._lost += 1
                return
            self._lines.append(line)
            self._waiting_bytes += len(line)
            self._changed.notify()

    def _write(self) -> None:
        while (line := self._next()) is not None:
            _write_whole(self._output, line)
            if self._lost and not self._lines:
                lost, self._lost = self._lost, 0
                self.say(f"{lost} lines were dropped: the reader of this log is too slow", "warning")

    def _next(self) -> bytes | None:
        """The next line; None if the console is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._lines or self._is_closed)
            if not self._lines:
                return None
            line = self._lines.popleft()
            self._waiting_bytes -= len(line)
            return line


def _write_whole(output: int, line: bytes) -> None:
    while line:
        try:
            line = line[os.write(output, line) :]
        except BlockingIOError:  # another process has set the shared terminal to non-blocking
            time.sleep(0.05)
        except OSError:  # the disk is full or the reader is gone: the service matters more than its log
            return
