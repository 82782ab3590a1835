"""Nobody loses time to think because a clock was set, or because the service or the machine was away."""

from functools import partial
from typing import Any

import pytest

from domain.match.commands import RollDice
from domain.match.events import Clock, ClockExpired
from events import Loaded, Matches, RedisStore, Seeds
from events.checkpoints.audit import Auditor
from events.matches.entries import CODEC
from events.store import keys, outages
from events.store.keys import now_ms
from events.store.outages import GRACE_MS, Outage, RecentOutages, extended_ms, lost_ms, passed_ms
from tests.workers.kit import MASTER_KEYS, Place
from workers.turns.sweep import Sweep

DECISION_MS = 30_000
STEP_MS = 600_000
LIMIT = Clock(DECISION_MS, "forfeit")


class Time:
    """A wall clock that can be set, and one that nobody sets."""

    def __init__(self) -> None:
        self.wall_ms = now_ms()
        self._steady_ms = 0

    def clock(self) -> int:
        return self.wall_ms

    def steady_s(self) -> float:
        return self._steady_ms / 1000

    def passes(self, time_ms: int) -> None:
        self.wall_ms += time_ms
        self._steady_ms += time_ms


class Service:
    """A match with a clock, the sweep, and the notes that the service works, all by one time."""

    def __init__(self, place: Place, limit: Clock = LIMIT) -> None:
        self.place = place
        self.limit = limit
        self.time = Time()
        store = RedisStore(place.client)
        self.matches = Matches(
            store,
            Seeds(MASTER_KEYS),
            self.time.clock,
            notary=place.notary,
            passed_ms=partial(passed_ms, place.client),
        )
        self.sweep: Sweep = place.sweep(
            matches=self.matches, clock=self.time.clock, steady_s=self.time.steady_s
        )
        self.match_id = self.new_match()
        self.works(0)

    def new_match(self) -> str:
        made = self.place.seats("ada", "random", clock=self.limit, matches=self.matches)
        return str(made.match_id)

    def works(self, time_ms: int) -> None:
        """Time passes second by second, and the relay does its work."""
        end_ms = self.time.wall_ms + time_ms
        while True:
            self.sweep.run()
            outages.record(self.place.client, self.time.wall_ms)
            left_ms = end_ms - self.time.wall_ms
            if left_ms <= 0:
                return
            self.time.passes(min(1000, left_ms))

    def load(self, match_id: str = "") -> Loaded:
        return self.matches.load(match_id or self.match_id)

    def has_run_out(self, match_id: str = "") -> bool:
        entries = self.matches.store.read(match_id or self.match_id)
        return any(
            isinstance(event, ClockExpired) for entry in entries for event in CODEC.decode(entry.events)
        )

    def deadline_ms(self) -> int:
        """As it is shown."""
        recent = RecentOutages(self.place.client, self.time.clock)
        return recent.deadline_ms(self.load().last_at_ms, DECISION_MS)


@pytest.fixture
def service(place: Place) -> Service:
    return Service(place)


def test_a_clock_runs_out_after_its_time(service: Service) -> None:
    service.works(DECISION_MS - 1)
    assert not service.has_run_out()
    service.works(1)
    assert service.has_run_out()


def test_a_wall_clock_that_is_set_forward_takes_no_time_away(service: Service) -> None:
    service.works(10_000)
    shown = service.deadline_ms()
    service.time.wall_ms += STEP_MS
    service.works(DECISION_MS - 11_000)
    assert not service.has_run_out()
    assert service.deadline_ms() == shown + STEP_MS
    service.works(1000)
    assert service.has_run_out()


def test_a_decision_that_begins_after_the_step_has_its_own_time(service: Service) -> None:
    service.works(10_000)
    service.time.wall_ms += STEP_MS
    service.works(1000)
    later = service.new_match()
    service.works(DECISION_MS - 1)
    assert not service.has_run_out(later)
    service.works(1)
    assert service.has_run_out(later)


@pytest.mark.parametrize("gap_ms", [5_000, STEP_MS])
def test_no_time_runs_while_the_service_or_the_machine_is_away(service: Service, gap_ms: int) -> None:
    service.works(10_000)
    service.time.passes(gap_ms)
    assert service.deadline_ms() == service.load().last_at_ms + DECISION_MS + gap_ms
    service.works(DECISION_MS - 10_001)
    assert not service.has_run_out()
    service.works(1)
    assert service.has_run_out()


def test_the_time_of_several_outages_is_given_back_and_of_each_the_part_that_was_lost() -> None:
    gaps = [Outage(100, 200), Outage(1050, 1080), Outage(0, 20), Outage(2000, 3000)]
    assert extended_ms(10, 1000, []) == 1010
    assert extended_ms(10, 1000, gaps) == 1010 + 10 + 100 + 30
    assert extended_ms(150, 10, gaps) == 160 + 50
    assert extended_ms(500, 100, gaps) == 600
    assert lost_ms(10, 1010, gaps) == 10 + 100
    assert lost_ms(150, 2500, gaps) == 50 + 30 + 500
    assert lost_ms(300, 400, gaps) == 0


def test_a_wall_clock_that_is_set_back_lets_nothing_hang(service: Service) -> None:
    service.works(10_000)
    service.time.wall_ms -= STEP_MS
    service.works(DECISION_MS)
    assert not service.has_run_out(), "it has its time"
    assert service.deadline_ms() <= service.time.wall_ms + DECISION_MS
    service.works(GRACE_MS + 1000)
    assert service.has_run_out()


def test_what_ran_out_behind_a_clock_that_was_set_back_can_be_audited(service: Service) -> None:
    service.works(10_000)
    service.time.wall_ms -= STEP_MS
    service.works(DECISION_MS + GRACE_MS + 2000)
    auditor = Auditor(service.matches.store, service.place.notary)
    report: Any = auditor.audit(service.match_id)
    assert {check.name: check.status for check in report.checks}["decisions"] == "passed"


def test_a_match_that_is_made_after_the_clock_was_set_back_has_its_time_and_no_more(service: Service) -> None:
    service.works(10_000)
    service.time.wall_ms -= STEP_MS
    later = service.new_match()
    service.works(DECISION_MS - 1000)
    assert not service.has_run_out(later)
    service.works(GRACE_MS + 2000)
    assert service.has_run_out(later)


def test_a_clock_that_goes_astray_and_comes_back_leaves_no_outage_behind(service: Service) -> None:
    service.works(10_000)
    service.time.wall_ms += STEP_MS
    service.works(1000)
    assert len(outages.since(service.place.client, 0, service.time.wall_ms)) == 1
    service.time.wall_ms -= STEP_MS
    service.works(1000)
    assert outages.since(service.place.client, 0, service.time.wall_ms) == []
    later = service.new_match()
    assert service.load(later).last_at_ms + DECISION_MS == service.time.wall_ms + DECISION_MS
    service.works(DECISION_MS)
    assert service.has_run_out(later)


def test_a_move_in_time_counts_whatever_the_clock_does(service: Service) -> None:
    service.works(10_000)
    service.time.wall_ms += STEP_MS
    service.matches.execute(service.match_id, RollDice(0, 1), "seat:0")
    service.works(DECISION_MS - 1000)
    assert not service.has_run_out()
    assert service.place.client.zscore(keys.DUE, service.match_id)
