"""A reply that is lost on the way: the client sends the command again, and it is carried out once."""

import contextlib
from collections.abc import Iterator

import pytest

from domain.match.commands import RollDice
from events import Matches, RedisStore, StaleVersion
from ops.servers import Server
from runtime.connection import connect
from tests.events.example_matches import SEEDS, append, creation, one_move
from tests.events.lossy_connection import LossyConnection


@pytest.fixture
def line(events_server: Server, redis_store: RedisStore) -> Iterator[LossyConnection]:
    with contextlib.closing(LossyConnection(events_server.url)) as line:
        yield line


def test_a_command_whose_reply_is_lost_is_carried_out_once(
    line: LossyConnection, redis_store: RedisStore
) -> None:
    with connect(line.url) as client:
        matches = Matches(RedisStore(client), SEEDS)
        match_id = matches.create(creation()).match_id
        line.replies_to_lose = 1
        outcome = matches.execute(match_id, RollDice(0, 1), "seat:0")
    assert line.replies_to_lose == 0
    assert not outcome.replayed
    assert [entry.last for entry in redis_store.read(match_id)] == [outcome.first - 1, outcome.last]


def test_a_creation_whose_reply_is_lost_makes_one_match(
    line: LossyConnection, redis_store: RedisStore
) -> None:
    with connect(line.url) as client:
        RedisStore(client).append(append(0))  # the server knows the script from now on
        line.replies_to_lose = 1
        outcome = Matches(RedisStore(client), SEEDS).create(creation())
    assert line.replies_to_lose == 0
    assert not outcome.replayed
    assert len(redis_store.read(outcome.match_id)) == 1


def test_a_built_in_players_move_whose_reply_is_lost_is_stale_and_there_once(
    line: LossyConnection, redis_store: RedisStore
) -> None:
    with connect(line.url) as client:
        matches = Matches(RedisStore(client), SEEDS)
        match_id = matches.create(creation("ss")).match_id
        move = one_move(matches, matches.load(match_id))
        line.replies_to_lose = 1
        (result,) = matches.append_many([move])
        assert isinstance(result, StaleVersion)
        assert matches.load(match_id).version == result.current
    assert len(redis_store.read(match_id)) == 2
