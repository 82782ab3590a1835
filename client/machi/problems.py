"""Conversion of a response with a status of 400 or more into the error to raise."""

from collections.abc import Mapping
from typing import Final

import contract.problems
from machi.answers import with_events
from machi.errors import (
    ApiError,
    NotAllowed,
    NotFound,
    Refused,
    StaleVersion,
    Throttled,
    Unavailable,
    UnusableAnswer,
)
from machi.events import Event

_BY_STATUS: Final[dict[int, type[ApiError]]] = {
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Refused,
    422: Refused,
    429: Throttled,
}


class _Problem(contract.problems.Problem, frozen=True, kw_only=True):
    events: tuple[Event, ...] = ()


def from_answer(
    status: int, reason: str, headers: Mapping[str, str], body: bytes, retry_after: float | None
) -> ApiError:
    """The error for a response with a status of 400 or more."""
    problem = _problem(body)
    if problem is None:
        detail = f"the service answered {status} {reason}".rstrip()
        request_id = headers.get("X-Request-Id", "")
        return _kind(status)(status, f"http_{status}", detail, (), request_id, retry_after)
    error = _error(status, problem, retry_after)
    error.raw = body
    return error


def _error(status: int, problem: _Problem, retry_after: float | None) -> ApiError:
    said = (status, problem.code, problem.detail, problem.errors, problem.request_id, retry_after)
    if status == 412:
        return StaleVersion(*said, problem.expected or 0, problem.current or 0, problem.events)
    return _kind(status)(*said)


def _kind(status: int) -> type[ApiError]:
    return _BY_STATUS.get(status, ApiError if status < 500 else Unavailable)


def _problem(body: bytes) -> _Problem | None:
    """The problem in the body; None if something other than the service wrote it."""
    try:
        return with_events(_Problem, body)
    except UnusableAnswer:
        return None
