"""What can go wrong with a request.

MachiError
+ ConnectionFailed      no whole answer came while there was time to try
+ UnusableAnswer        what answers does not speak this API
+ ApiError              the service says no: status, code, detail, errors, request_id, retry_after
  + NotAllowed          401, 403: no token, a wrong one, or not your seat
  + NotFound            404
  + Refused             409, 422: the rules do not allow it, or a member is wrong
  + StaleVersion        412: the match has moved on; expected, current, and the events that were missed
  + Throttled           429, still so when there was no time left to try
  + Unavailable         any 5xx, still so when there was no time left to try

A wrong argument, such as an address without a scheme, is a ValueError. No error ever holds a token.
"""

from typing import TYPE_CHECKING

from contract.problems import Fault

if TYPE_CHECKING:  # events are decoded with errors at hand
    from machi.events import Event


__all__ = [
    "ApiError",
    "ConnectionFailed",
    "Fault",
    "MachiError",
    "NotAllowed",
    "NotFound",
    "Refused",
    "StaleVersion",
    "Throttled",
    "Unavailable",
    "UnusableAnswer",
]


class MachiError(Exception):
    """Whatever this library raises of its own."""


class ConnectionFailed(MachiError):
    """No whole answer came. The request may have been carried out all the same."""

    def __init__(self, message: str, is_unconnected: bool = False) -> None:
        super().__init__(message)
        self.is_unconnected = is_unconnected
        """Nobody listens there: the last attempt was certainly not carried out."""


class UnusableAnswer(MachiError):
    """The answer is not one of this API: another program listens there, or it is far newer."""


class ApiError(MachiError):
    """The service answered with an error."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: tuple[Fault, ...] = (),
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(status, code, detail, errors, request_id, retry_after)
        self.status = status
        self.code = code
        """Stable, made for programs; `http_404` and the like where the answer names none."""
        self.detail = detail
        self.errors = errors
        self.request_id = request_id
        """Names the line in the log of the service."""
        self.retry_after = retry_after
        """In seconds; None if the service does not say."""
        self.may_be_done = False
        """An earlier try of the same request got no answer: it may have been carried out."""

    def __str__(self) -> str:
        where = f", request {self.request_id}" if self.request_id else ""
        return f"{self._told()} ({self.code}{where})"

    def _told(self) -> str:
        """The detail, with what is wrong with which member of the body, where the service says so."""
        # The detail of a wrong parameter begins with its name.
        named = [fault for fault in self.errors if fault.pointer and fault.code != "invalid_parameter"]
        texts = [f"{fault.pointer}: {fault.detail}" for fault in named]
        is_said = any(fault.detail == self.detail for fault in named)
        return "; ".join(texts if is_said else [self.detail, *texts])


class NotAllowed(ApiError):
    """A token is missing, unknown, expired or too weak, or the seat or match is somebody else's."""


class NotFound(ApiError):
    """There is no such thing, or it is not for this caller to see."""


class Refused(ApiError):
    """The request was understood and is not possible now, or not at all. Nothing was changed."""


class Throttled(ApiError):
    """Too many requests."""


class Unavailable(ApiError):
    """The service cannot answer now."""


class StaleVersion(ApiError):
    """The match is not at the version that the command was made for. Nothing was changed."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: tuple[Fault, ...] = (),
        request_id: str = "",
        retry_after: float | None = None,
        expected: int = 0,
        current: int = 0,
        events: "tuple[Event, ...]" = (),
    ) -> None:
        super().__init__(status, code, detail, errors, request_id, retry_after)
        self.args = (*self.args, expected, current, events)
        self.expected = expected
        self.current = current
        self.events = events
        """What happened after the expected version, at most 50 events."""
