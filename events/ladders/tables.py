"""The tables of a ladder by season: the last computed ones, the progress of the next, and requests for
tables.

Tables are a read model: if lost, they are computed again from the ladder's results. Workers compute and save
them; the service shows them and requests missing ones. The partial result of an official table is saved too,
so that several jobs can compute it one after the other; if that is lost, the computation starts again.
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
"""The time after which saved fits expire if no more are added."""

_PROGRESS: Final = b"progress"


class LiveRating(Struct, frozen=True):
    """A quick estimate of an entry's rating from the results so far; the official rating is in the table."""

    entry: str
    rating: float
    low: float
    """The lower end of the 95 % interval."""
    high: float
    matches: int


class SequentialProgress(Struct, frozen=True):
    """The progress of a sequential test."""

    round: int
    llr: float
    """The logarithm of the likelihood ratio."""
    lower: float
    """At this value or below, the decision is that A is not better."""
    upper: float
    """At this value or above, the decision is that A is better."""
    wins_a: int
    wins_b: int
    others: int
    """The number of matches that neither won."""
    blocks: int
    """The number of counted blocks: finished ones up to the first open one, and none after the decision."""
    elo: float
    """The observed difference in rating."""
    elo_interval: tuple[float, float]
    """The 95 % interval, valid for a number of blocks fixed in advance."""
    decision: str = ""
    """`better`, `not_better` or `undecided`; empty while the test continues."""


class PublishedTable(Struct, frozen=True):
    """The tables of one season."""

    season: int
    version: int = 0
    """The official table contains the results up to this version of the ladder."""
    blocks: int = 0
    """The number of finished blocks in the official table."""
    computed_at_ms: int = 0
    """When it was computed, in ms since 1970."""
    table: dict[str, Any] | None = None
    """The official table as JSON, see `domain.ladder.standings`; None before the first one."""
    crosstable: list[dict[str, Any]] | None = None
    """Its cells as JSON, see `domain.ladder.crosstable`; computed together with the official table."""
    live: tuple[LiveRating, ...] = ()
    """The live ratings, best first."""
    tests: tuple[SequentialProgress, ...] = ()
    """The tests of the season, by round."""
    took_ms: int = 0
    """The computing time of the official table."""
    live_version: int = 0
    """The live ratings contain the results up to this version of the ladder."""
    strengths: tuple[tuple[int, float, float, int], ...] = ()
    """The state of the live rating model: number of the entry, mean, deviation, matches."""


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(PublishedTable).decode


def load(client: redis.Redis, ladder_id: str, season: int) -> PublishedTable | None:
    """The last saved tables of a season; None if there are none, or they have another schema.

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
        # Written by another version of the program: treated as lost.
        return None


def save(client: redis.Redis, ladder_id: str, published: PublishedTable) -> None:
    """Save the tables of their season.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.hset(keys.ladder_tables(ladder_id), str(published.season), _encode(published))


def want(client: redis.Redis, ladder_id: str, season: int) -> None:
    """Request that workers update the tables of that season, although none of its rounds is being played.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.sadd(keys.TABLES_WANTED, f"{ladder_id}:{season}")


def wanted(client: redis.Redis) -> list[tuple[str, int]]:
    """The ladders and seasons whose tables are requested, sorted.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        found = cast("set[bytes]", client.smembers(keys.TABLES_WANTED))
    parted = [member.decode().rpartition(":") for member in sorted(found)]
    return [(ladder_id, int(season)) for ladder_id, _, season in parted]


def is_wanted(client: redis.Redis, ladder_id: str, season: int) -> bool:
    """Whether the tables of that season are requested.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        return bool(client.sismember(keys.TABLES_WANTED, f"{ladder_id}:{season}"))


def want_no_more(client: redis.Redis, ladder_id: str, season: int) -> None:
    """Remove the request for the tables of that season: they are up to date, or cannot be computed.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.srem(keys.TABLES_WANTED, f"{ladder_id}:{season}")


class Progress(Struct, frozen=True):
    """The progress of a table."""

    version: int
    """It will contain the results up to this version of the ladder."""
    blocks: int
    """The number of finished blocks up to that version."""
    begun_at_ms: int
    """In ms since 1970."""
    total: int
    """The number of replicates of the estimate."""
    done: int = 0
    spent_ms: int = 0
    """The computing time so far."""
    digest: str = ""
    """That of the results, if their version does not determine them: for ratings of people."""


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
    """The progress of that season's table; None if none is being computed.

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
        # Written by another version of the program: treated as lost.
        return None


def load_fits(client: redis.Redis, ladder_id: str, season: int) -> tuple[Progress, Fits] | None:
    """The progress of the table, and its fits; None if none is being computed.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        found = cast("dict[bytes, bytes]", client.hgetall(keys.ladder_fits(ladder_id, season)))
    progress = _read(found.get(_PROGRESS))
    estimate = found.get(_of_estimate(progress.version)) if progress else None
    if progress is None or estimate is None:
        return None
    try:
        known = _estimate(estimate)
        return progress, Fits(known.ascent, known.metric, _chunks(found, progress.version))
    except msgspec.MsgspecError:
        return None


def _chunks(found: dict[bytes, bytes], version: int) -> list[Vector]:
    """The replicates before the first missing chunk."""
    replicates: list[Vector] = []
    while (chunk := found.get(_of_chunk(version, len(replicates)))) and (known := _replicates(chunk)):
        replicates += known
    return replicates


def save_fits(
    client: redis.Redis, ladder_id: str, season: int, progress: Progress, fits: Fits, known: int
) -> None:
    """Save the fits, of which the first `known` replicates are saved already.

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
    """Delete the progress and the fits: the table was published, or its computation starts again.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.delete(keys.ladder_fits(ladder_id, season))


def _of_estimate(version: int) -> bytes:
    return b"%d:estimate" % version


def _of_chunk(version: int, first: int) -> bytes:
    return b"%d:%d" % (version, first)
