"""One decorator that makes a function an endpoint: who may call it, what it takes, what the document says.

A view gets `caller`, `query` and `body` by name where the endpoint asks for them, and gives a response.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps
from typing import Any, Final

import flask_smorest
from flask import Response, request
from marshmallow import Schema

from service.auth import authenticate, identify
from service.context import services
from service.edge import ROUTE
from service.problems import KINDS, MIMETYPE
from service.requests import read_body, read_query, require_json_accepted

View = Callable[..., Response]
Doc = dict[str, Any]


class Caller(Enum):
    """Whether an endpoint asks who is calling."""

    NOBODY = "nobody"
    ANYBODY = "anybody"
    """A token may be sent; the view gets None without one."""
    ACCOUNT = "account"


_ALWAYS: Final = ("internal_error", "store_unavailable")
_BY_CALLER: Final = {
    Caller.NOBODY: (),
    Caller.ANYBODY: ("token_invalid", "token_expired"),
    Caller.ACCOUNT: ("token_missing", "token_invalid", "token_expired"),
}
_WITH_BODY: Final = (
    "malformed_json",
    "body_too_large",
    "unsupported_media_type",
    "validation_failed",
    "unknown_field",
)
_SECURITY: Final[dict[Caller, list[dict[str, list[str]]]]] = {
    Caller.NOBODY: [],
    Caller.ANYBODY: [{}, {"token": []}],
    Caller.ACCOUNT: [{"token": []}],
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One way in which an endpoint answers when all is well."""

    description: str
    schema: Schema | Doc | None = None
    headers: tuple[str, ...] = ()
    media_type: str = "application/json"
    examples: Mapping[str, Any] = field(default_factory=dict)


class Endpoints(flask_smorest.Blueprint):  # type: ignore[misc]  # flask-smorest has no types
    """The endpoints of one resource."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, __name__, description=description)

    def _prepare_response_doc(self, doc: Doc, doc_info: Doc, **options: Any) -> Doc:
        """Every answer is documented by the endpoint itself: no `default` on top."""
        return doc

    def endpoint(
        self,
        method: str,
        rule: str,
        answers: Mapping[int, Answer],
        *,
        caller: Caller = Caller.NOBODY,
        scope: str = "",
        query: Schema | None = None,
        body: Schema | None = None,
        optional_body: bool = False,
        examples: Mapping[str, Any] | None = None,
        headers: Iterable[str] = (),
        refusals: Iterable[str] = (),
    ) -> Callable[[View], View]:
        """Route `method rule` to the view. `headers` are request headers, `refusals` codes of its own."""
        json_only = all(answer.media_type == "application/json" for answer in answers.values())
        codes = {*refusals, *_ALWAYS, *_BY_CALLER[caller], *(_WITH_BODY if body is not None else ())}
        codes |= {"scope_missing"} if scope else set()
        codes |= {"not_acceptable"} if json_only else set()
        codes |= {"invalid_parameter"} if query is not None or [*headers] else set()

        def decorator(view: View) -> View:
            run = _guarded(view, rule, caller, scope, json_only, query, body, optional_body)
            run._apidoc = {  # type: ignore[attr-defined]  # where flask-smorest looks for it
                "manual_doc": _operation(view, answers, codes, _SECURITY[caller])
                | _inputs(query, body, optional_body, examples, [*headers])
            }
            self.add_url_rule(rule, view.__name__, run, methods=[method])
            return view

        return decorator


def _guarded(
    view: View,
    rule: str,
    caller: Caller,
    scope: str,
    json_only: bool,
    query: Schema | None,
    body: Schema | None,
    optional_body: bool,
) -> View:
    """The view behind the checks of its endpoint: first who asks, then what for."""
    defaults: dict[str, Any] = query.load({}) if query is not None else {}

    @wraps(view)
    def run(**arguments: Any) -> Response:
        environ = request.environ
        environ[ROUTE] = rule
        if caller is Caller.ACCOUNT:
            arguments["caller"] = authenticate(services().tokens, scope)
        elif caller is Caller.ANYBODY:
            arguments["caller"] = identify(services().tokens)
        if json_only:
            require_json_accepted()
        if query is not None:
            arguments["query"] = read_query(query) if environ.get("QUERY_STRING") else defaults.copy()
        if body is not None:
            arguments["body"] = read_body(body, optional_body)
        return view(**arguments)

    return run


def _operation(view: View, answers: Mapping[int, Answer], codes: set[str], security: Any) -> Doc:
    responses = {str(status): _answer(answer) for status, answer in answers.items()}
    return {
        "operationId": view.__name__,
        "responses": responses | _problems(codes),
        "security": security,
    }


def _answer(answer: Answer) -> Doc:
    doc: Doc = {"description": answer.description, "headers": _headers(answer.headers)}
    if answer.schema is not None:
        content: Doc = {"schema": answer.schema}
        if answer.examples:
            content["examples"] = dict(answer.examples)
        doc["content"] = {answer.media_type: content}
    return doc


def _headers(names: Iterable[str]) -> Doc:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*names, "X-Request-Id")}


def _problems(codes: set[str]) -> Doc:
    """The problem answers by status, each with the codes that it can carry here."""
    by_status: dict[int, list[str]] = {}
    for code in KINDS:
        if code in codes:
            by_status.setdefault(KINDS[code].status, []).append(code)
    return {str(status): _problem(status, by_status[status]) for status in sorted(by_status)}


def _problem(status: int, codes: list[str]) -> Doc:
    schema = {
        "allOf": [
            {"$ref": "#/components/schemas/Problem"},
            {"properties": {"code": {"enum": codes}, "status": {"const": status}}},
        ]
    }
    extra = {401: ("WWW-Authenticate",), 503: ("Retry-After",)}.get(status, ())
    titles = "; ".join(f"`{code}`: {KINDS[code].title}" for code in codes)
    return {"description": titles, "headers": _headers(extra), "content": {MIMETYPE: {"schema": schema}}}


def _inputs(
    query: Schema | None,
    body: Schema | None,
    optional_body: bool,
    examples: Mapping[str, Any] | None,
    headers: list[str],
) -> Doc:
    doc: Doc = {}
    parameters: list[Doc | str] = [{"in": "query", "schema": query}] if query is not None else []
    parameters += headers
    if parameters:
        doc["parameters"] = parameters
    if body is not None:
        content: Doc = {"schema": body}
        if examples:
            content["examples"] = dict(examples)
        doc["requestBody"] = {"required": not optional_body, "content": {"application/json": content}}
    return doc
