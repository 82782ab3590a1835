"""The start of a worker and of the relay: settings from the environment, and the log on standard error."""

import logging
import sys
from typing import Final

import structlog

from runtime.log_text import as_text
from runtime.settings import LogFormat, Settings, settings_or_exit

_SHARED: Final[list[structlog.typing.Processor]] = [
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
]


def begin(process: str) -> Settings:
    """Read the settings, and set up the log and, if they are on, traces; `process` is `relay` or `worker`.

    Raises:
        SystemExit: the settings are invalid; the error has been printed for the operator.
    """
    settings = settings_or_exit()
    _configure_log(settings.log_level, settings.log_format)
    if settings.traces:
        from workers.operations.tracing import trace_work  # its packages are installed only then

        trace_work(process)
    return settings


def _configure_log(level: str, log_format: LogFormat) -> None:
    """Log from `level` on, as JSON objects or text; libraries log through the same handler.

    RQ logs every job at INFO, so its level is WARNING.
    """
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
