"""What only a checkpoint log on a real server can get wrong."""

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from domain.audit.checkpoints import fault_of
from domain.match.commands import AbortMatch
from events import LogCorrupt, Matches, Notary, RedisStore, SigningKeyReused, StoreUnavailable
from events.reindex import reindex, reindex_lines
from events.store import keys
from ops.servers import Server, running_server
from runtime.connection import connect
from tests.events.checkpoints.test_checkpoints import SAME_ID
from tests.events.example_matches import SEEDS, SIGNING_KEYS, assert_whole, creation, ended, finished_match
from tests.events.lossy_connection import LossyConnection
from tests.events.redis_streams import calls, wipe
from tests.events.store.test_fields import GOLDEN


@pytest.fixture
def notary(client: redis.Redis) -> Notary:
    return Notary(RedisStore(client), SIGNING_KEYS)


@pytest.fixture
def line(events_server: Server, client: redis.Redis) -> Iterator[LossyConnection]:
    with contextlib.closing(LossyConnection(events_server.url)) as line:
        yield line


def test_a_line_taken_from_the_middle_stops_all_that_would_follow(notary: Notary, admin: redis.Redis) -> None:
    notary.sign(ended(3))
    admin.xdel(keys.CHECKPOINT_LOG, "2-0")
    with pytest.raises(LogCorrupt, match="entries were removed"):
        notary.sign(ended())
    with pytest.raises(LogCorrupt, match="no line 2"):
        notary.lines(0, 9)


def test_a_line_taken_from_the_end_stops_all_that_would_follow(notary: Notary, admin: redis.Redis) -> None:
    notary.sign(ended(3))
    admin.xdel(keys.CHECKPOINT_LOG, "3-0")
    with pytest.raises(LogCorrupt, match="entries were removed"):
        notary.sign(ended())


def test_a_line_of_a_foreign_hand_stops_all_that_would_follow(notary: Notary, admin: redis.Redis) -> None:
    notary.sign(ended())
    admin.xadd(keys.CHECKPOINT_LOG, {"x": "y"}, id="7-7")
    with pytest.raises(LogCorrupt):
        notary.sign(ended())
    with pytest.raises(LogCorrupt):
        notary.lines(0, 9)


def test_a_changed_line_is_read_as_it_is_and_found_by_its_hash(notary: Notary, admin: redis.Redis) -> None:
    notary.sign(ended())
    ((_, fields),) = admin.xrange(keys.CHECKPOINT_LOG)
    admin.delete(keys.CHECKPOINT_LOG)
    fields[b"j"] = fields[b"j"].replace(b"aborted", b"finished")
    admin.xadd(keys.CHECKPOINT_LOG, fields, id="1-0")
    (found,) = notary.lines(0, 1)
    assert found.status == "finished"
    assert fault_of(found, notary.is_good) == "the hash of line 1 does not match"


def test_without_the_index_no_match_is_signed_twice(
    notary: Notary, client: redis.Redis, admin: redis.Redis
) -> None:
    matches = ended(3)
    notary.sign(matches)
    for harm in (
        lambda: admin.delete(keys.LINES),
        lambda: admin.hdel(keys.LINES, matches[1].match_id),
        lambda: admin.hset(keys.LINES, "mat_made_up", 9),
    ):
        harm()
        with pytest.raises(LogCorrupt, match=r"run events\.reindex"):
            notary.sign([*matches, *ended()])
        reindex(client)
        assert notary.sign(matches) == 0
    assert admin.hgetall(keys.LINES) == {
        match.match_id.encode(): b"%d" % number for number, match in enumerate(matches, 1)
    }
    assert_whole(notary, 3)


def test_a_match_with_the_number_of_another_line_is_not_signed_twice(
    notary: Notary, admin: redis.Redis
) -> None:
    first, second = ended(2)
    notary.sign([first, second])
    admin.hset(keys.LINES, first.match_id, 2)
    with pytest.raises(LogCorrupt, match="in the place of a known command"):
        notary.sign([first])
    assert notary.of_match(first.match_id) is None
    assert_whole(notary, 2)


def test_of_two_keys_with_one_id_one_signs_after_a_restore_of_an_old_backup(
    notary: Notary, client: redis.Redis, admin: redis.Redis
) -> None:
    """Both processes run already when the store is as before the first signature by either key."""
    impostor = Notary(RedisStore(client), SAME_ID)
    notary.check_keys()
    impostor.check_keys()
    impostor.sign(ended())
    with pytest.raises(SigningKeyReused):
        notary.sign(ended())
    admin.delete(keys.CHECKPOINT_LOG, keys.LINES, keys.PUBLISHED_KEYS)
    notary.sign(ended())
    with pytest.raises(SigningKeyReused):
        impostor.sign(ended())
    assert_whole(notary, 1)


def test_a_log_goes_on_where_an_earlier_release_left_it(notary: Notary, admin: redis.Redis) -> None:
    """Recorded once and never again, when lines had a script of their own."""
    told = json.loads((GOLDEN / "log-1.json").read_text())
    raw = [
        (id, {name: bytes.fromhex(value) for name, value in fields.items()}) for id, fields in told["lines"]
    ]
    for id, fields in raw:
        admin.xadd(keys.CHECKPOINT_LOG, fields, id)
    admin.hset(keys.LINES, mapping=told["index"])
    admin.hset(keys.PUBLISHED_KEYS, mapping={id: bytes.fromhex(key) for id, key in told["published"].items()})
    assert notary.without_line([*told["index"]]) == []
    found = [notary.of_match(match_id) for match_id in told["index"]]
    assert sorted([one.number for one in found if one]) == [1, 2, 3]
    (match,) = ended()
    assert notary.sign([match]) == 1
    assert [one.key_id for one in assert_whole(notary, 4)] == ["s1", "s1", "s2", "s1"]
    *earlier, (id, fields) = admin.xrange(keys.CHECKPOINT_LOG)
    assert [(id.decode(), {name.decode(): value for name, value in f.items()}) for id, f in earlier] == raw
    assert (id, [*fields]) == (b"4-0", [b"m", b"j", b"h", b"s"])
    assert (fields[b"m"].decode(), admin.hget(keys.LINES, match.match_id)) == (match.match_id, b"4")


def test_building_again_keeps_lines_and_keys_as_they_were(
    notary: Notary, client: redis.Redis, admin: redis.Redis
) -> None:
    matches = Matches(RedisStore(client), SEEDS, notary=notary)
    for _ in range(3):
        finished_match(matches)
    before = _of_the_log(admin)
    wipe(client)
    assert not admin.exists(keys.LINES)
    for _ in range(2):
        assert reindex(client).corrupt == ()
        assert _of_the_log(admin) == before


def _of_the_log(admin: redis.Redis) -> tuple[Any, ...]:
    """Lines, their numbers by match, and keys."""
    lines = admin.xrange(keys.CHECKPOINT_LOG)
    return lines, admin.hgetall(keys.LINES), admin.hgetall(keys.PUBLISHED_KEYS)


def test_matches_that_end_while_the_index_is_built_have_one_line_each(
    client: redis.Redis, notary: Notary, admin: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.reindex._PAGE", 7)
    matches = ended(200)
    started = threading.Event()

    def note() -> None:
        for match in matches:
            notary.sign([match])
            started.set()

    writer = threading.Thread(target=note)
    writer.start()
    assert started.wait(30)
    while writer.is_alive():
        assert reindex_lines(client, RedisStore(client)) == []
    writer.join(30)
    assert_whole(notary, 200)
    assert admin.hlen(keys.LINES) == 200


def test_a_log_that_is_damaged_keeps_no_match_from_being_built_again(
    notary: Notary, client: redis.Redis, admin: redis.Redis
) -> None:
    finished_match(Matches(RedisStore(client), SEEDS, notary=notary))
    admin.xdel(keys.CHECKPOINT_LOG, "1-0")
    admin.xadd(keys.CHECKPOINT_LOG, {"x": "y"}, id="2-0")
    report = reindex(client)
    assert report.rebuilt == 1
    assert [text.startswith("the checkpoint log: ") for text in report.corrupt] == [True]


def test_a_line_is_there_when_the_match_is_gone(
    notary: Notary, client: redis.Redis, admin: redis.Redis
) -> None:
    match = finished_match(Matches(RedisStore(client), SEEDS, notary=notary))
    admin.delete(keys.match(match.match_id))
    found = notary.of_match(match.match_id)
    assert found is not None
    assert (found.match_id, found.version) == (match.match_id, match.version)


def test_lines_whose_reply_is_lost_are_there_once(line: LossyConnection, notary: Notary) -> None:
    notary.sign(ended())
    matches = ended(3)
    with connect(line.url) as client:
        on_line = Notary(RedisStore(client), SIGNING_KEYS)
        on_line.sign(ended())  # the server knows the script from now on
        line.replies_to_lose = 1
        on_line.sign(matches)
        assert line.replies_to_lose == 0
        assert on_line.without_line([match.match_id for match in matches]) == []
        on_line.sign(ended())
    assert_whole(notary, 6)


def test_a_call_that_is_lost_is_made_again(line: LossyConnection, notary: Notary) -> None:
    matches = ended(2)
    with connect(line.url) as client:
        on_line = Notary(RedisStore(client), SIGNING_KEYS)
        on_line.sign(ended())
        line.calls_to_lose = 1
        assert on_line.sign(matches) == 2
    assert_whole(notary, 3)


def test_matches_that_end_together_take_one_call(
    notary: Notary, client: redis.Redis, admin: redis.Redis
) -> None:
    notary.sign(ended())
    matches = ended(16)
    with calls(admin) as counted:
        notary.sign(matches)
    assert counted["evalsha"] == 1
    assert counted["xadd"] == 16
    assert not [name for name in ("xrange", "xrevrange", "script|load") if counted.get(name)]


def test_the_command_that_ends_a_match_takes_two_calls(
    notary: Notary, client: redis.Redis, admin: redis.Redis
) -> None:
    notary.sign(ended())
    matches = Matches(RedisStore(client), SEEDS, notary=notary)
    match_id = matches.create(creation()).match_id
    with calls(admin) as counted:
        matches.execute(match_id, AbortMatch(), "account:acc_0")
    assert counted["evalsha"] == 2
    assert not counted.get("xrange")


def test_a_server_that_forgot_the_script_gets_it_again(notary: Notary, admin: redis.Redis) -> None:
    admin.script_flush()
    assert notary.sign(ended()) == 1


def test_a_server_that_does_not_answer_is_said_to_be_unavailable(tmp_path: Path) -> None:
    with running_server("events", tmp_path) as server, connect(server.url) as client:
        notary = Notary(RedisStore(client), SIGNING_KEYS)
        notary.sign(ended())
        server.kill()
        for attempt in (
            lambda: notary.sign(ended()),
            lambda: notary.lines(0, 1),
            lambda: notary.of_match("mat_1"),
            lambda: notary.without_line(["mat_1"]),
            notary.last_number,
            notary.public_keys,
            notary.check_keys,
        ):
            with pytest.raises(StoreUnavailable):
                attempt()


def test_no_line_is_lost_or_doubled_when_the_server_is_killed(tmp_path: Path) -> None:
    matches = ended(400)
    with running_server("events", tmp_path) as server, connect(server.url) as client:
        noted: list[str] = []
        enough = threading.Event()

        def write(part: int) -> None:
            mine = Notary(RedisStore(client), SIGNING_KEYS)
            with contextlib.suppress(StoreUnavailable):
                for match in matches[part::4]:
                    mine.sign([match])
                    noted.append(match.match_id)
                    if len(noted) > 100:
                        enough.set()
            enough.set()

        writers = [threading.Thread(target=write, args=(part,)) for part in range(4)]
        for writer in writers:
            writer.start()
        assert enough.wait(60)
        server.kill()
        for writer in writers:
            writer.join(60)
        server.start()
        notary = Notary(RedisStore(client), SIGNING_KEYS)
        assert notary.without_line(noted) == []
        notary.sign(matches)
        assert_whole(notary, 400)


def test_the_log_is_sound_after_the_append_only_file_was_rewritten(tmp_path: Path) -> None:
    with running_server("events", tmp_path) as server, connect(server.url) as client:
        notary = Notary(RedisStore(client), SIGNING_KEYS)
        notary.sign(ended(120))
        with redis.Redis.from_url(server.admin_url) as admin:
            admin.bgrewriteaof()
            while not admin.info("persistence")["aof_rewrites"]:
                threading.Event().wait(0.01)
        server.kill()
        server.start()
        assert notary.sign(ended()) == 1
        assert_whole(notary, 121)
