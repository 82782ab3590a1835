"""Problems (RFC 9457) of the codes in `contract.problems`, and their encoding.

Nothing else in the service names the status of an error. `service.edge.failures` maps errors to problems.
"""

from collections.abc import Mapping
from typing import Final

from flask import Response, request
from msgspec.structs import asdict

from contract import problems as contract
from contract.problems import KINDS, Fault, ProblemExtra
from contract.values import encode
from domain import RuleViolation
from service.edge.middleware import CODE, REQUEST_ID

MIMETYPE: Final = "application/problem+json"

TYPE_PREFIX: Final = "urn:machi-koro:problem:"
"""The beginning of a problem's `type`; the code follows."""

UNDECIDED: Final = "validation_failed"
"""The code of a rule violation that the table does not name."""

RETRY_AFTER_S: Final = 1

_CHALLENGES: Final = {"token_missing": 'Bearer realm="machi"'}
_REFUSED: Final = 'Bearer realm="machi", error="invalid_token"'
"""The challenge of every other 401."""

_OF_MEMBERS: Final = ("validation_failed", "unknown_field")
"""The codes whose details say only what a member must be."""

NO_EXTRA: Final = ProblemExtra()


class Problem(Exception):
    """The request ends with a problem. `extra` are further members of the body."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        faults: tuple[Fault, ...] = (),
        headers: Mapping[str, str] | None = None,
        extra: ProblemExtra = NO_EXTRA,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail or KINDS[code].title
        self.faults = faults
        self.headers = dict(headers or {})
        self.extra = extra


def problem_at(
    pointer: str,
    detail: str,
    code: str = "validation_failed",
    of_fault: str = "",
    extra: ProblemExtra = NO_EXTRA,
) -> Problem:
    """A problem with one fault, at a member, query parameter or header of the request.

    `pointer` is a JSON pointer into the body, or `/` and the name of a parameter or header. `of_fault` is the
    code of the fault where that tells more than the code of the problem.
    """
    return Problem(code, detail, (Fault(pointer, of_fault or code, detail),), extra=extra)


def key_reused() -> Problem:
    """The problem for an `Idempotency-Key` that came with another body before."""
    code = "idempotency_key_reused"
    return problem_at("/Idempotency-Key", KINDS[code].title, code)


def cursor_ahead(last: int, what: str = "event", pointer: str = "/after") -> Problem:
    """The problem for a cursor beyond the last event or the like."""
    extra = ProblemExtra(max_version=last)
    return problem_at(pointer, f"the last {what} is {last}", "cursor_ahead", extra=extra)


def from_violation(violation: RuleViolation) -> Problem:
    """The problem for a rule violation."""
    code = violation.code if violation.code in KINDS else UNDECIDED
    if violation.pointer:
        return problem_at(violation.pointer, violation.detail, code)
    return Problem(code, violation.detail)


def encoded(problem: Problem, request_id: str) -> bytes:
    """The body of the response."""
    kind = KINDS[problem.code]
    body = contract.Problem(
        type=TYPE_PREFIX + problem.code,
        title=kind.title,
        status=kind.status,
        detail=_detail(problem),
        code=problem.code,
        request_id=request_id,
        errors=problem.faults,
        **asdict(problem.extra),
    )
    return encode(body)


def _detail(problem: Problem) -> str:
    """The detail, after the pointer to the member that it is about where it says only what that must be."""
    if problem.code not in _OF_MEMBERS:
        return problem.detail
    pointer = next((fault.pointer for fault in problem.faults if fault.detail == problem.detail), "")
    return f"{pointer}: {problem.detail}" if pointer else problem.detail


def answer(problem: Problem, headers: Mapping[str, str]) -> Response:
    """The response that reports the problem."""
    kind = KINDS[problem.code]
    request.environ[CODE] = problem.code
    body = encoded(problem, request.environ[REQUEST_ID])
    response = Response(body, kind.status, mimetype=MIMETYPE)
    response.headers.update(headers)
    response.headers.update(problem.headers)
    if kind.status == 401:
        response.headers["WWW-Authenticate"] = _CHALLENGES.get(problem.code, _REFUSED)
    if kind.status in (429, 503):
        response.headers.setdefault("Retry-After", str(RETRY_AFTER_S))
    return response
