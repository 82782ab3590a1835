"""Whatever was changed in a stored match, nobody is told of it as if it were the match."""

from collections.abc import Callable
from random import Random

import pytest
import redis

from domain.match.commands import RollDice
from domain.match.evolve import fold
from events import Loaded, LogWatcher, Matches, RedisStore, StreamCorrupt
from events.matches.entries import CODEC, as_stored
from events.matches.replay import moments, moments_with_events, recorded_events
from events.reindex import reindex
from events.store import keys
from events.store.damaged_streams import DamagedStreams
from events.store.fields import pack_events, unpack_events
from events.store.outbox import DAMAGED, LOG_START, Outbox
from ops.servers import Server
from runtime.connection import connect_blocking
from tests.events.example_matches import SEEDS, play
from tests.events.redis_streams import Fields, other_die, rewrite, thrown

LONG_S = 30


def flipped_bit(fields: Fields) -> None:
    """As a disk does it, in what is compressed: the first that makes a difference."""
    stored = fields[b"e"]
    flipped = [stored[:i] + bytes([stored[i] ^ 1]) + stored[i + 1 :] for i in range(9, len(stored))]
    fields[b"e"] = next(one for one in flipped if unpack_events(one) != unpack_events(stored))


CHANGES: dict[str, Callable[[Fields], object]] = {
    "a die": other_die,
    "a bit of the events": flipped_bit,
    "where the events end": lambda fields: fields.update({b"e": fields[b"e"][:-3]}),
    "who acted": lambda fields: fields.update({b"a": b"seat:1"}),
    "when": lambda fields: fields.update({b"t": b"%d" % (int(fields[b"t"]) + 1)}),
    "a time that no calendar has": lambda fields: fields.update({b"t": b"9" * 30}),
    "the command id": lambda fields: fields.update({b"c": fields[b"c"][:-1] + b"~"}),
    "a command id that is no text": lambda fields: fields.update({b"c": bytes(16) + b"\xff"}),
    "the hash": lambda fields: fields.update({b"h": bytes(32)}),
    "all events": lambda fields: fields.update({b"e": pack_events(b"[]")}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_changed_is_refused_whoever_reads_or_acts(
    redis_store: RedisStore, admin: redis.Redis, change: Callable[[Fields], object]
) -> None:
    loaded = thrown(Matches(redis_store, SEEDS))
    match_id, version = loaded.match_id, loaded.version
    first = rewrite(admin, match_id, change)
    reads: list[Callable[[Matches], object]] = [
        lambda matches: matches.load(match_id),
        lambda matches: matches.history.state_at(match_id, version),
        lambda matches: matches.history.command_at(match_id, version),
        lambda matches: matches.history.find_command(match_id, "mine"),
        lambda matches: matches.history.events(match_id),
        lambda matches: matches.execute(match_id, RollDice(0, 1), "seat:0"),
        lambda matches: matches.dry_run(match_id, lambda state: ("seat:0", RollDice(0, 1))),
        lambda matches: [*recorded_events(matches.store, loaded)],
        lambda matches: [*moments(matches.store, loaded, version)],
        lambda matches: [*moments_with_events(matches.store, loaded, 1, version)],
    ]
    for read in reads:
        with pytest.raises(StreamCorrupt) as caught:
            read(Matches(redis_store, SEEDS))
        assert caught.value.sequence == first


def test_a_state_before_the_damage_is_shown(redis_store: RedisStore, admin: redis.Redis) -> None:
    match_id = thrown(Matches(redis_store, SEEDS)).match_id
    first = rewrite(admin, match_id, other_die)
    assert Matches(redis_store, SEEDS).history.state_at(match_id, first - 1).version == first - 1


def test_neighbours_of_a_damaged_match_are_loaded(redis_store: RedisStore, admin: redis.Redis) -> None:
    matches = Matches(redis_store, SEEDS)
    ids = [thrown(matches).match_id for _ in range(3)]
    rewrite(admin, ids[1], other_die)
    before, damaged, behind = Matches(redis_store, SEEDS).load_many(ids)
    assert isinstance(damaged, StreamCorrupt)
    assert [one.match_id for one in (before, behind) if isinstance(one, Loaded)] == [ids[0], ids[2]]


def test_a_damaged_match_stays_as_it_is_when_lists_are_built_anew(
    redis_store: RedisStore, client: redis.Redis, admin: redis.Redis
) -> None:
    match_id = thrown(Matches(redis_store, SEEDS)).match_id
    rewrite(admin, match_id, other_die)
    before = admin.get(keys.summary(match_id))
    (told,) = reindex(client).corrupt
    assert match_id in told
    assert admin.get(keys.summary(match_id)) == before


def test_what_is_stored_can_be_shown_though_it_is_damaged(
    redis_store: RedisStore, admin: redis.Redis
) -> None:
    loaded = thrown(Matches(redis_store, SEEDS))
    rewrite(admin, loaded.match_id, other_die)
    entries = redis_store.read(loaded.match_id)
    state = fold(None, [event for entry in entries for event in CODEC.decode(entry.events)])
    assert as_stored(loaded.match_id, entries).state == state != loaded.state


def test_a_match_at_hand_is_dropped_when_its_last_entry_was_changed(
    redis_store: RedisStore, admin: redis.Redis
) -> None:
    matches = Matches(redis_store, SEEDS)
    loaded = thrown(matches)
    rewrite(admin, loaded.match_id, lambda fields: fields.update({b"h": bytes(32)}))
    for _ in range(2):
        with pytest.raises(StreamCorrupt):
            matches.load(loaded.match_id)


def test_damage_that_a_page_of_events_meets_is_met_by_all_reads_from_then_on(
    redis_store: RedisStore, client: redis.Redis, admin: redis.Redis
) -> None:
    matches = Matches(redis_store, SEEDS, on_damage=DamagedStreams(client).try_record)
    match_id = thrown(matches).match_id
    play(matches, matches.load(match_id), Random(1), 5)
    first = rewrite(admin, match_id, other_die, 1)
    assert matches.load(match_id), "an older entry is not looked at"
    with pytest.raises(StreamCorrupt) as caught:
        matches.history.events(match_id)
    matches.report_damage(caught.value)
    with pytest.raises(StreamCorrupt):
        matches.load(match_id)
    assert DamagedStreams(client).match_ids() == {match_id}
    pointer = Outbox(client).read_log(LOG_START)[-1]
    assert (pointer.match_id, pointer.version, pointer.next) == (match_id, first, DAMAGED)


def test_whoever_follows_the_log_drops_a_match_that_another_process_found_damaged(
    redis_store: RedisStore, client: redis.Redis, admin: redis.Redis, events_server: Server
) -> None:
    matches = Matches(redis_store, SEEDS)
    match_id = thrown(matches).match_id
    play(matches, matches.load(match_id), Random(1), 5)
    rewrite(admin, match_id, other_die, 1)
    watcher = LogWatcher(lambda: connect_blocking(events_server.url), matches.forget)
    try:
        watcher.wait("mat_settle", 0, LONG_S)
        with watcher.news_of(match_id) as subscription:
            with pytest.raises(StreamCorrupt):
                Matches(redis_store, SEEDS, on_damage=DamagedStreams(client).try_record).load(match_id)
            while matches._loader.cached(match_id):  # its appends notify too
                assert subscription.wait(LONG_S), "its readers are to learn of it"
        with pytest.raises(StreamCorrupt):
            matches.load(match_id)
    finally:
        watcher.stop()


def test_damage_is_told_once(client: redis.Redis) -> None:
    damages = DamagedStreams(client)
    error = StreamCorrupt("mat_1", 7, "its hash")
    assert [damages.record(error) for _ in range(3)] == [True, False, False]
    assert len(Outbox(client).read_log(LOG_START)) == 1
    damages.withdraw("mat_1")
    assert damages.match_ids() == set()
    assert damages.record(error)


def test_a_match_that_is_found_damaged_while_it_is_read_is_not_cached_again(
    redis_store: RedisStore, admin: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = Matches(redis_store, SEEDS)
    match_id = thrown(matches).match_id
    rewrite(admin, match_id, other_die)
    read = redis_store.read

    def read_when_damage_is_found(id: str, *bounds: int) -> object:
        entries = read(id, *bounds)
        matches.forget(id)
        return entries

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(redis_store, "read", read_when_damage_is_found)
        matches.load(match_id)
    with pytest.raises(StreamCorrupt):
        matches.load(match_id)
