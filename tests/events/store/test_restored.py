"""An older copy of the store is put back under processes that live: they go on from what is there."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
import redis

from domain.ladder import decide
from domain.match.commands import AbortMatch, Resign, RollDice
from events import LogWatcher, Matches, MatchNotFound, Notary, RedisStore, VersionNotFound
from events.ladders.ladders import Ladders
from events.store.errors import LadderNotFound
from events.store.watch import Wake
from ops.servers import Server, running_server
from runtime.connection import connect, connect_blocking
from runtime.metrics import REGISTRY
from service.matches.luck import LuckCache
from tests.events.backups import Backup
from tests.events.example_ladders import CONFIG, _entry, made
from tests.events.example_matches import SEEDS, SIGNING_KEYS, assert_whole, creation, play, roll

LONG_S = 30


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server("events", tmp_path_factory.mktemp("restored")) as server:
        yield server


class Process(NamedTuple):
    """What a process keeps while the store is away."""

    client: redis.Redis
    matches: Matches
    ladders: Ladders
    notary: Notary


def process(server: Server) -> Process:
    client = connect(server.url)
    return Process(
        client,
        Matches(RedisStore(client), SEEDS),
        Ladders(RedisStore(client)),
        Notary(RedisStore(client), SIGNING_KEYS),
    )


@pytest.fixture
def warm(server: Server) -> Iterator[Process]:
    with redis.Redis.from_url(server.admin_url) as admin:
        admin.flushall()
    found = process(server)
    yield found
    found.client.close()


def missed() -> float:
    return REGISTRY.get_sample_value("machi_events_missing_total", {"source": "cache"}) or 0


def test_a_ladder_that_is_not_there_any_more_is_not_shown_and_not_changed(
    warm: Process, server: Server, tmp_path: Path
) -> None:
    backup = Backup(server, tmp_path)
    ladder_id = made(warm.ladders)
    before = missed()
    backup.restore()
    with pytest.raises(LadderNotFound):
        warm.ladders.load(ladder_id)
    assert missed() == before + 5
    with pytest.raises(LadderNotFound):
        warm.ladders.execute(ladder_id, lambda state: _entry(state, "late"), "account:acc_1")


def test_a_ladder_that_is_gone_can_be_made_again_under_its_id(
    warm: Process, server: Server, tmp_path: Path
) -> None:
    backup = Backup(server, tmp_path)
    ladder_id = made(warm.ladders)
    backup.restore()
    outcome = warm.ladders.create(lambda: decide.create("Again", "acc_1", CONFIG), "account:acc_1", ladder_id)
    assert not outcome.replayed
    assert process(server).ladders.load(ladder_id).state.name == "Again"


def test_a_ladder_goes_on_from_what_was_restored(warm: Process, server: Server, tmp_path: Path) -> None:
    ladder_id = made(warm.ladders)
    backup = Backup(server, tmp_path)
    version = warm.ladders.load(ladder_id).version
    warm.ladders.execute(ladder_id, lambda state: _entry(state, "lost"), "account:acc_1", "lost")
    backup.restore()
    outcome = warm.ladders.execute(ladder_id, lambda state: _entry(state, "kept"), "account:acc_1", "kept")
    assert (outcome.first, outcome.replayed) == (version + 1, False)
    assert outcome.ladder.entries == process(server).ladders.load(ladder_id).entries
    assert [entry.name for entry in outcome.ladder.state.entries] == ["greedy", "random", "kept"]


@pytest.mark.parametrize("further", [1, 2, 3])
def test_a_ladder_that_has_gone_another_way_since_is_taken_as_it_is(
    warm: Process, server: Server, tmp_path: Path, further: int
) -> None:
    """Shorter than what was known, as long, or longer: its events are others."""
    ladder_id = made(warm.ladders)
    backup = Backup(server, tmp_path)
    for name in ("lost", "gone"):
        warm.ladders.execute(ladder_id, lambda state, name=name: _entry(state, name), "account:acc_1")
    backup.restore()
    other = process(server).ladders
    for i in range(further):
        other.execute(ladder_id, lambda state, i=i: _entry(state, f"new{i}"), "account:acc_1")
    outcome = warm.ladders.execute(ladder_id, lambda state: _entry(state, "last"), "account:acc_1")
    names = [entry.name for entry in outcome.ladder.state.entries]
    assert names == ["greedy", "random", *[f"new{i}" for i in range(further)], "last"]
    assert outcome.ladder.entries == process(server).ladders.load(ladder_id).entries


def test_a_match_that_is_not_there_any_more_is_not_shown_and_not_played(
    warm: Process, server: Server, tmp_path: Path
) -> None:
    backup = Backup(server, tmp_path)
    created = warm.matches.create(creation())
    before = missed()
    backup.restore()
    with pytest.raises(MatchNotFound):
        warm.matches.load(created.match_id)
    assert missed() == before + created.last
    with pytest.raises(MatchNotFound):
        warm.matches.execute(created.match_id, RollDice(0, 1), "seat:0")


@pytest.mark.parametrize("further", [1, 3, 6])
@pytest.mark.parametrize("is_read_first", [True, False])
def test_a_match_that_has_gone_another_way_since_is_taken_as_it_is(
    warm: Process, server: Server, tmp_path: Path, further: int, is_read_first: bool
) -> None:
    match_id = warm.matches.create(creation()).match_id
    backup = Backup(server, tmp_path)
    lost = play(warm.matches, warm.matches.load(match_id), Random(1), 3)
    backup.restore()
    other = process(server).matches
    now = play(other, other.load(match_id), Random(5), further)
    if is_read_first:
        assert warm.matches.load(match_id).head_hash == now.head_hash != lost.head_hash
    outcome = warm.matches.execute(match_id, Resign(0), "seat:0")
    assert outcome.first == now.version + 1
    assert warm.matches.load(match_id).state == process(server).matches.load(match_id).state


def test_the_luck_of_a_match_is_that_of_the_events_that_are_there(
    warm: Process, server: Server, tmp_path: Path
) -> None:
    match_id = warm.matches.create(creation()).match_id
    luck_cache = LuckCache(warm.matches.store)
    backup = Backup(server, tmp_path)
    luck_cache.luck_of(play(warm.matches, warm.matches.load(match_id), Random(1), 20))
    backup.restore()
    now = play(warm.matches, warm.matches.load(match_id), Random(5), 30)
    assert luck_cache.luck_of(now) == LuckCache(warm.matches.store).luck_of(now)


def test_lines_are_signed_behind_those_that_were_restored(
    warm: Process, server: Server, tmp_path: Path
) -> None:
    ids = [warm.matches.create(creation()).match_id for _ in range(3)]
    for match_id in ids:
        warm.matches.execute(match_id, AbortMatch(), "account:acc_0")
    warm.notary.sign([warm.matches.load(ids[0])])
    backup = Backup(server, tmp_path)
    warm.notary.sign([warm.matches.load(ids[1])])
    backup.restore()
    warm.notary.sign([warm.matches.load(ids[2])])
    assert [line.match_id for line in assert_whole(process(server).notary, 2)] == [ids[0], ids[2]]


def test_a_state_of_a_version_that_was_lost_is_not_found(
    warm: Process, server: Server, tmp_path: Path
) -> None:
    match_id = warm.matches.create(creation()).match_id
    backup = Backup(server, tmp_path)
    version = roll(warm.matches, match_id).last
    backup.restore()
    with pytest.raises(VersionNotFound):
        warm.matches.history.state_at(match_id, version)


def test_readers_do_not_wake_for_what_was_lost(warm: Process, server: Server, tmp_path: Path) -> None:
    """They would find nothing, and wait again, as fast as they can."""
    match_id = warm.matches.create(creation()).match_id
    version = warm.matches.load(match_id).version
    backup = Backup(server, tmp_path)
    watcher = LogWatcher(lambda: connect_blocking(server.url))
    try:
        watcher.wait("mat_settle", 0, LONG_S)
        roll(warm.matches, match_id)
        assert watcher.wait(match_id, version, LONG_S)
        with watcher.news_of("mat_none") as subscription:
            backup.restore()
            assert subscription.wait(LONG_S), "all are woken when the connection is there again"
        assert watcher.wait(match_id, version, 0.05) is Wake.TIMEOUT
        roll(warm.matches, match_id)
        assert watcher.wait(match_id, version, LONG_S)
    finally:
        watcher.stop()
