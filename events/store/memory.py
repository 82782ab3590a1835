"""The store in the memory of one process, with the same contract as on Redis; for tests and offline play."""

import threading
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence

from events.store import entries, keys
from events.store.fields import pointer_in
from events.store.records import Append, Appended, Binding, Entry, Pointer, Reply, Reused, Scored, Write


class MemoryStore:
    """See `events.store.records.Store`; safe to share among threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: dict[str, list[Entry]] = {}
        self._side = SideKeys()

    def append(self, append: Append) -> Reply:
        with self._lock:
            return self._refusal(append) or self._write(append)

    def append_many(self, appends: Sequence[Append]) -> list[Reply]:
        return [self.append(append) for append in appends]

    def packed(self, appends: Sequence[Append]) -> Callable[[], list[Reply]]:
        return lambda: self.append_many(appends)

    def read(self, match_id: str, after: int = 0, count: int | None = None) -> list[Entry]:
        with self._lock:
            return list(entries.after(self._stream(match_id), after)[:count])

    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Entry]]:
        return [self.read(match_id, after) for match_id, after in wanted]

    def entry_at(self, match_id: str, version: int) -> Entry | None:
        with self._lock:
            return entries.at(self._stream(match_id), version)

    def count_entries(self, stream_id: str) -> int:
        return len(self._stream(stream_id))

    def find_command(self, match_id: str, command_id: str) -> Entry | None:
        last = self._side.hashes[keys.command_index(match_id)].get(command_id)
        return self.entry_at(match_id, int(last)) if last else None

    def forget(self, match_id: str) -> None:
        """Do nothing: there is no cache."""

    def removals(self, match_id: str) -> str:
        return ""

    def members(self, key: str, before: str | None, count: int) -> list[str]:
        with self._lock:
            members = sorted(self._side.scores[key])
            end = bisect_left(members, before) if before else len(members)
            return members[max(0, end - count) : end][::-1]

    def count_members(self, sets: Sequence[str]) -> list[int]:
        with self._lock:
            return [len(self._side.scores[key]) for key in sets]

    def are_members(self, key: str, members: Sequence[str]) -> list[bool]:
        with self._lock:
            return [member in self._side.scores[key] for member in members]

    def by_score(self, key: str, after: Scored | None, count: int) -> list[Scored]:
        with self._lock:
            found = self._side.by_score(key)
        end = bisect_right(found, (after.score, after.member)) if after else 0
        return [Scored(member, score) for score, member in found[end : end + count]]

    def values(self, names: Sequence[str]) -> list[bytes | None]:
        return [self._side.strings.get(name) for name in names]

    def fields(self, key: str, fields: Sequence[str]) -> list[bytes | None]:
        return [self._side.hashes[key].get(field) for field in fields]

    def all_fields(self, key: str) -> dict[bytes, bytes]:
        with self._lock:
            return {field.encode(): value for field, value in self._side.hashes[key].items()}

    def read_log(self, after: str, count: int = 500) -> list[Pointer]:
        """As `events.store.outbox.Outbox.read_log`, without blocking."""
        with self._lock:
            log = [pointer_in(*one) for one in self._side.streams[keys.LOG]]
        return [pointer for pointer in log if _order(pointer.id) > _order(after)][:count]

    def due_before(self, now_ms: int, limit: int = 100) -> list[tuple[str, int]]:
        """As `events.store.outbox.Outbox.due_before`."""
        with self._lock:
            due = [one for one in self._side.by_score(keys.DUE) if one[0] <= now_ms]
        return [(match_id, due_ms) for due_ms, match_id in due[:limit]]

    def _refusal(self, append: Append) -> Reply | None:
        known = self._side.hashes[keys.command_index(append.stream_id)]
        refusal = entries.refusal(self._stream(append.stream_id), known, append)
        return refusal or (None if all(map(self._side.allows, append.bindings)) else Reused())

    def _write(self, append: Append) -> Reply:
        stream = self._streams.setdefault(append.stream_id, [])
        stream.extend(append.entries)
        index = keys.command_index(append.stream_id)
        known = entries.commands_in(append.entries)
        self._side.hashes[index] |= {id: b"%d" % last for id, last in known.items()}
        for binding in append.bindings:
            self._side.hashes[binding.key][binding.name] = binding.value
        for write in append.writes:
            self._side.carry_out(write)
        return Appended(append.expected + 1, stream[-1].last)

    def _stream(self, match_id: str) -> Sequence[Entry]:
        return self._streams.get(match_id, [])


class SideKeys:
    """The keys beside the streams, as Redis would have them."""

    def __init__(self) -> None:
        self.scores: dict[str, dict[str, int]] = defaultdict(dict)
        """Sorted sets: scores by member."""
        self.strings: dict[str, bytes] = {}
        self.hashes: dict[str, dict[str, bytes]] = defaultdict(dict)
        self.streams: dict[str, list[tuple[bytes, dict[bytes, bytes]]]] = defaultdict(list)

    def allows(self, binding: Binding) -> bool:
        """Whether the name has no other value."""
        return self.hashes[binding.key].get(binding.name, binding.value) == binding.value

    def carry_out(self, write: Write) -> None:
        """Do what the Redis command does."""
        command, key, arguments = write
        match command, arguments:
            case "ZADD", (int(score), str(member)):
                self.scores[key][member] = score
            case "ZREM", (str(member),):
                self.scores[key].pop(member, None)
            case "SET", (value,):
                self.strings[key] = _bytes(value)
            case "HSET", (str(field), value):
                self.hashes[key][field] = _bytes(value)
            case "XADD", ("*", *fields):
                given = [_bytes(one) for one in fields]
                number = b"%d-0" % (len(self.streams[key]) + 1)
                self.streams[key].append((number, dict(zip(given[::2], given[1::2], strict=True))))
            case _:
                raise ValueError(f"no append writes {write}")

    def by_score(self, key: str) -> list[tuple[int, str]]:
        """Scores and members of a sorted set, the lowest score first."""
        return sorted((score, member) for member, score in self.scores[key].items())


def _bytes(value: str | bytes | int) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _order(log_id: str) -> int:
    return int(log_id.partition("-")[0])
