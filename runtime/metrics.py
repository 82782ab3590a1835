"""The Prometheus registry, and the metrics that several packages count.

With PROMETHEUS_MULTIPROC_DIR, all processes count in files of one directory, and any of them can expose the
totals. Without it, each process counts for itself. prometheus_client decides this when a metric is created,
so every metric must be created through this module.
"""

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.multiprocess import MultiProcessCollector

from runtime.process_slots import ProcessSlot, forget_dead
from runtime.settings import SettingsError, metrics_dir, refuse

REGISTRY: Final = CollectorRegistry()
"""The metrics of this process."""


def _shared_directory() -> Path | None:
    """The directory that the processes share, with a slot taken in it; None if each counts for itself.

    Raises:
        SystemExit: the directory is not writable; the error has been printed for the operator.
        OSError: its disk is full.
    """
    directory = metrics_dir(os.environ)
    if directory is None:
        values.ValueClass = values.MutexValue
        return None
    try:
        values.ValueClass = values.MultiProcessValue(ProcessSlot(directory))  # type: ignore[no-untyped-call]
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise  # a later start may find space
        refuse(SettingsError(f"PROMETHEUS_MULTIPROC_DIR cannot be used: {error}"))
    return directory


_DIRECTORY: Final = _shared_directory()
disable_created_metrics()  # type: ignore[no-untyped-call]  # files have no room for them


def counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(name, text, labels, registry=REGISTRY)


def histogram(name: str, text: str, bounds: Sequence[float], *labels: str) -> Histogram:
    """`bounds` are the upper bounds of the buckets."""
    return Histogram(name, text, labels, buckets=bounds, registry=REGISTRY)


def present(name: str, text: str) -> Gauge:
    """A gauge that is summed over all running processes."""
    return Gauge(name, text, registry=REGISTRY, multiprocess_mode="livesum")


def exposition() -> bytes:
    """All metrics since the directory was created, in Prometheus text format."""
    if _DIRECTORY is None:
        return generate_latest(REGISTRY)
    forget_dead(_DIRECTORY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(_DIRECTORY))  # type: ignore[no-untyped-call]
    return generate_latest(registry)


_COMMANDS: Final = counter(
    "machi_commands",
    "Commands of accounts, built-in players and clocks: carried out, or replayed if they had been before",
    "result",
)
CARRIED_OUT: Final = _COMMANDS.labels("carried_out")
REPLAYED: Final = _COMMANDS.labels("replayed")
EVENTS: Final = counter("machi_events_appended", "Events stored")

_MISSING: Final = counter(
    "machi_events_missing",
    "Stored events that are gone, found by the relay (log) or by a process that had cached them (cache)",
    "source",
)
MISSING_BY_LOG: Final = _MISSING.labels("log")
"""Found by the relay, which stores the heads of the streams that it has seen."""
MISSING_BY_CACHE: Final = _MISSING.labels("cache")
"""Found by a process with the match or ladder in its cache; several may count the same loss."""

LINES_MISSING: Final = counter(
    "machi_checkpoints_missing", "Lines of the checkpoint log that existed and are gone"
)

_SIGNED: Final = counter(
    "machi_checkpoints", "Checkpoints created, at the end of the match or later by the relay", "source"
)
SIGNED_AT_THE_END: Final = _SIGNED.labels("end")
"""By the process that appended the last command of the match."""
SIGNED_LATER: Final = _SIGNED.labels("relay")
NOT_SIGNED: Final = counter(
    "machi_checkpoint_failures", "Ended matches for which no checkpoint could be created"
)
"""Signing failed at the end of the match, or the match cannot be loaded at all."""
