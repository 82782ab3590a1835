"""Archiving: nothing leaves Redis before its file is sound, and a crash at any point loses nothing."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis

from domain.match.commands import AbortMatch
from events import Matches, RedisStore, StoreUnavailable, StreamCorrupt
from events.archive.files import decode, encode, from_json
from events.archive.places import Directory
from events.archive.transfer import (
    archive,
    file_away,
    may_remove_streams,
    movable,
    read_stream,
    remove_stream,
)
from events.matches.entries import Loaded
from events.store import keys
from events.store.errors import MatchNotFound, NotMoved
from ops.servers import Server
from runtime.connection import connect
from tests.events.ended import archived_match, assert_archived, beside, ended_match, file_of, tombstone
from tests.events.example_matches import SEEDS, creation, finished_match, with_clock
from tests.events.lossy_connection import LossyConnection
from tests.events.redis_streams import _forge, everything


@pytest.fixture
def matches(client: redis.Redis, tmp_path: Path) -> Matches:
    return Matches(RedisStore(client, tmp_path), SEEDS)


def test_only_the_stream_and_the_commands_leave_redis(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    entries, before = matches.store.read(match_id), beside(admin, match_id)
    used = sum(admin.memory_usage(key, samples=0) for key in (keys.match(match_id), keys.commands(match_id)))
    moved = archive(admin, Directory(tmp_path), match_id)
    assert_archived(matches, admin, match_id, entries)
    assert beside(admin, match_id) == before
    assert (moved.redis_bytes, moved.file_bytes) == (used, file_of(tmp_path, match_id).stat().st_size)


def test_the_tombstone_says_where_the_match_is_and_what_it_was(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    loaded = matches.load(match_id)
    archive(admin, Directory(tmp_path), match_id)
    found = from_json(match_id, admin.hget(keys.ARCHIVED, match_id))
    path = file_of(tmp_path, match_id)
    assert tmp_path / found.file == path
    assert (found.version, found.head_hash) == (loaded.version, f"sha-256:{loaded.head_hash.hex()}")
    assert decode(match_id, found, path.read_bytes()) == matches.store.read(match_id)
    assert tombstone(admin, match_id).keys() == {"file", "version", "head_hash", "sha256"}


def test_a_match_that_was_called_off_is_archived_too(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = matches.create(with_clock()).match_id
    matches.execute(match_id, AbortMatch(), "account:acc_0", "abort")
    archive(admin, Directory(tmp_path), match_id)
    assert Matches(matches.store, SEEDS).load(match_id).state.status == "aborted"


@pytest.mark.parametrize("kinds", ["ao", "aa", "ss", "clock"])
def test_a_match_that_is_not_over_stays(
    matches: Matches, admin: redis.Redis, tmp_path: Path, kinds: str
) -> None:
    match_id = matches.create(with_clock() if kinds == "clock" else creation(kinds)).match_id
    before = everything(admin)
    with pytest.raises(NotMoved, match=f"{match_id}.*it is (open|running)"):
        archive(admin, Directory(tmp_path), match_id)
    assert everything(admin) == before
    assert list(tmp_path.iterdir()) == []


def test_a_match_that_somebody_is_to_look_after_stays(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    admin.zadd(keys.DUE, {match_id: 1})
    before = everything(admin)
    with pytest.raises(NotMoved, match="look after"):
        archive(admin, Directory(tmp_path), match_id)
    assert everything(admin) == before


def test_a_match_stays_as_long_as_there_is_an_objection(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    asked: list[tuple[redis.Redis, Loaded]] = []

    def unsigned(client: redis.Redis, loaded: Loaded) -> str:
        asked.append((client, loaded))
        return "its end is not signed yet"

    before = everything(admin)
    with pytest.raises(NotMoved, match="its end is not signed yet"):
        archive(admin, Directory(tmp_path), match_id, [lambda client, loaded: "", unsigned])
    assert everything(admin) == before
    ((client, loaded),) = asked
    assert (client, loaded.match_id, loaded.version) == (admin, match_id, matches.load(match_id).version)
    archive(admin, Directory(tmp_path), match_id, [lambda client, loaded: ""])
    assert tombstone(admin, match_id)


def test_what_is_not_in_redis_cannot_be_archived(admin: redis.Redis, tmp_path: Path) -> None:
    with pytest.raises(MatchNotFound):
        archive(admin, Directory(tmp_path), "mat_1")


def _missing_entry(admin: redis.Redis, match_id: str) -> None:
    admin.xdel(keys.match(match_id), admin.xrange(keys.match(match_id))[5][0])


def _missing_end(admin: redis.Redis, match_id: str) -> None:
    admin.xdel(keys.match(match_id), admin.xrevrange(keys.match(match_id), count=1)[0][0])


def _missing_start(admin: redis.Redis, match_id: str) -> None:
    admin.xdel(keys.match(match_id), admin.xrange(keys.match(match_id), count=1)[0][0])


def _changed_roll(admin: redis.Redis, match_id: str) -> None:
    _forge(admin, match_id, b'"dice_rolled","roll",[', b'"dice_rolled","roll",[6,')


def _foreign_entry(admin: redis.Redis, match_id: str) -> None:
    admin.xadd(keys.match(match_id), {"x": "y"})


def _foreign_field(admin: redis.Redis, match_id: str) -> None:
    key = keys.match(match_id)
    entries = admin.xrange(key)
    admin.delete(key)
    for id, fields in entries:
        admin.xadd(key, {**fields, b"z": b"1"}, id=id)


@pytest.mark.parametrize(
    "harm",
    [_missing_entry, _missing_end, _missing_start, _changed_roll, _foreign_entry, _foreign_field],
)
def test_a_stream_that_does_not_hold_together_stays_as_it_is(
    matches: Matches, admin: redis.Redis, tmp_path: Path, harm: Callable[[redis.Redis, str], None]
) -> None:
    match_id = finished_match(matches).match_id
    harm(admin, match_id)
    before = everything(admin)
    with pytest.raises((StreamCorrupt, NotMoved), match=match_id):
        archive(admin, Directory(tmp_path), match_id)
    assert everything(admin) == before


def test_what_is_appended_after_the_stream_was_read_keeps_it(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    entries = movable(admin, match_id)
    found = file_away(Directory(tmp_path), match_id, entries)
    last, fields = admin.xrevrange(keys.match(match_id), count=1)[0]
    admin.xadd(keys.match(match_id), fields, id=f"{int(last[:-2]) + 1}-0")
    before = everything(admin)
    with pytest.raises(NotMoved, match="not what was read"):
        remove_stream(admin, match_id, entries, found)
    assert everything(admin) == before


def test_a_stream_of_another_history_is_kept(matches: Matches, admin: redis.Redis, tmp_path: Path) -> None:
    match_id = ended_match(matches)
    entries = movable(admin, match_id)
    found = file_away(Directory(tmp_path), match_id, entries)
    (*rest, (last, fields)) = admin.xrange(keys.match(match_id))
    admin.delete(keys.match(match_id))
    for id, same in (*rest, (last, {**fields, b"h": b"other"})):
        admin.xadd(keys.match(match_id), same, id=id)
    before = everything(admin)
    with pytest.raises(NotMoved, match="not what was read"):
        remove_stream(admin, match_id, entries, found)
    assert everything(admin) == before


def test_an_entry_that_vanishes_after_the_stream_was_read_keeps_the_rest(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    entries = movable(admin, match_id)
    found = file_away(Directory(tmp_path), match_id, entries)
    admin.xdel(keys.match(match_id), f"{entries[3].last}-0")
    with pytest.raises(NotMoved, match="not what was read"):
        remove_stream(admin, match_id, entries, found)
    assert admin.xlen(keys.match(match_id)) == len(entries) - 1


class Crash(Exception):
    """The process ends here."""


def _crash(*args: object, **options: object) -> None:
    raise Crash


def _half_written(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    path.with_name(f"{path.name}.new").write_bytes(data[: len(data) // 2])
    raise Crash


CRASHES: dict[str, tuple[str, Callable[..., None]]] = {
    "before the file is written": ("events.archive.transfer.file_away", _crash),
    "while the file is written": ("events.archive.places._write", _half_written),
    "before the file is synced": ("events.archive.places.os.fsync", _crash),
    "before the file has its name": ("events.archive.places.Path.replace", _crash),
    "before the name is synced": ("events.archive.places._sync", _crash),
    "before the file is read back": ("events.archive.places.Directory.read", _crash),
    "before the stream is taken out": ("events.archive.transfer.remove_stream", _crash),
}


@pytest.mark.parametrize("moment", CRASHES)
def test_a_crash_leaves_the_stream_and_doing_it_again_goes_on(
    matches: Matches, admin: redis.Redis, tmp_path: Path, moment: str
) -> None:
    match_id = ended_match(matches)
    entries, before = matches.store.read(match_id), everything(admin)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*CRASHES[moment])
        with pytest.raises(Crash):
            archive(admin, Directory(tmp_path), match_id)
    assert everything(admin) == before
    assert matches.store.read(match_id) == entries
    archive(admin, Directory(tmp_path), match_id)
    assert_archived(matches, admin, match_id, entries)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{match_id}.ndjson.zst"]


def test_the_file_and_its_name_are_on_the_disk_before_the_stream_goes(
    matches: Matches, admin: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = ended_match(matches)
    steps: list[str] = []
    fsync, rename = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        steps.append(f"sync {path.relative_to(tmp_path)}")
        fsync(descriptor)

    def renamed(path: Path, target: Path) -> Path:
        steps.append(f"rename {path.relative_to(tmp_path)}")
        return rename(path, target)

    def taken_out(*args: Any) -> None:
        steps.append("take out")
        remove_stream(*args)

    monkeypatch.setattr("events.archive.places.os.fsync", synced)
    monkeypatch.setattr("events.archive.places.Path.replace", renamed)
    monkeypatch.setattr("events.archive.transfer.remove_stream", taken_out)
    archive(admin, Directory(tmp_path), match_id)
    folder, name = match_id[-2:], f"{match_id[-2:]}/{match_id}.ndjson.zst"
    assert steps == [
        f"sync {name}.new",
        f"rename {name}.new",
        f"sync {name}",
        f"sync {folder}",
        "sync .",
        "take out",
    ]


def test_a_lost_reply_to_the_last_step_is_no_failure(
    matches: Matches, admin: redis.Redis, events_server: Server, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    entries = matches.store.read(match_id)
    archived_match(matches, admin, tmp_path)  # the server knows the script from now on
    with contextlib.closing(LossyConnection(events_server.admin_url)) as line, connect(line.url) as client:
        line.replies_to_lose = 1
        archive(client, Directory(tmp_path), match_id)
        assert line.replies_to_lose == 0
    assert_archived(matches, admin, match_id, entries)


def test_whoever_may_not_remove_streams_changes_nothing(
    matches: Matches, client: redis.Redis, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    before = everything(admin)
    assert (may_remove_streams(admin), may_remove_streams(client)) == (True, False)
    with pytest.raises(StoreUnavailable, match="ACL failure"):
        archive(client, Directory(tmp_path), match_id)
    assert everything(admin) == before


def test_memory_that_is_full_is_freed_by_archiving(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    entries = matches.store.read(match_id)
    admin.config_set("maxmemory", 1)
    try:
        archive(admin, Directory(tmp_path), match_id)
    finally:
        admin.config_set("maxmemory", 0)
    assert_archived(matches, admin, match_id, entries)


def test_a_file_that_holds_something_else_is_never_written_over(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    """As after the store was restored from a backup, and the match was played to another end."""
    first, second = ended_match(matches), ended_match(matches)
    path = tmp_path / f"{first[-2:]}" / f"{first}.ndjson.zst"
    path.parent.mkdir()
    shorter = read_stream(admin, first)[:-1]
    for content in (encode(first, shorter), encode(second, read_stream(admin, second)), b"", b"damaged"):
        path.write_bytes(content)
        before = everything(admin)
        with pytest.raises(NotMoved, match=f"{first}.*is in the way"):
            archive(admin, Directory(tmp_path), first)
        assert everything(admin) == before
        assert path.read_bytes() == content


def test_a_directory_that_cannot_be_written_keeps_the_stream(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    (tmp_path / match_id[-2:]).write_text("a file, and no directory")
    before = everything(admin)
    with pytest.raises(OSError, match=r"exists|directory"):
        archive(admin, Directory(tmp_path), match_id)
    assert everything(admin) == before
