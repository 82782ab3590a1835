"""What a job does when its time is up in the middle of its work, and what becomes of the matches."""

import contextlib
import dataclasses
import random
from collections.abc import Callable, Sequence
from functools import partial

import pytest
import redis
from rq.job import Job
from rq.timeouts import JobTimeoutException

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from events import CommandResult
from events.store.outbox import DAMAGED
from players import PLAYERS
from tests.events.redis_streams import rewrite
from tests.workers.kit import Place, hang, wait_until
from workers import jobs
from workers.queue.client import IMMEDIATE_ATTEMPTS, DueTurn
from workers.relay import Relay
from workers.turns import decisions
from workers.turns.decisions import TurnLimits
from workers.turns.dispatch import MISSED
from workers.turns.partition import RelayIntervals

ONE_CYCLE = TurnLimits(seconds=60, decisions=2, write_s=60)
"""A job decides twice in each match before it writes."""


@pytest.fixture
def endless(place: Place, monkeypatch: pytest.MonkeyPatch) -> CommandResult:
    """A match whose next decision takes longer than any job may; nothing is overdue for an hour."""
    monkeypatch.setitem(PLAYERS, "endless", hang)
    return place.seats("endless", "endless", matches=place.new_matches(ai_grace_ms=3_600_000))


def turns_of(*matches: CommandResult) -> list[DueTurn]:
    return [(match.match_id, match.last) for match in matches]


def test_when_the_time_is_up_no_decision_begins_though_the_first_one_failed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 0.0

    def fail(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
        nonlocal now_s
        now_s += 1
        raise ValueError("no choice")

    monkeypatch.setitem(PLAYERS, "faulty", fail)
    faulty, sound = place.seats("faulty", "faulty"), place.bots("random", "random")
    turns = [(faulty.match_id, faulty.last), (sound.match_id, sound.last)]
    counts = decisions.play(place.matches, turns, TurnLimits(seconds=1), lambda: now_s)
    assert (counts.failed, counts.decisions) == (1, 0)
    assert [one.match_id for one in counts.left] == [sound.match_id]


def test_a_decision_without_end_ends_the_job_but_no_other_match_loses_by_it(
    place: Place, endless: CommandResult
) -> None:
    before, behind = place.patient_bots(), place.patient_bots()
    counts = decisions.play(place.matches, turns_of(before, endless, behind), ONE_CYCLE)
    assert (counts.appended, counts.failed, counts.stale) == (1, 1, 0)
    assert isinstance(counts.timeout, JobTimeoutException)
    assert [(one.match_id, one.version) for one in counts.left] == turns_of(behind)
    last = place.outbox.read_log("0-0")[-1]
    assert (last.match_id, last.next) == (before.match_id, "ai")
    assert last.version == place.latest(before.match_id).version > before.last
    assert place.latest(endless.match_id).version == endless.last


def test_a_time_limit_that_passes_between_decisions_ends_the_job(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = place.new_matches()
    monkeypatch.setattr(matches, "chance_for", hang)
    with pytest.raises(JobTimeoutException):
        decisions.play(matches, turns_of(place.patient_bots()))


@pytest.mark.usefixtures("prepared_jobs")
@pytest.mark.parametrize("job", [jobs.play, jobs.reply])
def test_the_job_fails_after_it_has_put_back_the_matches_that_it_did_not_reach(
    place: Place, endless: CommandResult, job: Callable[[list[DueTurn], int], None]
) -> None:
    behind = place.patient_bots()
    with pytest.raises(JobTimeoutException):
        job(turns_of(endless, behind), 1)
    *_, back = place.outbox.read_log("0-0")[2:]
    assert (back.match_id, back.version, back.next) == (behind.match_id, behind.last, "ai")


@pytest.mark.usefixtures("prepared_jobs")
def test_the_process_of_a_reply_that_failed_checks_all_events_of_its_matches_again(
    place: Place, endless: CommandResult, admin: redis.Redis
) -> None:
    match = place.seats("random", "ada")
    with pytest.raises(JobTimeoutException):
        jobs.reply(turns_of(endless, match), 1)
    version = place.latest(match.match_id).version
    rewrite(
        admin, match.match_id, lambda fields: fields.update({b"t": str(int(fields[b"t"]) + 1).encode()}), 0
    )
    jobs.reply([(match.match_id, version)], 1)
    assert place.outbox.read_log("0-0")[-1].next == DAMAGED


@pytest.mark.usefixtures("prepared_jobs")
@pytest.mark.parametrize("decisions", [1, 64], ids=["held", "at once"])
def test_a_match_whose_jobs_all_fail_is_left_to_the_sweep_and_keeps_no_other_from_its_end(
    place: Place, endless: CommandResult, monkeypatch: pytest.MonkeyPatch, decisions: int
) -> None:
    monkeypatch.setattr(jobs, "TurnLimits", partial(TurnLimits, decisions=decisions))
    others = [place.patient_bots() for _ in range(2)]
    settings = dataclasses.replace(place.settings, ai_grace_s=3600)
    relay = Relay(settings, RelayIntervals(block_s=0.001, lost_s=0.0, back_off_s=3600.0))
    attempts: list[int] = []

    def work() -> bool:
        relay._cycle()
        while place.queue.count:
            turns, attempt = Job.fetch(place.queue.pop_job_id(), place.queue_client, serializer="json").args
            if endless.match_id in dict(turns):
                attempts.append(attempt)
            with contextlib.suppress(JobTimeoutException):
                jobs.play(turns, attempt)
        return place.waiting() == 1 and attempts[-1] >= IMMEDIATE_ATTEMPTS

    wait_until(work)
    for _ in range(2 * MISSED):
        work()
    relay.stop()
    relay.run()
    assert attempts == [*dict.fromkeys(attempts)]
    assert attempts[-1] == IMMEDIATE_ATTEMPTS
    place.assert_over([match.match_id for match in others])
    assert [match_id for match_id, _ in place.outbox.due_before(1 << 50)] == [endless.match_id]
