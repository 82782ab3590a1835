"""The store on Redis: one stream per match, written by one script.

A client must return bytes (`decode_responses` off); `events.connection.connect` makes one.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import redis

from events import keys
from events.connection import unavailable_as_store_error
from events.errors import StoreUnavailable
from events.fields import RawEntry, from_fields, from_flat
from events.records import Append, Appended, Conflict, Corrupt, Duplicate, Entry, Reply, Reused, Waiting

_SCRIPT: Final = (Path(__file__).parent / "append.lua").read_bytes()
_SHA: Final = hashlib.sha1(_SCRIPT).hexdigest()


class RedisStore:
    """See `events.records.Store`; safe to share among threads."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def append(self, append: Append) -> Reply:
        with unavailable_as_store_error():
            try:
                reply = self._send(_call(append))
            except redis.exceptions.NoScriptError:
                self._client.script_load(_SCRIPT)
                reply = self._send(_call(append))
        return _parse_reply(reply)

    def append_many(self, appends: Sequence[Append]) -> list[Reply]:
        if len(appends) == 1:
            return [self.append(appends[0])]  # a pipeline costs more
        with unavailable_as_store_error():
            replies = self._pipelined([_call(append) for append in appends])
            missing = [i for i, reply in enumerate(replies) if _is_no_script(reply)]
            if missing:
                self._client.script_load(_SCRIPT)
                again = self._pipelined([_call(appends[i]) for i in missing])
                for i, reply in zip(missing, again, strict=True):
                    replies[i] = reply
        return [_parse_reply(reply) for reply in replies]

    def read(self, match_id: str, after: int = 0, count: int | None = None) -> list[Entry]:
        with unavailable_as_store_error():
            raw = self._client.xrange(keys.match(match_id), f"({after}-0", "+", count)
        return from_fields(match_id, cast("list[RawEntry]", raw))

    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Entry]]:
        calls = [("XRANGE", keys.match(match_id), f"({after}-0", "+") for match_id, after in wanted]
        with unavailable_as_store_error():
            replies = self._pipelined(calls)
            _raise_first_error(replies)
        return [from_fields(match_id, reply) for (match_id, _), reply in zip(wanted, replies, strict=True)]

    def entry_at(self, match_id: str, version: int) -> Entry | None:
        with unavailable_as_store_error():
            raw = self._client.xrevrange(keys.match(match_id), f"{version}-0", "-", 1)
        found = from_fields(match_id, cast("list[RawEntry]", raw))
        return found[0] if found else None

    def find_command(self, match_id: str, command_id: str) -> Entry | None:
        with unavailable_as_store_error():
            last = cast("bytes | None", self._client.hget(keys.commands(match_id), command_id))
        return self.entry_at(match_id, int(last)) if last else None

    def removals(self, match_id: str) -> str:
        with unavailable_as_store_error():
            try:
                info = self._client.xinfo_stream(keys.match(match_id))
            except redis.exceptions.ResponseError as error:
                if "no such key" in str(error):
                    return ""
                raise
        added, there = info["entries-added"], info["length"]
        is_whole = added == there and info["max-deleted-entry-id"] in (b"0-0", "0-0")
        return "" if is_whole else f"{added} entries were added to the stream, {there} are there"

    def index_page(self, index: str, before: str | None, count: int) -> list[str]:
        top = f"({before}" if before else "+"
        with unavailable_as_store_error():
            found = self._client.zrevrangebylex(keys.index(index), top, "-", 0, count)
        return [match_id.decode() for match_id in cast("list[bytes]", found)]

    def in_index(self, index: str, match_ids: Sequence[str]) -> list[bool]:
        if not match_ids:
            return []
        with unavailable_as_store_error():
            scores = self._client.zmscore(keys.index(index), list(match_ids))
        return [score is not None for score in scores]

    def turns(self, account_id: str, after: Waiting | None, count: int) -> list[Waiting]:
        key = keys.turns(account_id)
        since = after.since_ms if after else 0
        calls: list[tuple[Any, ...]] = [_by_score(key, f"({since}", "+inf", "LIMIT", 0, count)]
        if after:
            calls.append(_by_score(key, since, since))
        with unavailable_as_store_error():
            replies = self._pipelined(calls)
            _raise_first_error(replies)
        later, *same_time = [_waiting(reply) for reply in replies]
        behind = [one for found in same_time for one in found if after and one.match_id > after.match_id]
        return (behind + later)[:count]

    def summaries(self, match_ids: Sequence[str]) -> list[bytes | None]:
        if not match_ids:
            return []
        with unavailable_as_store_error():
            found = self._client.mget([keys.summary(match_id) for match_id in match_ids])
        return cast("list[bytes | None]", found)

    def _send(self, call: tuple[Any, ...]) -> Any:
        return self._client.execute_command(*call)  # type: ignore[no-untyped-call]  # redis has no type for it

    def _pipelined(self, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        if not calls:
            return []
        with self._client.pipeline(transaction=False) as pipe:
            for call in calls:
                pipe.execute_command(*call)  # type: ignore[no-untyped-call]  # as above
            return pipe.execute(raise_on_error=False)


def _call(append: Append) -> tuple[Any, ...]:
    match_id = append.match_id
    names = [
        keys.match(match_id),
        keys.commands(match_id),
        keys.LOG,
        keys.DUE,
        keys.summary(match_id),
        *map(keys.index, append.joins),
        *map(keys.index, append.leaves),
    ]
    if append.turn_ends:
        names.append(keys.turns(append.turn_ends))
    if append.turn_begins:
        names.append(keys.turns(append.turn_begins))
    due = "" if append.due_ms is None else append.due_ms
    values: list[Any] = [append.expected, append.head_hash, match_id, append.next, due]
    values += [append.summary or b"", len(append.joins), append.turn_begins]
    for entry in append.entries:
        values += [entry.last, entry.events, entry.command, entry.actor, entry.time_ms, entry.hash]
    return ("EVALSHA", _SHA, len(names), *names, *values)


def _by_score(key: str, low: str | int, high: str | int, *limit: str | int) -> tuple[Any, ...]:
    return ("ZRANGE", key, low, high, "BYSCORE", *limit, "WITHSCORES")


def _waiting(reply: list[tuple[bytes, float]]) -> list[Waiting]:
    return [Waiting(match_id.decode(), int(since_ms)) for match_id, since_ms in reply]


_REPLIES: Final[dict[bytes, Callable[[list[Any]], Reply]]] = {
    b"appended": lambda reply: Appended(reply[1], reply[2]),
    b"duplicate": lambda reply: Duplicate(reply[1], reply[2]),
    b"reused": lambda reply: Reused(),
    b"conflict": lambda reply: Conflict(reply[1], tuple([from_flat(raw) for raw in reply[2]])),
    b"corrupt": lambda reply: Corrupt(reply[1].decode()),
}


def _parse_reply(reply: Any) -> Reply:
    if isinstance(reply, Exception):
        raise StoreUnavailable(f"{type(reply).__name__}: {reply}") from reply
    return _REPLIES[reply[0]](reply)


def _is_no_script(reply: Any) -> bool:
    return isinstance(reply, redis.exceptions.NoScriptError)


def _raise_first_error(replies: list[Any]) -> None:
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
