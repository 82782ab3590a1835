"""The tables of a ladder as they were computed last.

They are a read model: they may be lost, and are computed anew from the ladder's results. Workers save them,
the service shows them.
"""

from typing import Any, Final, cast

import msgspec
import redis
from msgspec import Struct

from events import keys
from events.connection import unavailable_as_store_error


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
    """By round, those of all seasons."""
    took_ms: int = 0
    """What the official table cost."""
    live_version: int = 0
    """Results up to this version of the ladder are in the live ratings."""
    strengths: tuple[tuple[int, float, float, int], ...] = ()
    """The live ratings as their model goes on with them: number of the entry, mean, deviation, matches."""


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(PublishedTable).decode


def load(client: redis.Redis, ladder_id: str) -> PublishedTable | None:
    """The tables that were saved last; None if there are none, or none of this shape.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        found = cast("bytes | None", client.get(keys.ladder_table(ladder_id)))
    if found is None:
        return None
    try:
        return _decode(found)
    except msgspec.MsgspecError:
        # Written by another version of the program: as good as lost.
        return None


def save(client: redis.Redis, ladder_id: str, published: PublishedTable) -> None:
    """Keep these tables.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.set(keys.ladder_table(ladder_id), _encode(published))
