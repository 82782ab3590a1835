"""Sending of requests: the base of all subjects."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import uuid4

import msgspec

from machi.answers import RawPage, decoded
from machi.transport import CSV, NDJSON, Query, Response, Transport, segment

Members = Mapping[str, Any]
"""The members of a JSON object."""

_EXPORT_S: Final = 60.0
"""Extra seconds that an export may take."""

_KEY: Final = re.compile(r"[!-~]{1,255}", re.ASCII)


class RequestGroup:
    """The base of the classes that `Client` consists of."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _get(self, path: str, query: Query | None = None, wait_s: float = 0.0) -> bytes:
        return self._transport.request("GET", path, query, wait_s=wait_s).body

    def _post(self, path: str, body: Members, key: str | None) -> Response:
        return self._posted(path, msgspec.json.encode(body), key)

    def _posted(
        self, path: str, body: bytes, key: str | None, query: Query | None = None, **headers: str
    ) -> Response:
        key = str(uuid4()) if key is None else key
        if not _KEY.fullmatch(key):
            raise ValueError("an idempotency key has 1 to 255 visible ASCII characters")
        sent = {"Idempotency-Key": key, **headers}
        return self._transport.request("POST", path, query, body, sent)

    def _items(self, path: str, query: Query | None = None) -> Iterator[msgspec.Raw]:
        """The items of a list, page by page."""
        cursor: str | None = None
        while True:
            page = decoded(RawPage, self._get(path, {**(query or {}), "cursor": cursor}))
            yield from page.items
            cursor = page.next
            if cursor is None:
                return

    def _download(self, path: str, query: Query | None = None, as_csv: bool = False) -> bytes:
        headers = {"Accept": CSV if as_csv else NDJSON}
        return self._transport.request("GET", path, query, None, headers, _EXPORT_S).body


def match_path(match_id: str) -> str:
    return f"/v1/matches/{segment(match_id)}"
