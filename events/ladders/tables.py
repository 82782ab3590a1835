"""The tables of a ladder by season: those computed last, how far the next one is, and which are wanted.

They are a read model: they may be lost, and are computed anew from the ladder's results. Workers compute and
save them, the service shows them and asks for those that are missing. What is done of an official table is
kept too, so that several jobs can compute it one after the other; without that it is begun anew.
"""

from typing import Any, Final, cast

import msgspec
import redis
from msgspec import Struct

from domain.ladder.arithmetic import Matrix, Vector
from domain.ladder.likelihood import Ascent
from domain.ladder.ratings import Fits
from events.store import keys
from events.store.client import unavailable_as_store_error

KEPT_S: Final = 86_400
"""Fits that nobody adds to go by themselves after so long."""

_PROGRESS: Final = b"progress"


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


class Progress(Struct, frozen=True):
    """How far a table is."""

    version: int
    """Results up to this version of the ladder will be in it."""
    blocks: int
    """As many finished blocks are that."""
    begun_at_ms: int
    """In ms since 1970."""
    total: int
    """Replicates of the estimate."""
    done: int = 0
    spent_ms: int = 0
    """What it cost so far."""


class _Estimate(Struct, frozen=True, array_like=True):
    """The fits without their replicates."""

    ascent: Ascent | None
    metric: Matrix


_to_json: Final = msgspec.json.Encoder().encode
_from_json: Final = msgspec.json.Decoder(Progress).decode
_pack: Final = msgspec.msgpack.Encoder().encode
_estimate: Final = msgspec.msgpack.Decoder(_Estimate).decode
_replicates: Final = msgspec.msgpack.Decoder(list[Vector]).decode


def progress(client: redis.Redis, ladder_id: str, season: int) -> Progress | None:
    """How far the table of that season is; None if none is being computed.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        found = client.hget(keys.ladder_fits(ladder_id, season), _PROGRESS.decode())
    return _read(cast("bytes | None", found))


def _read(found: bytes | None) -> Progress | None:
    try:
        return _from_json(found) if found else None
    except msgspec.MsgspecError:
        # Written by another version of the program: as good as lost.
        return None


def load_fits(client: redis.Redis, ladder_id: str, season: int) -> tuple[Progress, Fits] | None:
    """How far the table is, and its fits; None if none is being computed.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        found = cast("dict[bytes, bytes]", client.hgetall(keys.ladder_fits(ladder_id, season)))
    far = _read(found.get(_PROGRESS))
    estimate = found.get(_of_estimate(far.version)) if far else None
    if far is None or estimate is None:
        return None
    try:
        known = _estimate(estimate)
        return far, Fits(known.ascent, known.metric, _chunks(found, far.version))
    except msgspec.MsgspecError:
        return None


def _chunks(found: dict[bytes, bytes], version: int) -> list[Vector]:
    """The replicates up to the first that is missing."""
    replicates: list[Vector] = []
    while (chunk := found.get(_of_chunk(version, len(replicates)))) and (known := _replicates(chunk)):
        replicates += known
    return replicates


def save_fits(
    client: redis.Redis, ladder_id: str, season: int, progress: Progress, fits: Fits, known: int
) -> None:
    """Keep the fits, as many replicates of which are kept already.

    Raises:
        StoreUnavailable.
    """
    # The version is part of every name: two workers at different versions do not mix their fits.
    changed: dict[Any, Any] = {_PROGRESS: _to_json(progress)}
    if not known:
        changed[_of_estimate(progress.version)] = _pack(_Estimate(fits.estimate, fits.metric))
    if len(fits.replicates) > known:
        changed[_of_chunk(progress.version, known)] = _pack(fits.replicates[known:])
    key = keys.ladder_fits(ladder_id, season)
    with unavailable_as_store_error(), client.pipeline() as pipe:
        pipe.hset(key, mapping=changed)
        pipe.expire(key, KEPT_S)
        pipe.execute()


def drop_fits(client: redis.Redis, ladder_id: str, season: int) -> None:
    """Keep nothing of it: the table is published, or is begun anew.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.delete(keys.ladder_fits(ladder_id, season))


def _of_estimate(version: int) -> bytes:
    return b"%d:estimate" % version


def _of_chunk(version: int, first: int) -> bytes:
    return b"%d:%d" % (version, first)
