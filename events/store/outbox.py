"""The outbox that a relay reads: the append log of a partition, the checkpoints of its readers, its due set.

An append writes its own pointer to the log, so there is never one without the other. The log is kept for
every reader that has a checkpoint.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import redis

from events.store import keys
from events.store.client import raise_first, unavailable_as_store_error
from events.store.fields import pointer_in, pointer_to
from events.store.keys import partitions_of
from events.store.records import Pointer, Precedence
from runtime.connection import LONGEST_BLOCK_MS, Cluster

LOG_START: Final = "0-0"
RELAY: Final = "relay"
"""The reader of the log that dispatches built-in players' turns."""
NOTARY: Final = "notary"
"""The reader that ensures that every match that ended has a checkpoint."""
DAMAGED: Final = "damaged"
"""In place of who acts next: a match was found damaged. Nothing was appended; the version is the first event
that cannot be trusted, 0 if the stream as a whole is damaged."""
REVOKED: Final = "revoked"
"""In place of who acts next: an account's token was deleted."""
NOTIFIED: Final = "notified"
"""In place of who acts next: an account has new notifications. The pointer names its `inbox_topic` in place
of a match, and the sequence of the last one in place of a version."""
NOTIFIER: Final = "notifier"
"""The reader that notifies accounts."""
POLL_S: Final = 0.02
"""How often the logs on a cluster are read while a reader waits."""
KEPT_MS: Final = 3_600_000
"""Pointers are kept for at least an hour, whatever the checkpoints."""

_POSTPONE: Final = """
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1
"""


class Outbox:
    """The log and the due set of one partition on Redis."""

    def __init__(self, client: redis.Redis, tag: str = keys.HOME) -> None:
        """`tag` is the partition's."""
        self._client = client
        self._tag = tag
        self._log, self._due = keys.at(keys.LOG, tag), keys.at(keys.DUE, tag)
        self._checkpoints = keys.at(keys.CHECKPOINTS, tag)

    def read_log(self, after: str, count: int = 500) -> list[Pointer]:
        """The pointers after the log id `after`, at most `count`.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            return read_pointers(self._client, {self._tag: after}, count).get(self._tag, [])

    def before(self, log_id: str, count: int) -> list[Pointer]:
        """The last pointers up to this log id, at most `count`, newest first.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            found = cast("list[tuple[bytes, Any]]", self._client.xrevrange(self._log, log_id, "-", count))
        return [pointer_in(id, fields) for id, fields in found]

    def checkpoint(self, reader: str) -> str:
        """The id of the last pointer that a reader has processed; `LOG_START` if it has none.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            found = cast("bytes | None", self._client.hget(self._checkpoints, reader))
        return found.decode() if found else LOG_START

    def save_checkpoint(self, reader: str, log_id: str) -> None:
        """Record that a reader has processed all pointers up to that one.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            self._client.hset(self._checkpoints, reader, log_id)

    def end(self) -> str:
        """The id of the last pointer on the log; `LOG_START` if there is none.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            return log_end(self._client, self._tag)

    def lag_ms(self, reader: str, now_ms: int) -> int:
        """The age of the oldest pointer that a reader has not processed; 0 without one.

        Raises:
            StoreUnavailable.
        """
        waiting = self.read_log(self.checkpoint(reader), 1)
        return max(0, now_ms - _time_ms(waiting[0].id)) if waiting else 0

    def forget_reader(self, reader: str) -> None:
        """Remove the checkpoint of a reader that will not return, so that the log is no longer kept for it.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            self._client.hdel(self._checkpoints, reader)

    def count_due(self, now_ms: int) -> tuple[int, int]:
        """The size of the due set, and the number of matches in it that are due now.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            overdue = self._client.zcount(self._due, "-inf", now_ms)
            return self._client.zcard(self._due), overdue

    def due_before(self, now_ms: int, limit: int = 100) -> list[tuple[str, int]]:
        """The matches that are due, each with its due time, the earliest first; at most `limit`.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            found = self._client.zrangebyscore(self._due, "-inf", now_ms, 0, limit, withscores=True)
        pairs = cast("list[tuple[bytes, float]]", found)
        return [(match_id.decode(), int(due_ms)) for match_id, due_ms in pairs]

    def due_ms(self, match_ids: Sequence[str]) -> list[int | None]:
        """The due time of each match; None for a match that is not in the due set.

        Raises:
            StoreUnavailable.
        """
        if not match_ids:
            return []
        with unavailable_as_store_error():
            found = self._client.zmscore(self._due, [*match_ids])
        return [None if due_ms is None else int(due_ms) for due_ms in found]

    def postpone(self, match_id: str, due_ms: int, until_ms: int) -> bool:
        """Postpone a match that was due at `due_ms`; False if its due time has changed since.

        If several relays postpone the same match, only one gets True.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            moved = self._client.eval(_POSTPONE, 1, self._due, match_id, str(due_ms), str(until_ms))
        return bool(moved)

    def postpone_many(self, due: Sequence[tuple[str, int, int]]) -> None:
        """As `postpone` for several matches in one round trip: id, due time and new due time of each.

        Raises:
            StoreUnavailable.
        """
        if not due:
            return
        with unavailable_as_store_error(), self._client.pipeline(transaction=False) as pipe:
            for match_id, due_ms, until_ms in due:
                # Pipelines to a cluster have no other way to send a script.
                pipe.execute_command("EVAL", _POSTPONE, 1, self._due, match_id, str(due_ms), str(until_ms))  # type: ignore[no-untyped-call]
            pipe.execute()

    def trim_log(self, checkpoint: str, now_ms: int) -> int:
        """Remove the pointers that are older than an hour and before this checkpoint and those of all other
        readers; return their number.

        Raises:
            StoreUnavailable.
        """
        with unavailable_as_store_error():
            others = cast("list[bytes]", self._client.hvals(self._checkpoints))
            done_with = [_time_ms(log_id) for log_id in (checkpoint, *[other.decode() for other in others])]
            oldest_kept = min(now_ms - KEPT_MS, *done_with)
            if oldest_kept <= 0:
                return 0
            return self._client.xtrim(self._log, minid=f"{oldest_kept}-0", approximate=True)


def hand_back(client: redis.Redis, turns: Sequence[tuple[str, int, Precedence]]) -> None:
    """Put turns that no worker played on the logs again: match id, version and precedence of each.

    Raises:
        StoreUnavailable: turns that were not put back become overdue.
    """
    if not turns:
        return
    partitions = partitions_of(client)
    with unavailable_as_store_error(), client.pipeline(transaction=False) as pipe:
        for match_id, version, precedence in turns:
            command, key, arguments = pointer_to(match_id, version, "ai", precedence=precedence)
            pipe.execute_command(command, partitions.key(key, match_id), *arguments)  # type: ignore[no-untyped-call]
        pipe.execute()


def record_revocation(client: redis.Redis, account_id: str) -> None:
    """Put a pointer on the first log that a token of the account was deleted; it names no match."""
    client.xadd(keys.LOG, {"m": "", "v": 0, "n": REVOKED, "a": account_id})


def inbox_topic(account_id: str) -> str:
    """In place of a match: the inbox of an account."""
    return f"inbox:{account_id}"


def wake_readers(client: redis.Redis, sequences: Mapping[str, int]) -> None:
    """Put a pointer on the first log for each account that has new notifications, with the sequence of the
    last one."""
    with client.pipeline(transaction=False) as pipe:
        for account_id, sequence in sequences.items():
            pipe.xadd(keys.LOG, {"m": inbox_topic(account_id), "v": sequence, "n": NOTIFIED, "a": ""})
        pipe.execute()


def read_pointers(
    client: redis.Redis, after: Mapping[str, str], count: int, block_ms: int | None = None
) -> dict[str, list[Pointer]]:
    """The pointers on the logs of several partitions, by tag, each after its log id and at most `count`.

    Logs without pointers are left out. Waits up to `block_ms` (at most 5000) for the first pointer; then the
    client is one of `runtime.connection.connect_blocking`.

    Raises:
        redis.RedisError.
    """
    if block_ms is not None and not 1 <= block_ms <= LONGEST_BLOCK_MS:
        raise ValueError(f"block_ms must be 1 to {LONGEST_BLOCK_MS}, not {block_ms}")
    if isinstance(client, Cluster):
        return _read_by_turns(client, after, count, block_ms or 0)
    tags = {keys.at(keys.LOG, tag): tag for tag in after}
    found = cast("Any", client.xread({log: after[tag] for log, tag in tags.items()}, count, block_ms))
    logs = found.items() if isinstance(found, dict) else found or ()
    return {
        tags[log.decode()]: [
            pointer_in(id, fields) for id, fields in (entries[0] if isinstance(found, dict) else entries)
        ]
        for log, entries in logs
    }


def _read_by_turns(
    client: redis.Redis, after: Mapping[str, str], count: int, block_ms: int
) -> dict[str, list[Pointer]]:
    """As `read_pointers` on a cluster, where no command can wait for keys of several servers."""
    ends_s = time.monotonic() + block_ms / 1000
    while True:
        with client.pipeline(transaction=False) as pipe:
            for tag, log_id in after.items():
                pipe.xrange(keys.at(keys.LOG, tag), f"({log_id}", "+", count)
            replies = pipe.execute(raise_on_error=False)
        if all(isinstance(reply, Exception) for reply in replies):
            raise_first(replies)
        found = {
            tag: [pointer_in(id, fields) for id, fields in reply]
            for tag, reply in zip(after, replies, strict=True)
            if reply and not isinstance(reply, Exception)  # a server may be away, and the others not
        }
        if found or time.monotonic() >= ends_s:
            return found
        time.sleep(POLL_S)


def _time_ms(log_id: str) -> int:
    return int(log_id.partition("-")[0])


def log_end(client: redis.Redis, tag: str = keys.HOME) -> str:
    """The id of the last pointer on the log of a partition; `LOG_START` if there is none."""
    log = keys.at(keys.LOG, tag)
    found = cast("list[tuple[bytes, Any]]", client.xrevrange(log, "+", "-", 1))
    return found[0][0].decode() if found else LOG_START
