"""The relay and the worker as processes, killed and restarted, with Redis servers that go away."""

import threading
from collections.abc import Iterator

import pytest
import redis

from events import heartbeat, keys
from ops.servers import Server
from tests.workers.kit import Place, Process, running, wait_until
from workers.relay import READER, Pace, Relay

QUICK = Pace(sweep_s=0.1, block_s=0.05, lease_s=0.5, back_off_s=0.2)


def test_matches_are_played_by_the_relay_and_a_worker(place: Place) -> None:
    with running("workers.main", place), running("workers.relay", place):
        ids = [place.bots("random", "greedy", "landmark_first").match_id for _ in range(20)]
        wait_until(lambda: place.waiting() == 0)
        assert heartbeat.alive(place.queue_client, "worker")
        assert heartbeat.alive(place.queue_client, "relay")
    place.assert_over(ids)


def test_both_processes_end_well_when_they_are_told_to(place: Place) -> None:
    with running("workers.main", place) as worker, running("workers.relay", place) as relay:
        wait_until(lambda: heartbeat.alive(place.queue_client, "worker"))
        wait_until(lambda: heartbeat.alive(place.queue_client, "relay"))
        assert (worker.stop(), relay.stop()) == (0, 0)


def test_a_match_goes_on_after_its_worker_was_killed(place: Place) -> None:
    ids = [place.bots(*["greedy"] * 5, ruleset="harbor").match_id for _ in range(16)]
    with running("workers.relay", place):
        worker = Process("workers.main", place)
        wait_until(lambda: _is_under_way(place, ids))
        worker.kill()
        assert place.waiting() > 0
        with running("workers.main", place):
            wait_until(lambda: place.waiting() == 0)
    place.assert_over(ids)


def _is_under_way(place: Place, ids: list[str]) -> bool:
    """Some moves were made, and somebody holds a match."""
    return any(pointer.next == "held" for pointer in place.outbox.read_log("0-0", 1000))


def test_a_relay_that_was_killed_goes_on_where_it_was(place: Place) -> None:
    with running("workers.main", place):
        first = Process("workers.relay", place)
        early = [place.bots("random", "random").match_id for _ in range(5)]
        wait_until(lambda: place.outbox.checkpoint(READER) != "0-0")
        first.kill()
        late = [place.bots("random", "random").match_id for _ in range(5)]
        with running("workers.relay", place):
            wait_until(lambda: place.waiting() == 0)
    place.assert_over([*early, *late])


@pytest.fixture
def relay(place: Place) -> Iterator[Relay]:
    """A quick relay in a thread of this process."""
    relay = Relay(place.settings, QUICK)
    thread = threading.Thread(target=relay.run)
    thread.start()
    yield relay
    relay.stop()
    thread.join()


def test_a_queue_that_lost_everything_is_filled_again(
    place: Place, relay: Relay, queue_server: Server
) -> None:
    ids = [place.bots("random", "random").match_id for _ in range(5)]
    wait_until(lambda: place.queue.count)
    with redis.Redis.from_url(queue_server.admin_url) as admin:
        admin.flushall()
    with running("workers.main", place):
        wait_until(lambda: place.waiting() == 0)
    place.assert_over(ids)


def test_the_relay_waits_for_the_queue_and_loses_no_turn(
    place: Place, relay: Relay, queue_server: Server
) -> None:
    queue_server.kill()
    ids = [place.bots("random", "random").match_id for _ in range(3)]
    seen = place.outbox.read_log("0-0")[-1].id
    queue_server.start()
    with running("workers.main", place):
        wait_until(lambda: place.waiting() == 0)
    wait_until(lambda: _order(place.outbox.checkpoint(READER)) >= _order(seen))
    place.assert_over(ids)


def _order(log_id: str) -> tuple[int, ...]:
    return tuple(int(part) for part in log_id.split("-"))


def test_the_relay_and_the_worker_survive_a_restart_of_both_servers(
    place: Place, relay: Relay, events_server: Server, queue_server: Server
) -> None:
    with running("workers.main", place) as worker:
        ids = [place.bots("greedy", "greedy", "greedy").match_id for _ in range(16)]
        wait_until(lambda: _is_under_way(place, ids))
        for server in (events_server, queue_server):
            server.kill()
            server.start()
        wait_until(lambda: place.waiting() == 0)
        assert worker.is_running
    place.assert_over(ids)


def test_of_two_relays_one_works_and_the_other_takes_over(place: Place) -> None:
    relays = [Relay(place.settings, QUICK) for _ in range(2)]
    threads = [threading.Thread(target=relay.run) for relay in relays]
    for thread in threads:
        thread.start()
    with running("workers.main", place):
        first = place.bots("random", "random").match_id
        wait_until(lambda: place.waiting() == 0)
        relays[0].stop()
        threads[0].join()
        second = place.bots("random", "random").match_id
        wait_until(lambda: place.waiting() == 0)
    relays[1].stop()
    threads[1].join()
    place.assert_over([first, second])
    assert place.client.get(keys.checkpoint(READER)) is not None


def test_a_worker_waits_for_the_queue_to_be_there(place: Place, queue_server: Server) -> None:
    queue_server.kill()
    with running("workers.main", place) as worker, running("workers.relay", place):
        match = place.bots("random", "random")
        assert worker.is_running
        queue_server.start()
        wait_until(lambda: place.waiting() == 0)
    place.assert_over([match.match_id])


def test_both_processes_end_well_while_the_queue_is_away(place: Place, queue_server: Server) -> None:
    with running("workers.main", place) as worker, running("workers.relay", place) as relay:
        wait_until(lambda: heartbeat.alive(place.queue_client, "worker"))
        wait_until(lambda: heartbeat.alive(place.queue_client, "relay"))
        queue_server.kill()
        assert (worker.stop(), relay.stop()) == (0, 0)
