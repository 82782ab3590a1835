"""Logs of the worker and the relay on standard error, foreign libraries' too: JSON objects, or text."""

import logging
import sys
from typing import Final

import structlog

from runtime.log_text import as_text
from runtime.settings import LogFormat

_SHARED: Final[list[structlog.typing.Processor]] = [
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
]


def configure(level: str, log_format: LogFormat = "json") -> None:
    """Log from `level` on; RQ tells of every job, so it is heard from WARNING on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                as_text if log_format == "text" else structlog.processors.JSONRenderer(),
            ],
            foreign_pre_chain=_SHARED,
        )
    )
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.getLogger("rq").setLevel(logging.WARNING)
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
