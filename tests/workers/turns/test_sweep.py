"""Overdue matches: lost turns are handed out again, clocks that ran out are carried out."""

import threading
from collections.abc import Callable, Sequence

import pytest
import redis
import structlog
from rq.job import Job

from domain.match.chance import seat_commitment
from domain.match.commands import CommitSeatSeed, CreateMatch, OpenSeatSeed, RollDice, SeatPlan
from domain.match.events import Clock, Dice, SeatSeeds
from domain.match.rulesets import CURRENT, resolve_options
from domain.match.seat_seeds import SHORTEST_MS
from events import CommandResult, Matches, Outbox, RedisStore, Seeds
from events.store import keys
from events.store.keys import now_ms
from events.store.records import Entry
from ops.servers import Server
from runtime.strategies import STAND_IN
from tests.workers.kit import DEADLINE_S, MASTER_KEYS, Place, wait_until
from workers.queue.client import DueTurn
from workers.turns import decisions
from workers.turns.decisions import TurnLimits
from workers.turns.sweep import LONGEST_BACK_OFF_MS, PAGE, PUT_ASIDE_MS, UNSEEN_ATTEMPTS


def _make_due(place: Place, *matches: CommandResult) -> None:
    """Let the time pass that a built-in player or a person had."""
    for match in matches:
        place.client.zadd(keys.DUE, {match.match_id: 1})


def _taken(place: Place) -> list[tuple[list[DueTurn], int]]:
    """What a worker would take from the queue of matches without people; nothing is left there."""
    place.dispatch.fill_queues()
    jobs = Job.fetch_many(place.queue.job_ids, place.queue_client, serializer="json")
    place.queue.empty()
    return [([(turn[0], turn[1]) for turn in job.args[0]], job.args[1]) for job in jobs if job]


def test_what_is_not_due_is_left_alone(place: Place) -> None:
    place.patient_bots()
    assert place.sweep().run() is False
    assert _taken(place) == []


def test_a_lost_turn_is_handed_out_again(place: Place) -> None:
    match, other = place.bots("random", "random"), place.bots("random", "random")
    _make_due(place, match, other)
    place.sweep().run()
    turns = sorted([(match.match_id, match.last), (other.match_id, other.last)])
    ((handed_out, attempt),) = _taken(place)
    assert (sorted(handed_out), attempt) == (turns, 2)


def test_what_a_dead_worker_had_is_handed_out_again_before_it_is_late(place: Place) -> None:
    match, _ = place.patient_bots(), place.patient_bots()
    sweep = place.sweep()
    sweep.retry([(match.match_id, match.last)])
    sweep.run()
    assert _taken(place) == [([(match.match_id, match.last)], 2)]


def test_what_went_on_after_its_worker_died_is_let_go(place: Place) -> None:
    match = place.seats("ada", "random")
    sweep = place.sweep()
    sweep.retry([(match.match_id, match.last - 1), (match.match_id, match.last)])
    sweep.run()
    assert _taken(place) == []


def test_where_the_queues_were_lost_all_turns_are_handed_out_again(place: Place) -> None:
    """More than the sweep looks at in one go, and those of people are left alone."""
    matches = [place.bots("random", "random") for _ in range(PAGE + 1)]
    place.seats("ada", "random", clock=Clock(1, "forfeit"))
    sweep = place.sweep(back_off_ms=60_000)
    sweep.retry_all(ahead_ms=1000)
    assert sweep.run() is True
    assert sweep.run() is False
    place.dispatch.fill_queues()
    taken = [turn for _ in range(10) for turns, attempt in _taken(place) for turn in turns if attempt == 2]
    assert sorted(taken) == sorted((match.match_id, match.last) for match in matches)


def test_what_is_due_later_than_the_queues_can_have_had_it_is_left_alone(place: Place) -> None:
    place.patient_bots()
    sweep = place.sweep()
    sweep.retry_all(ahead_ms=1000)
    sweep.run()
    assert _taken(place) == []


def test_each_time_the_pause_is_twice_as_long(place: Place) -> None:
    match = place.bots("random", "random")
    sweep = place.sweep(back_off_ms=1000)
    for attempt, pause_ms in ((2, 1000), (3, 2000), (4, 4000)):
        _make_due(place, match)
        before = now_ms()
        sweep.run()
        assert _taken(place) == [([(match.match_id, match.last)], attempt)]
        assert before + pause_ms <= _due_ms(place, match.match_id) <= now_ms() + pause_ms


def test_a_turn_is_handed_out_again_before_its_job_is_forgotten(place: Place) -> None:
    match = place.bots("random", "random")
    sweep = place.sweep(back_off_ms=LONGEST_BACK_OFF_MS // 2)
    for _ in range(4):
        place.queue.empty()
        _make_due(place, match)
        sweep.run()
        place.dispatch.fill_queues()
    last = Job.fetch(place.queue.job_ids[-1], place.queue_client, serializer="json")
    assert last.ttl is not None
    assert _due_ms(place, match.match_id) <= now_ms() + last.ttl * 1000


def _due_ms(place: Place, match_id: str) -> float:
    due_ms = place.client.zscore(keys.DUE, match_id)
    assert due_ms is not None
    return float(due_ms)


def test_a_turn_that_only_waits_for_a_worker_is_not_handed_out_again(place: Place) -> None:
    match = place.bots("random", "random")
    place.dispatch.follow(place.outbox.read_log("0-0"))
    _make_due(place, match)
    place.sweep(back_off_ms=60_000).run()
    assert _due_ms(place, match.match_id) > now_ms()
    assert _taken(place) == [([(match.match_id, match.last)], 1)]


def _without_reading(place: Place, monkeypatch: pytest.MonkeyPatch) -> Matches:
    """Matches of which no event is read; the list tells of those that should have been."""
    matches = place.new_matches()

    def refuse(ids: Sequence[str]) -> list[object]:
        assert list(ids) == []
        return []

    monkeypatch.setattr(matches, "load_many", refuse)
    return matches


def test_what_the_relay_has_read_of_the_log_tells_lost_turns_without_their_events(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many they are, as after an outage, they are dispatched at once."""
    late, lost = [place.bots("random", "random") for _ in range(PAGE + 1)], place.patient_bots()
    place.dispatch.recall(place.outbox.before("+", 100))
    _make_due(place, *late)
    sweep = place.sweep(matches=_without_reading(place, monkeypatch), back_off_ms=60_000)
    sweep.retry([(lost.match_id, lost.last), (late[0].match_id, 1)])
    assert sweep.run() is False
    taken = [turn for _ in range(10) for turns, attempt in _taken(place) for turn in turns if attempt == 2]
    assert sorted(taken) == sorted((match.match_id, match.last) for match in [*late, lost])


def test_turns_that_are_lost_twice_are_dispatched_without_their_events_too(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the relay would read for seconds after every outage while people wait."""
    matches = [place.bots("random", "random") for _ in range(PAGE + 1)]
    place.dispatch.recall(place.outbox.before("+", 100))
    sweep = place.sweep(matches=_without_reading(place, monkeypatch), back_off_ms=60_000)
    for attempt in (2, 3):
        sweep.retry([(match.match_id, match.last) for match in matches])
        assert sweep.run() is False
        assert [len(turns) for turns, number in _taken(place) if number == attempt] == [len(matches)]


def test_a_turn_that_is_lost_time_and_again_is_looked_at_before_it_is_dispatched(
    place: Place, admin: redis.Redis
) -> None:
    """Its match may be damaged, or gone."""
    match = place.bots("random", "random")
    place.dispatch.follow(place.outbox.read_log("0-0"))
    assert _taken(place)
    admin.delete(keys.stream(match.match_id))
    sweep = place.sweep()
    for attempts in (*[[attempt] for attempt in range(2, UNSEEN_ATTEMPTS + 1)], []):
        _make_due(place, match)
        sweep.run()
        assert [attempt for _, attempt in _taken(place)] == attempts
    assert _due_ms(place, match.match_id) > now_ms() + PUT_ASIDE_MS / 2


def test_a_lost_turn_of_a_match_with_people_comes_first(place: Place) -> None:
    match = place.seats("random", "ada")
    _make_due(place, match)
    place.sweep().run()
    place.dispatch.fill_queues()
    assert (place.people.count, place.queue.count) == (1, 0)


def test_a_match_that_cannot_be_read_does_not_keep_the_others_waiting(place: Place) -> None:
    match = place.bots("random", "random")
    _make_due(place, match)
    place.client.zadd(keys.DUE, {"mat_nowhere": 1})
    place.sweep().run()
    assert [turns for turns, _ in _taken(place)] == [[(match.match_id, match.last)]]
    assert _due_ms(place, "mat_nowhere") > now_ms() + PUT_ASIDE_MS / 2


def _expired(place: Place, policy: str, *names: str) -> CommandResult:
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
    decisions.play(place.matches, [(match.match_id, latest.version)], TurnLimits(seconds=60))
    place.assert_over([match.match_id])


def test_a_person_with_time_left_is_left_alone(place: Place) -> None:
    """Even if the match is found due too early; then it is found again when the time is up."""
    match = place.seats("ada", "random", clock=Clock(60_000, "forfeit"))
    deadline_ms = _due_ms(place, match.match_id)
    _make_due(place, match)
    place.sweep().run()
    assert place.latest(match.match_id).version == match.last
    assert _due_ms(place, match.match_id) == deadline_ms


def test_a_person_without_a_clock_is_left_alone(place: Place) -> None:
    match = place.seats("ada", "random")
    _make_due(place, match)
    place.sweep().run()
    assert place.latest(match.match_id).version == match.last
    assert _due_ms(place, match.match_id) > now_ms()


class Meanwhile(Outbox):
    """Something happens between looking at what is due and doing something about it."""

    def __init__(self, client: redis.Redis, happens: Callable[[], object]) -> None:
        super().__init__(client)
        self._happens = happens

    def due_before(self, now_ms: int, limit: int = 100) -> list[tuple[str, int]]:
        found = super().due_before(now_ms, limit)
        assert found
        self._happens()
        return found


def test_a_clock_that_has_just_begun_anew_does_not_run_out(place: Place) -> None:
    """The person acts at the last moment: the clock that ran out was that of the decision before."""
    long_ago = Matches(RedisStore(place.client), Seeds(MASTER_KEYS), clock=lambda: now_ms() - 60_001)
    match = place.seats("ada", "random", clock=Clock(60_000, "forfeit"), matches=long_ago)

    def act() -> None:
        place.matches.execute(match.match_id, RollDice(0, 1), "account:acc_ada")

    place.sweep(outbox=Meanwhile(place.client, act)).run()
    events = place.all_events(match.match_id)[match.last :]
    assert {event.actor for event in events} == {"account:acc_ada"}
    assert place.latest(match.match_id).state.status == "running"
    assert _due_ms(place, match.match_id) == place.latest(match.match_id).last_at_ms + 60_000


def test_a_clock_that_cannot_be_carried_out_does_not_stop_the_others(place: Place) -> None:
    keyless = place.new_matches(master_keys="lost:" + "0f" * 32)
    lost = place.seats("ada", "random", clock=Clock(1, "default_command"), matches=keyless)
    match = place.seats("ada", "random", clock=Clock(2, "forfeit"))
    wait_until(lambda: len(place.outbox.due_before(now_ms())) == 2)
    with structlog.testing.capture_logs() as logs:
        place.sweep().run()
    assert place.latest(match.match_id).state.status == "finished"
    assert _due_ms(place, lost.match_id) > now_ms() + PUT_ASIDE_MS / 2
    assert [(log["event"], log["match_id"]) for log in logs] == [("match_put_aside", lost.match_id)]


def test_without_the_queue_clocks_run_out_all_the_same(place: Place, queue_server: Server) -> None:
    """Behind more built-in players than one look takes in."""
    bots = [place.bots("random", "random") for _ in range(PAGE + 1)]
    _make_due(place, *bots)
    match = place.seats("ada", "random", clock=Clock(1, "forfeit"))
    wait_until(lambda: match.match_id in dict(place.outbox.due_before(now_ms())))
    queue_server.kill()
    sweep = place.sweep(back_off_ms=60_000)
    assert sweep.run()
    assert not sweep.run()
    assert place.latest(match.match_id).state.status == "finished"
    assert place.waiting() == len(bots)


class Together(RedisStore):
    """Lets nobody act on what is read before another has read it too."""

    def __init__(self, client: redis.Redis, all_read: threading.Barrier) -> None:
        super().__init__(client)
        self._all_read = all_read

    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Entry]]:
        found = super().read_many(wanted)
        self._all_read.wait()
        return found


@pytest.mark.parametrize("policy", ["strategy", "forfeit"])
def test_two_sweeps_carry_a_clock_out_once(place: Place, policy: str) -> None:
    match = place.seats("ada", "random", clock=Clock(1, policy))
    wait_until(lambda: place.outbox.due_before(now_ms()))
    all_read = threading.Barrier(2, timeout=DEADLINE_S)

    def sweep() -> None:
        matches = place.new_matches(store=Together(place.client, all_read))
        place.sweep(matches=matches).run()

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event.type for event in place.all_events(match.match_id)].count("clock_expired") == 1


def _with_seat_seeds(place: Place) -> CommandResult:
    options = resolve_options(CURRENT["base"], 2)
    plans = (SeatPlan("account", "acc_ada", "ada"), SeatPlan("account", "acc_bob", "bob"))
    dice = Dice("committed", seat_seeds=SeatSeeds(SHORTEST_MS))
    return place.matches.create(CreateMatch("base@1", options, plans, dice, "acc_ada", 0))


def _silence(place: Place, match: CommandResult) -> list[str]:
    """The types of what follows from a silence of as long as was allowed."""
    before = place.latest(match.match_id).version
    wait_until(lambda: place.outbox.due_before(now_ms()))
    place.sweep().run()
    return [event.type for event in place.all_events(match.match_id)[before:]]


def test_seats_that_do_not_commit_in_time_forgo_their_seeds_and_the_match_starts(place: Place) -> None:
    types = _silence(place, _with_seat_seeds(place))
    assert types == ["seat_seed_forgone", "seat_seed_forgone", "match_started", "turn_started"]
    assert place.waiting() == 0


def test_a_seed_that_is_not_opened_in_time_calls_the_match_off(place: Place) -> None:
    match = _with_seat_seeds(place)
    created = match.state.created
    for seat in (0, 1):
        commitment = seat_commitment(created.dice.commitment, seat, "s" * 32)
        place.matches.execute(match.match_id, CommitSeatSeed(seat, commitment), f"seat:{seat}")
    place.matches.execute(match.match_id, OpenSeatSeed(0, "s" * 32), "seat:0")

    assert _silence(place, match) == ["seat_seed_withheld", "match_aborted", "dice_revealed"]
    state = place.latest(match.match_id).state
    assert (state.status, state.result) == ("aborted", "seat_seed_withheld")
