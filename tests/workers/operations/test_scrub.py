"""Matches that nobody asks for are checked all the same, and all processes learn what is damaged."""

import threading

import pytest
import redis

from domain.match.legal import legal_commands
from events import RedisStore, StreamCorrupt
from events.ladders.ladders import Ladders
from events.store import keys
from events.store.damaged_streams import DamagedStreams
from events.store.outbox import DAMAGED, LOG_START
from ops.servers import Server
from runtime.metrics import REGISTRY
from tests.events.example_ladders import made
from tests.events.redis_streams import other_die, rewrite, thrown
from tests.workers.kit import Place, wait_until
from workers.operations.scrub import Scrub
from workers.relay import Relay
from workers.turns.partition import RelayIntervals

QUICK = RelayIntervals(block_s=0.05, lease_s=0.5, scrub_s=0.01)


@pytest.fixture
def damages(place: Place) -> DamagedStreams:
    return DamagedStreams(place.client)


@pytest.fixture
def scrub(place: Place, damages: DamagedStreams) -> Scrub:
    return Scrub(RedisStore(place.client), Ladders(RedisStore(place.client)), damages, place.client, rest_s=0)


def scrubbed() -> float:
    return REGISTRY.get_sample_value("machi_matches_scrubbed_total") or 0


def test_the_damaged_ones_among_many_are_named(
    place: Place, admin: redis.Redis, scrub: Scrub, damages: DamagedStreams
) -> None:
    ids = [thrown(place.matches).match_id for _ in range(6)]
    rewrite(admin, ids[1], other_die)
    admin.xdel(keys.match(ids[2]), admin.xrevrange(keys.match(ids[2]), count=1)[0][0])
    admin.delete(keys.match(ids[4]))
    before = scrubbed()
    while scrubbed() < before + len(ids):
        scrub.run()
    assert damages.match_ids() == {ids[1], ids[2], ids[4]}
    told = admin.hgetall(keys.DAMAGED)
    assert told[ids[1].encode()].startswith(b"the hash of event ")
    assert told[ids[4].encode()] == b"its events are gone"


def test_each_is_checked_once_in_a_pass_whichever_relay_goes_on(
    place: Place, damages: DamagedStreams, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.operations.scrub.PAGE", 2)
    ids = [place.patient_bots().match_id for _ in range(5)]
    seen: list[str] = []

    class Seen(RedisStore):
        def forget(self, match_id: str) -> None:
            seen.append(match_id)
            super().forget(match_id)

    while len(seen) < 10:
        Scrub(Seen(place.client), Ladders(RedisStore(place.client)), damages, place.client).run()
    assert seen == [*reversed(ids)] * 2


def test_after_a_pass_it_rests(place: Place, damages: DamagedStreams) -> None:
    place.patient_bots()
    resting = Scrub(
        RedisStore(place.client), Ladders(RedisStore(place.client)), damages, place.client, rest_s=3600
    )
    before = scrubbed()
    for _ in range(5):
        resting.run()
    assert scrubbed() == before + 1


def test_a_match_that_is_whole_again_is_damaged_no_more(
    place: Place, admin: redis.Redis, scrub: Scrub, damages: DamagedStreams
) -> None:
    match_id = thrown(place.matches).match_id
    stream = admin.xrange(keys.match(match_id))
    rewrite(admin, match_id, other_die)
    scrub.run()
    assert damages.match_ids() == {match_id}
    admin.delete(keys.match(match_id))
    for id, fields in stream:
        admin.xadd(keys.match(match_id), fields, id)
    while damages.match_ids():
        scrub.run()
    assert place.new_matches().load(match_id).version


def test_a_damaged_ladder_is_known_until_it_is_whole_again(
    place: Place, admin: redis.Redis, scrub: Scrub, damages: DamagedStreams
) -> None:
    ladders = Ladders(RedisStore(place.client), on_damage=damages.try_record)
    ladder_id, sound = made(ladders), made(ladders)
    stream = admin.xrange(keys.ladder(ladder_id))
    rewrite(admin, ladder_id, lambda fields: fields.update({b"a": b"service"}), 2)
    assert ladders.load(ladder_id), "it is at hand"
    other = Ladders(RedisStore(place.client), on_damage=damages.try_record)
    with pytest.raises(StreamCorrupt):
        other.load(ladder_id)
    assert other.load(sound)
    scrub.run()
    assert damages.match_ids() == {ladder_id}
    pointer = place.outbox.read_log(LOG_START)[-1]
    assert (pointer.match_id, pointer.next) == (ladder_id, DAMAGED)
    admin.delete(keys.ladder(ladder_id))
    for id, fields in stream:
        admin.xadd(keys.ladder(ladder_id), fields, id)
    scrub.run()
    assert damages.match_ids() == set()


def test_a_damaged_ladder_keeps_no_other_from_being_played(
    place: Place, admin: redis.Redis, damages: DamagedStreams
) -> None:
    ladders = Ladders(RedisStore(place.client), on_damage=damages.try_record)
    damaged, sound = made(ladders), made(ladders)
    rewrite(admin, damaged, lambda fields: fields.update({b"a": b"service"}), 2)
    relay = Relay(place.settings, QUICK)
    relay._rounds.run()
    relay._rounds.run()
    with redis.Redis.from_url(place.settings.queue_redis_url) as client:
        jobs = [key.decode() for key in client.keys("rq:job:ladder-*")]
    assert {job.split("-")[1] for job in jobs} == {sound}
    assert damages.match_ids() == {damaged}


def test_a_store_that_is_away_is_left_for_the_next_time(
    scrub: Scrub, place: Place, events_server: Server
) -> None:
    place.patient_bots()
    events_server.kill()
    scrub.run()
    events_server.start()
    before = scrubbed()
    scrub.run()
    assert scrubbed() == before + 1


def test_the_relay_finds_damage_and_drops_what_it_has_of_the_match(
    place: Place, admin: redis.Redis, damages: DamagedStreams
) -> None:
    match_id = thrown(place.matches).match_id
    relay = Relay(place.settings, QUICK)
    relay._matches.load(match_id)
    place.matches.execute(match_id, _next(place, match_id), "seat:0")
    relay._matches.load(match_id)
    rewrite(admin, match_id, other_die, -2)
    assert relay._matches.load(match_id), "what is behind the last entry is not looked at"
    thread = threading.Thread(target=relay.run)
    thread.start()
    try:
        wait_until(lambda: damages.match_ids() == {match_id})
        wait_until(lambda: relay._matches._loader.cached(match_id) is None)
        with pytest.raises(StreamCorrupt):
            relay._matches.load(match_id)
    finally:
        relay.stop()
        thread.join()


def _next(place: Place, match_id: str):  # type: ignore[no-untyped-def]
    """A decision of the seat to act, which is seat 0."""
    state = place.matches.load(match_id).state
    assert state.active == 0
    return next(iter(legal_commands(state)))
