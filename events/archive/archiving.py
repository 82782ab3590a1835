"""Archiving a match that is over, and putting it back.

A crash between two steps leaves the stream, or the file and the tombstone; doing it again goes on. Nothing is
taken out of Redis before its file has been read back from where it lies.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import redis
from msgspec import Struct

from domain.canonical import hash_text
from domain.match.state import is_over
from events.archive.files import Tombstone, decode, encode, file_name, to_json, tombstone_of
from events.archive.reading import Archive, read_file
from events.checkpoints.lines import checkpoint_in
from events.matches.entries import Loaded, from_entries
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.errors import LogCorrupt, MatchNotFound, NotMoved, StreamCorrupt
from events.store.fields import FIELDS, RawEntry, from_fields, index_of, to_fields
from events.store.records import Entry
from events.store.redis_store import RedisStore

_ARCHIVE: Final = (Path(__file__).parent / "archive.lua").read_bytes()
_RESTORE: Final = (Path(__file__).parent / "restore.lua").read_bytes()

Objection: TypeAlias = Callable[[redis.Redis, Loaded], str]
"""Why a match that is over must stay where it is for now; empty if it need not."""


def _is_not_signed(client: redis.Redis, loaded: Loaded) -> str:
    """The end of a match is signed in Redis, by what is there; a file is never put in the place of that."""
    try:
        line = RedisStore(client).find_command(keys.CHECKPOINT_STREAM, loaded.match_id)
        if line is None:
            return "its end is not signed yet"
        signed = checkpoint_in(line)
    except (LogCorrupt, StreamCorrupt):
        return "its line of the log of checkpoints is damaged"
    return "" if signed.head_hash == hash_text(loaded.head_hash) else "another end of it was signed"


OBJECTIONS: Final[Sequence[Objection]] = (_is_not_signed,)
"""Asked of every match before it is archived: what else must have been done with it once it was over."""


class Moved(Struct, frozen=True):
    """What archiving one match has come to."""

    redis_bytes: int
    """What it took up in Redis."""
    file_bytes: int


def archive(
    client: redis.Redis, directory: Path, match_id: str, objections: Sequence[Objection] = ()
) -> Moved:
    """Move a match from Redis to a file.

    Raises:
        MatchNotFound: no match of that id is in Redis.
        NotMoved: it is not over, there is an objection, or another file is where its own should be.
        RulesChanged: the tables that it was made with are not at hand.
        StreamCorrupt: its stream is not what was written; it is left as it is.
        OSError: the directory cannot be used.
        StoreUnavailable.
    """
    entries = movable(client, match_id, objections)
    redis_bytes = memory_of(client, match_id)
    tombstone = file_away(directory, match_id, entries)
    take_out(client, match_id, entries, tombstone)
    return Moved(redis_bytes, (directory / tombstone.file).stat().st_size)


def movable(client: redis.Redis, match_id: str, objections: Sequence[Objection] = ()) -> list[Entry]:
    """All entries of a match that may be archived. Raises: see `archive`."""
    entries = stream_of(client, match_id)
    loaded = from_entries(match_id, entries)
    if not is_over(loaded.state):
        raise NotMoved(match_id, f"it is {loaded.state.status}")
    for objection in objections:
        if reason := objection(client, loaded):
            raise NotMoved(match_id, reason)
    return entries


def restore(client: redis.Redis, archive: Archive, match_id: str) -> int:
    """Put an archived match back into Redis as it was; its version. The file stays where it is.

    Raises:
        NotMoved: it is not archived.
        StreamCorrupt: its file is missing or damaged, or its stream is not what was put there.
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        stored = cast("bytes | None", client.hget(keys.ARCHIVED, match_id))
    if stored is None:
        raise NotMoved(match_id, "it is not archived")
    entries = list(archive.match(match_id, stored).entries)
    from_entries(match_id, entries)
    _put_back(client, match_id, entries, stored)
    if stream_of(client, match_id) != entries:
        raise StreamCorrupt(match_id, 0, "its stream is not what was put there")
    return entries[-1].last


def stream_of(client: redis.Redis, match_id: str) -> list[Entry]:
    """All entries of a stream, which has nothing that an entry does not have.

    Raises:
        MatchNotFound: there is no stream.
        StreamCorrupt, StoreUnavailable.
    """
    with unavailable_as_store_error():
        raw = cast("list[RawEntry]", client.xrange(keys.match(match_id)))
    if not raw:
        raise MatchNotFound(match_id)
    entries = from_fields(match_id, raw)
    for entry, (id, fields) in zip(entries, raw, strict=True):
        if fields.keys() != FIELDS or id != b"%d-0" % entry.last:
            raise StreamCorrupt(match_id, 0, "an entry is not as it was written")
    return entries


def may_take_out(client: redis.Redis) -> bool:
    """Whether the client's user has the right to remove streams, which the application's has not.

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
    """The bytes that a stream and its command index take up in Redis.

    Raises:
        StoreUnavailable.
    """
    names = (keys.match(match_id), keys.commands(match_id))
    with unavailable_as_store_error():
        return sum([client.memory_usage(name, samples=0) or 0 for name in names])


def file_away(directory: Path, match_id: str, entries: Sequence[Entry]) -> Tombstone:
    """Have the entries lie in their file, safe from a loss of power, and read it back; what points to it.

    A file that is there already, as after a crash or a restore, is never written over.

    Raises:
        NotMoved: they are too large, or something else is in the place of the file.
        OSError.
    """
    try:
        path = directory / file_name(match_id)
        if not path.exists():
            _write(path, encode(match_id, entries))
        _sync(path)
        data = read_file(path)
    except ValueError as error:
        raise NotMoved(match_id, str(error)) from error
    tombstone = tombstone_of(match_id, entries, data)
    if _read_back(match_id, tombstone, data) != entries:
        raise NotMoved(match_id, f"{path} is in the way: it does not hold its entries")
    return tombstone


def _read_back(match_id: str, tombstone: Tombstone, data: bytes) -> list[Entry]:
    try:
        entries = decode(match_id, tombstone, data)
        from_entries(match_id, entries)
    except StreamCorrupt as error:
        raise NotMoved(match_id, f"{tombstone.file} is in the way: {error.detail}") from error
    return entries


def take_out(client: redis.Redis, match_id: str, entries: Sequence[Entry], tombstone: Tombstone) -> None:
    """Remove the stream of these entries and its command index, and leave the tombstone: all or nothing.

    Raises:
        NotMoved: the stream is not what it was, or a clock or a built-in player may still touch it.
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
    with unavailable_as_store_error():
        reply = cast(bytes, client.register_script(script)(names, values))
    if reply != good:
        raise NotMoved(match_id, reply.decode())


def _write(path: Path, data: bytes) -> None:
    """Put a file in its place at once; what a crash has left half done is written over."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o640), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _sync(path: Path) -> None:
    """Wait until a file, its name and that of its directory are on the disk, whoever wrote them."""
    for one in (path, path.parent, path.parent.parent):
        sync(one)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on the disk.

    Raises:
        OSError.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
