"""A job plays built-in seats on real Redis."""

import dataclasses
import random
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil, inf

import pytest
import redis
import structlog
from msgspec.structs import replace
from rq.job import Job

from bench.matches import new_match
from domain import legal_commands
from domain.match.branches import branch_command
from domain.match.commands import PlayCommand, SeatPlan
from domain.match.events import Dice, Origin, Position, PositionPlayer, PositionRow
from domain.match.state import MatchState
from events import CommandResult, RedisStore
from events.store.outbox import DAMAGED
from events.store.records import Append, Precedence, Reply
from ops.servers import Server
from players import PLAYERS, choices
from tests.events.redis_streams import rewrite
from tests.workers.kit import COMMITTED, DEADLINE_S, QUICK_PLAYERS, Place
from workers import jobs
from workers.queue.client import DueTurn
from workers.relay import Relay
from workers.turns import decisions
from workers.turns.decisions import TurnLimits, TurnsPlayed
from workers.turns.partition import RelayIntervals


@pytest.mark.parametrize("name", QUICK_PLAYERS)
def test_a_match_of_built_in_players_is_played_to_its_end(place: Place, name: str) -> None:
    match = place.bots(name, name, name, ruleset="harbor")
    counts = decisions.play(place.matches, [(match.match_id, match.last)], TurnLimits(seconds=60))
    place.assert_over([match.match_id])
    assert (counts.stale, counts.failed) == (0, 0)
    assert place.waiting() == 0


def test_built_in_players_go_on_in_a_branch(place: Place) -> None:
    match = place.bots("random", "random")
    decisions.play(place.matches, [(match.match_id, match.last)], TurnLimits(seconds=60))
    point = place.matches.history.command_at(match.match_id, 30)
    for dice in ("same", "fresh"):
        origin = Origin(match.match_id, point.last, f"sha-256:{point.head_hash.hex()}", dice)
        seats = [SeatPlan("strategy", "greedy", "greedy", "2")] * 2
        branch = place.matches.create(branch_command(point.state, origin, seats, "acc_ada"))
        handed = place.outbox.read_log("0-0")[-1]
        assert (handed.match_id, handed.version, handed.next) == (branch.match_id, branch.last, "ai")
        decisions.play(place.matches, [(branch.match_id, branch.last)], TurnLimits(seconds=60))
        place.assert_over([branch.match_id])


def test_a_decision_is_one_command_under_the_id_of_the_version_it_was_made_on(place: Place) -> None:
    match = place.bots("random", "random")
    version = match.last
    for _ in range(2):
        seat = place.latest(match.match_id).state.active
        decisions.play(place.matches, [(match.match_id, version)], TurnLimits(seconds=0))
        events = place.all_events(match.match_id)[version:]
        assert {event.actor for event in events} == {f"seat:{seat}"}
        assert {event.command_id for event in events} == {f"ai-{match.match_id}-{version}"}
        version += len(events)


def test_when_the_time_is_up_the_match_is_handed_on(place: Place) -> None:
    match = place.bots("random", "random")
    counts = decisions.play(place.matches, [(match.match_id, match.last)], TurnLimits(seconds=0))
    last = place.outbox.read_log("0-0")[-1]
    assert (counts.decisions, counts.left) == (1, [])
    assert (last.next, last.version) == ("ai", place.latest(match.match_id).version)


def test_while_the_job_goes_on_nobody_else_is_asked(place: Place) -> None:
    match = place.bots("random", "random")
    counts = decisions.play(
        place.matches, [(match.match_id, match.last)], TurnLimits(seconds=60, decisions=5, share_s=60)
    )
    assert counts.appended == ceil(counts.decisions / 5), "quick decisions share their writes"
    created, *between, last = [pointer.next for pointer in place.outbox.read_log("0-0")]
    assert (created, set(between), last) == ("ai", {"held"}, "over")


def test_a_stale_job_does_nothing(place: Place) -> None:
    match = place.bots("random", "random")
    counts = decisions.play(place.matches, [(match.match_id, match.last - 1)])
    assert (counts, place.latest(match.match_id).version) == (TurnsPlayed(stale=1), match.last)


def test_a_job_leaves_a_person_alone(place: Place) -> None:
    match = place.seats("ada", "random")
    counts = decisions.play(place.matches, [(match.match_id, match.last)])
    assert (counts, place.latest(match.match_id).version) == (TurnsPlayed(stale=1), match.last)


class Together(RedisStore):
    """Lets the first write go only when another job is about to make its own."""

    def __init__(self, client: redis.Redis, all_decided: threading.Barrier) -> None:
        super().__init__(client)
        self._all_decided: threading.Barrier | None = all_decided

    def append_many(self, appends: Sequence[Append]) -> list[Reply]:
        if self._all_decided:
            self._all_decided.wait()
            self._all_decided = None
        return super().append_many(appends)


def test_two_workers_on_one_match_play_it_once(place: Place) -> None:
    match = place.bots("random", "random")
    all_decided = threading.Barrier(2, timeout=DEADLINE_S)
    found: list[TurnsPlayed] = []

    def work() -> None:
        matches = place.new_matches(store=Together(place.client, all_decided))
        found.append(decisions.play(matches, [(match.match_id, match.last)], TurnLimits(seconds=60)))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    place.assert_over([match.match_id])
    slower, faster = sorted(found, key=lambda one: one.appended)
    assert (slower.appended, slower.stale) == (0, 1)
    assert (faster.appended, faster.stale) == (len(place.outbox.read_log("0-0")) - 1, 0)


def test_the_same_choices_are_made_again(place: Place) -> None:
    """A decision follows from the match's secret and the version, so a retry after a crash repeats it."""
    match = place.bots("random", "random", "random")
    first = decisions._loaded(place.matches, [(match.match_id, match.last)], TurnsPlayed())[0]
    again = decisions._loaded(place.new_matches(), [(match.match_id, match.last)], TurnsPlayed())[0]
    batches = decisions._batches(first.loaded.state.copy(), first.chance, 50, inf, time.monotonic)
    assert len(batches) == 50
    assert decisions._batches(again.loaded.state.copy(), again.chance, 50, inf, time.monotonic) == batches


def test_one_match_that_cannot_be_played_does_not_stop_the_others(place: Place) -> None:
    """A strategy that this release does not have, and a match that is not there."""
    stuck = place.seats("retired", "random")
    sound = place.bots("random", "random")
    turns = [(stuck.match_id, stuck.last), ("mat_nowhere", 4), (sound.match_id, sound.last)]
    counts = decisions.play(place.matches, turns, TurnLimits(seconds=60))
    place.assert_over([sound.match_id])
    assert counts.failed == 2


def test_a_match_whose_master_key_is_gone_does_not_stop_the_others(place: Place) -> None:
    lost = place.new_matches(master_keys="lost:" + "0f" * 32).create(
        new_match("base", ("random", "random"), COMMITTED)
    )
    sound = [place.bots("random", "random") for _ in range(2)]
    turns = [(match.match_id, match.last) for match in (sound[0], lost, sound[1])]
    with structlog.testing.capture_logs() as logs:
        counts = decisions.play(place.matches, turns, TurnLimits(seconds=60))
    place.assert_over([match.match_id for match in sound])
    assert (counts.failed, counts.stale) == (1, 0)
    assert [(log["event"], log["match_id"]) for log in logs] == [("match_not_taken_up", lost.match_id)]


def test_a_match_that_nobody_can_win_is_called_off(place: Place) -> None:
    """Nothing to build, nothing to build with, and no income."""
    city = PositionPlayer(0, {}, ())
    position = Position(0, "roll", (city, city), (PositionRow("supply", {}),))
    create = replace(new_match("base", ("random", "random"), COMMITTED), position=position)
    match = place.matches.create(create)
    decisions.play(place.matches, [(match.match_id, match.last)], TurnLimits(seconds=60))
    state = place.latest(match.match_id).state
    assert (state.status, state.result) == ("aborted", "turn_limit")
    assert [event.type for event in place.all_events(match.match_id)[-2:]] == [
        "match_aborted",
        "dice_revealed",
    ]
    assert place.waiting() == 0


@pytest.mark.parametrize(
    ("throws", "reason"),
    [(((1,), (2,)), "dice_tape_exhausted"), (((1,), (2, 3)), "dice_tape_mismatch")],
)
def test_a_tape_that_cannot_go_on_ends_the_match(
    place: Place, throws: tuple[tuple[int, ...], ...], reason: str
) -> None:
    match = place.bots("random", "random", dice=Dice("scripted", throws=throws))
    decisions.play(place.matches, [(match.match_id, match.last)], TurnLimits(seconds=60))
    latest = place.latest(match.match_id)
    last = next(event for event in place.all_events(match.match_id) if event.type == "match_aborted")
    assert (latest.state.status, latest.state.result, last.actor) == ("aborted", reason, "service")
    assert place.waiting() == 0


@pytest.mark.usefixtures("prepared_jobs")
def test_the_job_connects_by_itself(place: Place) -> None:
    match = place.bots("random", "random")
    jobs.play([(match.match_id, match.last)], 1)
    place.assert_over([match.match_id])


@pytest.mark.usefixtures("prepared_jobs")
def test_each_reply_in_one_process_checks_all_events_of_the_match(place: Place, admin: redis.Redis) -> None:
    match = place.seats("random", "ada")
    jobs.reply([(match.match_id, match.last)], 1)
    while (state := place.latest(match.match_id).state).active == 1:
        place.matches.execute(match.match_id, legal_commands(state)[0], "seat:1")
    rewrite(
        admin, match.match_id, lambda fields: fields.update({b"t": str(int(fields[b"t"]) + 1).encode()}), 0
    )
    jobs.reply([(match.match_id, state.version)], 1)
    assert place.outbox.read_log("0-0")[-1].next == DAMAGED


def test_nothing_is_connected_before_a_job_begins(place: Place) -> None:
    """The worker prepares its jobs before it forks, and connections must not be shared by processes."""

    def connections() -> list[int]:
        servers = (place.client, place.queue_client)
        return [server.info("stats")["total_connections_received"] for server in servers]

    before = connections()
    jobs.prepare(place.settings)
    assert connections() == before


# Players that take their time


class Watch:
    """A clock that only players move."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Slow:
    """Plays as `landmark_first`, and a second passes whenever it has a choice."""

    def __init__(self, name: str, watch: Watch, asked: list[str]) -> None:
        self._name = name
        self._watch = watch
        self._asked = asked

    def __call__(self, view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
        self._asked.append(self._name)
        self._watch.now_s += 1
        return choices.choose_landmark_first(view, legal, rng)


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def asked(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which slow players were asked, in order; there are `slow_0` to `slow_3`."""
    found: list[str] = []
    for name in (f"slow_{i}" for i in range(4)):
        monkeypatch.setitem(PLAYERS, name, Slow(name, watch, found))
    return found


def slow_matches(place: Place, count: int) -> list[CommandResult]:
    """Each of another player, who sits on both seats; none is overdue for an hour."""
    matches = place.new_matches(ai_grace_ms=3_600_000)
    return [place.seats(f"slow_{i}", f"slow_{i}", matches=matches) for i in range(count)]


def turns_of(matches: Sequence[CommandResult]) -> list[DueTurn]:
    return [(match.match_id, match.last) for match in matches]


def left_of(counts: TurnsPlayed) -> list[DueTurn]:
    return [(one.match_id, one.version) for one in counts.left]


def next_steps(place: Place) -> dict[str, tuple[str, int]]:
    """What the log says last of each match: who is next, and its version."""
    return {
        pointer.match_id: (pointer.next, pointer.version) for pointer in place.outbox.read_log("0-0", 1000)
    }


def version_of(place: Place, match: CommandResult) -> int:
    return place.latest(match.match_id).version


def test_when_the_time_is_up_no_decision_begins_in_any_match(
    place: Place, watch: Watch, asked: list[str]
) -> None:
    matches = slow_matches(place, 4)
    counts = decisions.play(place.matches, turns_of(matches), TurnLimits(seconds=2, write_s=60), watch)
    assert asked == ["slow_0", "slow_1"]
    assert left_of(counts) == turns_of(matches[2:])
    assert [version_of(place, match) for match in matches[2:]] == [match.last for match in matches[2:]]
    for match in matches[:2]:
        version = version_of(place, match)
        assert version > match.last, "what was decided is recorded"
        assert next_steps(place)[match.match_id] == ("ai", version), "the relay hands it on"


def test_when_the_time_is_up_no_decision_begins_within_a_match(
    place: Place, watch: Watch, asked: list[str]
) -> None:
    (match,) = slow_matches(place, 1)
    counts = decisions.play(place.matches, turns_of([match]), TurnLimits(seconds=3, share_s=60), watch)
    assert (asked, counts.appended) == (["slow_0"] * 3, 1)
    assert next_steps(place)[match.match_id] == ("ai", version_of(place, match))


def test_a_match_that_was_held_and_not_reached_again_is_left_at_its_last_version(
    place: Place, watch: Watch, asked: list[str]
) -> None:
    first, second = slow_matches(place, 2)
    counts = decisions.play(
        place.matches, turns_of([first, second]), TurnLimits(seconds=3, write_s=60), watch
    )
    assert asked == ["slow_0", "slow_1", "slow_0"]
    assert next_steps(place)[first.match_id] == ("ai", version_of(place, first))
    assert next_steps(place)[second.match_id] == ("held", version_of(place, second))
    assert left_of(counts) == [(second.match_id, version_of(place, second))]


def test_slow_players_of_several_matches_take_turns(place: Place, watch: Watch, asked: list[str]) -> None:
    decisions.play(place.matches, turns_of(slow_matches(place, 3)), TurnLimits(seconds=9), watch)
    assert asked == ["slow_0", "slow_1", "slow_2"] * 3


def test_a_job_decides_once_however_slow_it_is(place: Place, watch: Watch, asked: list[str]) -> None:
    matches = slow_matches(place, 2)
    counts = decisions.play(place.matches, turns_of(matches), TurnLimits(seconds=-1), watch)
    assert (counts.decisions, left_of(counts)) == (1, turns_of(matches[1:]))


def test_what_a_slow_player_decided_is_written_before_the_next_one_decides(
    place: Place, watch: Watch, asked: list[str]
) -> None:
    """Whoever plays against it sees the reply at once."""
    matches = slow_matches(place, 3)
    written: list[int] = []

    def look() -> bool:
        written.append(len(place.outbox.read_log("0-0", 1000)) - len(matches))
        return len(asked) == 5

    decisions.play(place.matches, turns_of(matches), TurnLimits(seconds=60), watch, look)
    assert asked == ["slow_0", "slow_1", "slow_2", "slow_0", "slow_1"]
    assert written == [0, 1, 2, 3, 4]


def test_a_job_ends_behind_the_decision_at_hand_when_people_wait(
    place: Place, watch: Watch, asked: list[str]
) -> None:
    matches = slow_matches(place, 3)
    counts = decisions.play(
        place.matches, turns_of(matches), TurnLimits(seconds=60), watch, must_end=lambda: len(asked) == 2
    )
    assert asked == ["slow_0", "slow_1"]
    assert left_of(counts) == [turns_of(matches)[2], (matches[0].match_id, version_of(place, matches[0]))]
    assert next_steps(place)[matches[1].match_id][0] == "ai", "it was decided on last: the log has it"


@pytest.mark.long
@pytest.mark.usefixtures("prepared_jobs")
def test_matches_that_a_job_had_no_time_for_are_played_on_without_the_sweep(
    place: Place, watch: Watch, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No turn is overdue for an hour, so nothing but the log and the jobs leads to the next."""
    monkeypatch.setattr(decisions, "play", partial(decisions.play, clock=watch))
    relay = Relay(dataclasses.replace(place.settings, ai_grace_s=3600), RelayIntervals(block_s=0.001))
    matches = slow_matches(place, 4)
    ends_s = time.monotonic() + DEADLINE_S
    while place.waiting():
        assert time.monotonic() < ends_s, "the matches came to no end"
        relay._cycle()
        while place.queue.count:
            jobs.play(*Job.fetch(place.queue.pop_job_id(), place.queue_client, serializer="json").args)
    relay.stop()
    relay.run()
    place.assert_over([match.match_id for match in matches])


@pytest.mark.usefixtures("prepared_jobs")
@pytest.mark.parametrize("job", [jobs.play, jobs.reply])
def test_turns_that_a_job_did_not_come_to_are_on_the_log_once_more(
    place: Place,
    watch: Watch,
    asked: list[str],
    queue_server: Server,
    monkeypatch: pytest.MonkeyPatch,
    job: Callable[[list[DueTurn], int], None],
) -> None:
    """Even while the queue is away."""
    monkeypatch.setattr(decisions, "play", partial(decisions.play, clock=watch))
    matches = slow_matches(place, 3)
    queue_server.kill()
    job(turns_of(matches), 1)
    decided, *back = place.outbox.read_log("0-0")[3:]
    assert (decided.match_id, decided.version) == (matches[0].match_id, version_of(place, matches[0]))
    assert [(one.match_id, one.version) for one in back] == turns_of(matches[1:])
    assert {(one.next, one.precedence) for one in back} == {("ai", Precedence("acc_ada"))}
    assert place.waiting() == 3
