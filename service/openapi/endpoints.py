"""One decorator that makes a function an endpoint: who may call it, what it takes, what the document says.

A view gets `caller`, `query` and `body` by name where the endpoint asks for them, and `media_type` where its
answer comes in several; it gives a response.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import wraps
from typing import Any, Final

import flask_smorest
from flask import Response, request
from marshmallow import Schema

from service.context import services
from service.edge.auth import identify, require_token
from service.edge.middleware import ROUTE
from service.edge.rate_limits import Limit, count_address, counted_caller
from service.edge.requests import accepted_type, read_body, read_query, require_json_accepted
from service.openapi.operations import Answer as Answer  # views get it from here
from service.openapi.operations import Doc, documented_path, inputs, operation, path_parameters

View = Callable[..., Response]


class Caller(Enum):
    """Whether an endpoint asks who is calling."""

    NOBODY = "nobody"
    ANYBODY = "anybody"
    """A token may be sent; the view gets None without one."""
    ACCOUNT = "account"


_ALWAYS: Final = ("invalid_parameter", "internal_error", "store_unavailable")
_BY_CALLER: Final = {
    Caller.NOBODY: ("token_invalid", "token_expired"),
    Caller.ANYBODY: ("token_invalid", "token_expired"),
    Caller.ACCOUNT: ("token_missing", "token_invalid", "token_expired"),
}
_WITH_BODY: Final = (
    "malformed_json",
    "malformed_request",
    "request_timeout",
    "body_too_large",
    "unsupported_media_type",
    "validation_failed",
    "unknown_field",
)
_API: Final = "/v1/"
_NO_QUERY: Final = Schema()


class Endpoints(flask_smorest.Blueprint):  # type: ignore[misc]  # flask-smorest has no types
    """The endpoints of one resource."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, __name__, description=description)
        self.answers: list[Any] = []
        """What the document must define, beside what the requests refer to."""

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
        limit: Limit = Limit.BY_CALLER,
    ) -> Callable[[View], View]:
        """Route `method rule` to the view. `headers` are request headers, `refusals` codes of its own.

        Requests count against the quota that `limit` says.
        """
        is_limited = limit is not Limit.NONE
        json_only = all(answer.media_type == "application/json" for answer in answers.values())
        media_types = [name for answer in answers.values() for name in (answer.media_type, *answer.others)]
        choices = media_types if any(answer.others for answer in answers.values()) else []
        codes = {*refusals, *_ALWAYS, *_BY_CALLER[caller], *(_WITH_BODY if body is not None else ())}
        codes |= {"scope_missing"} if scope else set()
        codes |= {"not_acceptable"} if json_only else set()
        codes |= {"rate_limited"} if is_limited else set()
        if not rule.startswith(_API):
            codes -= {*_BY_CALLER[Caller.NOBODY]}

        self.answers += [
            one.schema for one in answers.values() if one.schema and not isinstance(one.schema, dict)
        ]

        def decorator(view: View) -> View:
            run = _guarded(view, rule, caller, scope, limit, json_only, choices, query, body, optional_body)
            about_match = "<match_id>" in rule
            run._apidoc = {  # type: ignore[attr-defined]  # where flask-smorest looks for it
                "manual_doc": operation(
                    view.__name__, answers, codes, _security(caller, scope), about_match, is_limited
                )
                | inputs(query, body, optional_body, examples, [*headers])
            }
            parameters = path_parameters(rule)
            self.add_url_rule(rule, view.__name__, run, methods=[method], parameters=parameters)
            return view

        return decorator


def _security(caller: Caller, scope: str) -> list[dict[str, list[str]]]:
    """What the document says of the token: whether there must be one, and with which scope."""
    if caller is Caller.NOBODY:
        return []
    needed = {"token": [scope] if scope else []}
    return [needed] if caller is Caller.ACCOUNT else [{}, needed]


def _guarded(
    view: View,
    rule: str,
    caller: Caller,
    scope: str,
    limit: Limit,
    json_only: bool,
    choices: list[str],
    query: Schema | None,
    body: Schema | None,
    optional_body: bool,
) -> View:
    """The view behind the checks of its endpoint: first who asks and how often, then what for."""
    is_required = query is not None and any(field.required for field in query.fields.values())
    defaults: dict[str, Any] = query.load({}) if query is not None and not is_required else {}
    route, is_api = documented_path(rule), rule.startswith(_API)

    @wraps(view)
    def run(**arguments: Any) -> Response:
        environ = request.environ
        environ[ROUTE] = route
        if caller is Caller.NOBODY:
            count_address(limit)
            if is_api:  # who sends a token is told if it does not hold, wherever it is sent
                identify(services().accounts)
        else:
            token = counted_caller(limit)
            arguments["caller"] = token if caller is Caller.ANYBODY else require_token(token, scope)
        if choices:
            arguments["media_type"] = accepted_type(choices)
        elif json_only:
            require_json_accepted()
        is_given = is_required or environ.get("QUERY_STRING")
        given = read_query(query or _NO_QUERY) if is_given else defaults.copy()
        if query is not None:
            arguments["query"] = given
        if body is not None:
            arguments["body"] = read_body(body, optional_body)
        return view(**arguments)

    return run
