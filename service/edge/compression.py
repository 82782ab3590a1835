"""Answers in gzip, for clients that accept it.

Some answers go out as they are:

- Answers to POST and the like. Most are small, and some carry a token: compressed beside text that somebody
  else chose, a secret shows in the size of the answer (BREACH).
- Answers whose `ETag` is a version. That tag is strong and has the one form that the contract names. The only
  other secret, the invitation code of a match, is in such an answer.
- Streams that stay open: compression would hold events back.
"""

import re
import time
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from flask import Flask, Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from service.edge.middleware import KIND
from service.operations.metrics import STREAM

LEAST: Final = 1024
"""The size in bytes from which on compression pays."""
_LEVEL: Final = 4
"""Of zlib: higher ones take up to twice as long for a twentieth less."""
_GZIP_BITS: Final = 31
"""What zlib calls the format of gzip with the largest window."""
_READS: Final = ("GET", "HEAD")
_VERSION: Final = re.compile(r'"[0-9]+"', re.ASCII)
"""An ETag that is the version of a match or of a ladder."""


def install(app: Flask) -> None:
    """Compress what pays."""
    app.after_request(negotiated)


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
        response.set_data(_gzipped_once(body) if response.cache_control.public else _gzipped(body))
    elif request.method == "HEAD":
        return  # it tells of the answer as it is, for there is no body to compress
    else:
        response.response = _gzipped_parts(response.iter_encoded())
    response.headers["Content-Encoding"] = "gzip"
    etag = response.headers.get("ETag", "")
    if etag.startswith('"'):
        response.headers["ETag"] = f"W/{etag}"


def _gzipped(body: bytes) -> bytes:
    return zlib.compress(body, _LEVEL, _GZIP_BITS)


_gzipped_once: Final = lru_cache(maxsize=32)(_gzipped)
"""Of what is the same for everybody, such as the document of the API."""


def _gzipped_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts compressed one by one; nothing is kept but the window of the compressor."""
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_BITS)
    for part in parts:
        compressed = compressor.compress(part)
        if compressed:
            yield compressed
        time.sleep(0)  # the next part may cost as much to make: others first
    yield compressor.flush()
