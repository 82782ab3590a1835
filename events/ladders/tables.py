"""The tables of a ladder as they were computed last, by season.

They are a read model: they may be lost, and are computed anew from the ladder's results. Workers save them,
the service shows them, and asks for those that are missing.
"""

from typing import Any, Final, cast

import msgspec
import redis
from msgspec import Struct

from events.store import keys
from events.store.errors import unavailable_as_store_error


class LiveRating(Struct, frozen=True):
    """What an entry is worth by the results so far, at a glance; the official rating is in the table."""

    entry: str
    rating: float
    low: float
    """The lower end of the 95 % interval."""
    high: float
    matches: int


class SequentialProgress(Struct, frozen=True):
    """How far a sequential test is."""

    round: int
    llr: float
    """The logarithm of the likelihood ratio."""
    lower: float
    """At this ratio or below it is decided that A is not better."""
    upper: float
    """At this ratio or above it is decided that A is better."""
    wins_a: int
    wins_b: int
    others: int
    """Matches that neither won."""
    blocks: int
    """As many are counted: finished ones up to the first that is open, none behind the decision."""
    elo: float
    """The difference in rating as it was seen."""
    elo_interval: tuple[float, float]
    """95 %, for a number of blocks fixed in advance."""
    decision: str = ""
    """`better`, `not_better` or `undecided`; empty while it goes on."""


class PublishedTable(Struct, frozen=True):
    """The tables of one season."""

    season: int
    version: int = 0
    """Results up to this version of the ladder are in the official table."""
    blocks: int = 0
    """As many finished blocks are in it."""
    computed_at_ms: int = 0
    """When it was computed, in ms since 1970."""
    table: dict[str, Any] | None = None
    """The official table as JSON, see `domain.ladder.standings`; None before the first one."""
    crosstable: list[dict[str, Any]] | None = None
    """Its cells as JSON, see `domain.ladder.crosstable`; as old as the official table."""
    live: tuple[LiveRating, ...] = ()
    """The best first."""
    tests: tuple[SequentialProgress, ...] = ()
    """By round, those of the season."""
    took_ms: int = 0
    """What the official table cost."""
    live_version: int = 0
    """Results up to this version of the ladder are in the live ratings."""
    strengths: tuple[tuple[int, float, float, int], ...] = ()
    """The live ratings as their model goes on with them: number of the entry, mean, deviation, matches."""


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(PublishedTable).decode


def load(client: redis.Redis, ladder_id: str, season: int) -> PublishedTable | None:
    """The tables of a season that were saved last; None if there are none, or none of this shape.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        found = cast("bytes | None", client.hget(keys.ladder_tables(ladder_id), str(season)))
    if found is None:
        return None
    try:
        return _decode(found)
    except msgspec.MsgspecError:
        # Written by another version of the program: as good as lost.
        return None


def save(client: redis.Redis, ladder_id: str, published: PublishedTable) -> None:
    """Keep these tables of their season.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.hset(keys.ladder_tables(ladder_id), str(published.season), _encode(published))


def want(client: redis.Redis, ladder_id: str, season: int) -> None:
    """Have workers bring the tables of that season up to date, though none of its rounds is being played.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.sadd(keys.TABLES_WANTED, f"{ladder_id}:{season}")


def wanted(client: redis.Redis) -> list[tuple[str, int]]:
    """The ladders and seasons whose tables are wanted, in order.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        found = cast("set[bytes]", client.smembers(keys.TABLES_WANTED))
    parted = [member.decode().rpartition(":") for member in sorted(found)]
    return [(ladder_id, int(season)) for ladder_id, _, season in parted]


def is_wanted(client: redis.Redis, ladder_id: str, season: int) -> bool:
    """Whether the tables of that season are wanted.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        return bool(client.sismember(keys.TABLES_WANTED, f"{ladder_id}:{season}"))


def want_no_more(client: redis.Redis, ladder_id: str, season: int) -> None:
    """The tables of that season are up to date, or cannot be.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.srem(keys.TABLES_WANTED, f"{ladder_id}:{season}")
