"""The matches that ended before a time and are still in Redis, from the indexes."""

import heapq
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import redis

from domain.match.state import ABORTED, FINISHED
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.keys import first_id, partitions_of

_PAGE: Final = 500


def ended_before(client: redis.Redis, cutoff_ms: int) -> Iterator[str]:
    """The ids of the finished matches whose last event is older, in the order of their creation.

    Matches whose stream is missing or malformed are included, so that the operator learns of them.

    Raises:
        StoreUnavailable.
    """
    return heapq.merge(
        *[
            _in_index(client, keys.at(keys.index(f"status:{status}"), tag), tag, cutoff_ms)
            for tag in partitions_of(client).tags
            for status in (FINISHED, ABORTED)
        ]
    )


def _in_index(client: redis.Redis, index: str, tag: str, cutoff_ms: int) -> Iterator[str]:
    low, high = "-", f"({first_id('mat', cutoff_ms)}"
    while True:
        with unavailable_as_store_error():
            page = cast("list[bytes]", client.zrangebylex(index, low, high, 0, _PAGE))
            old = _old(client, page, tag, cutoff_ms) if page else []
        yield from old
        if len(page) < _PAGE:
            return
        low = f"({page[-1].decode()}"


def _old(client: redis.Redis, page: Sequence[bytes], tag: str, cutoff_ms: int) -> list[str]:
    """The ids without a tombstone whose last entry is older."""
    ids = [match_id.decode() for match_id in page]
    with client.pipeline(transaction=False) as pipe:
        pipe.hmget(keys.at(keys.ARCHIVED, tag), ids)
        for match_id in ids:
            pipe.xrevrange(keys.at(keys.match(match_id), tag), "+", "-", 1)
        tombstones, *tails = pipe.execute()
    return [
        match_id
        for match_id, tombstone, tail in zip(ids, tombstones, tails, strict=True)
        if tombstone is None and _time_ms(tail) < cutoff_ms
    ]


def _time_ms(tail: Sequence[tuple[bytes, dict[bytes, bytes]]]) -> int:
    """The time of a last entry; 0 if it has none."""
    text: Any = tail[0][1].get(b"t", b"") if tail else b""
    return int(text) if text.isdigit() else 0
