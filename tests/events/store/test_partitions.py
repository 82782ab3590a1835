"""A store that is divided: what is where, and that all of it is found."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from random import Random

import pytest
import redis

from events import Matches, RedisStore
from events.archive.ended import ended_before
from events.archive.places import Directory
from events.archive.reader import Archive
from events.archive.transfer import archive, restore
from events.matches.lists import list_matches
from events.reindex import main as reindex_main
from events.reindex import match_ids, reindex
from events.store import keys
from events.store.client import StoreClient, connect_store
from events.store.damaged_streams import DamagedStreams
from events.store.durability import Requirements, durability_problems
from events.store.errors import StreamCorrupt
from events.store.keys import Partitions, divided, new_id, now_ms
from ops.servers import Server
from tests.events.ended import ended_match
from tests.events.example_matches import SEEDS, creation, finished_match, play
from tests.events.redis_streams import everything

PARTITIONS = Partitions(3)


@pytest.fixture
def three(client: redis.Redis) -> redis.Redis:
    return divided(client, PARTITIONS)


@pytest.fixture
def matches(three: redis.Redis, tmp_path: Path) -> Matches:
    return Matches(RedisStore(three, tmp_path), SEEDS)


def test_matches_are_spread_evenly_and_stay_where_they_are() -> None:
    ids = [new_id("mat") for _ in range(3000)]
    tags = [PARTITIONS.of(match_id) for match_id in ids]
    assert {*tags} == {"{00}", "{01}", "{02}"}
    assert min(tags.count(tag) for tag in PARTITIONS.tags) > 850
    before = [PARTITIONS.of(f"mat_{number:026}")[1:3] for number in range(6)]
    assert before == ["01", "01", "02", "00", "01", "02"], "a store of today could not be read any more"


def test_what_there_is_only_once_is_in_the_first() -> None:
    assert {PARTITIONS.of(new_id("lad")) for _ in range(20)} == {keys.HOME}
    assert PARTITIONS.of(keys.CHECKPOINT_STREAM) == keys.HOME


def test_one_partition_is_the_store_as_it_always_was(client: redis.Redis) -> None:
    match_id = finished_match(Matches(RedisStore(client), SEEDS)).match_id
    assert {key.decode()[:8] for key in client.scan_iter()} == {"mk:{00}:"}
    assert client.exists(f"mk:{{00}}:match:{match_id}")


def test_all_that_an_append_writes_is_in_the_partition_of_its_match(
    matches: Matches, admin: redis.Redis
) -> None:
    created = matches.create(creation("as"))
    tag = PARTITIONS.of(created.match_id)
    assert {key.decode()[3:7] for key in admin.scan_iter()} == {tag}


def test_lists_are_those_of_all_partitions_in_their_order(matches: Matches) -> None:
    ids = [matches.create(creation()).match_id for _ in range(12)]
    found, cursor = [], None
    while True:
        page = list_matches(matches.store, status="running", cursor=cursor, limit=5)
        found += [one.match_id for one in page.items]
        if (cursor := page.next) is None:
            break
    assert found == sorted(ids, reverse=True)
    turns = matches.store.by_score(keys.turns("acc_0"), None, 5)
    turns += matches.store.by_score(keys.turns("acc_0"), turns[-1], 100)
    assert sorted(one.member for one in turns) == sorted(ids)
    assert turns == sorted(turns, key=lambda one: (one.score, one.member))


def test_what_is_lost_in_any_partition_is_built_again(
    matches: Matches, three: redis.Redis, admin: redis.Redis
) -> None:
    finished_match(matches)
    for number in range(6):
        created = matches.create(creation("sa"))
        play(matches, matches.load(created.match_id), Random(number), 3, is_held=True)
    streams = [key for key in admin.scan_iter() if admin.type(key) == b"stream"]
    before = {key: admin.dump(key) for key in admin.scan_iter() if key not in streams}
    admin.delete(*before)
    assert reindex(three).rebuilt == 7
    assert sorted(match_ids(three)) == sorted(matches.store.members(keys.index("all"), None, 100))
    assert {key: admin.dump(key) for key in admin.scan_iter() if key not in streams} == before


def test_matches_of_all_partitions_are_archived_and_restored(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    divided(admin, PARTITIONS)
    ids = [ended_match(matches, 2) for _ in range(6)]
    before = everything(admin)
    assert list(ended_before(admin, now_ms() + 1)) == sorted(ids)
    entries = {match_id: matches.store.read(match_id) for match_id in ids}
    for match_id in ids:
        archive(admin, Directory(tmp_path), match_id)
    assert list(ended_before(admin, now_ms() + 1)) == []
    assert {match_id: matches.store.read(match_id) for match_id in ids} == entries
    assert sum(admin.hlen(key) for key in PARTITIONS.each(keys.ARCHIVED)) == 6
    for match_id in ids:
        restore(admin, Archive(tmp_path), match_id)
    assert everything(admin) == before


def test_damage_is_told_by_the_log_of_its_partition(three: redis.Redis) -> None:
    damages, ids = DamagedStreams(three), [f"mat_{n:026}" for n in range(6)]
    for match_id in ids:
        damages.record(StreamCorrupt(match_id, 1, "it is wrong"))
    assert damages.match_ids() == {*ids}
    assert [three.xlen(key) for key in PARTITIONS.each(keys.LOG)] == [1, 3, 2]
    damages.withdraw(ids[0])
    assert damages.match_ids() == {*ids[1:]}


@pytest.fixture
def store(events_server: Server, events_redis: redis.Redis) -> Iterator[StoreClient]:
    with connect_store(events_server.url, Requirements(partitions=3)) as made:
        yield made  # type: ignore[misc]


def test_the_number_of_partitions_is_fixed_by_the_first_write(
    store: StoreClient, client: redis.Redis, events_server: Server
) -> None:
    assert durability_problems(client) == []
    Matches(RedisStore(store), SEEDS).create(creation())
    assert client.get(keys.PARTITIONS) == b"3"
    assert durability_problems(client, Requirements(partitions=3)) == []
    told = "the event store has 3 partitions, and PARTITIONS is 1"
    assert durability_problems(client) == [told]
    with (
        connect_store(events_server.url, Requirements()) as other,
        pytest.raises(redis.RedisError, match=told),
    ):
        other.set("mk:{00}:any", 1)
    output = StringIO()
    assert reindex_main({"EVENTS_REDIS_URL": events_server.url}, output) == 1
    assert output.getvalue() == f"error: {told}\n"


def test_a_store_that_was_not_divided_stays_so(store: StoreClient, client: redis.Redis) -> None:
    Matches(RedisStore(client), SEEDS).create(creation())
    with pytest.raises(redis.RedisError, match="the event store has 1 partitions, and PARTITIONS is 3"):
        store.set("mk:{00}:any", 1)
    assert client.get(keys.PARTITIONS) is None
