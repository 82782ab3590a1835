"""What the web processes count.

Labels take their values from fixed sets: never an id, a handle or a raw path.
"""

from functools import cache
from typing import Final

from prometheus_client import Counter, Histogram

from runtime.metrics import counter, histogram, present

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER: Final = "other"
"""For any other method: clients may make some up."""

_BOUNDS_S: Final = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0),
)
_POLL_BOUNDS_S: Final = (0.01, 0.1, 1.0, 2.5, 5.0, 10.0, 20.0, 25.0, 30.0, 35.0)

_REQUESTS: Final = counter("machi_http_requests", "Requests answered", "method", "route", "status")
_DURATION: Final = histogram(
    "machi_http_request_duration_seconds",
    "Time until the answer had gone out, without requests that waited and streams",
    _BOUNDS_S,
    "method",
    "route",
)
_POLL_DURATION: Final = histogram(
    "machi_http_long_poll_duration_seconds",
    "The same of requests that waited",
    _POLL_BOUNDS_S,
    "route",
)
_PROBLEMS: Final = counter("machi_http_problems", "Requests answered with a problem, by its code", "code")

LONG_POLLS_NOW: Final = present("machi_http_long_polls", "Requests that wait now")
STREAMS_NOW: Final = present("machi_http_streams", "Event streams that are open now")

LONG_POLL: Final = "long_poll"
"""The request has waited for something to happen."""
STREAM: Final = "stream"
"""The answer is a stream that went on for as long as both sides wanted."""


def count_request(method: str, route: str, status: int, took_s: float, kind: str | None) -> None:
    """Count a request that was answered.

    `route` is the path as the document has it, `kind` None, `LONG_POLL` or `STREAM`.
    """
    known = method if method in _METHODS else _OTHER
    _requests(known, route, status).inc()
    if kind is None:
        _duration(known, route).observe(took_s)
    elif kind == LONG_POLL:
        _poll_duration(route).observe(took_s)


def count_unread(code: str, status: int, route: str) -> None:
    """Count a request that could not be read as one."""
    _requests(_OTHER, route, status).inc()
    count_problem(code)


def count_problem(code: str) -> None:
    _problems(code).inc()


# Looking a child up by its labels costs more than counting in it.


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
