"""Everything beside the streams can be built again from them."""

import threading
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
import redis

from domain.match.commands import AbortMatch, ChangeController, EndReservation, RollDice
from events import Matches, RedisStore
from events.archive.places import Directory
from events.archive.transfer import archive
from events.reindex import ReindexResult, main, match_ids, projections_of, reindex
from events.store import keys
from ops.servers import Server
from tests.events.ended import archived_match, ended_match, file_of
from tests.events.example_matches import SEEDS, any_command, creation, finished_match, play, roll, with_clock
from tests.events.redis_streams import corrupt_match, wipe


def beside_the_streams(admin: redis.Redis) -> dict[bytes, Any]:
    """All keys but the streams and the log, with what they hold."""
    readers = {
        b"hash": admin.hgetall,
        b"string": admin.get,
        b"zset": lambda key: admin.zrange(key, 0, -1, withscores=True),
    }
    found = {}
    for key in admin.scan_iter():
        kind = admin.type(key)
        if kind != b"stream":
            found[key] = readers[kind](key)
    return found


def play_some(matches: Matches) -> None:
    finished_match(matches)
    played = matches.create(creation("ss"))
    play(matches, matches.load(played.match_id), Random(1), 9, is_held=True)
    clocked = matches.create(with_clock(), "creation")
    for key in ("one", "two", None):
        state = matches.load(clocked.match_id).state
        if state.phase == "roll":
            roll(matches, clocked.match_id, command_id=key)
    matches.execute(clocked.match_id, ChangeController(1, "strategy", "random", "random"), "service")
    matches.create(creation("aso", visibility="private", tags=("a", "b")))
    invited = matches.create(creation("arr"))
    matches.execute(invited.match_id, EndReservation(1, "acc_1"), "account:acc_1", "decline")
    aborted = matches.create(creation())
    matches.execute(aborted.match_id, AbortMatch(), "account:acc_0", "abort")


def test_what_was_lost_is_built_again_as_it_was(client: redis.Redis, admin: redis.Redis) -> None:
    play_some(Matches(RedisStore(client), SEEDS))
    before = beside_the_streams(admin)
    wipe(client)
    assert beside_the_streams(admin) == {}
    assert reindex(client) == ReindexResult(6, ())
    assert beside_the_streams(admin) == before


def test_building_again_changes_nothing_that_was_right(client: redis.Redis, admin: redis.Redis) -> None:
    play_some(Matches(RedisStore(client), SEEDS))
    before = beside_the_streams(admin)
    reindex(client)
    reindex(client)
    assert beside_the_streams(admin) == before


def test_what_was_wrong_is_put_right(client: redis.Redis, admin: redis.Redis) -> None:
    matches = Matches(RedisStore(client), SEEDS)
    play_some(matches)
    before = beside_the_streams(admin)
    for match_id in match_ids(client):
        admin.zadd(keys.index("status:open"), {match_id: 0})
        admin.zadd(keys.DUE, {match_id: 1})
        admin.zadd(keys.turns("acc_0"), {match_id: 1})
        admin.zadd(keys.index("invited:acc_1"), {match_id: 0})
        admin.hset(keys.commands(match_id), "made up", 1)
        admin.set(keys.summary(match_id), b"{}")
    reindex(client)
    assert beside_the_streams(admin) == before


def test_a_command_is_still_known_after_building_again(client: redis.Redis) -> None:
    matches = Matches(RedisStore(client), SEEDS)
    match_id = matches.create(creation()).match_id
    first = roll(matches, match_id, command_id="key")
    wipe(client)
    reindex(client)
    again = matches.execute(match_id, RollDice(0, 1), "seat:0", "key")
    assert again.replayed
    assert again.last == first.last


def test_a_corrupt_stream_is_named_and_keeps_no_other_from_being_built(
    client: redis.Redis, admin: redis.Redis
) -> None:
    matches = Matches(RedisStore(client), SEEDS)
    corrupt = corrupt_match(matches, admin)
    play_some(matches)
    before = beside_the_streams(admin)
    wipe(client)
    report = reindex(client)
    assert report.rebuilt == 6
    assert [text.split("'")[1] for text in report.corrupt] == [corrupt]
    kept = {key for key in before if corrupt not in key.decode()}
    assert set(beside_the_streams(admin)) == kept


def test_a_match_that_waits_is_found_waiting_as_long_as_before(client: redis.Redis) -> None:
    times = iter(range(1_790_000_000_000, 1_790_000_100_000, 1000))
    matches = Matches(RedisStore(client), SEEDS, lambda: next(times))
    match_id = matches.create(creation(first_seat=1)).match_id
    while matches.load(match_id).state.active == 1:
        state = matches.load(match_id).state
        matches.execute(match_id, any_command(state, Random(1)), "seat:1")
    roll(matches, match_id)
    ((found, since_ms),) = [
        (one.member, one.score) for one in matches.store.by_score(keys.turns("acc_0"), None, 9)
    ]
    assert found == match_id
    assert since_ms == matches.store.read(match_id)[-2].time_ms
    wipe(client)
    reindex(client)
    assert [one.score for one in matches.store.by_score(keys.turns("acc_0"), None, 9)] == [since_ms]


def test_what_stands_beside_an_archived_match_is_built_from_its_file(
    client: redis.Redis, admin: redis.Redis, tmp_path: Path
) -> None:
    """All but its commands: those are in the file."""
    matches = Matches(RedisStore(client, tmp_path), SEEDS)
    play_some(matches)
    archived = [ended_match(matches), finished_match(matches).match_id]
    for match_id in archived:
        archive(admin, Directory(tmp_path), match_id)
    before = beside_the_streams(admin)
    wipe(client)
    assert set(beside_the_streams(admin)) == {keys.ARCHIVED.encode()}
    assert reindex(client, archive_dir=tmp_path) == ReindexResult(8, ())
    assert beside_the_streams(admin) == before
    assert sorted(set(match_ids(client)) & set(archived)) == sorted(archived)
    for match_id in archived:
        admin.zadd(keys.index("status:open"), {match_id: 0})
        admin.zadd(keys.DUE, {match_id: 1})
        admin.zadd(keys.turns("acc_0"), {match_id: 1})
        admin.hset(keys.commands(match_id), "made up", 1)
        admin.set(keys.summary(match_id), b"{}")
    reindex(client, archive_dir=tmp_path)
    assert beside_the_streams(admin) == before


def test_an_archived_match_whose_file_is_gone_is_named_and_left(
    client: redis.Redis, admin: redis.Redis, events_server: Server, tmp_path: Path
) -> None:
    matches = Matches(RedisStore(client, tmp_path), SEEDS)
    lost, kept = archived_match(matches, admin, tmp_path), archived_match(matches, admin, tmp_path)
    file_of(tmp_path, lost.match_id).unlink()
    before = beside_the_streams(admin)
    output = StringIO()
    environ = {"EVENTS_REDIS_URL": events_server.url, "ARCHIVE_DIR": str(tmp_path)}
    assert main(environ, output) == 1
    left, total = output.getvalue().splitlines()
    assert lost.match_id in left
    assert kept.match_id not in left
    assert total == "1 matches rebuilt, 1 corrupt"
    assert beside_the_streams(admin) == before


def test_a_match_that_is_archived_while_it_is_looked_at_ends_up_right(
    client: redis.Redis, admin: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = Matches(RedisStore(client, tmp_path), SEEDS)
    match_id = ended_match(matches)

    def rebuilt_late(*args: Any) -> Any:
        if not admin.exists(keys.ARCHIVED):
            archive(admin, Directory(tmp_path), match_id)
        return projections_of(*args)

    monkeypatch.setattr("events.reindex.projections_of", rebuilt_late)
    assert reindex(client, archive_dir=tmp_path).corrupt == ()
    assert not admin.exists(keys.commands(match_id), keys.match(match_id))
    assert admin.exists(keys.summary(match_id))


def test_the_operator_is_told_how_far_it_is(
    client: redis.Redis, admin: redis.Redis, events_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.reindex._SHOWN_EVERY", 2)
    play_some(Matches(RedisStore(client), SEEDS))
    before = beside_the_streams(admin)
    for _ in range(2):
        output = StringIO()
        assert main({"EVENTS_REDIS_URL": events_server.url}, output) == 0
        assert output.getvalue().splitlines() == [
            "2 matches so far",
            "4 matches so far",
            "6 matches so far",
            "6 matches rebuilt, 0 corrupt",
        ]
    assert beside_the_streams(admin) == before


def test_the_operator_is_told_what_is_wrong(
    client: redis.Redis, admin: redis.Redis, events_server: Server
) -> None:
    corrupt = corrupt_match(Matches(RedisStore(client), SEEDS), admin)
    output = StringIO()
    assert main({"EVENTS_REDIS_URL": events_server.url}, output) == 1
    left, total = output.getvalue().splitlines()
    assert left.startswith("left as it was: match ")
    assert corrupt in left
    assert total == "0 matches rebuilt, 1 corrupt"


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({}, "EVENTS_REDIS_URL is not set"),
        ({"EVENTS_REDIS_URL": "redis://:secret@127.0.0.1:1"}, "not answer"),
    ],
)
def test_the_operator_is_told_why_nothing_was_done(environ: dict[str, str], told: str) -> None:
    output = StringIO()
    assert main(environ, output) == 1
    assert told in output.getvalue()
    assert "secret" not in output.getvalue()


def test_matches_that_are_played_meanwhile_end_up_right(client: redis.Redis, admin: redis.Redis) -> None:
    matches = Matches(RedisStore(client), SEEDS)
    match_id = matches.create(creation()).match_id
    started, over = threading.Event(), threading.Event()

    def play_on() -> None:
        while not over.is_set():
            state = matches.load(match_id).state
            if state.status != "running":
                break
            matches.execute(match_id, any_command(state, Random(state.version)), f"seat:{state.active}")
            started.set()

    player = threading.Thread(target=play_on)
    player.start()
    assert started.wait(30)
    for _ in range(5):
        assert reindex(client) == ReindexResult(1, ())
    over.set()
    player.join(30)
    played = beside_the_streams(admin)
    reindex(client)
    assert beside_the_streams(admin) == played
