"""Building responses: JSON encoded once, and the headers that the contract promises."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlencode

import msgspec
from flask import Flask, Response, request
from flask.json.provider import JSONProvider

from contract.values import encode
from service.edge.middleware import ROUTE
from service.openapi.operations import documented_path

Headers = Mapping[str, str]


class MsgspecProvider(JSONProvider):
    """Flask's JSON by msgspec, which also encodes the structs of the domain."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return encode(obj).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return msgspec.json.decode(s)


def install(app: Flask) -> None:
    """Have the app encode with msgspec, and answer OPTIONS at every address that has any other method."""
    app.json = MsgspecProvider(app)
    app.make_default_options_response = partial(_options_answer, app)  # type: ignore[method-assign]


def _options_answer(app: Flask) -> Response:
    """A response without a body that lists the methods of the address."""
    request.environ[ROUTE] = documented_path(str(request.url_rule))
    allowed = Flask.make_default_options_response(app).allow
    return empty_answer(204, {"Allow": ", ".join(sorted(allowed))})


def json_answer(
    body: object, status: int = 200, headers: Headers | None = None, media_type: str = "application/json"
) -> Response:
    """A response in JSON."""
    return Response(encode(body), status, headers, content_type=media_type)


def empty_answer(status: int, headers: Headers | None = None) -> Response:
    """A response without a body."""
    response = Response(status=status, headers=dict(headers or {}))
    del response.headers["Content-Type"]
    return response


def cached_answer(
    body: object, etag: str, headers: Headers, media_type: str = "application/json"
) -> Response:
    """A response in JSON, or 304 if the client already holds it. `etag` is without quotes."""
    quoted = f'"{etag}"'
    headers = {"Cache-Control": "private, no-cache", **headers, "ETag": quoted}
    if has_current(etag):
        return empty_answer(304, headers)
    return json_answer(body, 200, headers, media_type)


def has_current(etag: str) -> bool:
    """Whether `If-None-Match` names the entity tag; `etag` is without quotes."""
    return "HTTP_IF_NONE_MATCH" in request.environ and request.if_none_match.contains_weak(etag)


class Page(Protocol):
    """One page of a list."""

    @property
    def next(self) -> str | None:
        """The cursor of the next one."""
        ...


def paged(body: Page, headers: Headers | None = None) -> Response:
    """One page of a list, with `Link` if there are more."""
    answer = json_answer(body, 200, headers)
    if body.next is not None:
        answer.headers["Link"] = f'<{_with_cursor(body.next)}>; rel="next"'
    return answer


def _with_cursor(cursor: str) -> str:
    query = [(name, value) for name, value in request.args.items(multi=True) if name != "cursor"]
    return f"{request.path}?{urlencode([*query, ('cursor', cursor)])}"
