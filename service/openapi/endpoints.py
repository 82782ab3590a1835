"""A decorator that makes a function an endpoint: its callers, its inputs, and its documentation.

A view gets the arguments `caller`, `query` and `body` if the endpoint declares them, and `media_type` if its
answer has several media types. It returns a response.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import flask_smorest
from marshmallow import Schema

from service.edge.guard import Caller as Caller  # views get these from here
from service.edge.guard import Checks, Limit, View
from service.openapi.operations import Doc, documented_path, inputs, operation, path_parameters
from service.openapi.operations import Success as Success  # views get it from here

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


class Endpoints(flask_smorest.Blueprint):  # type: ignore[misc]  # flask-smorest has no types
    """The endpoints of one resource."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, __name__, description=description)
        self.answers: list[Any] = []
        """The types of responses, for which the document needs components."""

    def _prepare_response_doc(self, doc: Doc, doc_info: Doc, **options: Any) -> Doc:
        """Add no `default` response: the endpoint documents every answer itself."""
        return doc

    def endpoint(
        self,
        method: str,
        rule: str,
        answers: Mapping[int, Success],
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

        checks = Checks(
            route=documented_path(rule),
            is_api=rule.startswith(_API),
            caller=caller,
            scope=scope,
            limit=limit,
            media_types=choices,
            is_json=json_only,
            query=query,
            body=body,
            optional_body=optional_body,
        )

        def decorator(view: View) -> View:
            run = checks.around(view)
            run._apidoc = {  # type: ignore[attr-defined]  # where flask-smorest looks for it
                "manual_doc": operation(view.__name__, answers, codes, _security(caller, scope), is_limited)
                | inputs(query, body, optional_body, examples, [*headers])
            }
            parameters = path_parameters(rule)
            self.add_url_rule(rule, view.__name__, run, methods=[method], parameters=parameters)
            return view

        return decorator


def _security(caller: Caller, scope: str) -> list[dict[str, list[str]]]:
    """What the document says of the token: whether there must be one, and with which scope.

    Nothing if the operation uses no token, which is the default.
    """
    if caller is Caller.NOBODY:
        return []
    needed = {"token": [scope] if scope else []}
    return [needed] if caller is Caller.ACCOUNT else [{}, needed]
