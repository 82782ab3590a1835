"""A store is copied to another one, whatever the number of partitions of both."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from random import Random

import pytest
import redis

from events import Matches, RedisStore
from events.archive.places import Directory
from events.archive.transfer import archive
from events.ladders.ladders import Ladders
from events.matches.lists import list_matches
from events.move import main
from events.store import keys
from events.store.durability import Requirements, durability_problems
from events.store.keys import Partitions, divided, partitions_of
from ops.servers import Server, running_server
from runtime.connection import connect
from tests.events.cluster import Cluster
from tests.events.ended import ended_match
from tests.events.example_ladders import made
from tests.events.example_matches import SEEDS, creation, play


@pytest.fixture(scope="module")
def other_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server("events", tmp_path_factory.mktemp("other")) as server:
        yield server


@pytest.fixture
def other(other_server: Server) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(other_server.admin_url) as admin:
        admin.flushall()
        yield admin


def play_some(matches: Matches, admin: redis.Redis, directory: Path) -> list[str]:
    ids = [ended_match(matches, 2) for _ in range(4)]
    archive(divided(admin, partitions_of(matches.store._client)), Directory(directory), ids[0])
    for number in range(6):
        created = matches.create(creation("sa"))
        ids.append(play(matches, matches.load(created.match_id), Random(number), 2, is_held=True).match_id)
    return ids


def run(environ: dict[str, str], *arguments: str) -> tuple[int, list[str]]:
    output = StringIO()
    code = main(arguments, environ, output)
    return code, output.getvalue().splitlines()


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (3, 5)])
def test_everything_is_in_the_new_store(
    before: int,
    after: int,
    client: redis.Redis,
    admin: redis.Redis,
    events_server: Server,
    other: redis.Redis,
    other_server: Server,
    tmp_path: Path,
) -> None:
    store = RedisStore(divided(client, Partitions(before)), tmp_path)
    ids = play_some(Matches(store, SEEDS), admin, tmp_path)
    ladder_id = made(Ladders(store))
    client.set("mk:{acc}:account:acc_1", "kept")
    client.set("mk:{acc}:answered:x", "for a while", px=10_000_000)
    if before > 1:
        client.set(keys.PARTITIONS, before)
    environ = {"EVENTS_REDIS_URL": events_server.url, "PARTITIONS": str(before), "ARCHIVE_DIR": str(tmp_path)}
    told = f"done: {len(ids)} matches in {after} partitions"
    assert run(environ, "--to", other_server.admin_url, "--partitions", str(after)) == (0, [told])
    moved = RedisStore(divided(other, Partitions(after)), tmp_path)
    assert durability_problems(other, Requirements(partitions=after)) == []
    assert {match_id: moved.read(match_id) for match_id in ids} == {
        match_id: store.read(match_id) for match_id in ids
    }
    assert list_matches(moved, limit=100) == list_matches(store, limit=100)
    turns = keys.turns("acc_1")
    assert [one.member for one in moved.by_score(turns, None, 99)] == [
        one.member for one in store.by_score(turns, None, 99)
    ]
    assert moved.read(ladder_id) == store.read(ladder_id) != []
    assert other.get("mk:{acc}:account:acc_1") == b"kept"
    assert 0 < other.pttl("mk:{acc}:answered:x") <= 10_000_000
    matches = Matches(moved, SEEDS)
    created = matches.create(creation("aa"))
    assert matches.load(created.match_id).version == created.last


def test_a_store_that_is_not_complete_is_not_used_and_another_run_completes_it(
    client: redis.Redis,
    events_server: Server,
    other: redis.Redis,
    other_server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matches = Matches(RedisStore(client), SEEDS)
    ids = [matches.create(creation()).match_id for _ in range(5)]
    environ = {"EVENTS_REDIS_URL": events_server.url}
    arguments = ("--to", other_server.admin_url, "--partitions", "3")
    with monkeypatch.context() as patch:
        patch.setattr("events.move.reindex", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run(environ, *arguments)
    told = "the event store is not complete: events.move has not come to its end"
    assert durability_problems(other, Requirements(partitions=3)) == [told]
    assert run(environ, *arguments)[0] == 0
    assert durability_problems(other, Requirements(partitions=3)) == []
    moved = RedisStore(divided(other, Partitions(3)))
    assert moved.members(keys.index("all"), None, 9) == sorted(ids, reverse=True)
    assert run(environ, *arguments) == (2, ["error: --to: there is an event store already"])


@pytest.mark.parametrize(
    "arguments", [(), ("--to", "nonsense"), ("--to", "redis://x", "--partitions", "0"), ("--partitions", "3")]
)
def test_arguments_that_make_no_sense_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as refused:
        run({}, *arguments)
    assert refused.value.code == 2


@pytest.mark.long
def test_a_store_moves_to_a_cluster(
    client: redis.Redis, events_server: Server, cluster_servers: Cluster
) -> None:
    cluster_servers.empty()
    store = RedisStore(client)
    matches = Matches(store, SEEDS)
    ids = [matches.create(creation()).match_id for _ in range(20)]
    environ = {"EVENTS_REDIS_URL": events_server.url}
    arguments = ("--to", cluster_servers.admin_url, "--partitions", "8")
    assert run(environ, *arguments) == (0, ["done: 20 matches in 8 partitions"])
    with divided(connect(cluster_servers.url), Partitions(8)) as there:
        moved = RedisStore(there)
        assert list_matches(moved, limit=100) == list_matches(store, limit=100)
        assert moved.read(ids[0]) == store.read(ids[0])
