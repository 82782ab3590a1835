"""What the processes count, for Prometheus; each package names its own metrics.

With PROMETHEUS_MULTIPROC_DIR all processes count in files that lie together, and whichever is asked tells of
all. Without it each counts for itself. prometheus_client decides that when a metric is made, so this module
comes before any.
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

from runtime.process_slots import Place, forget_dead
from runtime.settings import SettingsError, metrics_dir, refuse

REGISTRY: Final = CollectorRegistry()
"""The metrics of this process."""


def _shared_directory() -> Path | None:
    """Where the processes count together, this one in a place of its own; None if each counts for itself.

    Raises:
        SystemExit: the directory cannot be written to; the operator has been told.
        OSError: its disk is full.
    """
    directory = metrics_dir(os.environ)
    if directory is None:
        values.ValueClass = values.MutexValue
        return None
    try:
        values.ValueClass = values.MultiProcessValue(Place(directory))  # type: ignore[no-untyped-call]
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise  # there will be space again, and the next start finds it
        refuse(SettingsError(f"PROMETHEUS_MULTIPROC_DIR cannot be used: {error}"))
    return directory


_DIRECTORY: Final = _shared_directory()
disable_created_metrics()  # type: ignore[no-untyped-call]  # files keep no times


def counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(name, text, labels, registry=REGISTRY)


def histogram(name: str, text: str, bounds: Sequence[float], *labels: str) -> Histogram:
    """`bounds` are the upper ends of its buckets."""
    return Histogram(name, text, labels, buckets=bounds, registry=REGISTRY)


def present(name: str, text: str) -> Gauge:
    """A number of things that are there now, over all processes that live."""
    return Gauge(name, text, registry=REGISTRY, multiprocess_mode="livesum")


def exposition() -> bytes:
    """Everything that was counted since the run began, in the text format of Prometheus."""
    if _DIRECTORY is None:
        return generate_latest(REGISTRY)
    forget_dead(_DIRECTORY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(_DIRECTORY))  # type: ignore[no-untyped-call]
    return generate_latest(registry)


_COMMANDS: Final = counter(
    "machi_commands",
    "Commands of accounts, built-in players and clocks, by whether they were carried out or had been before",
    "result",
)
CARRIED_OUT: Final = _COMMANDS.labels("carried_out")
REPLAYED: Final = _COMMANDS.labels("replayed")
EVENTS: Final = counter("machi_events_appended", "Events stored")

_MISSING: Final = counter(
    "machi_events_missing",
    "Events that were stored and are not there any more, by what remembers them",
    "source",
)
MISSING_BY_LOG: Final = _MISSING.labels("log")
"""Missed by the relay, which remembers the appends that it has read."""
MISSING_BY_CACHE: Final = _MISSING.labels("cache")
"""Missed by a process that had the match or the ladder at hand; several may miss the same."""

LINES_MISSING: Final = counter(
    "machi_checkpoints_missing", "Lines of the log of checkpoints that were there and are not any more"
)

_SIGNED: Final = counter("machi_checkpoints", "Checkpoints made, by when", "source")
SIGNED_AT_THE_END: Final = _SIGNED.labels("end")
"""By whoever appended the last command of the match."""
SIGNED_LATER: Final = _SIGNED.labels("relay")
NOT_SIGNED: Final = counter(
    "machi_checkpoint_failures", "Matches that ended of which no checkpoint could be made"
)
"""At that moment, or never because the match cannot be loaded."""
