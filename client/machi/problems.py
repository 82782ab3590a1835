"""From an answer of 400 or more to the error that is raised."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from machi.errors import (
    ApiError,
    Fault,
    NotAllowed,
    NotFound,
    Refused,
    StaleVersion,
    Throttled,
    Unavailable,
)
from machi.events import decode_event

_BY_STATUS: Final[dict[int, type[ApiError]]] = {
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Refused,
    422: Refused,
    429: Throttled,
}


class _Problem(Struct):
    """The body of an error, as far as it is one."""

    code: str = ""
    detail: str = ""
    title: str = ""
    errors: tuple[Fault, ...] = ()
    request_id: str = ""
    expected: int = 0
    current: int = 0
    events: tuple[msgspec.Raw, ...] = ()


def from_answer(
    status: int, reason: str, headers: Mapping[str, str], body: bytes, retry_after: float | None
) -> ApiError:
    """The error that an answer of 400 or more is."""
    problem = _problem(body)
    said: tuple[int, str, str, tuple[Fault, ...], str, float | None] = (
        status,
        problem.code or f"http_{status}",
        problem.detail or problem.title or f"the service answered {status} {reason}".rstrip(),
        problem.errors,
        problem.request_id or headers.get("X-Request-Id", ""),
        retry_after,
    )
    if status == 412:
        missed = tuple(decode_event(bytes(raw)) for raw in problem.events)
        return StaleVersion(*said, expected=problem.expected, current=problem.current, events=missed)
    return _kind(status)(*said)


def _kind(status: int) -> type[ApiError]:
    return _BY_STATUS.get(status, ApiError if status < 500 else Unavailable)


def _problem(body: bytes) -> _Problem:
    """What the body says; nothing where a proxy wrote it."""
    try:
        return msgspec.json.decode(body, type=_Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Problem()
