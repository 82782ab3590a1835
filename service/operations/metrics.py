"""The counters and histograms of the web processes.

Labels take their values from fixed sets: never an id, a handle or a raw path.
"""

from functools import cache
from typing import Final

from prometheus_client import Counter, Histogram

from runtime.metrics import counter, histogram, present

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER: Final = "other"
"""The label of any other method, since clients can invent methods."""

_BOUNDS_S: Final = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0),
)
_POLL_BOUNDS_S: Final = (0.01, 0.1, 1.0, 2.5, 5.0, 10.0, 20.0, 25.0, 30.0, 35.0)

_REQUESTS: Final = counter(
    "machi_http_requests", "Responses, by method, route and status", "method", "route", "status"
)
_DURATION: Final = histogram(
    "machi_http_request_duration_seconds",
    "Time until the response was sent, without long polls and streams",
    _BOUNDS_S,
    "method",
    "route",
)
_POLL_DURATION: Final = histogram(
    "machi_http_long_poll_duration_seconds",
    "Time until the response was sent, for long polls",
    _POLL_BOUNDS_S,
    "route",
)
_PROBLEMS: Final = counter("machi_http_problems", "Problem responses, by code", "code")

LONG_POLLS_NOW: Final = present("machi_http_long_polls", "Long polls that are waiting now")
STREAMS_NOW: Final = present("machi_http_streams", "Open event streams")

LONG_POLL: Final = "long_poll"
"""The kind of a request that has waited for news."""
STREAM: Final = "stream"
"""The kind of a request whose response was a stream."""


def count_request(method: str, route: str, status: int, took_s: float, kind: str | None) -> None:
    """Count a request after its response.

    `route` is the path in the document, `kind` is None, `LONG_POLL` or `STREAM`.
    """
    known = method if method in _METHODS else _OTHER
    _requests(known, route, status).inc()
    if kind is None:
        _duration(known, route).observe(took_s)
    elif kind == LONG_POLL:
        _poll_duration(route).observe(took_s)


def count_unread(code: str, status: int, route: str) -> None:
    """Count a request that could not be parsed."""
    _requests(_OTHER, route, status).inc()
    count_problem(code)


def count_problem(code: str) -> None:
    _problems(code).inc()


# Cached because finding a child by its labels costs more than counting.


@cache
def _requests(method: str, route: str, status: int) -> Counter:
    return _REQUESTS.labels(method, route, status)


@cache
def _duration(method: str, route: str) -> Histogram:
    return _DURATION.labels(method, route)


@cache
def _poll_duration(route: str) -> Histogram:
    return _POLL_DURATION.labels(route)


@cache
def _problems(code: str) -> Counter:
    return _PROBLEMS.labels(code)
