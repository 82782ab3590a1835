"""Overdue matches: lost turns are handed out again, clocks that ran out are carried out."""

import threading

import pytest
from rq.job import Job

from domain.events import Clock
from events import Outcome, keys
from events.orders import now_ms
from events.strategies import STAND_IN
from tests.workers.kit import Place, wait_until
from workers import playing
from workers.playing import Limits
from workers.queueing import Turn, hand_out
from workers.sweep import BUSY_QUEUE, LONGEST_BACK_OFF_MS


def _make_due(place: Place, *matches: Outcome) -> None:
    """Let the time pass that a built-in player or a person had."""
    for match in matches:
        place.client.zadd(keys.DUE, {match.match_id: 1})


def _queued(place: Place) -> list[tuple[list[Turn], int]]:
    jobs = Job.fetch_many(place.queue.job_ids, place.queue_client, serializer="json")
    return [([(turn[0], turn[1]) for turn in job.args[0]], job.args[1]) for job in jobs if job]


def test_what_is_not_due_is_left_alone(place: Place) -> None:
    place.bots("random", "random")
    assert place.sweep().run() is False
    assert place.queue.count == 0


def test_a_lost_turn_is_handed_out_again(place: Place) -> None:
    match, other = place.bots("random", "random"), place.bots("random", "random")
    _make_due(place, match, other)
    place.sweep().run()
    turns = sorted([(match.match_id, match.last), (other.match_id, other.last)])
    assert _queued(place) == [(turns, 2)]


def test_each_time_the_pause_is_twice_as_long(place: Place) -> None:
    match = place.bots("random", "random")
    sweep = place.sweep(back_off_ms=1000)
    for attempt, pause_ms in ((2, 1000), (3, 2000), (4, 4000)):
        _make_due(place, match)
        before = now_ms()
        sweep.run()
        assert _queued(place)[-1] == ([(match.match_id, match.last)], attempt)
        assert before + pause_ms <= _due_ms(place, match.match_id) <= now_ms() + pause_ms


def _due_ms(place: Place, match_id: str) -> float:
    due_ms = place.client.zscore(keys.DUE, match_id)
    assert due_ms is not None
    return float(due_ms)


def test_a_turn_that_only_waits_its_turn_is_not_handed_out_again(place: Place) -> None:
    for number in range(BUSY_QUEUE):
        hand_out(place.queue, [(f"mat_{number}", 1)], 1)
    match = place.bots("random", "random")
    _make_due(place, match)
    place.sweep(back_off_ms=1000).run()
    assert place.queue.count == BUSY_QUEUE
    assert _due_ms(place, match.match_id) > now_ms()


def test_a_match_that_cannot_be_read_does_not_keep_the_others_waiting(place: Place) -> None:
    match = place.bots("random", "random")
    _make_due(place, match)
    place.client.zadd(keys.DUE, {"mat_nowhere": 1})
    place.sweep().run()
    assert [turns for turns, _ in _queued(place)] == [[(match.match_id, match.last)]]
    assert _due_ms(place, "mat_nowhere") > now_ms() + LONGEST_BACK_OFF_MS / 2


def _expired(place: Place, policy: str, *names: str) -> Outcome:
    match = place.seats(*names, clock=Clock(1, policy))
    wait_until(lambda: place.outbox.due_before(now_ms()))
    place.sweep().run()
    return match


def test_a_clock_that_runs_out_gives_the_default_command(place: Place) -> None:
    match = _expired(place, "default_command", "ada", "random")
    types = [event.type for event in place.all_events(match.match_id)[match.last :]]
    assert types[:2] == ["clock_expired", "dice_rolled"]
    assert place.latest(match.match_id).state.phase == "build"
    assert place.waiting() == 1


def test_a_person_who_never_answers_is_played_for_to_the_end(place: Place) -> None:
    match = place.seats("ada", "ada", clock=Clock(1, "default_command"))
    sweep = place.sweep()

    def turn_reached() -> bool:
        sweep.run()
        return place.latest(match.match_id).state.turn >= 6

    wait_until(turn_reached)
    assert {event.actor for event in place.all_events(match.match_id)[match.last :]} == {"service"}


def test_a_clock_that_runs_out_forfeits(place: Place) -> None:
    match = _expired(place, "forfeit", "ada", "random")
    state = place.latest(match.match_id).state
    assert (state.status, state.winner, state.result) == ("finished", 1, "resignation")
    assert place.waiting() == 0


def test_a_clock_that_runs_out_hands_the_seat_to_a_built_in_player(place: Place) -> None:
    match = _expired(place, "strategy", "ada", "random")
    latest = place.latest(match.match_id)
    controller = latest.state.controllers[0]
    assert controller is not None
    assert (controller.kind, controller.id) == ("strategy", STAND_IN)
    assert place.outbox.read_log("0-0")[-1].next == "ai"
    playing.play(place.matches, [(match.match_id, latest.version)], Limits(seconds=60))
    place.assert_over([match.match_id])


def test_a_person_with_time_left_is_left_alone(place: Place) -> None:
    match = place.seats("ada", "random", clock=Clock(60_000, "forfeit"))
    place.sweep().run()
    assert place.latest(match.match_id).version == match.last


@pytest.mark.parametrize("policy", ["strategy", "forfeit"])
def test_two_sweeps_carry_a_clock_out_once(place: Place, policy: str) -> None:
    match = place.seats("ada", "random", clock=Clock(1, policy))
    wait_until(lambda: place.outbox.due_before(now_ms()))
    start = threading.Barrier(2)

    def sweep() -> None:
        start.wait()
        place.sweep().run()

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event.type for event in place.all_events(match.match_id)].count("clock_expired") == 1
