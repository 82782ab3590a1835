"""The transfer of finished matches from Redis to files, and back.

After a crash between two steps, there is either the stream, or the file and the tombstone; a retry continues.
A stream is removed from Redis only after its file has been read back.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import redis
from msgspec import Struct

from domain.canonical import hash_text
from domain.match.state import is_over
from events.archive.files import Tombstone, decode, encode, file_name, to_json, tombstone_of
from events.archive.places import Missing, Place
from events.archive.reader import Archive
from events.checkpoints.lines import checkpoint_in
from events.matches.entries import Loaded, from_entries
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.errors import LogCorrupt, MatchNotFound, NotMoved, StreamCorrupt
from events.store.fields import FIELDS, RawEntry, from_fields, index_of, to_fields
from events.store.keys import partitions_of
from events.store.records import Entry
from events.store.redis_store import RedisStore

_ARCHIVE: Final = (Path(__file__).parent / "archive.lua").read_bytes()
_RESTORE: Final = (Path(__file__).parent / "restore.lua").read_bytes()

Objection: TypeAlias = Callable[[redis.Redis, Loaded], str]
"""The reason why a finished match must stay in Redis for now; empty if there is none."""


def _is_not_signed(client: redis.Redis, loaded: Loaded) -> str:
    """A match is signed from its stream in Redis, so it must stay there until it is signed."""
    try:
        line = RedisStore(client).find_command(keys.CHECKPOINT_STREAM, loaded.match_id)
        if line is None:
            return "its end is not signed yet"
        signed = checkpoint_in(line)
    except (LogCorrupt, StreamCorrupt):
        return "its line of the checkpoint log is damaged"
    return "" if signed.head_hash == hash_text(loaded.head_hash) else "another end of it was signed"


OBJECTIONS: Final[Sequence[Objection]] = (_is_not_signed,)
"""Checks of every match before it is archived: other work that must be done first."""


class Moved(Struct, frozen=True):
    """The sizes of an archived match."""

    redis_bytes: int
    """The memory that it used in Redis."""
    file_bytes: int


def archive(client: redis.Redis, place: Place, match_id: str, objections: Sequence[Objection] = ()) -> Moved:
    """Move a match from Redis to a file in that place.

    Raises:
        MatchNotFound: no match with that id is in Redis.
        NotMoved: it is not over, there is an objection, or a different file is in its place.
        RulesChanged: the card tables that it was created with are not available.
        StreamCorrupt: its stream is not what was written; it is not changed.
        OSError: the place cannot be used.
        StoreUnavailable.
    """
    entries = movable(client, match_id, objections)
    redis_bytes = memory_of(client, match_id)
    tombstone, size = file_away(place, match_id, entries)
    remove_stream(client, match_id, entries, tombstone)
    return Moved(redis_bytes, size)


def movable(client: redis.Redis, match_id: str, objections: Sequence[Objection] = ()) -> list[Entry]:
    """All entries of a match that can be archived. Raises: see `archive`."""
    entries = read_stream(client, match_id)
    loaded = from_entries(match_id, entries)
    if not is_over(loaded.state):
        raise NotMoved(match_id, f"it is {loaded.state.status}")
    for objection in objections:
        if reason := objection(client, loaded):
            raise NotMoved(match_id, reason)
    return entries


def restore(client: redis.Redis, archive: Archive, match_id: str) -> int:
    """Restore an archived match to Redis as it was, and return its version. The file is kept.

    Raises:
        NotMoved: it is not archived.
        StreamCorrupt: its file is missing or damaged, or the stream differs from what was written.
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        stored = cast("bytes | None", client.hget(_key(client, keys.ARCHIVED, match_id), match_id))
    if stored is None:
        raise NotMoved(match_id, "it is not archived")
    entries = list(archive.match(match_id, stored).entries)
    from_entries(match_id, entries)
    _put_back(client, match_id, entries, stored)
    if read_stream(client, match_id) != entries:
        raise StreamCorrupt(match_id, 0, "its stream is not what was put there")
    return entries[-1].last


def read_stream(client: redis.Redis, match_id: str) -> list[Entry]:
    """All entries of a stream, which must contain nothing else, so that the file can replace it.

    Raises:
        MatchNotFound: there is no stream.
        StreamCorrupt, StoreUnavailable.
    """
    with unavailable_as_store_error():
        raw = cast("list[RawEntry]", client.xrange(_key(client, keys.match(match_id), match_id)))
    if not raw:
        raise MatchNotFound(match_id)
    entries = from_fields(match_id, raw)
    names = {*FIELDS}
    for entry, (id, fields) in zip(entries, raw, strict=True):
        if fields.keys() != names or id != b"%d-0" % entry.last:
            raise StreamCorrupt(match_id, 0, "an entry is not as it was written")
    return entries


def may_remove_streams(client: redis.Redis) -> bool:
    """Whether the client's user has the right to remove streams, which that of the service does not have.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        try:
            client.unlink(keys.match("none"))
        except redis.exceptions.NoPermissionError:
            return False
    return True


def memory_of(client: redis.Redis, match_id: str) -> int:
    """The bytes that a stream and its command index use in Redis.

    Raises:
        StoreUnavailable.
    """
    names = [_key(client, key, match_id) for key in (keys.match(match_id), keys.commands(match_id))]
    with unavailable_as_store_error():
        return sum([client.memory_usage(name, samples=0) or 0 for name in names])


def file_away(place: Place, match_id: str, entries: Sequence[Entry]) -> tuple[Tombstone, int]:
    """Write the entries durably to their file and read it back; its tombstone, and its size.

    A file that already exists, as after a crash or a restore, is never overwritten.

    Raises:
        NotMoved: the entries are too large, or a different file is in that place.
        OSError.
    """
    try:
        name = file_name(match_id)
        place.keep(name, encode(match_id, entries))
        data = place.read(name)
    except (ValueError, Missing) as error:
        raise NotMoved(match_id, str(error)) from error
    tombstone = tombstone_of(match_id, entries, data)
    if _read_back(match_id, tombstone, data) != entries:
        raise NotMoved(match_id, f"{place}/{name} is in the way: it does not hold its entries")
    return tombstone, len(data)


def _read_back(match_id: str, tombstone: Tombstone, data: bytes) -> list[Entry]:
    try:
        entries = decode(match_id, tombstone, data)
        from_entries(match_id, entries)
    except StreamCorrupt as error:
        raise NotMoved(match_id, f"{tombstone.file} is in the way: {error.detail}") from error
    return entries


def remove_stream(client: redis.Redis, match_id: str, entries: Sequence[Entry], tombstone: Tombstone) -> None:
    """Remove the stream of these entries and its command index, and leave the tombstone: all or nothing.

    Raises:
        NotMoved: the stream has changed, or a clock or a built-in player may still change it.
        StoreUnavailable.
    """
    tail = entries[-1]
    names = (keys.match(match_id), keys.commands(match_id), keys.DUE, keys.ARCHIVED)
    values = (match_id, tail.last, tail.hash, len(entries), to_json(tombstone))
    _run(client, _ARCHIVE, names, values, match_id, b"archived")


def _put_back(client: redis.Redis, match_id: str, entries: Sequence[Entry], tombstone: bytes) -> None:
    commands = index_of(entries)
    values: list[Any] = [match_id, tombstone, len(commands)]
    for pair in commands.items():
        values += pair
    for id, fields in map(to_fields, entries):
        values += [id, *fields.values()]
    names = (keys.match(match_id), keys.commands(match_id), keys.ARCHIVED)
    _run(client, _RESTORE, names, values, match_id, b"restored")


def _run(
    client: redis.Redis,
    script: bytes,
    names: Sequence[str],
    values: Sequence[Any],
    match_id: str,
    good: bytes,
) -> None:
    keys_of_match = [_key(client, name, match_id) for name in names]
    with unavailable_as_store_error():
        reply = cast(bytes, client.register_script(script)(keys_of_match, values))
    if reply != good:
        raise NotMoved(match_id, reply.decode())


def _key(client: redis.Redis, key: str, match_id: str) -> str:
    return partitions_of(client).key(key, match_id)
