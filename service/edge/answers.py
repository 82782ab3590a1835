"""Building answers: JSON encoded once, and the headers that the contract promises."""

from collections.abc import Mapping
from typing import Any, Final, Protocol
from urllib.parse import urlencode

import msgspec
from flask import Flask, Response, request
from flask.json.provider import JSONProvider

from contract.values import Timestamp


def _written(value: Any) -> str:
    """Times as the contract has them; msgspec would write microseconds."""
    if isinstance(value, Timestamp):
        return str(value)
    raise NotImplementedError(f"no JSON for {type(value)}")


_ENCODER: Final = msgspec.json.Encoder(decimal_format="number", enc_hook=_written)

encode: Final = _ENCODER.encode
"""What is to be answered, as JSON."""

Headers = Mapping[str, str]


class MsgspecProvider(JSONProvider):
    """Flask's JSON through msgspec, which also takes the domain's structs."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return _ENCODER.encode(obj).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return msgspec.json.decode(s)


def install(app: Flask) -> None:
    app.json = MsgspecProvider(app)


def json_answer(
    body: object, status: int = 200, headers: Headers | None = None, media_type: str = "application/json"
) -> Response:
    """An answer in JSON."""
    return Response(_ENCODER.encode(body), status, headers, content_type=media_type)


def empty_answer(status: int, headers: Headers | None = None) -> Response:
    """An answer without a body."""
    response = Response(status=status, headers=dict(headers or {}))
    del response.headers["Content-Type"]
    return response


def cached_answer(
    body: object, etag: str, headers: Headers, media_type: str = "application/json"
) -> Response:
    """An answer in JSON, or 304 where the client holds it already. `etag` is without quotes."""
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
    """The answer with a page; `Link` leads on where there is more."""
    answer = json_answer(body, 200, headers)
    if body.next is not None:
        answer.headers["Link"] = f'<{_with_cursor(body.next)}>; rel="next"'
    return answer


def _with_cursor(cursor: str) -> str:
    query = [(name, value) for name, value in request.args.items(multi=True) if name != "cursor"]
    return f"{request.path}?{urlencode([*query, ('cursor', cursor)])}"
