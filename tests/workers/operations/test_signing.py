"""Whatever becomes of who ends a match: it gets its checkpoint, once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from domain.match.commands import AbortMatch
from events import Matches, Notary, RedisStore, Seeds, SigningKeys
from events.store import keys
from events.store.outbox import LOG_START, NOTARY, RELAY
from ops.servers import Server
from runtime.metrics import REGISTRY
from tests.events.example_matches import assert_whole
from tests.workers.kit import MASTER_KEYS, Place, Process, relaying, running, wait_until
from workers.operations.signing import FIRST_RUN, MatchSigner, SigningDelays
from workers.relay import Relay
from workers.turns.partition import RelayIntervals

AT_ONCE = SigningDelays(grace_s=0, pause_s=0)
QUICK = RelayIntervals(sweep_s=0.1, signer_s=0.02, block_s=0.05, lease_s=0.5, back_off_s=0.2, signing=AT_ONCE)


def without_notary(place: Place) -> Matches:
    """As of before there were checkpoints; or killed always just before one would be made."""
    return Matches(RedisStore(place.client), Seeds(MASTER_KEYS))


def ended(place: Place, count: int = 1) -> list[str]:
    """Matches that were called off and not signed."""
    matches = without_notary(place)
    found = [place.seats("ada", "ada", matches=matches).match_id for _ in range(count)]
    for match_id in found:
        matches.execute(match_id, AbortMatch(), "account:acc_ada")
    return found


def signer(place: Place, delays: SigningDelays = AT_ONCE, notary: Notary | None = None) -> MatchSigner:
    made = MatchSigner(place.new_matches(), notary or place.notary, place.outbox, delays)
    made.begin()
    return made


def run_dry(signer: MatchSigner, position: str = "") -> None:
    """Until there is nothing more to do, and that has been saved."""
    while signer.run(position):
        pass
    signer.run(position)


def signed_by_relay() -> float:
    return REGISTRY.get_sample_value("machi_checkpoints_total", {"source": "relay"}) or 0


def test_a_match_that_was_not_signed_is_signed_later(place: Place) -> None:
    one = signer(place)
    run_dry(one)
    before = signed_by_relay()
    ids = ended(place, 3)
    run_dry(one)
    assert [line.match_id for line in assert_whole(place.notary, 3)] == ids
    assert signed_by_relay() == before + 3


def test_what_is_signed_already_is_left_alone(place: Place) -> None:
    one = signer(place)
    run_dry(one)
    match = place.seats("ada", "ada")
    place.matches.execute(match.match_id, AbortMatch(), "account:acc_ada")
    before = signed_by_relay()
    run_dry(one)
    assert_whole(place.notary, 1)
    assert signed_by_relay() == before


def test_who_ends_a_match_has_time_to_sign_it(place: Place) -> None:
    one = signer(place, SigningDelays(grace_s=3600))
    run_dry(one)
    first, second = ended(place, 2)
    log = place.outbox.read_log(LOG_START)
    run_dry(one)
    assert place.notary.without_line([first, second]) == [first, second]
    assert place.outbox.checkpoint(NOTARY) < log[-1].id, "another signer begins before it"


def test_the_first_run_goes_through_all_that_ended_before(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.operations.signing.PAGE", 3)
    ids = ended(place, 8)
    place.seats("ada", "ada")
    with redis.Redis.from_url(place.settings.events_redis_url) as client:
        client.delete(keys.LOG)  # its pointers were trimmed long ago
    one = signer(place)
    run_dry(one)
    assert {line.match_id for line in assert_whole(place.notary, 8)} == set(ids)
    assert place.outbox.checkpoint(FIRST_RUN) == LOG_START
    ids += ended(place)
    run_dry(one)
    assert place.notary.without_line(ids) == []


def test_a_first_run_that_was_broken_off_begins_anew_where_it_began(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.operations.signing.PAGE", 3)
    monkeypatch.setattr("workers.operations.signing.SIGNED_AT_ONCE", 2)
    ids = ended(place, 8)
    begun = place.outbox.end()
    one = signer(place)
    for _ in range(3):
        assert one.run("")
    assert 0 < place.notary.last_number() < 8
    assert (place.outbox.checkpoint(NOTARY), place.outbox.checkpoint(FIRST_RUN)) == (LOG_START, begun)
    ids += ended(place)
    run_dry(signer(place))
    assert place.notary.without_line(ids) == []
    assert_whole(place.notary, 9)


def test_another_signer_goes_on_where_the_last_one_was(place: Place) -> None:
    run_dry(signer(place))
    ids = ended(place, 2)
    run_dry(signer(place))
    position = place.outbox.checkpoint(NOTARY)
    assert position == place.outbox.end()
    assert place.notary.without_line(ids) == []


def test_pages_that_the_relay_reads_are_not_read_again(place: Place) -> None:
    one = signer(place)
    run_dry(one)
    start = place.outbox.end()
    ids = ended(place, 3)
    page = place.outbox.read_log(start)
    one.share_page(start, page)
    with redis.Redis.from_url(place.settings.events_redis_url) as client:
        client.delete(keys.LOG)
    run_dry(one, page[-1].id)
    assert place.notary.without_line(ids) == []


def test_a_page_that_does_not_follow_is_read_in_its_place(place: Place) -> None:
    one = signer(place)
    run_dry(one)
    ids = ended(place, 3)
    page = place.outbox.read_log(LOG_START)
    one.share_page(page[1].id, page[2:])
    run_dry(one, page[-1].id)
    assert place.notary.without_line(ids) == []


def test_a_match_that_cannot_be_loaded_keeps_no_other_waiting(place: Place, events_server: Server) -> None:
    ids = ended(place, 5)
    with redis.Redis.from_url(events_server.admin_url) as admin:
        admin.xtrim(keys.match(ids[2]), maxlen=1, approximate=False)
        admin.delete(keys.match(ids[3]))
    failures = REGISTRY.get_sample_value("machi_checkpoint_failures_total") or 0
    run_dry(signer(place))
    assert place.notary.without_line(ids) == ids[2:4]
    assert REGISTRY.get_sample_value("machi_checkpoint_failures_total") == failures + 2
    assert place.outbox.checkpoint(NOTARY) == place.outbox.end()


def test_a_log_that_takes_no_line_is_tried_again(place: Place, events_server: Server) -> None:
    run_dry(signer(place))
    with redis.Redis.from_url(events_server.admin_url) as admin:
        admin.hset(keys.LINES, "mat_made_up", 1)
        ids = ended(place, 2)
        one = signer(place)
        assert not one.run("")
        assert place.outbox.checkpoint(NOTARY) != place.outbox.end()
        admin.delete(keys.LINES)
    run_dry(one)
    assert place.notary.without_line(ids) == []


@pytest.fixture
def relay(place: Place) -> Iterator[Relay]:
    """A quick relay in a thread of this process."""
    with relaying(place, QUICK) as relay:
        yield relay


def test_the_relay_makes_the_checkpoints_that_are_missing(place: Place, relay: Relay) -> None:
    ids = ended(place, 20)
    wait_until(lambda: place.notary.last_number() == 20)
    wait_until(lambda: place.outbox.checkpoint(NOTARY) == place.outbox.checkpoint(RELAY))
    assert {line.match_id for line in assert_whole(place.notary, 20)} == set(ids)


def test_matches_are_signed_while_the_queue_is_away(place: Place, relay: Relay, queue_server: Server) -> None:
    queue_server.kill()
    place.patient_bots()
    ids = ended(place, 3)
    wait_until(lambda: place.notary.without_line(ids) == [])
    assert place.outbox.checkpoint(RELAY) == LOG_START


def test_the_relay_signs_on_after_a_restart_of_the_store(
    place: Place, relay: Relay, events_server: Server
) -> None:
    first = ended(place, 3)
    wait_until(lambda: place.notary.without_line(first) == [])
    events_server.kill()
    events_server.start()
    second = ended(place, 3)
    wait_until(lambda: place.notary.without_line(second) == [])
    assert_whole(place.notary, 6)


def test_turns_are_handed_out_while_many_matches_are_signed(place: Place) -> None:
    ended(place, 200)
    relay = Relay(place.settings, QUICK)
    relay._cycle()
    place.patient_bots()
    while not place.queue.count:
        relay._cycle()
    assert place.notary.last_number() < 200


def test_a_relay_whose_key_has_an_id_of_before_does_not_start(place: Place, tmp_path: Path) -> None:
    Notary(RedisStore(place.client), SigningKeys("test:" + "53" * 32)).sign(
        [place.new_matches().load(match_id) for match_id in ended(place)]
    )
    log = tmp_path / "log"
    with running("workers.relay", place, log) as relay:
        wait_until(lambda: not relay.is_running)
        assert relay.stop() == 78
    told = log.read_text()
    assert told.startswith("error: SIGNING_KEYS: the id 'test' was used for another signing key before")
    assert "51" * 32 not in told


@pytest.mark.long
def test_every_match_that_is_played_is_signed_by_its_worker(place: Place) -> None:
    before = signed_by_relay()
    with running("workers.main", place), running("workers.relay", place):
        ids = [place.bots("random", "greedy").match_id for _ in range(8)]
        wait_until(lambda: place.notary.last_number() == 8)
    place.assert_over(ids)
    assert {line.match_id for line in assert_whole(place.notary, 8)} == set(ids)
    assert signed_by_relay() == before


@pytest.mark.long
@pytest.mark.parametrize(("matches", "kills"), [(3, 1), (40, 4)])
def test_every_match_is_signed_once_though_workers_and_relays_are_killed(
    matches: int, kills: int, place: Place
) -> None:
    ids = [place.bots("random", "greedy").match_id for _ in range(matches)]
    for _ in range(kills):
        worker, relay = Process("workers.main", place), Process("workers.relay", place)
        ended_before = place.notary.last_number()
        wait_until(lambda seen=ended_before: place.notary.last_number() > seen or not place.waiting())
        worker.kill()
        relay.kill()
    with running("workers.main", place), running("workers.relay", place):
        wait_until(lambda: place.notary.without_line(ids) == [])
    place.assert_over(ids)
    assert_whole(place.notary, matches)
