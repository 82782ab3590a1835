"""What is done of an official table that takes longer than a job: its fits, slice by slice.

Without them the table is begun anew, that is all; so they go by themselves when nobody adds to them.
"""

from typing import Any, Final, cast

import msgspec
import redis
from msgspec import Struct

from domain.ladder.arithmetic import Matrix, Vector
from domain.ladder.fits import Fits
from domain.ladder.plackett_luce import Ascent
from events.store import keys
from events.store.errors import unavailable_as_store_error

KEPT_S: Final = 86_400

_PROGRESS: Final = b"progress"


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


def load(client: redis.Redis, ladder_id: str, season: int) -> tuple[Progress, Fits] | None:
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


def save(
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


def drop(client: redis.Redis, ladder_id: str, season: int) -> None:
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
