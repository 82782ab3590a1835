"""Requests of auditors, and receipts: the content of the header `Match-Head`."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from contract.audit import SigningKey
from machi.answers import evidence_page, strictly_decoded
from machi.errors import UnusableAnswer
from machi.requests.subject import RequestGroup, match_path

_HEAD: Final = re.compile(r'v=(\d{1,15}); h="(sha-256:[0-9a-f]{64})"', re.ASCII)


class MatchHead(Struct, frozen=True):
    """A receipt: the number of events of a match, and the hash of the last one."""

    version: int
    hash: str

    def __str__(self) -> str:
        return f'v={self.version}; h="{self.hash}"'


def parsed_head(text: str) -> MatchHead:
    """The receipt in a `Match-Head` header. Raises: ValueError."""
    matched = _HEAD.fullmatch(text.strip())
    if matched is None:
        raise ValueError(f'a receipt has the form v=VERSION; h="sha-256:HASH", not {text!r}')
    return MatchHead(int(matched[1]), matched[2])


def head_in(headers: Mapping[str, str]) -> MatchHead:
    """The receipt in the headers of an answer. Raises: UnusableAnswer."""
    try:
        return parsed_head(headers.get("Match-Head", ""))
    except ValueError as error:
        raise UnusableAnswer(f"not a response of this API: {error}") from None


class _KeyList(Struct):
    items: tuple[SigningKey, ...]


class Audit(RequestGroup):
    """The data that auditors need."""

    def export(self, match_id: str) -> bytes:
        """Everything that an audit of the match needs, as lines of JSON; see docs/verifying.md."""
        return self._download(f"{match_path(match_id)}/export")

    def head(self, match_id: str) -> MatchHead:
        """The number of events of the match, and the hash of the last one, from one small response."""
        return head_in(self._transport.request("HEAD", match_path(match_id)).headers)

    def signing_keys(self) -> tuple[SigningKey, ...]:
        """All public keys that ends of matches were ever signed with."""
        return strictly_decoded(_KeyList, self._get("/v1/signing-keys")).items

    def checkpoints(self, after: int = 0, limit: int = 500) -> tuple[bytes, ...]:
        """Up to `limit` lines of the log of ended matches, after line `after`, as JSON; empty at its end."""
        page = evidence_page(self._get("/v1/checkpoints", {"after": after, "limit": limit}))
        return tuple(bytes(item) for item in page.items)
