"""Which problem each error of the app becomes, with the receipt of the match that it concerns."""

import re
import traceback
from collections.abc import Callable
from typing import Any, Final

from flask import Flask, Response, g, request
from redis.exceptions import RedisError
from werkzeug.exceptions import (
    HTTPException,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
    RequestURITooLarge,
)

from contract.problems import KINDS
from domain import RuleViolation
from events.store.errors import (
    CommandReused,
    LadderNotFound,
    MatchNotFound,
    RulesChanged,
    StaleVersion,
    StoreError,
    StoreUnavailable,
    StreamCorrupt,
    VersionNotFound,
)
from service.accounts.tokens import Token
from service.context import services
from service.edge.guard import identify
from service.edge.middleware import ERROR, TRACEBACK
from service.edge.problems import Problem, answer, from_violation, key_reused
from service.ladders.faults import record_refusal
from service.ladders.ladders import is_ladder_id
from service.matches.access import receipt_of, visible_match

_MATCH: Final = re.compile(r"/v1/(?:matches|me/invitations)/([^/]+)")

_WITHOUT_RECEIPT: Final = frozenset(
    {"match_not_found", "stream_corrupt", "rules_changed", "store_unavailable"}
)
"""Codes without a receipt: nothing is known of the match, or looking it up again would show by its timing
whether the match exists."""


def register(app: Flask) -> None:
    """Register handlers that turn every error of the app into a problem."""
    for error, problem_of in _PROBLEM_OF.items():
        app.register_error_handler(error, _answering(problem_of))


def _answering(problem_of: Callable[[Any], Problem]) -> Callable[[Exception], Response]:
    def handle(error: Exception) -> Response:
        problem = problem_of(error)
        _note(error, KINDS[problem.code].status)
        receipt = _receipt(problem.code)
        record_refusal(problem)
        return answer(problem, receipt)

    return handle


def _note(error: Exception, status: int) -> None:
    """Note the error for the log, since the response does not have it."""
    if status >= 500:
        request.environ.setdefault(ERROR, repr(error))
    if status == 500:
        request.environ[TRACEBACK] = "".join(traceback.format_exception(error))


def _receipt(code: str) -> dict[str, str]:
    """The receipt of the match in the path, if the caller may see it."""
    named = _MATCH.match(request.path)
    if named is None or code in _WITHOUT_RECEIPT:
        return {}
    try:
        return receipt_of(g.get("loaded") or visible_match(named[1], _caller()))
    except (StoreError, RedisError):
        return {}


def _caller() -> Token | None:
    try:
        return identify()
    except Problem:
        return None


def _of_problem(problem: Problem) -> Problem:
    return problem


def _of_store(error: StoreError) -> Problem:
    if isinstance(error, StreamCorrupt) and not is_ladder_id(error.match_id):
        services().matches.report_damage(error)
    return Problem(_OF_STORE.get(type(error), "internal_error"))


_OF_STORE: Final[dict[type[StoreError], str]] = {
    LadderNotFound: "ladder_not_found",
    MatchNotFound: "match_not_found",
    RulesChanged: "rules_changed",
    # A lost race. Clients that name a version get `stale_version` instead, see `service.matches.access`.
    StaleVersion: "too_busy",
    StoreUnavailable: "store_unavailable",
    StreamCorrupt: "stream_corrupt",
    VersionNotFound: "version_not_found",
}


def _of_reused(error: CommandReused) -> Problem:
    return key_reused()


def _of_redis(error: RedisError) -> Problem:
    return Problem("store_unavailable")


def _of_http(error: HTTPException) -> Problem:
    if isinstance(error, NotFound):
        return Problem("not_found")
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        return Problem("method_not_allowed", f"allowed: {allowed}", headers={"Allow": allowed})
    if isinstance(error, RequestEntityTooLarge):
        return Problem("body_too_large")
    if isinstance(error, RequestURITooLarge):
        return Problem("uri_too_long")
    return Problem("malformed_request" if (error.code or 500) < 500 else "internal_error")


def _of_anything(error: Exception) -> Problem:
    return Problem("internal_error", "the service failed; its log has the details under the request id")


_PROBLEM_OF: Final[dict[type[Exception], Callable[[Any], Problem]]] = {
    Problem: _of_problem,
    RuleViolation: from_violation,
    CommandReused: _of_reused,
    StoreError: _of_store,
    RedisError: _of_redis,
    HTTPException: _of_http,
    Exception: _of_anything,
}
