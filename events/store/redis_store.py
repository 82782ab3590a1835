"""The store on Redis: one stream for each match and ladder and one of checkpoints, all written by one script,
and a file for each archived match.

The client must return bytes (`decode_responses` off), as that of `runtime.connection.connect` does. The store
looks for the tombstone of an archived match only if there is no stream.
"""

import hashlib
import heapq
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import msgspec
import redis
from cachetools import LRUCache

from events.archive.reader import Archive, ArchivedMatch
from events.store import entries, keys
from events.store.client import is_confirmed, raise_first, unavailable_as_store_error
from events.store.errors import StoreUnavailable, StreamCorrupt
from events.store.fields import RawEntry, format_of, from_fields, from_flat, short_name
from events.store.keys import Partitions, partitions_of
from events.store.records import (
    FINGERPRINT_SIZE,
    Append,
    Appended,
    Conflict,
    Corrupt,
    Duplicate,
    Entry,
    Reply,
    Reused,
    Scored,
)
from runtime.settings import Bucket

_SCRIPT: Final = (Path(__file__).parent / "append.lua").read_bytes()
_SHA: Final = hashlib.sha1(_SCRIPT).hexdigest()
_json: Final = msgspec.json.Encoder().encode

_Call: TypeAlias = tuple[Any, ...]
_REMEMBERED: Final = 50_000
"""Streams whose confirmed version is remembered; of any other, the next read is confirmed again."""


class RedisStore:
    """See `events.store.records.Store`; safe to share among threads."""

    def __init__(self, client: redis.Redis, archive_dir: Path | Bucket | None = None) -> None:
        """`archive_dir` has the files of archived matches; without it, they cannot be read."""
        self._client = client
        self._partitions = partitions_of(client)
        self._archive = Archive(archive_dir)
        self._confirmed: LRUCache[str, int] | None = LRUCache(_REMEMBERED) if is_confirmed(client) else None
        """By stream: the last version that a replica is known to have; None if none has to."""
        self._confirming = threading.Lock()

    def append(self, append: Append) -> Reply:
        with unavailable_as_store_error():
            try:
                reply = self._send(_call(append, self._partitions))
            except redis.exceptions.NoScriptError:
                self._client.script_load(_SCRIPT)
                reply = self._send(_call(append, self._partitions))
        return self._parsed(append, reply)

    def append_many(self, appends: Sequence[Append]) -> list[Reply]:
        if len(appends) == 1:
            return [self.append(appends[0])]  # a pipeline costs more
        return self.packed(appends)()

    def packed(self, appends: Sequence[Append]) -> Callable[[], list[Reply]]:
        calls = [_call(append, self._partitions) for append in appends]
        return lambda: self._sent(appends, calls)

    def _sent(self, appends: Sequence[Append], calls: Sequence[_Call]) -> list[Reply]:
        with unavailable_as_store_error():
            replies = self._pipelined(calls)
            missing = [i for i, reply in enumerate(replies) if _is_no_script(reply)]
            if missing:
                self._client.script_load(_SCRIPT)
                for i, reply in zip(missing, self._pipelined([calls[i] for i in missing]), strict=True):
                    replies[i] = reply
        return [self._parsed(append, reply) for append, reply in zip(appends, replies, strict=True)]

    def read(self, match_id: str, after: int = 0, count: int | None = None) -> list[Entry]:
        with unavailable_as_store_error():
            raw = self._send(self._range(match_id, after, count))
        if not raw:
            return self._read_again(match_id, after, count)
        return self._shown(match_id, raw)

    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Entry]]:
        with unavailable_as_store_error():
            replies = self._pipelined([self._range(match_id, after) for match_id, after in wanted])
            raise_first(replies)
        return [
            self._shown(match_id, raw) if raw else self._read_again(match_id, after)
            for (match_id, after), raw in zip(wanted, replies, strict=True)
        ]

    def entry_at(self, match_id: str, version: int) -> Entry | None:
        call = ("XREVRANGE", self._stream(match_id), f"{version}-0", "-", "COUNT", 1)
        with unavailable_as_store_error():
            raw = self._send(call)
        if not raw:
            raw, archived = self._ask_again(match_id, call)
            if archived:
                return entries.at(archived.entries, version)
        return self._shown(match_id, raw)[0] if raw else None

    def count_entries(self, stream_id: str) -> int:
        with unavailable_as_store_error():
            return self._client.xlen(self._stream(stream_id))

    def find_command(self, match_id: str, command_id: str) -> Entry | None:
        id = command_id.encode()
        index = self._partitions.key(keys.command_index(match_id), match_id)
        call = ("HMGET", index, short_name(id), id)
        with unavailable_as_store_error():
            lasts = self._send(call)
        if not any(lasts):
            lasts, archived = self._ask_again(match_id, call)
            if archived:
                lasts = [archived.commands.get(command_id)]
        for last in filter(None, lasts):
            entry = self.entry_at(match_id, int(last))
            if entry and entry.command[FINGERPRINT_SIZE:] == id:
                return entry
        return None

    def removals(self, match_id: str) -> str:
        with unavailable_as_store_error():
            try:
                info = self._client.xinfo_stream(self._stream(match_id))
            except redis.exceptions.ResponseError as error:
                if "no such key" in str(error):
                    return ""
                raise
        added, there = info["entries-added"], info["length"]
        is_whole = added == there and info["max-deleted-entry-id"] in (b"0-0", "0-0")
        return "" if is_whole else f"{added} entries were added to the stream, {there} are there"

    def members(self, key: str, before: str | None, count: int) -> list[str]:
        top = f"({before}" if before else "+"
        found = self._of_each(key, lambda one: ("ZREVRANGEBYLEX", one, top, "-", "LIMIT", 0, count))
        return heapq.nlargest(count, [member.decode() for members in found for member in members])

    def count_members(self, sets: Sequence[str]) -> list[int]:
        size = len(self._partitions)
        found = self._replies([("ZCARD", one) for key in sets for one in self._partitions.each(key)])
        return [sum(found[at : at + size]) for at in range(0, len(found), size)]

    def are_members(self, key: str, members: Sequence[str]) -> list[bool]:
        in_partitions: dict[str, list[str]] = defaultdict(list)
        for member in members:
            in_partitions[self._partitions.key(key, member)].append(member)
        found = self._replies([("ZMSCORE", one, *those) for one, those in in_partitions.items()])
        there = {
            member
            for those, scores in zip(in_partitions.values(), found, strict=True)
            for member, score in zip(those, scores, strict=True)
            if score is not None
        }
        return [member in there for member in members]

    def by_score(self, key: str, after: Scored | None, count: int) -> list[Scored]:
        least = after.score if after else 0
        in_each = self._partitions.each(key)
        calls = [_by_score(one, f"({least}", "+inf", "LIMIT", 0, count) for one in in_each]
        if after:
            calls += [_by_score(one, least, least) for one in in_each]
        found = [one for reply in self._replies(calls) for one in _scored(reply)]
        behind = [one for one in found if after is None or _order(one) > _order(after)]
        return heapq.nsmallest(count, behind, _order)

    def values(self, names: Sequence[str]) -> list[bytes | None]:
        if len(self._partitions) == 1:
            return list(self._replies([("MGET", *names)])[0]) if names else []
        return self._replies([("GET", self._partitions.key(name, keys.match_id(name))) for name in names])

    def _of_each(self, key: str, call: Callable[[str], _Call]) -> list[Any]:
        """The reply of each partition to a call with its key."""
        return self._replies([call(one) for one in self._partitions.each(key)])

    def _replies(self, calls: Sequence[_Call]) -> list[Any]:
        """The replies to calls that only read, in one round trip."""
        with unavailable_as_store_error():
            if len(calls) == 1:
                return [self._send(calls[0])]  # a pipeline costs more
            replies = self._pipelined(calls)
            raise_first(replies)
        return replies

    def fields(self, key: str, fields: Sequence[str]) -> list[bytes | None]:
        if not fields:
            return []
        with unavailable_as_store_error():
            return cast("list[bytes | None]", self._client.hmget(key, list(fields)))

    def all_fields(self, key: str) -> dict[bytes, bytes]:
        with unavailable_as_store_error():
            return cast("dict[bytes, bytes]", self._client.hgetall(key))

    def _read_again(self, match_id: str, after: int, count: int | None = None) -> list[Entry]:
        """As `read`, after the stream returned nothing."""
        raw, archived = self._ask_again(match_id, self._range(match_id, after, count))
        if archived:
            return list(entries.after(archived.entries, after)[:count])
        return self._shown(match_id, raw)

    def _shown(self, stream_id: str, raw: list[RawEntry]) -> list[Entry]:
        """The entries that were read, which no failover to a replica that confirms loses any more.

        Raises:
            StoreUnavailable: no replica confirms that it has them, or they have been lost since.
        """
        found = from_fields(stream_id, raw)
        if self._confirmed is None or not found:
            return found
        with self._confirming:
            is_known = found[-1].last <= self._confirmed.get(stream_id, 0)
        if not is_known:
            self._confirm(stream_id, raw[-1])
            self._note_confirmed(stream_id, found[-1].last)
        return found

    def _confirm(self, stream_id: str, last: RawEntry) -> None:
        """Have a replica confirm what there is up to this entry, on the server that has it still.

        The next server of a cluster might confirm, and not have what the one before it has shown.
        """
        with unavailable_as_store_error(), self._client.pipeline(transaction=True) as pipe:
            pipe.xrange(self._stream(stream_id), last[0], last[0])
            # Without a write, none would be waited for. The replica that has this has all before it.
            pipe.set(self._partitions.key(keys.CANARY, stream_id), 1)
            there, _ = pipe.execute()
        if there != [last]:
            raise StoreUnavailable("a failover has lost what was read")

    def _note_confirmed(self, stream_id: str, version: int) -> None:
        if self._confirmed is not None:
            with self._confirming:
                self._confirmed[stream_id] = max(version, self._confirmed.get(stream_id, 0))

    def forget(self, match_id: str) -> None:
        self._archive.forget(match_id)

    def _ask_again(self, match_id: str, call: _Call) -> tuple[Any, ArchivedMatch | None]:
        """Repeat a call that returned nothing; its result, and the match if it is archived.

        Both are read in one transaction: the match may just have been archived or restored.
        """
        with unavailable_as_store_error(), self._client.pipeline(transaction=True) as pipe:
            pipe.execute_command(*call)  # type: ignore[no-untyped-call]  # redis has no type for it
            pipe.hget(self._partitions.key(keys.ARCHIVED, match_id), match_id)
            reply, tombstone = pipe.execute()
        if any(reply) or tombstone is None:
            return reply, None
        return reply, self._archive.match(match_id, tombstone)

    def _parsed(self, append: Append, reply: Any) -> Reply:
        if isinstance(reply, Exception):
            raise StoreUnavailable(f"{type(reply).__name__}: {reply}") from reply
        if reply[0] == b"archived":
            return self._refused(append, reply[1])
        if reply[0] == b"conflict":
            return Conflict(reply[1], tuple(from_flat(append.stream_id, reply[2])))
        if reply[0] == b"appended":
            self._note_confirmed(append.stream_id, reply[2])
        return _REPLIES[reply[0]](reply)

    def _refused(self, append: Append, tombstone: bytes) -> Reply:
        """The script's reply if the archived stream were still there; any new command to it is stale."""
        try:
            archived = self._archive.match(append.stream_id, tombstone)
        except StreamCorrupt as error:
            return Corrupt(error.detail)
        refusal = entries.refusal(archived.entries, archived.commands, append)
        return refusal or Conflict(archived.entries[-1].last, ())

    def _send(self, call: _Call) -> Any:
        return self._client.execute_command(*call)  # type: ignore[no-untyped-call]  # redis has no type for it

    def _stream(self, stream_id: str) -> str:
        return self._partitions.key(keys.stream(stream_id), stream_id)

    def _range(self, match_id: str, after: int, count: int | None = None) -> _Call:
        limit = () if count is None else ("COUNT", count)
        return ("XRANGE", self._stream(match_id), f"({after}-0", "+", *limit)

    def _pipelined(self, calls: Sequence[_Call]) -> list[Any]:
        if not calls:
            return []
        with self._client.pipeline(transaction=False) as pipe:
            for call in calls:
                pipe.execute_command(*call)  # type: ignore[no-untyped-call]  # as above
            return pipe.execute(raise_on_error=False)


def _call(append: Append, partitions: Partitions) -> _Call:
    stream_id = append.stream_id
    form = format_of(stream_id)
    names = [keys.stream(stream_id), keys.command_index(stream_id), keys.ARCHIVED]
    of_entries: list[bytes] = []
    for entry in append.entries:
        id = entry.command[FINGERPRINT_SIZE:]
        of_entries += (b"%d" % entry.last, *form.to_values(entry), form.short_name(id) if id else b"", id)
    values: list[Any] = [append.expected, append.head_hash, stream_id, form.kind]
    values += [b"".join(of_entries), _json([*map(len, of_entries)])]
    for key, name, value in append.bindings:
        names.append(key)
        values += [2, "HSETNX", name, value]
    for command, key, arguments in append.writes:
        names.append(key)
        values += [len(arguments), command, *arguments]
    if (tag := partitions.of(stream_id)) != keys.HOME:
        names = [keys.at(name, tag) for name in names]
    return ("EVALSHA", _SHA, len(names), *names, *values)


def _by_score(key: str, low: str | int, high: str | int, *limit: str | int) -> _Call:
    return ("ZRANGE", key, low, high, "BYSCORE", *limit, "WITHSCORES")


def _order(one: Scored) -> tuple[int, str]:
    return one.score, one.member


def _scored(reply: list[tuple[bytes, float]]) -> list[Scored]:
    return [Scored(member.decode(), int(score)) for member, score in reply]


_REPLIES: Final[dict[bytes, Callable[[list[Any]], Reply]]] = {
    b"appended": lambda reply: Appended(reply[1], reply[2]),
    b"duplicate": lambda reply: Duplicate(reply[1], reply[2]),
    b"reused": lambda reply: Reused(),
    b"corrupt": lambda reply: Corrupt(reply[1].decode()),
}


def _is_no_script(reply: Any) -> bool:
    return isinstance(reply, redis.exceptions.NoScriptError)
