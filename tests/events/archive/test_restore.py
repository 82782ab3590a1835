"""Putting archived matches back: they are in Redis as they were, and a damaged file changes nothing."""

import contextlib
import hashlib
from pathlib import Path
from random import Random

import pytest
import redis
from msgspec.structs import replace

from domain.match.commands import Resign
from events import Matches, RedisStore, StreamCorrupt
from events.archive.files import encode, from_json, to_json
from events.archive.places import Directory
from events.archive.reader import Archive
from events.archive.transfer import archive, read_stream, restore
from events.store import keys
from events.store.errors import NotMoved
from ops.servers import Server
from runtime.connection import connect
from tests.events.ended import archived_match, assert_archived, beside, ended_match, file_of, tombstone
from tests.events.example_matches import SEEDS, creation, play
from tests.events.lossy_connection import LossyConnection
from tests.events.redis_streams import everything


@pytest.fixture
def matches(client: redis.Redis, tmp_path: Path) -> Matches:
    return Matches(RedisStore(client, tmp_path), SEEDS)


def test_a_match_that_is_put_back_is_in_redis_as_it_was(
    matches: Matches, admin: redis.Redis, client: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches, 60)
    before, entries = beside(admin, match_id), admin.xrange(keys.match(match_id))
    info = admin.xinfo_stream(keys.match(match_id))
    commands = admin.hgetall(keys.commands(match_id))
    archive(admin, Directory(tmp_path), match_id)
    assert restore(client, Archive(tmp_path), match_id) == matches.load(match_id).version
    assert beside(admin, match_id) == before
    assert not admin.exists(keys.ARCHIVED)
    assert admin.xrange(keys.match(match_id)) == entries
    again = admin.xinfo_stream(keys.match(match_id))
    same = ("length", "last-generated-id", "entries-added", "max-deleted-entry-id")
    assert [again[name] for name in same] == [info[name] for name in same]
    assert admin.hgetall(keys.commands(match_id)) == commands
    assert file_of(tmp_path, match_id).exists()


def test_a_match_may_be_put_back_and_archived_again_and_again(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    entries = matches.store.read(match_id)
    tombstones = []
    for _ in range(3):
        archive(admin, Directory(tmp_path), match_id)
        assert_archived(matches, admin, match_id, entries)
        tombstones.append(tombstone(admin, match_id))
        restore(admin, Archive(tmp_path), match_id)
        assert matches.store.read(match_id) == entries
        seat = matches.load(match_id).state.active
        assert matches.execute(match_id, Resign(seat), f"seat:{seat}", "resign").replayed
    assert tombstones[0] == tombstones[1] == tombstones[2]


def test_what_is_not_archived_cannot_be_put_back(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    for named in (match_id, "mat_1"):
        with pytest.raises(NotMoved, match="it is not archived"):
            restore(admin, Archive(tmp_path), named)


def test_a_damaged_file_is_not_put_back(matches: Matches, admin: redis.Redis, tmp_path: Path) -> None:
    match_id = archived_match(matches, admin, tmp_path).match_id
    path = file_of(tmp_path, match_id)
    path.write_bytes(path.read_bytes()[:-1])
    before = everything(admin)
    with pytest.raises(StreamCorrupt, match=match_id):
        restore(admin, Archive(tmp_path), match_id)
    assert everything(admin) == before


def test_a_file_whose_chain_is_broken_is_not_put_back(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    """One whose SHA-256 is right: somebody has changed the tombstone too."""
    ended = archived_match(matches, admin, tmp_path)
    found = from_json(ended.match_id, admin.hget(keys.ARCHIVED, ended.match_id))
    del ended.entries[4]
    data = encode(ended.match_id, ended.entries)
    file_of(tmp_path, ended.match_id).write_bytes(data)
    forged = replace(found, sha256=hashlib.sha256(data).hexdigest())
    admin.hset(keys.ARCHIVED, ended.match_id, to_json(forged))
    before = everything(admin)
    with pytest.raises(StreamCorrupt, match=ended.match_id):
        restore(admin, Archive(tmp_path), ended.match_id)
    assert everything(admin) == before


def test_a_lost_reply_to_putting_back_is_no_failure(
    matches: Matches, admin: redis.Redis, events_server: Server, tmp_path: Path
) -> None:
    first, second = [archived_match(matches, admin, tmp_path) for _ in range(2)]
    restore(admin, Archive(tmp_path), first.match_id)  # the server knows the script from now on
    with contextlib.closing(LossyConnection(events_server.url)) as line, connect(line.url) as client:
        line.replies_to_lose = 1
        restore(client, Archive(tmp_path), second.match_id)
        assert line.replies_to_lose == 0
    assert read_stream(admin, second.match_id) == second.entries


def test_a_match_that_built_in_players_finished_goes_and_comes_back_whole(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    created = matches.create(creation("ssss"))
    match_id = play(matches, matches.load(created.match_id), Random(3)).match_id
    entries = matches.store.read(match_id)
    assert not any(one.command for one in entries[1:])
    archive(admin, Directory(tmp_path), match_id)
    assert_archived(matches, admin, match_id, entries)
    restore(admin, Archive(tmp_path), match_id)
    assert read_stream(admin, match_id) == entries
