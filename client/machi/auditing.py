"""Receipts of matches: what the header `Match-Head` says."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from machi.errors import UnusableAnswer

_HEAD: Final = re.compile(r'v=(\d{1,15}); h="(sha-256:[0-9a-f]{64})"', re.ASCII)


class MatchHead(Struct, frozen=True):
    """A receipt: how many events a match has, and the hash of the last."""

    version: int
    hash: str

    def __str__(self) -> str:
        return f'v={self.version}; h="{self.hash}"'


def parsed_head(text: str) -> MatchHead:
    """The receipt that a `Match-Head` is. Raises: ValueError."""
    matched = _HEAD.fullmatch(text.strip())
    if matched is None:
        raise ValueError(f'a receipt is v=VERSION; h="sha-256:HASH", unlike {text!r}')
    return MatchHead(int(matched[1]), matched[2])


def head_in(headers: Mapping[str, str]) -> MatchHead:
    """The receipt of an answer. Raises: UnusableAnswer."""
    try:
        return parsed_head(headers.get("Match-Head", ""))
    except ValueError as error:
        raise UnusableAnswer(f"the answer is not what this API gives: {error}") from None
