"""Rebuilds the projections of all streams: summaries, indexes, command indexes, due times, and the index of
the checkpoint log. Also rebuilds the indexes of the puzzles.

For archived matches, the files take the place of the streams; they have no command index on Redis.
`python -m events.reindex` is for operators, who can run it at any time and repeatedly.
"""

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TextIO, cast

import msgspec
import redis
from msgspec import Struct

from domain.match.events import ControllerChanged, SeatTaken
from domain.match.state import MatchState
from events.checkpoints.lines import corrupt_as_log_error, match_of, read_lines
from events.matches.entries import CODEC, fold_entry
from events.matches.projections import (
    account_to_act,
    indexes_of,
    invitation_indexes,
    next_step,
    player_indexes,
    summary_of,
)
from events.matches.puzzles import Puzzles
from events.store import keys
from events.store.client import connect_to_all, unavailable_as_store_error
from events.store.errors import LogCorrupt, StoreUnavailable, StreamCorrupt
from events.store.fields import index_of
from events.store.keys import partitions_of
from events.store.records import Entry
from events.store.redis_store import RedisStore
from runtime.settings import Bucket, SettingsError, archive_dir, partitions, store_from_env

_STATUSES: Final = ("open", "running", "finished", "aborted")
_SHOWN_EVERY: Final = 1000
_PAGE: Final = 1000


class Projections(Struct, frozen=True):
    """All projections of one stream."""

    summary: bytes
    indexes: tuple[str, ...]
    commands: dict[bytes, int]
    """The command index: see `events.store.fields.index_of`."""
    due_ms: int | None
    turn_of: str
    """The account that is to act; empty without one."""
    turn_since_ms: int


class ReindexResult(Struct, frozen=True):
    """The result of `reindex`."""

    rebuilt: int
    """The number of matches whose projections were rebuilt."""
    corrupt: tuple[str, ...]
    """The damage of each corrupt match and of the checkpoint log, whose projections were not changed."""


def projections_of(match_id: str, entries: Sequence[Entry], ai_grace_ms: int) -> Projections:
    """The projections of the stream with these entries, at least one.

    Raises:
        StreamCorrupt.
    """
    sat: set[SeatTaken | ControllerChanged] = set()
    turn_of, since_ms = "", 0
    for entry, state in _states(match_id, entries):
        sat.update(taken for taken in state.controllers if taken)
        if account_to_act(state) != turn_of:
            turn_of, since_ms = account_to_act(state), entry.time_ms
    summary = summary_of(match_id, state, entries[0].time_ms, entries[-1].time_ms)
    return Projections(
        msgspec.json.encode(summary),
        tuple(sorted(indexes_of(summary) | player_indexes(sat) | invitation_indexes(state))),
        index_of(entries),
        next_step(state, entries[-1].time_ms, ai_grace_ms).due_ms,
        turn_of,
        since_ms,
    )


def _states(match_id: str, entries: Sequence[Entry]) -> Iterator[tuple[Entry, MatchState]]:
    """Each entry with the state after it; the next entry changes the same state."""
    reader, state = CODEC.reader(match_id), None
    for entry in entries:
        state = fold_entry(reader, state, entry)
        yield entry, state


def match_ids(client: redis.Redis) -> Iterator[str]:
    """The ids of all matches, including archived ones, in no particular order and possibly repeated.

    Raises:
        StoreUnavailable.
    """
    partitions = partitions_of(client)
    with unavailable_as_store_error():
        for found in client.scan_iter(match=keys.MATCH_PATTERN, count=1000):
            match_id = keys.match_id(found.decode())
            if partitions.key(keys.match(match_id), match_id) == found.decode():
                yield match_id
        for key in partitions.each(keys.ARCHIVED):
            for archived, _ in client.hscan_iter(key, count=1000):
                yield archived.decode()


def reindex(
    client: redis.Redis,
    ai_grace_ms: int = 10_000,
    on_match: Callable[[int], None] = lambda count: None,
    archive_dir: Path | Bucket | None = None,
) -> ReindexResult:
    """Rebuild all projections; the service may be running.

    After each match, `on_match` is called with the number of matches so far.

    Raises:
        StoreUnavailable: only some projections were rebuilt; run it again.
    """
    count = 0
    store = RedisStore(client, archive_dir)
    corrupt = reindex_lines(client, store)
    Puzzles(client).rebuild_indexes()
    waiting = _waiting(client)
    for match_id in match_ids(client):
        try:
            while not _reindex_match(client, store, match_id, ai_grace_ms, waiting[match_id]):
                pass  # the match moved on in the meantime
            count += 1
        except StreamCorrupt as error:
            corrupt.append(str(error))
        on_match(count + len(corrupt))
    return ReindexResult(count, tuple(corrupt))


def reindex_lines(client: redis.Redis, store: RedisStore) -> list[str]:
    """Rebuild the index of the checkpoint log, and return the damage of the log, if any.

    Other processes may append lines at the same time; they are refused while the index is incomplete.

    Raises:
        StoreUnavailable.
    """
    after = 0
    try:
        while page := read_lines(store, after, _PAGE):
            numbers = {match_of(line): line.last for line in page}
            with unavailable_as_store_error():
                client.hset(keys.LINES, mapping=dict(numbers.items()))
            after = page[-1].last
        _remove_matches_without_line(client, store)
    except LogCorrupt as error:
        return [str(error)]
    return []


def _remove_matches_without_line(client: redis.Redis, store: RedisStore) -> None:
    with unavailable_as_store_error(), corrupt_as_log_error():
        for match_id, _ in client.hscan_iter(keys.LINES, count=_PAGE):
            if store.find_command(keys.CHECKPOINT_STREAM, match_id.decode()) is None:
                client.hdel(keys.LINES, match_id)


def _waiting(client: redis.Redis) -> dict[str, set[str]]:
    """By match, the keys of the sets of the accounts that it waits for: for a decision, or for a guest."""
    found: dict[str, set[str]] = defaultdict(set)
    with unavailable_as_store_error():
        for pattern in (keys.TURNS_PATTERN, keys.INVITATIONS_PATTERN):
            for key in client.scan_iter(match=pattern, count=1000):
                for match_id in cast("list[bytes]", client.zrange(key, 0, -1)):
                    found[match_id.decode()].add(key.decode())
    return found


def _reindex_match(
    client: redis.Redis, store: RedisStore, match_id: str, ai_grace_ms: int, said_in: Iterable[str]
) -> bool:
    tag = partitions_of(client).of(match_id)
    stream = keys.at(keys.match(match_id), tag)
    with unavailable_as_store_error(), client.pipeline() as pipe:
        pipe.watch(stream)  # type: ignore[no-untyped-call]  # redis has no type for it
        has_stream = bool(pipe.exists(stream))
        found = projections_of(match_id, store.read(match_id), ai_grace_ms)
        pipe.multi()
        _write(pipe, tag, match_id, found, has_stream)
        right = [keys.turns(found.turn_of), *map(keys.index, found.indexes)]
        for key in set(said_in).difference([keys.at(name, tag) for name in right]):
            pipe.zrem(key, match_id)
        try:
            pipe.execute()
        except redis.WatchError:
            return False
    return True


def _write(
    pipe: "redis.client.Pipeline", tag: str, match_id: str, found: Projections, has_stream: bool
) -> None:
    commands, due = keys.at(keys.commands(match_id), tag), keys.at(keys.DUE, tag)
    pipe.delete(commands)
    if found.commands and has_stream:
        pipe.hset(commands, mapping=dict(found.commands.items()))
    pipe.set(keys.at(keys.summary(match_id), tag), found.summary)
    for name in {f"status:{status}" for status in _STATUSES}.difference(found.indexes):
        pipe.zrem(keys.at(keys.index(name), tag), match_id)
    for name in found.indexes:
        pipe.zadd(keys.at(keys.index(name), tag), {match_id: 0})
    if found.turn_of:
        pipe.zadd(keys.at(keys.turns(found.turn_of), tag), {match_id: found.turn_since_ms})
    if found.due_ms is None:
        pipe.zrem(due, match_id)
    else:
        pipe.zadd(due, {match_id: found.due_ms})


def main(environ: Mapping[str, str], output: TextIO) -> int:
    """Rebuild the projections with the EVENTS_REDIS_URL, AI_GRACE_S and ARCHIVE_DIR of the service.

    Returns the exit code: 0 if nothing is wrong, otherwise 1.
    """

    def show(count: int) -> None:
        if count % _SHOWN_EVERY == 0:
            print(f"{count} matches so far", file=output, flush=True)

    try:
        url, ai_grace_s = store_from_env(environ)
        with connect_to_all(url, partitions(environ)) as client:
            report = reindex(client, ai_grace_s * 1000, show, archive_dir(environ))
    except SettingsError as error:
        print(f"error: {error}", file=output)
        return 1
    except StoreUnavailable as error:
        print(f"error: the event store does not answer ({error}); run it again", file=output)
        return 1
    for text in report.corrupt:
        print(f"left as it was: {text}", file=output)
    print(f"{report.rebuilt} matches rebuilt, {len(report.corrupt)} corrupt", file=output)
    return 1 if report.corrupt else 0


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m events.reindex", description=__doc__).parse_args()
    sys.exit(main(os.environ, sys.stdout))
