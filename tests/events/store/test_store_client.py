"""Nothing is given to a store that could lose it."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
import redis

from events.store import client as store_client
from events.store import keys
from events.store.client import (
    NotDurable,
    NotReplicated,
    StoreClient,
    connect_store,
    unavailable_as_store_error,
)
from events.store.durability import Requirements, durability_problems
from events.store.errors import StoreUnavailable
from events.store.keys import partitions_of
from ops import redis_conf
from ops.servers import Server, running_server
from runtime.connection import CONNECTIONS, connect
from tests.events.cluster import Cluster
from tests.events.replica import Pair, running_pair
from tests.workers.kit import wait_until

KEY = "mk:{00}:summary"


@pytest.fixture
def client(events_server: Server, events_redis: redis.Redis) -> Iterator[StoreClient]:
    with connect_store(events_server.url, Requirements()) as made:
        yield made  # type: ignore[misc]


@pytest.fixture
def admin(events_server: Server, events_redis: redis.Redis) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(events_server.admin_url) as made:
        yield made
        made.config_set("appendfsync", "always")
        made.config_set("maxmemory-policy", "noeviction")
        made.config_set("no-appendfsync-on-rewrite", "no")


def is_refused(client: StoreClient) -> bool:
    try:
        client.set("mk:{00}:other", "x")
    except NotDurable:
        return True
    except NotReplicated:
        return False
    return False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("appendfsync", "everysec"),
        pytest.param("maxmemory-policy", "allkeys-lru", marks=pytest.mark.long),
        pytest.param("no-appendfsync-on-rewrite", "yes", marks=pytest.mark.long),
    ],
)
def test_a_store_that_is_made_weaker_gets_nothing_more_until_it_is_mended(
    name: str, value: str, client: StoreClient, admin: redis.Redis
) -> None:
    before = admin.config_get(name)[name]
    client.set(KEY, "stored")
    admin.config_set(name, value)
    wait_until(lambda: is_refused(client))
    with pytest.raises(NotDurable, match=f"{name} of the event store is '{value}', not"):
        client.set(KEY, "lost")
    with client.pipeline() as pipe, pytest.raises(NotDurable):
        pipe.set(KEY, "lost").execute()
    with pytest.raises(NotDurable):
        client.eval("return redis.call('SET', KEYS[1], 'lost')", 1, KEY)
    assert client.get(KEY) == b"stored"
    assert client.pipeline().get(KEY).execute() == [b"stored"]
    admin.config_set(name, before)
    wait_until(lambda: not is_refused(client))


def test_a_store_that_comes_back_weaker_acknowledges_nothing(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it was asked less than a second ago, for its answer is from before."""
    monkeypatch.setattr(store_client, "RECHECK_S", 1000.0)
    directory = tmp_path_factory.mktemp("weak")
    with running_server("events", directory) as server, connect_store(server.url, Requirements()) as client:
        client.set(KEY, "stored")
        server.kill()
        conf = directory / redis_conf.CONF_NAME
        conf.write_text(conf.read_text().replace("appendfsync always", "appendfsync everysec"))
        server.start()
        with pytest.raises(NotDurable, match="appendfsync of the event store is 'everysec', not 'always'"):
            client.set(KEY, "acknowledged")


@pytest.mark.parametrize("has", ["always", "everysec"])
def test_an_operator_may_ask_for_less(has: str, events_server: Server, admin: redis.Redis) -> None:
    admin.config_set("appendfsync", has)
    with connect_store(events_server.url, Requirements("everysec")) as client:
        assert client.set(KEY, "stored")
        assert durability_problems(client, Requirements("everysec")) == []


def test_an_operator_may_vouch_for_a_store_that_does_not_tell(
    events_server: Server, admin: redis.Redis
) -> None:
    url = events_server.url.replace("app:", "guest:")
    admin.acl_setuser(
        "guest",
        enabled=True,
        passwords=f"+{events_server.address.app_password}",
        keys="*",
        commands=["+@all", "-config"],
    )
    try:
        with (
            connect_store(url, Requirements()) as client,
            pytest.raises(NotDurable, match="STORE_FSYNC=unchecked"),
        ):
            client.set(KEY, "lost")
        with connect_store(url, Requirements("unchecked")) as client:
            assert client.set(KEY, "stored")
            assert durability_problems(client, Requirements("unchecked")) == []
    finally:
        admin.acl_deluser("guest")


def test_a_store_without_an_append_only_file_gets_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running_server("events", tmp_path_factory.mktemp("forgets")) as server:
        with redis.Redis.from_url(server.admin_url) as admin:
            admin.config_set("appendonly", "no")
        with (
            connect_store(server.url, Requirements("everysec")) as client,
            pytest.raises(NotDurable, match="appendonly"),
        ):
            client.set(KEY, "lost")


def test_what_counts_as_a_read_stores_nothing(admin: redis.Redis) -> None:
    known = {name.upper(): set(told["flags"]) for name, told in admin.command().items()}
    assert known.keys() >= store_client.READS
    assert {name for name in store_client.READS if "write" in known[name]} == set()


def test_a_store_that_is_asked_once_a_second_is_not_asked_for_each_write(
    client: StoreClient, admin: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_client, "RECHECK_S", 1000.0)
    client.set(KEY, "first")
    client.set(KEY, "second")
    before = admin.info("commandstats")["cmdstat_info"]["calls"]
    for _ in range(100):
        client.set(KEY, "again")
    assert admin.info("commandstats")["cmdstat_info"]["calls"] == before + 1


def test_a_command_waits_for_a_connection_while_all_are_in_use(events_server: Server) -> None:
    with connect(events_server.url) as client, ThreadPoolExecutor() as threads:
        held = [client.connection_pool.get_connection() for _ in range(CONNECTIONS)]
        answer = threads.submit(client.ping)
        waiting = wait([answer], timeout=0.2).not_done
        for connection in held:
            client.connection_pool.release(connection)
        assert waiting == {answer}
        assert answer.result(5) is True


def test_a_command_without_a_connection_in_time_finds_the_store_unavailable(events_server: Server) -> None:
    with connect(events_server.url, timeout_s=0.05) as client:
        held = [client.connection_pool.get_connection() for _ in range(CONNECTIONS)]
        with pytest.raises(StoreUnavailable), unavailable_as_store_error():
            client.ping()
        for connection in held:
            client.connection_pool.release(connection)


@pytest.fixture
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with running_pair(tmp_path_factory) as made:
        yield made


REPLICATED = Requirements(is_replicated=True)


def test_a_write_that_must_be_replicated_is_on_the_replica_when_it_is_acknowledged(pair: Pair) -> None:
    with connect_store(pair.primary.url, REPLICATED) as client:
        for number in range(200):
            client.set(KEY, number)
            assert pair.admin.get(KEY) == str(number).encode()
        with client.pipeline(transaction=False) as pipe:
            assert pipe.set(KEY, "piped").get(KEY).execute() == [True, b"piped"]
        assert pair.admin.get(KEY) == b"piped"


def test_a_write_that_no_replica_confirms_is_not_acknowledged(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is the same command when it comes again, though it finds itself carried out and writes nothing."""
    monkeypatch.setattr(store_client, "RECHECK_S", 1000.0)
    script = "return redis.call('SETNX', KEYS[1], 'once')"
    with connect_store(pair.primary.url, REPLICATED) as client:
        client.set("mk:{00}:other", "x")
        with pair.paused(), monkeypatch.context() as hurried:
            hurried.setattr(store_client, "REPLICA_WAIT_MS", 100)
            for _ in range(2):
                with pytest.raises(NotReplicated), client.pipeline(transaction=False) as pipe:
                    pipe.eval(script, 1, KEY).execute()
                with pytest.raises(StoreUnavailable), unavailable_as_store_error():
                    client.eval(script, 1, KEY)
        assert client.eval(script, 1, KEY) == 0
    assert pair.admin.get(KEY) == b"once"


def test_a_store_without_a_replica_gets_nothing_that_must_be_replicated(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = "the event store has no replica that is up to date"
    with connect_store(pair.primary.url, REPLICATED) as client:
        client.set(KEY, "stored")
        monkeypatch.setattr(store_client, "REPLICA_WAIT_MS", 100)
        pair.admin.replicaof("NO", "ONE")
        wait_until(lambda: is_refused(client))
        assert durability_problems(client, REPLICATED) == [problem]
        assert durability_problems(client, Requirements()) == []
        with pytest.raises(NotDurable, match=problem):
            client.set(KEY, "lost")
        assert client.get(KEY) == b"stored"
        pair.follow()
        wait_until(lambda: not is_refused(client))


def test_an_error_in_a_replicated_write_is_the_error_of_the_command(pair: Pair) -> None:
    with connect_store(pair.primary.url, REPLICATED) as client:
        client.set(KEY, "text")
        with pytest.raises(redis.ResponseError, match=r"^WRONGTYPE"):
            client.hset(KEY, "field", 1)
        with pytest.raises(redis.exceptions.NoScriptError):
            client.evalsha("0" * 40, 0)
        with client.pipeline(transaction=False) as pipe:
            replies = pipe.set(KEY, 1).hset(KEY, "field", 1).execute(raise_on_error=False)
        assert replies[0] is True
        assert isinstance(replies[1], redis.ResponseError)


@pytest.mark.long
def test_a_transaction_on_a_cluster_gives_the_replies_that_commands_alone_give(
    cluster_client: redis.Redis,
) -> None:
    cluster_client.xadd(KEY, {"field": "value"}, id="1-0")
    with cluster_client.pipeline(transaction=True) as pipe:
        pipe.xrange(KEY)
        pipe.xinfo_stream(KEY)
        assert pipe.execute() == [cluster_client.xrange(KEY), cluster_client.xinfo_stream(KEY)]


@pytest.mark.long
def test_who_only_writes_to_a_cluster_finds_its_new_primaries(
    cluster_client: redis.Redis, cluster_servers: Cluster
) -> None:
    assert cluster_client.set(KEY, 0)
    before = cluster_servers.primaries()
    for replica in [server for server in cluster_servers.servers if server not in before]:
        with redis.Redis.from_url(replica.admin_url) as admin:
            admin.execute_command("CLUSTER FAILOVER")
    wait_until(lambda: not {*map(id, cluster_servers.primaries())} & {*map(id, before)})
    # The old primaries still answer, as replicas; of what they refuse only a write tells where it belongs.
    assert cluster_client.set(KEY, 1)
    with cluster_client.pipeline(transaction=True) as pipe:
        assert pipe.set(KEY, 2).set(KEY, 3).execute() == [True, True]


@pytest.mark.long
def test_a_cluster_goes_on_without_the_servers_that_know_its_partitions(
    cluster_client: redis.Redis, cluster_servers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_client, "RECHECK_S", 0)
    written = [f"mk:{tag}:summary" for tag in partitions_of(cluster_client).tags]
    assert _are_written(cluster_client, written)
    there = {server: _keys_of(server) for server in cluster_servers.servers}
    gone = [server for server, found in there.items() if keys.PARTITIONS in found]
    others = [key for key in written if not any(key in there[server] for server in gone)]
    assert (len(gone), others != []) == (2, True)
    try:
        for server in gone:
            server.kill()
        wait_until(lambda: _are_written(cluster_client, others))
    finally:
        for server in gone:
            server.start()
    wait_until(lambda: _are_written(cluster_client, written))


def _keys_of(server: Server) -> set[str]:
    with redis.Redis.from_url(server.admin_url) as admin:
        return {key.decode() for key in admin.scan_iter()}


def _are_written(client: redis.Redis, names: Sequence[str]) -> bool:
    try:
        return all(client.set(name, 1) for name in names)
    except redis.RedisError:
        return False
