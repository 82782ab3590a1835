"""What only a store on a real server can get wrong."""

import threading
from pathlib import Path

import pytest
import redis

from domain.match.commands import Resign, RollDice
from events import Matches, RedisStore, StoreUnavailable, StreamCorrupt
from events.store import keys
from events.store.durability import durability_problems, problems_of
from events.store.records import Appended, Conflict, Corrupt
from ops.servers import Server, running_server
from runtime.connection import connect
from tests.events.example_matches import SEEDS, append, creation, entry, finished_match, roll
from tests.events.redis_streams import _forge, calls


def test_an_entry_taken_from_the_middle_stops_all_appends(
    redis_store: RedisStore, admin: redis.Redis
) -> None:
    redis_store.append(append(0, entry(1), entry(2), entry(3)))
    admin.xdel(keys.match("mat_1"), "2-0")
    assert redis_store.append(append(3)) == Corrupt("entries were removed")


def test_an_entry_taken_from_the_end_stops_all_appends(redis_store: RedisStore, admin: redis.Redis) -> None:
    redis_store.append(append(0, entry(1), entry(2), entry(3)))
    admin.xdel(keys.match("mat_1"), "3-0")
    assert isinstance(redis_store.append(append(2)), Corrupt)
    assert isinstance(redis_store.append(append(3)), Corrupt)


def test_a_trimmed_stream_stops_all_appends(redis_store: RedisStore, admin: redis.Redis) -> None:
    redis_store.append(append(0, entry(1), entry(2), entry(3)))
    admin.xtrim(keys.match("mat_1"), maxlen=1, approximate=False)
    assert isinstance(redis_store.append(append(3)), Corrupt)


def test_an_entry_of_a_foreign_hand_stops_all_appends(redis_store: RedisStore, admin: redis.Redis) -> None:
    redis_store.append(append(0))
    admin.xadd(keys.match("mat_1"), {"x": "y"}, id="2-7")
    assert isinstance(redis_store.append(append(1)), Corrupt)
    with pytest.raises(StreamCorrupt):
        redis_store.read("mat_1")


def test_an_append_to_a_vanished_stream_creates_nothing(redis_store: RedisStore, admin: redis.Redis) -> None:
    redis_store.append(append(0, entry(1), entry(2)))
    admin.delete(keys.match("mat_1"))
    assert redis_store.append(append(2)) == Conflict(0, ())
    assert not admin.exists(keys.match("mat_1"))


def test_a_command_id_that_leads_to_the_entry_of_another_stops_the_append(
    redis_store: RedisStore, admin: redis.Redis
) -> None:
    redis_store.append(append(0, entry(1, "key"), entry(2, "other")))
    admin.delete(keys.commands("mat_1"))
    admin.hset(keys.commands("mat_1"), "key", 2)
    assert isinstance(redis_store.append(append(2, entry(3, "key"))), Corrupt)


def test_versions_that_do_not_rise_are_an_error_before_anything_is_written(
    redis_store: RedisStore, admin: redis.Redis
) -> None:
    with pytest.raises(StoreUnavailable, match="versions do not rise"):
        redis_store.append(append(0, entry(2), entry(2)))
    assert admin.dbsize() == 0


def test_the_application_cannot_remove_events(redis_store: RedisStore, client: redis.Redis) -> None:
    redis_store.append(append(0))
    with pytest.raises(redis.exceptions.NoPermissionError):
        client.delete(keys.match("mat_1"))
    with pytest.raises(redis.exceptions.NoPermissionError):
        client.xtrim(keys.match("mat_1"), maxlen=0)


def test_a_server_that_forgot_the_script_gets_it_again(redis_store: RedisStore, admin: redis.Redis) -> None:
    admin.script_flush()
    assert redis_store.append(append(0)) == Appended(1, 1)
    admin.script_flush()
    many = [append(0, match_id="mat_2"), append(1)]
    assert redis_store.append_many(many) == [Appended(1, 1), Appended(2, 2)]


def test_a_command_on_a_fresh_cache_takes_one_round_trip(redis_store: RedisStore, admin: redis.Redis) -> None:
    matches = Matches(redis_store, SEEDS)
    match_id = matches.create(creation()).match_id
    seat = matches.load(match_id).state.active
    with calls(admin) as counted:
        matches.execute(match_id, RollDice(seat, 1), f"seat:{seat}", "key")
    assert counted["evalsha"] == 1
    assert not {name for name in ("xrange", "script|load", "get") if counted.get(name)}


def test_a_server_that_does_not_answer_is_said_to_be_unavailable(tmp_path: Path) -> None:
    with running_server("events", tmp_path) as server, connect(server.url) as client:
        store = RedisStore(client)
        store.append(append(0))
        server.kill()
        for attempt in (
            lambda: store.append(append(1)),
            lambda: store.append_many([append(1)]),
            lambda: store.read("mat_1"),
            lambda: store.read_many([("mat_1", 0)]),
        ):
            with pytest.raises(StoreUnavailable):
                attempt()


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    with running_server("events", tmp_path) as server, connect(server.url) as client:
        store = RedisStore(client)
        acknowledged = [0] * 6
        enough = threading.Event()
        writers = [
            threading.Thread(target=_write_until_it_fails, args=(store, writer, acknowledged, enough))
            for writer in range(6)
        ]
        for writer in writers:
            writer.start()
        assert enough.wait(60)
        server.kill()
        for writer in writers:
            writer.join(60)
        server.start()
        for writer, last in enumerate(acknowledged):
            entries = store.read(f"mat_{writer}")
            assert [one.last for one in entries] == list(range(3, entries[-1].last + 1, 3))
            assert entries[-1].last - last in (0, 3)
            after = append(entries[-1].last, match_id=f"mat_{writer}")
            assert isinstance(store.append(after), Appended)


def _write_until_it_fails(store: RedisStore, writer: int, lasts: list[int], enough: threading.Event) -> None:
    version = 0
    try:
        while True:
            store.append(
                append(version, entry(version + 3, f"{version}", events=3), match_id=f"mat_{writer}")
            )
            version += 3
            lasts[writer] = version
            if min(lasts) >= 100:
                enough.set()
    except StoreUnavailable:
        enough.set()


def test_streams_are_sound_after_the_append_only_file_was_rewritten(tmp_path: Path) -> None:
    with running_server("events", tmp_path) as server, connect(server.url) as client:
        store = RedisStore(client)
        store.append(append(0, *[entry(i + 1) for i in range(300)]))
        with redis.Redis.from_url(server.admin_url) as admin:
            admin.bgrewriteaof()
            while not (persistence := admin.info("persistence"))["aof_rewrites"]:
                threading.Event().wait(0.01)
            assert persistence["aof_last_bgrewrite_status"] == "ok"
        server.kill()
        server.start()
        assert store.append(append(300)) == Appended(301, 301)


def test_our_own_event_server_is_durable_and_the_queue_is_not(
    client: redis.Redis, queue_server: Server
) -> None:
    assert durability_problems(client) == []
    with connect(queue_server.url) as queue, redis.Redis.from_url(queue_server.admin_url) as admin:
        assert any("appendfsync" in problem for problem in durability_problems(admin))
        assert durability_problems(queue)


def test_a_server_that_is_down_has_a_durability_problem() -> None:
    with connect("redis://app:secret@127.0.0.1:1/0") as nobody:
        assert durability_problems(nobody) == [
            "the event store does not respond as expected: ConnectionError"
        ]


def test_a_server_that_lets_nobody_in_has_a_durability_problem(events_server: Server) -> None:
    password = events_server.url.split(":")[2].split("@")[0]
    with connect(events_server.url.replace(password, "another")) as stranger:
        assert durability_problems(stranger) == [
            "the event store does not respond as expected: AuthenticationError"
        ]


def test_a_replica_is_not_fit_for_the_store(tmp_path: Path) -> None:
    with running_server("events", tmp_path) as server, connect(server.url) as client:
        with redis.Redis.from_url(server.admin_url) as admin:
            admin.replicaof("127.0.0.1", 1)
        assert durability_problems(client) == ["the event store is a replica: it takes no writes"]


def test_a_server_whose_memory_is_full_is_not_fit_for_the_store(
    client: redis.Redis, admin: redis.Redis
) -> None:
    admin.config_set("maxmemory", 1)
    try:
        assert durability_problems(client) == ["the memory of the event store is full"]
        admin.config_set("maxmemory", 2**40)
        assert durability_problems(client) == []
    finally:
        admin.config_set("maxmemory", 0)


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ({"loading": 1}, "the event store is still loading its data"),
        ({"aof_last_write_status": "err"}, "the event store could not write its append-only file"),
        ({"redis_version": "6.2.14"}, "the event store is a server of version 6.2.14, below 7.0"),
    ],
)
def test_what_a_server_says_of_its_troubles_is_a_durability_problem(
    admin: redis.Redis, told: dict[str, object], problem: str
) -> None:
    """As a server answers that is ill; one that is well does not say such things when it is asked to."""
    settings = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}
    info = dict(admin.info())
    assert problems_of(info, settings) == []
    assert problems_of({**info, **told}, settings) == [problem]


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"dice_rolled","roll",[', b'"dice_rolled","roll",[6,'), (b'"seat_taken",0', b'"seat_taken",1')],
)
def test_a_changed_event_is_found_by_its_hash(
    redis_store: RedisStore, admin: redis.Redis, old: bytes, new: bytes
) -> None:
    loaded = finished_match(Matches(redis_store, SEEDS))
    first, last = _forge(admin, loaded.match_id, old, new)
    with pytest.raises(StreamCorrupt) as caught:
        Matches(redis_store, SEEDS).history.events(loaded.match_id)
    assert first <= caught.value.sequence <= last
    if first > 1:
        found = Matches(redis_store, SEEDS).history.events_of(loaded, 0, first - 1)
        assert len(found) == first - 1


def test_a_removed_entry_is_found_when_the_match_is_loaded(
    redis_store: RedisStore, admin: redis.Redis
) -> None:
    loaded = finished_match(Matches(redis_store, SEEDS))
    before, gone = redis_store.read(loaded.match_id)[4:6]
    admin.xdel(keys.match(loaded.match_id), f"{gone.last}-0")
    with pytest.raises(StreamCorrupt) as caught:
        Matches(redis_store, SEEDS).load(loaded.match_id)
    assert caught.value.sequence == before.last + 1
    with pytest.raises(StreamCorrupt):
        Matches(redis_store, SEEDS).history.events(loaded.match_id)


def test_a_corrupt_stream_refuses_commands(redis_store: RedisStore, admin: redis.Redis) -> None:
    matches = Matches(redis_store, SEEDS)
    match_id = matches.create(creation()).match_id
    roll(matches, match_id)
    admin.xtrim(keys.match(match_id), maxlen=1, approximate=False)
    with pytest.raises(StreamCorrupt):
        matches.execute(match_id, Resign(0), "seat:0")


def test_a_cached_match_of_another_history_is_dropped(redis_store: RedisStore, admin: redis.Redis) -> None:
    """As after a restore of the server's data from a backup, with the match played on differently since."""
    matches = Matches(redis_store, SEEDS)
    created = matches.create(creation())
    before = admin.xrange(keys.match(created.match_id))
    roll(matches, created.match_id)
    admin.flushall()
    for id, fields in before:
        admin.xadd(keys.match(created.match_id), fields, id=id)
    assert matches.load(created.match_id).version == created.last
