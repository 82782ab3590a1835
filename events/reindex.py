"""Building all that stands beside the streams from the streams: summaries, indexes, commands, due times."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import redis
from msgspec import Struct

from domain.events import ControllerChanged, SeatTaken
from events import keys
from events.codec import decode
from events.connection import unavailable_as_store_error
from events.listing import indexes_of, player_indexes, summary_of
from events.loading import from_entries
from events.records import FINGERPRINT_SIZE, Entry
from events.store import RedisStore
from events.waiting import next_step

_STATUSES: Final = ("open", "running", "finished", "aborted")


class Rebuilt(Struct, frozen=True):
    """All that follows from one stream."""

    summary: bytes
    indexes: tuple[str, ...]
    commands: dict[str, int]
    """The version that each command led to."""
    due_ms: int | None


def rebuilt(match_id: str, entries: Sequence[Entry], ai_grace_ms: int) -> Rebuilt:
    """What belongs beside the stream with these entries.

    Raises:
        StreamCorrupt.
    """
    loaded = from_entries(match_id, entries)
    summary = summary_of(match_id, loaded.state, loaded.created_at_ms)
    return Rebuilt(
        msgspec.json.encode(summary),
        tuple(sorted(indexes_of(summary) | _players_ever(entries))),
        {entry.command[FINGERPRINT_SIZE:].decode(): entry.last for entry in entries if entry.command},
        next_step(loaded.state, loaded.last_at_ms, ai_grace_ms).due_ms,
    )


def _players_ever(entries: Sequence[Entry]) -> set[str]:
    events = [event for entry in entries for event in decode(entry.events)]
    return player_indexes([event for event in events if isinstance(event, SeatTaken | ControllerChanged)])


def match_ids(client: redis.Redis) -> Iterator[str]:
    """The ids of all matches, in no order.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        for key in client.scan_iter(match=keys.MATCH_PATTERN, count=1000):
            yield keys.match_id(key.decode())


def wipe(client: redis.Redis) -> None:
    """Remove everything that `reindex` builds; until it has, lists are empty and command ids forgotten.

    Raises:
        StoreUnavailable.
    """
    with unavailable_as_store_error():
        client.unlink(keys.DUE)
        for pattern in (keys.INDEX_PATTERN, keys.SUMMARY_PATTERN, keys.COMMANDS_PATTERN):
            for key in client.scan_iter(match=pattern, count=1000):
                client.unlink(key)


def reindex(client: redis.Redis, ai_grace_ms: int = 10_000) -> int:
    """Build everything beside the streams again, while the service may run; the number of matches.

    Raises:
        StreamCorrupt: a stream cannot be what was written; matches not yet reached are left as they were.
        StoreUnavailable.
    """
    count = 0
    for match_id in match_ids(client):
        while not _reindex_match(client, match_id, ai_grace_ms):
            pass  # the match moved on in the meantime
        count += 1
    return count


def _reindex_match(client: redis.Redis, match_id: str, ai_grace_ms: int) -> bool:
    with unavailable_as_store_error(), client.pipeline() as pipe:
        pipe.watch(keys.match(match_id))  # type: ignore[no-untyped-call]  # redis has no type for it
        found = rebuilt(match_id, RedisStore(client).read(match_id), ai_grace_ms)
        pipe.multi()
        _write(pipe, match_id, found)
        try:
            pipe.execute()
        except redis.WatchError:
            return False
    return True


def _write(pipe: "redis.client.Pipeline", match_id: str, found: Rebuilt) -> None:
    pipe.delete(keys.commands(match_id))
    if found.commands:
        pipe.hset(keys.commands(match_id), mapping=dict(found.commands.items()))
    pipe.set(keys.summary(match_id), found.summary)
    for name in {f"status:{status}" for status in _STATUSES}.difference(found.indexes):
        pipe.zrem(keys.index(name), match_id)
    for name in found.indexes:
        pipe.zadd(keys.index(name), {match_id: 0})
    if found.due_ms is None:
        pipe.zrem(keys.DUE, match_id)
    else:
        pipe.zadd(keys.DUE, {match_id: found.due_ms})
