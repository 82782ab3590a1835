"""The text format of the log; web processes and workers render with it, and set up the log differently."""

import sys
from typing import Any, Final

import structlog

_RENDERER: Final = structlog.dev.ConsoleRenderer(
    colors=sys.stdout.isatty(), pad_event_to=0, pad_level=False, timestamp_key="time"
)
_CLOCK: Final = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False, key="time")


def as_text(logger: Any, method: str, event: structlog.typing.EventDict) -> str:
    """The event as one line, followed by the traceback if it has one."""
    event = _CLOCK(logger, method, event)
    if "traceback" in event:
        event["exception"] = event.pop("traceback")
    return _RENDERER(logger, method, event).rstrip()
