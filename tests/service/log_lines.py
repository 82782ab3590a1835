"""Reading what apps write to their log."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog

from service.edge.logs import configure


@contextmanager
def logged() -> Iterator[list[dict[str, Any]]]:
    """The lines that apps which are made inside have written by the end."""
    output = io.BytesIO()
    configure("INFO", output)
    lines: list[dict[str, Any]] = []
    try:
        yield lines
    finally:
        structlog.reset_defaults()
        lines += [json.loads(line) for line in output.getvalue().splitlines()]
