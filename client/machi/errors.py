"""Errors of requests.

MachiError
+ ConnectionFailed      no complete response arrived before the time for retries was up
+ UnusableAnswer        the response is not one of this API
+ ApiError              the service refused the request: status, code, detail, errors, request_id, retry_after
  + NotAllowed          401, 403: no valid token, or not your seat
  + NotFound            404
  + Refused             409, 422: the rules do not allow it, or a member is invalid
  + StaleVersion        412: the match has moved on; expected, current, and the events that were missed
  + Throttled           429 until the time for retries was up
  + Unavailable         any 5xx; 502, 503 and 504 until the time for retries was up

An invalid argument, such as a URL without a scheme, is a ValueError. No error ever contains a token.
"""

from typing import TYPE_CHECKING

from contract.problems import Fault

if TYPE_CHECKING:  # machi.events imports this module
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
    """The base of all errors of this library."""


class ConnectionFailed(MachiError):
    """No complete response arrived. The request may have been carried out all the same."""

    def __init__(self, message: str, is_unconnected: bool = False) -> None:
        super().__init__(message)
        self.is_unconnected = is_unconnected
        """Nothing listens there: the last attempt was certainly not carried out."""


class UnusableAnswer(MachiError):
    """The response is not one of this API: another program listens there, or the service is far newer."""


class ApiError(MachiError):
    """The service responded with an error."""

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
        """A stable code for programs; `http_404` and the like if the response has none."""
        self.detail = detail
        self.errors = errors
        self.request_id = request_id
        """Identifies the line in the service's log."""
        self.retry_after = retry_after
        """In seconds; None if the service does not say."""
        self.raw = b""
        """The problem object as it came; empty if something other than the service wrote the response."""
        self.may_be_done = False
        """An earlier try of the same request got no response: it may have been carried out."""

    def __str__(self) -> str:
        where = f", request {self.request_id}" if self.request_id else ""
        return f"{self._text()} ({self.code}{where})"

    def _text(self) -> str:
        """The detail, and the faults of single members if the service names any."""
        # The detail of a wrong parameter begins with its name.
        named = [fault for fault in self.errors if fault.pointer and fault.code != "invalid_parameter"]
        texts = [f"{fault.pointer}: {fault.detail}" for fault in named]
        is_said = self.detail in (*texts, *[fault.detail for fault in named])
        return "; ".join(texts if is_said else [self.detail, *texts])


class NotAllowed(ApiError):
    """The token is missing, invalid or expired, lacks the scope, or the seat or match belongs to someone
    else.
    """


class NotFound(ApiError):
    """It does not exist, or the caller may not see it."""


class Refused(ApiError):
    """The request was understood, but is invalid or not possible now. Nothing was changed."""


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
        """The events after the expected version, at most 50."""
