"""Everything beside the streams can be built again from them."""

from random import Random
from typing import Any

import pytest
import redis

from domain.commands import AbortMatch, ChangeController, RollDice
from events import Matches, RedisStore, StreamCorrupt, keys
from events.reindex import match_ids, reindex, wipe
from tests.events.matches import SEEDS, creation, finished_match, play, roll, with_clock


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
    aborted = matches.create(creation())
    matches.execute(aborted.match_id, AbortMatch(), "account:acc_0", "abort")


def test_what_was_lost_is_built_again_as_it_was(client: redis.Redis, admin: redis.Redis) -> None:
    play_some(Matches(RedisStore(client), SEEDS))
    before = beside_the_streams(admin)
    wipe(client)
    assert beside_the_streams(admin) == {}
    assert reindex(client) == 5
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


def test_a_corrupt_stream_stops_the_building(client: redis.Redis, admin: redis.Redis) -> None:
    loaded = finished_match(Matches(RedisStore(client), SEEDS))
    second = RedisStore(client).read(loaded.match_id)[1]
    admin.xdel(keys.match(loaded.match_id), f"{second.last}-0")
    with pytest.raises(StreamCorrupt):
        reindex(client)
