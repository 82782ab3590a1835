"""Reading what apps write to their log, and nothing of what others write meanwhile.

The apps of earlier tests have watchers that go on, and lose their connection when a later test kills a
server; a test that reads what was printed or logged must not find that.
"""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog
from structlog.typing import EventDict

from service.edge.logs import configure

WATCHERS: Final = "log_watcher_disconnected"


def leave_out_watchers() -> None:
    """Configure the log as it is by default, but for the lines of watchers."""
    structlog.reset_defaults()
    structlog.configure(processors=[_left_out, *structlog.get_config()["processors"]])


def _left_out(logger: object, method: str, event: EventDict) -> EventDict:
    if event["event"] == WATCHERS:
        raise structlog.DropEvent
    return event


class Output(io.BytesIO):
    """Where a log is written to."""

    def write(self, line: Any) -> int:
        written = bytes(line)
        return len(written) if WATCHERS.encode() in written else super().write(written)


@contextmanager
def logged() -> Iterator[list[dict[str, Any]]]:
    """The lines that apps which are made inside have written by the end."""
    output = Output()
    configure("INFO", output)
    lines: list[dict[str, Any]] = []
    try:
        yield lines
    finally:
        leave_out_watchers()
        lines += [json.loads(line) for line in output.getvalue().splitlines()]
