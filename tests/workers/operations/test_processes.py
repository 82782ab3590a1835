"""The relay and the worker as processes, killed and restarted, with Redis servers that go away."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from rq.job import Job

import players
from domain.match.events import Clock
from events.store.outbox import RELAY
from ops.servers import ROOT, Server
from runtime import heartbeat
from runtime.queue import WEBHOOKS
from runtime.watchdog import Watchdog
from tests.workers.endless_job import ENDLESS_JOB, _is_alive
from tests.workers.kit import Place, Process, environment, relaying, running, wait_until
from workers.main import _new_worker
from workers.operations.startup import begin
from workers.queue.client import IMMEDIATE_ATTEMPTS, enqueue_turns
from workers.relay import Relay
from workers.turns.partition import RelayIntervals

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux has such a wish")

QUICK = RelayIntervals(sweep_s=0.1, block_s=0.05, lease_s=0.5, back_off_s=0.2)


@pytest.mark.long
def test_matches_are_played_by_the_relay_and_a_worker(place: Place) -> None:
    with running("workers.main", place), running("workers.relay", place):
        ids = [place.bots("random", "greedy", "landmark_first").match_id for _ in range(8)]
        wait_until(lambda: place.waiting() == 0)
        assert heartbeat.alive(place.queue_client, "worker")
        assert heartbeat.alive(place.queue_client, "relay")
    place.assert_over(ids)


@pytest.mark.long
def test_a_worker_for_people_plays_in_no_match_without_them(place: Place) -> None:
    """Nor does it send the heartbeat of one that plays everything."""
    with running("workers.main --people", place), running("workers.relay", place):
        alone = place.bots("random", "random")
        wait_until(lambda: place.queue.job_ids)
        theirs = place.seats("random", "ada")
        wait_until(lambda: place.latest(theirs.match_id).state.active == 1)
        assert place.latest(alone.match_id).version == alone.last
        assert not heartbeat.alive(place.queue_client, "worker")
        assert (
            Job.fetch(place.queue.job_ids[0], place.queue_client, serializer="json").get_status() == "queued"
        )


def test_a_setting_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("EVENTS_REDIS_URL", raising=False)
    with pytest.raises(SystemExit):
        begin("relay")
    assert capsys.readouterr().err == "error: EVENTS_REDIS_URL is not set\n"


@pytest.mark.long
def test_both_processes_end_well_when_they_are_told_to(place: Place) -> None:
    with running("workers.main", place) as worker, running("workers.relay", place) as relay:
        wait_until(lambda: heartbeat.alive(place.queue_client, "worker"))
        wait_until(lambda: heartbeat.alive(place.queue_client, "relay"))
        assert (worker.stop(), relay.stop()) == (0, 0)


@pytest.mark.long
def test_a_match_goes_on_after_its_worker_was_killed(place: Place) -> None:
    """Matches that were over before are followed by twice as many."""
    ids: list[str] = []
    with running("workers.relay", place):
        while not place.waiting():
            ids += [place.bots(*["greedy"] * 5, ruleset="harbor").match_id for _ in range(len(ids) or 6)]
            with running("workers.main", place) as worker:
                wait_until(lambda: _is_under_way(place))
                worker.kill()
        with running("workers.main", place):
            wait_until(lambda: place.waiting() == 0)
    place.assert_over(ids)


def endless(place: Place) -> subprocess.Popen[str]:
    """A worker of which each job prints its process id and never ends."""
    command = [sys.executable, "-c", ENDLESS_JOB]
    return subprocess.Popen(command, cwd=ROOT, env=environment(place), stdout=subprocess.PIPE, text=True)


@pytest.mark.long
@on_linux
def test_a_job_does_not_outlive_its_worker(place: Place) -> None:
    """It is in a process group of its own, so nothing that is done to the worker's reaches it."""
    enqueue_turns(place.queue, [("mat_any", 1)], 1)
    with endless(place) as worker:
        assert worker.stdout is not None
        job = int(worker.stdout.readline())
        assert os.getpgid(job) == job
        worker.kill()
    wait_until(lambda: not _is_alive(job))


@pytest.mark.long
def test_a_job_that_was_killed_is_done_again_at_once_but_not_for_ever(place: Place) -> None:
    """Nothing but the worker hands it out again here."""
    enqueue_turns(place.people, [("mat_any", 1)], 1)
    with endless(place) as worker:
        assert worker.stdout is not None
        for _ in range(IMMEDIATE_ATTEMPTS):
            os.kill(int(worker.stdout.readline()), signal.SIGKILL)
        wait_until(lambda: place.people.failed_job_registry.count == IMMEDIATE_ATTEMPTS)
        assert place.people.count == 0
        worker.kill()


@pytest.mark.long
@on_linux
def test_what_a_killed_worker_had_is_handed_out_again_before_it_is_late(place: Place, relay: Relay) -> None:
    """It is late in an hour."""
    match = place.patient_bots()
    with endless(place) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        assert _queued(place) == []
        worker.kill()
    wait_until(lambda: _queued(place) == [[match.match_id]])


def test_a_turn_whose_job_ended_early_is_handed_out_again_before_it_is_late(
    place: Place, relay: Relay
) -> None:
    """As if the event store had been away from the worker alone. It is late in an hour."""
    match = place.patient_bots()
    wait_until(lambda: _queued(place) == [[match.match_id]])
    assert place.queue.pop_job_id()
    wait_until(lambda: _queued(place) == [[match.match_id]])


@on_linux
def test_a_job_whose_worker_was_gone_before_it_could_say_so_ends_at_once() -> None:
    """As where the worker is killed right behind the fork."""
    script = (
        "import os; from workers.operations.lifetime import _die_with; "
        "_die_with(os.getppid() + 1); os._exit(0)"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 1


def _is_under_way(place: Place) -> bool:
    """Some moves were made, and somebody holds a match."""
    return any(pointer.next == "held" for pointer in place.outbox.read_log("0-0", 1000))


@pytest.mark.long
def test_a_relay_that_was_killed_goes_on_where_it_was(place: Place) -> None:
    first = Process("workers.relay", place)
    early = place.patient_bots()
    wait_until(lambda: _is_relayed(place))
    first.kill()
    late = place.patient_bots()
    with running("workers.relay", place):
        wait_until(lambda: _is_relayed(place))
    assert _queued(place) == [[early.match_id], [late.match_id]]


def _is_relayed(place: Place) -> bool:
    """The relay has come to the end of the log."""
    log = place.outbox.read_log("0-0")
    return bool(log) and place.outbox.checkpoint(RELAY) == log[-1].id


def _queued(place: Place) -> list[list[str]]:
    """The matches of each job on the queue."""
    jobs = Job.fetch_many(place.queue.job_ids, place.queue_client, serializer="json")
    return [[match_id for match_id, _ in job.args[0]] for job in jobs if job]


@pytest.fixture
def relay(place: Place) -> Iterator[Relay]:
    """A quick relay in a thread of this process."""
    with relaying(place, QUICK) as relay:
        yield relay


@pytest.mark.long
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
    ids = [place.patient_bots().match_id for _ in range(3)]
    queue_server.start()
    wait_until(lambda: _is_relayed(place))
    # A job of which the relay did not hear whether it is on the queue is handed out again.
    assert {match_id for job in _queued(place) for match_id in job} == {*ids}


def test_while_the_queue_is_away_clocks_run_out_and_the_log_waits(
    place: Place, relay: Relay, queue_server: Server
) -> None:
    queue_server.kill()
    place.patient_bots()
    match = place.seats("ada", "random", clock=Clock(1, "forfeit"))
    wait_until(lambda: place.latest(match.match_id).state.status == "finished")
    assert place.outbox.checkpoint(RELAY) == "0-0"


@pytest.mark.long
def test_the_relay_and_the_worker_survive_a_restart_of_both_servers(
    place: Place, relay: Relay, events_server: Server, queue_server: Server
) -> None:
    with running("workers.main", place) as worker:
        ids = [place.bots("greedy", "greedy", "greedy").match_id for _ in range(16)]
        wait_until(lambda: _is_under_way(place))
        for server in (events_server, queue_server):
            server.kill()
            server.start()
        wait_until(lambda: place.waiting() == 0)
        assert worker.is_running
    place.assert_over(ids)


def test_of_two_relays_one_works_and_the_other_takes_over(place: Place) -> None:
    first = Relay(place.settings, RelayIntervals(block_s=0.01, lease_s=60))
    second = Relay(place.settings, RelayIntervals(block_s=0.01, lease_s=0.05))
    first._cycle()
    matches = [place.patient_bots()]
    second._cycle()
    assert _queued(place) == []
    first._cycle()
    assert _queued(place) == [[matches[0].match_id]]
    first.stop()
    first.run()
    matches.append(place.patient_bots())
    second._cycle()
    assert _queued(place) == [[match.match_id] for match in matches]


@pytest.mark.long
def test_a_worker_waits_for_the_queue_to_be_there(place: Place, queue_server: Server, tmp_path: Path) -> None:
    queue_server.kill()
    log = tmp_path / "log"
    with running("workers.main", place, log) as worker, running("workers.relay", place):
        match = place.bots("random", "random")
        wait_until(lambda: "worker_restarts" in log.read_text())
        assert worker.is_running
        queue_server.start()
        wait_until(lambda: place.waiting() == 0)
    place.assert_over([match.match_id])


@pytest.mark.long
@on_linux
def test_a_worker_has_no_more_threads_for_all_the_times_that_the_queue_was_away(
    place: Place, queue_server: Server, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with running("workers.main", place, log) as worker, running("workers.relay", place):
        place.bots("random", "random")
        wait_until(lambda: place.waiting() == 0)
        threads = worker.count_threads()
        for _ in range(3):
            told = len(log.read_text())
            queue_server.kill()
            # RQ's loop retries a dequeue itself; after any other failed command it ends and another starts.
            wait_until(
                lambda told=told: re.search(
                    "could not connect|worker_restarts|queue_unavailable", log.read_text()[told:]
                )
            )
            queue_server.start()
            place.bots("random", "random")
            wait_until(lambda: place.waiting() == 0)
        wait_until(lambda: worker.count_threads() <= threads)


@pytest.mark.long
def test_both_processes_end_well_while_the_queue_is_away(
    place: Place, queue_server: Server, tmp_path: Path
) -> None:
    logs = [tmp_path / "worker", tmp_path / "relay"]
    with (
        running("workers.main", place, logs[0]) as worker,
        running("workers.relay", place, logs[1]) as relay,
    ):
        wait_until(lambda: heartbeat.alive(place.queue_client, "worker"))
        wait_until(lambda: heartbeat.alive(place.queue_client, "relay"))
        queue_server.kill()
        place.bots("random", "random")
        for log in logs:
            wait_until(log.read_text)  # neither says anything as long as all is well
        assert (worker.stop(), relay.stop()) == (0, 0)


@pytest.mark.long
def test_a_worker_ends_well_in_the_pause_before_it_begins_anew(place: Place, tmp_path: Path) -> None:
    """An id that RQ does not allow ends the loop of its worker."""
    place.queue_client.rpush(place.queue.key, "no id of a job")
    log = tmp_path / "log"
    with running("workers.main", place, log) as worker:
        wait_until(lambda: "worker_restarts" in log.read_text())
        assert worker.stop() == 0


def test_a_running_worker_loads_the_kernel_once_it_is_compiled(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then no fork of it has to, which would take a second for each job. One that plays nothing does not."""
    monkeypatch.setattr("players.PLAYERS", {})
    monkeypatch.setattr("kernel.engine.is_in_cache", lambda: False)
    url = place.settings.queue_redis_url
    webhooks, worker = [_new_worker(url, queue, Watchdog("")) for queue in (WEBHOOKS, "")]
    worker.heartbeat()
    assert players.PLAYERS == {}
    monkeypatch.setattr("kernel.engine.is_in_cache", lambda: True)
    webhooks.heartbeat()
    assert players.PLAYERS == {}
    worker.heartbeat()
    assert set(players.PLAYERS) == {"expected_value", "learned"}
