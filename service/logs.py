"""One JSON line per request on the standard output; never a token, a body or a query."""

import logging
import sys
from typing import Any, BinaryIO

import msgspec
import structlog


def configure(level: str = "INFO", output: BinaryIO | None = None) -> None:
    """Write JSON lines from the level on; loggers that are at work already stay as they are."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
            structlog.processors.JSONRenderer(serializer=_encode),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level)),
        logger_factory=structlog.BytesLoggerFactory(output or sys.stdout.buffer),
        cache_logger_on_first_use=True,
    )


def _encode(event: Any, **options: Any) -> bytes:
    return msgspec.json.encode(event)
