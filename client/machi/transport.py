"""Requests over HTTP. Each try sends the same bytes, until there is a response or the time is up."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

import httpx2

from machi import __version__
from machi.errors import ApiError, ConnectionFailed, MachiError, Throttled, UnusableAnswer
from machi.problems import from_answer
from machi.retries import RETRIED, Attempts, OnRetry, Retries, retry_after_s

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
CSV: Final = "text/csv"

Query = Mapping[str, str | int | bool | None]
"""Parameters; those that are None are not sent."""


class Response(NamedTuple):
    """A complete response with a status below 300."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Stream(NamedTuple):
    """A response that is read line by line."""

    headers: Mapping[str, str]
    lines: Iterator[bytes]
    """Complete lines, without line ends. An incomplete last line is left out."""


class Retryable(Exception):
    """A failed attempt after which another may succeed; it carries the error to raise in the end."""

    def __init__(self, failure: MachiError) -> None:
        super().__init__(failure)
        self.failure = failure


def segment(text: str) -> str:
    """The text as one path segment, even if it is `..`."""
    return quote(text, safe="").replace(".", "%2E")


class Transport:
    """Connections to one service."""

    def __init__(
        self, base_url: str, token: str | None, timeout_s: float, retries: Retries, on_retry: OnRetry | None
    ) -> None:
        self.base_url = checked_url(base_url)
        self._timeout_s = timeout_s
        self._retries = retries
        self._on_retry = on_retry
        self._http = httpx2.Client(
            base_url=self.base_url,
            headers={"User-Agent": f"machi-koro-client/{__version__}"},
            verify=_certificates(),
        )
        self.has_token = False
        if token is not None:
            self.use_token(token)

    def use_token(self, token: str) -> None:
        """Send this token from now on. Raises: ValueError, without the token in it."""
        token = token.strip()
        if not token.isascii() or not token.isprintable() or " " in token or not token:
            raise ValueError("a token consists of visible ASCII characters")
        self._http.headers["Authorization"] = f"Bearer {token}"
        self.has_token = True

    def close(self) -> None:
        self._http.close()

    def request(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        wait_s: float = 0.0,
    ) -> Response:
        """The response, after as many tries as necessary; `wait_s` is how long the service may wait on
        purpose.

        Raises:
            ApiError: the service refused the request.
            ConnectionFailed: no complete response arrived in time.
        """
        content = {"Content-Type": JSON} if body is not None else {}
        attempts = self.attempts(wait_s)
        may_be_done = False
        while True:
            timeout_s = min(self._timeout_s + wait_s, max(attempts.left_s, 0.1))
            request = self._http.build_request(
                method,
                path,
                params=_written(query or {}),
                content=body,
                headers={"Accept": JSON, **content, **(headers or {})},
                timeout=timeout_s,
            )
            try:
                with self._answered(request) as response:
                    read = _read(response, timeout_s)
                    return Response(response.status_code, response.headers, read)
            except Retryable as error:
                may_be_done = may_be_done or _may_be_done(error.failure)
                attempts.pause(error.failure)
            except ApiError as error:
                error.may_be_done = may_be_done
                raise

    def attempts(self, extra_s: float = 0.0) -> Attempts:
        """The attempts at a request that begins now."""
        return Attempts(self._retries, self._on_retry, extra_s)

    @contextmanager
    def stream(self, path: str, query: Query, silence_s: float) -> Iterator[Stream]:
        """A stream of lines, opened once and closed at the end of the block.

        Raises:
            Retryable: it broke, or was silent for `silence_s` seconds; also while the lines are read.
            ApiError: the service refused the request.
        """
        timeout = httpx2.Timeout(self._timeout_s, read=silence_s)
        request = self._http.build_request(
            "GET", path, params=_written(query), headers={"Accept": NDJSON}, timeout=timeout
        )
        with self._answered(request) as response:
            kind = response.headers.get("Content-Type", "")
            if not kind.startswith(NDJSON):
                raise UnusableAnswer(f"the stream has the content type {kind or 'none'}, not {NDJSON}")
            yield Stream(response.headers, _lines(response))

    @contextmanager
    def _answered(self, request: httpx2.Request) -> Iterator[httpx2.Response]:
        """A response with a status below 300 whose body has not been read yet.

        Raises:
            Retryable: also for failures while the body is read.
            ApiError.
        """
        what = "no response from"
        try:
            response = self._http.send(request, stream=True)
            what = "incomplete response from"
            try:
                if response.status_code >= 300:
                    _refuse(response, _read(response, self._timeout_s))
                yield response
            finally:
                response.close()
        except httpx2.HTTPError as error:
            reason = str(error) or type(error).__name__
            is_unconnected = isinstance(error, httpx2.ConnectError)
            failure = ConnectionFailed(f"{what} {self.base_url}: {reason}", is_unconnected)
            raise Retryable(failure) from error


_certificates: Final = cache(httpx2.create_ssl_context)
"""The trusted certificates for https; reading them takes a tenth of a second."""


def checked_url(base_url: str) -> str:
    """The URL without a trailing slash. Raises: ValueError."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"a base URL begins with http:// or https://, not {base_url!r}")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("a base URL has no user, query or fragment")
    return base_url.rstrip("/")


def _may_be_done(failure: MachiError) -> bool:
    """Whether a try that failed in this way may have been carried out."""
    if isinstance(failure, ConnectionFailed):
        return not failure.is_unconnected
    return not isinstance(failure, Throttled)


def _written(query: Query) -> dict[str, str]:
    given = {name: value for name, value in query.items() if value is not None}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()
    }


def _lines(response: httpx2.Response) -> Iterator[bytes]:
    rest = b""
    for chunk in response.iter_bytes():
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole


def _read(response: httpx2.Response, within_s: float) -> bytes:
    """The whole body. Raises: ReadTimeout, also if a slow body does not end in time."""
    end = time.monotonic() + within_s
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if time.monotonic() > end:
            raise httpx2.ReadTimeout("the response does not end")
    return bytes(body)


def _refuse(response: httpx2.Response, body: bytes) -> None:
    """Raise the error for a response with a status of 300 or more."""
    status = response.status_code
    if status < 400:
        raise UnusableAnswer(f"the service responded with a redirect ({status})")
    asked_s = retry_after_s(response.headers.get("Retry-After"))
    error = from_answer(status, response.reason_phrase, response.headers, body, asked_s)
    if status in RETRIED:
        raise Retryable(error)
    raise error
