"""Building responses: JSON encoded once, the headers that the contract promises, and gzip.

Clients that accept gzip get large answers compressed. Some answers are never compressed:

- Answers to POST and the like. Most are small, and some carry a token: compressed beside text that somebody
  else chose, a secret shows in the size of the answer (BREACH).
- Answers whose `ETag` is a version. That tag is strong and has the one form that the contract names. The only
  other secret, the invitation code of a match, is in such an answer.
- Streams that stay open: compression would hold events back.
"""

import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import Any, Final, Protocol
from urllib.parse import urlencode

import msgspec
from flask import Flask, Response, request
from flask.json.provider import JSONProvider
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from contract.values import encode
from service.edge.middleware import KIND, ROUTE
from service.edge.native_threads import in_native_thread
from service.openapi.operations import documented_path
from service.operations.metrics import STREAM

Headers = Mapping[str, str]

LEAST: Final = 1024
"""The size in bytes from which on compression pays."""
_LEVEL: Final = 4
"""Of zlib: higher ones take up to twice as long for a twentieth less."""
_GZIP_BITS: Final = 31
"""What zlib calls the format of gzip with the largest window."""
_READS: Final = ("GET", "HEAD")
_VERSION: Final = re.compile(r'"[0-9]+"', re.ASCII)
"""An ETag that is the version of a match or of a ladder."""
_REPLAYED: Final = {"Idempotency-Replayed": "true"}


class MsgspecProvider(JSONProvider):
    """Flask's JSON by msgspec, which also encodes the structs of the domain."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return encode(obj).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return msgspec.json.decode(s)


def install(app: Flask) -> None:
    """Have the app encode with msgspec, compress answers, and answer OPTIONS wherever another method is."""
    app.after_request(negotiated)
    app.json = MsgspecProvider(app)
    app.make_default_options_response = partial(_options_answer, app)  # type: ignore[method-assign]


def _options_answer(app: Flask) -> Response:
    """A response without a body that lists the methods of the address."""
    request.environ[ROUTE] = documented_path(str(request.url_rule))
    allowed = Flask.make_default_options_response(app).allow
    return empty_answer(204, {"Allow": ", ".join(sorted(allowed))})


class FixedResponse(Response):
    """A response with one of few contents: each process compresses each of them once."""


def json_answer(
    body: object, status: int = 200, headers: Headers | None = None, media_type: str = "application/json"
) -> Response:
    """A response in JSON."""
    return Response(encode(body), status, headers, content_type=media_type)


def replay_mark(is_replayed: bool) -> Headers:
    """The header that marks a response as the replay of an earlier one."""
    return _REPLAYED if is_replayed else {}


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


def negotiated(response: Response) -> Response:
    """The answer in the form that the client likes, with headers that say so."""
    if _is_small(response) or _goes_as_it_is(response):
        return response
    varies = response.headers.get("Vary")
    response.headers["Vary"] = f"{varies}, Accept-Encoding" if varies else "Accept-Encoding"
    if response.status_code == 304:
        _keep_form_of_etag(response)
    elif accepts_gzip(request.environ.get("HTTP_ACCEPT_ENCODING", "")):
        _compress(response)
    return response


def _is_small(response: Response) -> bool:
    """Whether compression does not pay; a 304 is as the answer that it spares."""
    body = response.response
    return isinstance(body, (list, tuple)) and sum(map(len, body)) < LEAST and response.status_code != 304


def _goes_as_it_is(response: Response) -> bool:
    environ = request.environ
    return (
        environ["REQUEST_METHOD"] not in _READS
        or environ.get(KIND) == STREAM
        or _VERSION.fullmatch(response.headers.get("ETag", "")) is not None
    )


def _keep_form_of_etag(response: Response) -> None:
    """A 304 has the ETag of what the client holds: weak if that is compressed."""
    etag = response.headers.get("ETag", "")
    if request.if_none_match.is_weak(etag.strip('"')):
        response.headers["ETag"] = f"W/{etag}"


@lru_cache(maxsize=256)
def accepts_gzip(accept_encoding: str) -> bool:
    """Whether an `Accept-Encoding` likes gzip no less than the answer as it is (RFC 9110, 12.5.3)."""
    quality_of = {name.lower(): quality for name, quality in parse_accept_header(accept_encoding, Accept)}
    gzip = quality_of.get("gzip", quality_of.get("*", 0))
    return gzip > 0 and gzip >= quality_of.get("identity", 0)


def _compress(response: Response) -> None:
    if not response.is_streamed:
        body = response.get_data()
        response.set_data(_compressor_of(response)(body))
    elif request.method != "HEAD":
        response.response = _gzipped_parts(response.iter_encoded())
    response.headers["Content-Encoding"] = "gzip"
    etag = response.headers.get("ETag", "")
    if etag.startswith('"'):
        response.headers["ETag"] = f"W/{etag}"


def _compressor_of(response: Response) -> Callable[[bytes], bytes]:
    if isinstance(response, FixedResponse):
        return _gzipped_once
    return _gzipped_lately if response.cache_control.public else _gzipped


def _gzipped(body: bytes) -> bytes:
    return zlib.compress(body, _LEVEL, _GZIP_BITS)


_gzipped_lately: Final = lru_cache(maxsize=32)(_gzipped)
"""Of what is the same for everybody, such as the standings of a ladder."""


@cache
def _gzipped_once(body: bytes) -> bytes:
    return in_native_thread(zlib.compress, body, zlib.Z_BEST_COMPRESSION, _GZIP_BITS)


def _gzipped_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts compressed one by one; nothing is kept but the window of the compressor."""
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_BITS)
    for part in parts:
        compressed = compressor.compress(part)
        if compressed:
            yield compressed
        time.sleep(0)  # the next part may cost as much to make: others first
    yield compressor.flush()
