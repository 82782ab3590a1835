"""The log on standard output, as JSON or text. Request lines have no token, no body and no query."""

import logging
import sys
from contextlib import suppress
from typing import Any, BinaryIO, Final, cast

import msgspec
import structlog

from runtime.log_text import as_text
from runtime.settings import LogFormat

_FAULT: Final = 500
"""The status of a fault of the service."""


def configure(
    level: str = "INFO",
    output: BinaryIO | None = None,
    log_format: LogFormat = "json",
    has_requests: bool = True,
) -> None:
    """Write lines of the level and above; loggers already in use do not change.

    Without `has_requests`, only requests that failed through a fault of the service have a line.
    """
    structlog.configure(
        processors=[
            *([] if has_requests else [_only_faults]),
            structlog.processors.add_log_level,
            *_RENDERERS[log_format],
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level)),
        logger_factory=structlog.BytesLoggerFactory(cast(BinaryIO, _Output(output or sys.stdout.buffer))),
        cache_logger_on_first_use=True,
    )


class _Output:
    """Drops lines that cannot be written, as when the reader is gone: logging must not fail a request."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, line: bytes) -> None:
        with suppress(OSError):
            self._file.write(line)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()


def _only_faults(logger: Any, method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    if event["event"] == "request" and event["status"] != _FAULT and "traceback" not in event:
        raise structlog.DropEvent
    return event


def _encode(event: Any, **options: Any) -> bytes:
    return msgspec.json.encode(event)


def _text(logger: Any, method: str, event: structlog.typing.EventDict) -> bytes:
    return as_text(logger, method, event).encode()


_RENDERERS: Final[dict[LogFormat, list[structlog.typing.Processor]]] = {
    "json": [
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        structlog.processors.JSONRenderer(serializer=_encode),
    ],
    "text": [_text],
}
