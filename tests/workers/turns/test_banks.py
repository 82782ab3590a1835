"""Banks of time in a service that works, has outages, and plays for seats whose time is over."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.match.commands import ChangeController, RollDice
from domain.match.events import BankChanged, Clock, ClockExpired, Event
from events.checkpoints.audit import Auditor
from events.matches.entries import CODEC
from events.store import keys
from tests.workers.kit import Place
from tests.workers.turns.test_steps_of_the_clock import Service

DECISION_MS, BANK_MS, MORE_MS = 30_000, 20_000, 5_000


@pytest.fixture
def serve(place: Place) -> Callable[..., Service]:
    def start(policy: str = "default_command", increment_ms: int = 0, bank_ms: int = BANK_MS) -> Service:
        return Service(place, Clock(DECISION_MS, policy, bank_ms, increment_ms))

    return start


def events_of(service: Service) -> list[Event]:
    entries = service.matches.store.read(service.match_id)
    return [event for entry in entries for event in CODEC.decode(entry.events)]


def changes(service: Service) -> list[BankChanged]:
    return [event for event in events_of(service) if isinstance(event, BankChanged)]


def roll(service: Service) -> None:
    service.matches.execute(service.match_id, RollDice(0, 1), "seat:0")


def failures(service: Service) -> dict[str, str]:
    report: Any = Auditor(service.matches.store, service.place.notary).audit(service.match_id)
    return {check.name: check.detail for check in report.checks if check.status == "failed"}


def test_the_due_time_of_a_decision_is_its_own_time_and_what_is_left_in_the_bank(
    serve: Callable[..., Service],
) -> None:
    service = serve()
    due_ms = service.place.client.zscore(keys.DUE, service.match_id)
    assert due_ms == service.load().last_at_ms + DECISION_MS + BANK_MS
    service.works(DECISION_MS + 8_000)
    roll(service)
    assert changes(service) == [BankChanged(0, 8_000, 0, BANK_MS - 8_000)]
    due_ms = service.place.client.zscore(keys.DUE, service.match_id)
    assert due_ms == service.load().last_at_ms + DECISION_MS + BANK_MS - 8_000


@pytest.mark.parametrize("policy", ["default_command", "strategy", "forfeit"])
def test_a_clock_runs_out_when_the_bank_is_empty(serve: Callable[..., Service], policy: str) -> None:
    service = serve(policy)
    service.works(DECISION_MS + BANK_MS - 1)
    assert not service.has_run_out()
    service.works(1)
    assert service.has_run_out()
    spent = [] if policy == "forfeit" else [BankChanged(0, BANK_MS, 0, 0)]
    assert changes(service)[:1] == spent
    assert failures(service) == {}


def test_after_the_bank_is_empty_a_decision_has_its_own_time_alone(serve: Callable[..., Service]) -> None:
    service = serve()
    service.works(DECISION_MS + BANK_MS)
    state = service.load().state
    assert (state.active, state.phase, state.banks[0]) == (0, "build", 0)
    service.works(DECISION_MS - 1)
    assert service.load().state.phase == "build"
    service.works(1)
    expired = [event for event in events_of(service) if isinstance(event, ClockExpired)]
    assert (len(expired), service.load().state.active) == (2, 1)
    assert failures(service) == {}


def test_an_increment_comes_with_the_end_of_the_turn(serve: Callable[..., Service]) -> None:
    service = serve(increment_ms=MORE_MS, bank_ms=0)
    roll(service)
    service.works(DECISION_MS)
    assert changes(service) == [BankChanged(0, 0, MORE_MS, MORE_MS)]
    assert service.load().state.banks == [MORE_MS, 0]


@pytest.mark.parametrize("gap_ms", [5_000, 600_000])
def test_an_outage_is_not_charged_to_a_bank(serve: Callable[..., Service], gap_ms: int) -> None:
    service = serve()
    service.works(DECISION_MS)
    service.time.passes(gap_ms)
    service.works(3_000)
    roll(service)
    assert changes(service) == [BankChanged(0, 3_000, 0, BANK_MS - 3_000)]
    assert failures(service) == {}


def test_an_outage_postpones_the_end_of_a_bank(serve: Callable[..., Service]) -> None:
    service = serve()
    service.works(DECISION_MS + 5_000)
    service.time.passes(600_000)
    service.works(BANK_MS - 5_001)
    assert not service.has_run_out()
    service.works(1)
    assert service.has_run_out()


def test_a_clock_that_is_set_back_costs_a_bank_nothing(serve: Callable[..., Service]) -> None:
    service = serve()
    service.works(DECISION_MS + 5_000)
    service.time.wall_ms -= 600_000
    roll(service)
    assert changes(service) == []


def test_who_comes_back_after_a_built_in_player_finds_the_bank_as_it_was_left(
    serve: Callable[..., Service],
) -> None:
    service = serve()
    service.works(DECISION_MS + 5_000)
    leave = ChangeController(0, "strategy", "greedy", "greedy", "1")
    service.matches.execute(service.match_id, leave, "account:acc_ada")
    service.time.passes(1_000_000)
    back = ChangeController(0, "account", "acc_ada", "ada")
    service.matches.execute(service.match_id, back, "account:acc_ada")
    assert changes(service) == [BankChanged(0, 5_000, 0, BANK_MS - 5_000)]
    assert service.load().state.banks == [BANK_MS - 5_000, BANK_MS]
    assert failures(service) == {}
