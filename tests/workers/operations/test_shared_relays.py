"""Several relays share the partitions of a store, and take over those of a relay that is gone."""

import dataclasses
from contextlib import ExitStack
from functools import partial
from types import SimpleNamespace

import pytest

from events import Matches, RedisStore, Seeds
from events.store import keys
from events.store.client import connect_store
from events.store.durability import required_by
from events.store.keys import Partitions
from events.store.outbox import RELAY
from tests.workers.kit import MASTER_KEYS, Place, relaying, running, wait_until
from workers import relay as relay_module
from workers.relay import Relay
from workers.turns.partition import RelayIntervals

QUICK = RelayIntervals(sweep_s=0.1, block_s=0.05, lost_s=0.05, lease_s=0.5, back_off_s=0.2)
PARTITIONS = Partitions(4)


@pytest.fixture
def divided_place(place: Place) -> Place:
    place.settings = dataclasses.replace(place.settings, partitions=len(PARTITIONS))
    client = connect_store(place.settings.events_redis_url, required_by(place.settings))
    place.client.close()
    place.client = client
    place.matches = Matches(RedisStore(client), Seeds(MASTER_KEYS), ai_grace_ms=1000, notary=place.notary)
    return place


def _process(lease: bytes | None) -> bytes:
    """The process that holds a lease."""
    return (lease or b"").partition(b" ")[0]


def led_by(relay: Relay) -> set[str]:
    return {part.tag for part in relay._led()}


def are_halves(one: set[str], other: set[str]) -> bool:
    return len(one) == len(other) == 2 and one | other == {*PARTITIONS.tags}


@pytest.mark.long
def test_each_has_its_share_and_takes_what_another_leaves(divided_place: Place) -> None:
    with relaying(divided_place, QUICK) as first:
        wait_until(lambda: led_by(first) == {*PARTITIONS.tags})
        with relaying(divided_place, QUICK) as second:
            wait_until(lambda: are_halves(led_by(first), led_by(second)))
        wait_until(lambda: led_by(first) == {*PARTITIONS.tags})


@pytest.mark.long
def test_matches_of_all_partitions_are_played_and_signed_though_a_relay_dies(divided_place: Place) -> None:
    place = divided_place
    with ExitStack() as stack:
        stack.enter_context(running("workers.main", place))
        dying = stack.enter_context(running("workers.relay", place))
        stack.enter_context(running("workers.relay", place))
        leases = [keys.at(keys.lease(RELAY), tag) for tag in PARTITIONS.tags]
        wait_until(lambda: len({_process(place.client.get(lease)) for lease in leases} - {b""}) == 2)
        ids: list[str] = []
        while {PARTITIONS.of(match_id) for match_id in ids} != {*PARTITIONS.tags}:
            ids.append(place.bots("random", "random").match_id)
        dying.kill()
        wait_until(lambda: sum(place.client.zcard(key) for key in PARTITIONS.each(keys.DUE)) == 0)
        wait_until(lambda: place.notary.last_number() == len(ids))
    for match_id in ids:
        assert place.matches.load(match_id).state.status == "finished"


def test_a_slow_round_over_the_partitions_keeps_their_leases_and_shows_that_it_goes_on(
    divided_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = Relay(divided_place.settings, QUICK)
    relay._lead()
    done: list[str] = []
    monkeypatch.setattr(relay, "_watchdog", SimpleNamespace(beat=partial(done.append, "beat")))
    monkeypatch.setattr(relay._renewal, "is_due", lambda: True)
    for part in relay._parts:
        monkeypatch.setattr(part, "work", partial(done.append, "work"))
        monkeypatch.setattr(part, "lead", partial(done.append, "lead"))
    relay._cycle()
    between = " ".join(done).split("work")[1:-1]
    assert len(between) == len(PARTITIONS) - 1
    assert all("beat" in one and "lead" in one for one in between)


def test_a_relay_that_is_slow_to_begin_renews_the_leases_it_has_before_it_takes_more(
    divided_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = Relay(divided_place.settings, QUICK)
    begun: list[str] = []
    monkeypatch.setattr(relay_module, "time", SimpleNamespace(monotonic=lambda: len(begun)))
    for part in relay._parts:
        monkeypatch.setattr(part._notifier, "begin", partial(begun.append, part.tag))
    for number in range(1, len(PARTITIONS) + 1):
        relay._lead()
        assert len(led_by(relay)) == number
