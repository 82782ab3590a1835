"""What stored and running matches cost: the time of a command, of lists, of a restart, and memory.

Each size has a server of its own, all at the same time, and what is timed goes from one to the next, so that
all of them have the same neighbours. The stored matches are copies of a few that were played. A million would
need more than 20 GB, so there are as many archived ones, of which the store keeps a summary and a tombstone.
"""

import itertools
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

import redis
from msgspec import Struct

from bench.figures import Figure
from bench.matches import played_by_workers
from bench.processes import Servers, servers
from domain import legal_commands
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.events import Dice
from domain.match.rulesets import CURRENT, resolve_options
from events import Matches, RedisStore
from events.archive.files import encode, to_json, tombstone_of
from events.archive.places import place_of
from events.archive.transfer import archive
from events.matches.entries import from_entries
from events.matches.lists import list_matches
from events.store import keys
from events.store.keys import new_id

STORED: Final = tuple(int(size) for size in os.environ.get("BENCH_STORED", "1000,1,10000,100000").split(","))
"""Finished matches; the first is what the others are compared with."""
ARCHIVED: Final = int(os.environ.get("BENCH_ARCHIVED", "1000000"))
"""Beside as many finished ones as the first size: archived ones."""
RUNNING: Final = (10, 100, 1000)
COMMANDS: Final = 2000
LISTS: Final = 200
ARCHIVINGS: Final = 50
PLAYED: Final = 10
"""Matches that are played, and copied then."""
_BATCH: Final = 500
_LOADED_S: Final = 600.0


class _Copied(Struct, frozen=True):
    """A match as a server holds it."""

    stream: bytes
    commands: bytes | None
    summary: bytes
    indexes: tuple[str, ...]
    tombstone: bytes


class _Place(Struct, frozen=True):
    """A store of one size."""

    name: str
    where: Servers
    matches: Matches


def measure() -> Iterator[Figure]:
    """Costs by the number of stored matches, then by the number of running ones."""
    with ExitStack() as opened:
        places = [_place(opened, f"{size:,} stored") for size in STORED]
        places.append(_place(opened, f"{ARCHIVED:,} archived"))
        for place, size, is_archived in zip(
            places, (*STORED, ARCHIVED), (*[False] * len(STORED), True), strict=True
        ):
            copied = _played(place)
            if is_archived:
                _fill(place, copied, STORED[0], is_archived=False)
            _fill(place, copied, size, is_archived)
        yield from _commands(places)
        yield from _lists(places)
        yield from _archived(places)
        yield from _held(places)
    with ExitStack() as opened:
        places = [_place(opened, f"{size:,} running") for size in RUNNING]
        for place, size in zip(places, RUNNING, strict=True):
            for _ in range(size):
                place.matches.create(_with_people())
        yield from _commands(places)


def _place(opened: ExitStack, name: str) -> _Place:
    where = opened.enter_context(servers())
    return _Place(name, where, where.matches())


def _with_people() -> CreateMatch:
    rules = CURRENT["base"]
    seats = tuple(SeatPlan("account", f"acc_{number}", f"player {number}") for number in range(2))
    return CreateMatch(rules.version, resolve_options(rules, 2), seats, Dice("committed"), "acc_0")


def _played(place: _Place) -> list[_Copied]:
    admin = redis.Redis.from_url(place.where.events.admin_url)
    found = []
    for _ in range(PLAYED):
        match_id = played_by_workers(place.matches)
        entries = place.matches.store.read(match_id)
        tombstone = to_json(tombstone_of(match_id, entries, encode(match_id, entries)))
        indexes = [
            key.decode()
            for key in admin.scan_iter(keys.INDEX_PATTERN, count=1000)
            if admin.zscore(key, match_id) is not None
        ]
        stream, commands, summary = [
            admin.dump(name(match_id)) for name in (keys.match, keys.commands, keys.summary)
        ]
        assert stream
        assert summary
        found.append(_Copied(stream, commands, summary, tuple(indexes), tombstone))
    admin.close()
    return found


def _fill(place: _Place, copied: Sequence[_Copied], size: int, is_archived: bool) -> None:
    """Store so many copies."""
    admin = redis.Redis.from_url(place.where.events.admin_url)
    originals = itertools.cycle(copied)
    for first in range(0, size, _BATCH):
        pipe = admin.pipeline(transaction=False)
        for _ in range(min(_BATCH, size - first)):
            original, match_id = next(originals), new_id("mat")
            if is_archived:
                pipe.hset(keys.ARCHIVED, match_id, original.tombstone)
            else:
                pipe.restore(keys.match(match_id), 0, original.stream)
                if original.commands:
                    pipe.restore(keys.commands(match_id), 0, original.commands)
            pipe.restore(keys.summary(match_id), 0, original.summary)
            for index in original.indexes:
                pipe.zadd(index, {match_id: 0})
        pipe.execute()
    admin.close()


def _commands(places: Sequence[_Place]) -> Iterator[Figure]:
    """The time of a command on a match of two people, from loading it to the synced append."""
    states = [place.matches.create(_with_people()) for place in places]
    times: list[list[float]] = [[] for _ in places]
    for number in range(COMMANDS):
        for index, place in enumerate(places):
            before = states[index].state
            if not legal_commands(before):
                states[index] = place.matches.create(_with_people())
                before = states[index].state
            legal = legal_commands(before)
            command = legal[number % len(legal)]
            start = time.perf_counter()
            states[index] = place.matches.execute(
                states[index].match_id, command, f"seat:{before.active}", new_id("cmd")
            )
            times[index].append(1000 * (time.perf_counter() - start))
    for percent in (50, 99):
        values = [quantiles(one, n=100)[percent - 1] for one in times]
        yield from _compared(places, f"command, p{percent}", values)


def _lists(places: Sequence[_Place]) -> Iterator[Figure]:
    """The time of a page of the list of all matches: the newest."""
    times: list[list[float]] = [[] for _ in places]
    for _ in range(LISTS):
        for index, place in enumerate(places):
            start = time.perf_counter()
            list_matches(place.matches.store)
            times[index].append(1000 * (time.perf_counter() - start))
    yield from _compared(places, "page of 50 of the list, p50", [median(one) for one in times])


def _archived(places: Sequence[_Place]) -> Iterator[Figure]:
    """The time to archive a match, and to load one from the archive."""
    moving: list[list[float]] = [[] for _ in places]
    loading: list[list[float]] = [[] for _ in places]
    with ExitStack() as opened:
        folders = [Path(opened.enter_context(TemporaryDirectory())) for _ in places]
        clients = [redis.Redis.from_url(place.where.events.admin_url) for place in places]
        for _ in range(ARCHIVINGS):
            for index, place in enumerate(places):
                match_id = played_by_workers(place.matches)
                start = time.perf_counter()
                archive(clients[index], place_of(folders[index]), match_id)
                middle = time.perf_counter()
                from_entries(match_id, RedisStore(clients[index], folders[index]).read(match_id))
                moving[index].append(1000 * (middle - start))
                loading[index].append(1000 * (time.perf_counter() - middle))
        for client in clients:
            client.close()
    yield from _compared(places, "archive a match, p50", [median(one) for one in moving])
    yield from _compared(places, "load an archived match, p50", [median(one) for one in loading])


def _held(places: Sequence[_Place]) -> Iterator[Figure]:
    """Memory and file of each store, and how long it takes to start after kill -9."""
    memory, files, starts = [], [], []
    for place in places:
        server = place.where.events
        with redis.Redis.from_url(server.admin_url) as admin:
            admin.bgrewriteaof()
            while admin.info("persistence")["aof_rewrite_in_progress"]:
                time.sleep(0.05)
            memory.append(admin.info("memory")["used_memory"] / 1e6)
        files.append(sum(path.stat().st_size for path in server.data_dir.rglob("*.aof*")) / 1e6)
        server.kill()
        start = time.perf_counter()
        server.start(_LOADED_S)
        starts.append(time.perf_counter() - start)
    yield from _compared(places, "memory", memory, "MB")
    yield from _compared(places, "file", files, "MB")
    yield from _compared(places, "restart", starts, "s")


def _compared(
    places: Sequence[_Place], name: str, values: Sequence[float], unit: str = "ms"
) -> Iterator[Figure]:
    for place, value in zip(places, values, strict=True):
        goal = "< 1.3" if "p99" in name else ""
        yield Figure(f"{name}, {place.name}", value, unit, goal, values[0], places[0].name)
