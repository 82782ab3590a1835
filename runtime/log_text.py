"""Log lines for a person at a terminal."""

import sys
from typing import Any, Final

import structlog

_RENDERER: Final = structlog.dev.ConsoleRenderer(
    colors=sys.stdout.isatty(), pad_event_to=0, pad_level=False, timestamp_key="time"
)
_CLOCK: Final = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False, key="time")


def as_text(logger: Any, method: str, event: structlog.typing.EventDict) -> str:
    """One line, and those of a traceback below it."""
    event = _CLOCK(logger, method, event)
    if "traceback" in event:
        event["exception"] = event.pop("traceback")
    return _RENDERER(logger, method, event).rstrip()
