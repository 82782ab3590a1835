import os
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from ops import redis_conf, servers
from ops.servers import Server, ServerError, running_server

MATCH = "mk:{p07}:match:07-01J9"
CHECKPOINTS = "mk:{p07}:notary"


def test_acknowledged_writes_survive_kill_9(events_server: Server, events_redis: redis.Redis) -> None:
    for version in range(1, 101):
        events_redis.xadd(MATCH, {"kind": "rolled"}, id=f"{version}-0")
    events_server.kill()
    events_server.start()
    assert events_redis.xlen(MATCH) == 100


def test_a_restarted_server_keeps_its_url(queue_server: Server) -> None:
    queue_server.start()
    url = queue_server.url
    queue_server.kill()
    assert not queue_server.is_running()
    assert not servers.answers_ping(url)
    queue_server.start()
    assert queue_server.url == url
    assert servers.answers_ping(url)


@pytest.mark.parametrize(("role", "fsync"), [("events", "always"), ("queue", "everysec")])
def test_servers_run_with_the_settings_their_role_needs(
    role: str, fsync: str, request: pytest.FixtureRequest
) -> None:
    server: Server = request.getfixturevalue(f"{role}_server")
    server.start()
    with redis.Redis.from_url(server.admin_url, decode_responses=True) as admin:
        assert admin.config_get("append*", "maxmemory-policy", "save", "aof-load-truncated") == {
            "appendonly": "yes",
            "appendfsync": fsync,
            "appendfilename": "appendonly.aof",
            "appenddirname": "appendonlydir",
            "maxmemory-policy": "noeviction",
            "save": "",
            "aof-load-truncated": "yes",
        }
        assert admin.config_get("aof-use-rdb-preamble", "rdbcompression") == {
            "aof-use-rdb-preamble": "yes",
            "rdbcompression": "no",
        }


def with_a_gap(server: Server) -> None:
    """Damage the data of a server as a full disk may: a part of what was written is missing."""
    server.start()
    with redis.Redis.from_url(server.admin_url) as admin:
        for number in range(100):
            admin.set(f"key-{number}", number)
        admin.config_set("appendfsync", "always")
        admin.set("last", 1)
    server.kill()
    (path,) = server.data_dir.glob("appendonlydir/*.incr.aof")
    content = path.read_bytes()
    gap = content.index(b"*3", 500)
    path.write_bytes(content[:gap] + bytes(100) + content[gap + 100 :])


def test_a_queue_whose_data_cannot_be_read_begins_anew_and_keeps_them_aside(tmp_path: Path) -> None:
    server = Server("queue", tmp_path)
    for _ in range(2):
        with_a_gap(server)
        with pytest.raises(servers.ServerError, match="Bad file format"):
            server.start()
        server.start()
        with redis.Redis.from_url(server.admin_url) as admin:
            assert admin.dbsize() == 0
            admin.set("new", 1)
        server.kill()
        for name in ("appendonly.aof.manifest", servers.LOG_NAME):
            assert (tmp_path / servers.DAMAGED_NAME / name).exists()


def test_a_store_whose_data_cannot_be_read_is_left_to_an_operator(tmp_path: Path) -> None:
    server = Server("events", tmp_path)
    with_a_gap(server)
    for _ in range(2):
        with pytest.raises(servers.ServerError, match="Bad file format"):
            server.start()
    assert not (tmp_path / servers.DAMAGED_NAME).exists()


def test_a_stranger_is_not_let_in(events_server: Server, events_redis: redis.Redis) -> None:
    with (
        redis.Redis(port=events_server.address.port, retry=Retry(NoBackoff(), 0)) as stranger,
        pytest.raises(redis.AuthenticationError),
    ):
        stranger.ping()


@pytest.mark.parametrize("key", [MATCH, CHECKPOINTS])
@pytest.mark.parametrize(
    "command",
    [
        ("XDEL", MATCH, "1-0"),
        ("XTRIM", MATCH, "MAXLEN", 0),
        ("XSETID", MATCH, "9-0"),
        ("DEL", MATCH),
        ("UNLINK", MATCH),
        ("SET", MATCH, "x"),
        ("EXPIRE", MATCH, 1),
        ("RENAME", MATCH, "mk:{p07}:gone"),
        ("EVAL", "return redis.call('XDEL', KEYS[1], '1-0')", 1, MATCH),
        ("FLUSHDB",),
        ("FLUSHALL",),
        ("SWAPDB", 0, 1),
        ("CONFIG", "SET", "appendonly", "no"),
    ],
)
def test_the_application_cannot_harm_a_match_or_the_log_of_checkpoints(
    command: tuple[str | int, ...], key: str, events_redis: redis.Redis
) -> None:
    events_redis.xadd(key, {"kind": "rolled"}, id="1-0")
    words = [key if word == MATCH else word for word in command]
    with pytest.raises((redis.exceptions.NoPermissionError, redis.ResponseError)):
        events_redis.execute_command(*words)  # type: ignore[no-untyped-call]  # so in redis-py
    assert events_redis.xlen(key) == 1


def test_the_application_can_append_and_read_a_match(events_redis: redis.Redis) -> None:
    keys = [MATCH, "mk:{p07}:log", "mk:{p07}:cmd:a", "mk:{p07}:due"]
    append = events_redis.register_script("""
        redis.call('XADD', KEYS[1], ARGV[1], 'kind', 'rolled')
        redis.call('XADD', KEYS[2], '*', 'match', KEYS[1])
        redis.call('HSET', KEYS[3], 'fingerprint', 'f')
        redis.call('ZADD', KEYS[4], 1, KEYS[1])
        return redis.call('XLEN', KEYS[1])""")
    assert append(keys=keys, args=["1-0"]) == 1
    assert events_redis.xrange(MATCH) == [(b"1-0", {b"kind": b"rolled"})]
    assert events_redis.config_get("appendfsync")
    assert events_redis.info("persistence")


def test_the_application_can_trim_the_log_and_delete_its_own_keys(events_redis: redis.Redis) -> None:
    for key in ("mk:{p07}:log", "mk:{p07}:migrations"):
        events_redis.xadd(key, {"match": MATCH}, id="1-0")
        assert events_redis.xtrim(key, minid="2-0", approximate=False) == 1
        assert events_redis.delete(key) == 1


def test_a_second_server_is_refused_the_directory(events_server: Server) -> None:
    events_server.start()
    with pytest.raises(ServerError, match=f"in use by the server with pid {events_server.pid}$"):
        Server("events", events_server.data_dir)


def test_the_directory_is_free_after_kill_9(tmp_path: Path) -> None:
    with running_server("queue", tmp_path / "queue") as server:
        server.kill()
        os.close(servers.take_lock(tmp_path / "queue"))


def test_a_directory_with_a_space_in_its_name_serves(tmp_path: Path) -> None:
    with running_server("events", tmp_path / "a b") as server:
        assert servers.answers_ping(server.url)


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    server = Server("queue", tmp_path)
    (tmp_path / redis_conf.CONF_NAME).write_text("no-such-setting 1\n")
    with pytest.raises(ServerError, match="no-such-setting"):
        server.start()


def test_only_the_owner_can_read_passwords(tmp_path: Path) -> None:
    directory = tmp_path / "events"
    address = servers.prepare("events", directory)
    modes = {path.name: path.stat().st_mode & 0o777 for path in directory.iterdir()}
    assert directory.stat().st_mode & 0o777 == 0o700
    assert modes == {"lock": 0o600, "redis.conf": 0o600, "server.json": 0o600}
    assert address.app_password not in (directory / "redis.conf").read_text()


def test_preparing_again_keeps_port_and_passwords(tmp_path: Path) -> None:
    assert servers.prepare("events", tmp_path) == servers.prepare("events", tmp_path)


def test_a_damaged_address_is_made_anew(tmp_path: Path) -> None:
    before = servers.prepare("events", tmp_path)
    (tmp_path / "server.json").write_text('{"port": 1')
    assert servers.prepare("events", tmp_path).app_password != before.app_password


def test_a_port_that_was_taken_meanwhile_is_replaced(tmp_path: Path) -> None:
    first = servers.prepare("queue", tmp_path / "first")
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "server.json").write_text((tmp_path / "first" / "server.json").read_text())
    with running_server("queue", tmp_path / "first") as server:
        assert server.address == first
        second = servers.prepare("queue", tmp_path / "second")
    assert second.port != first.port
    assert second.app_password == first.app_password


@pytest.mark.parametrize(("printed", "is_used"), [("v=7.0.15", True), ("v=6.2.14", False)])
def test_only_redis_7_or_newer_is_taken_from_path(
    printed: str, is_used: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = tmp_path / "redis-server"
    binary.write_text(f"#!/bin/sh\necho Redis server {printed} sha=00000000:0\n")
    binary.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert (servers.find_server_binary(tmp_path) == str(binary)) == is_used


def test_a_machine_without_any_server_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(servers, "find_spec", lambda name: None)
    with pytest.raises(ServerError, match=r"^no redis-server 7.0 or newer on PATH, and no _binaries/\S+ in "):
        servers.find_server_binary(tmp_path)


@pytest.mark.parametrize(
    ("name", "snapshot", "is_used"),
    [("Redis", b"REDIS0011", True), ("Redis", b"VALKEY080", False), ("Valkey", b"VALKEY080", True)],
)
def test_a_snapshot_of_valkey_is_read_by_valkey(
    name: str, snapshot: bytes, is_used: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis refuses to start on one."""
    binary = tmp_path / "redis-server"
    binary.write_text(f"#!/bin/sh\necho {name} server v=9.0.1 sha=00000000:0\n")
    binary.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (tmp_path / "appendonlydir").mkdir()
    (tmp_path / "appendonlydir" / "appendonly.aof.2.base.rdb").write_bytes(snapshot)
    assert (servers.find_server_binary(tmp_path) == str(binary)) == is_used
