"""What the relay and the workers count; a thousand jobs leave no more files than one."""

from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Histogram

from domain.match.events import Clock
from events.matches.projections import deadline_ms
from events.store import keys
from events.store.errors import StoreUnavailable
from events.store.keys import now_ms
from runtime.metrics import REGISTRY
from tests.samples import Samples, samples_of
from tests.workers.kit import Place, running, wait_until
from workers.operations import metrics


def value(name: str, **labels: str) -> float:
    """What this process has counted."""
    return REGISTRY.get_sample_value(name, labels) or 0


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where processes that are started from now on count."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path / "metrics"))
    return tmp_path / "metrics"


def all_are_counted(samples: Samples) -> bool:
    """Whether the jobs have counted every decision that was carried out; a job counts when it is over."""
    carried_out = samples.value("machi_commands_total", result="carried_out")
    return samples.value("machi_worker_decisions_total") == carried_out


@pytest.mark.long
def test_every_job_counts_and_leaves_no_file_of_its_own(place: Place, directory: Path) -> None:
    with running("workers.main", place), running("workers.relay", place):
        for _ in range(5):
            place.bots("random", "greedy")
            wait_until(lambda: place.waiting() == 0)
        logged = len(place.outbox.read_log("0-0", 10_000))
        wait_until(lambda: samples_of(directory).value("machi_relay_pointers_total") == logged)
        wait_until(lambda: all_are_counted(samples_of(directory)))
    samples = samples_of(directory)
    jobs = samples.value("machi_worker_jobs_total", outcome="played")
    assert 5 <= jobs <= samples.value("machi_relay_jobs_total")
    assert samples.value("machi_relay_pointers_total") == logged
    decisions = 0.0
    for strategy in ("random", "greedy"):
        made = samples.value("machi_worker_decisions_total", strategy=strategy)
        timed = samples.value("machi_worker_decision_duration_seconds_count", strategy=strategy)
        assert 0 < timed < made
        decisions += made
    assert decisions == samples.value("machi_commands_total", result="carried_out")
    places = [path.stem for path in directory.glob("*.place")]
    assert len(places) == 3, "the relay, the worker, and its job"


def test_what_is_added_up_is_what_would_have_been_observed() -> None:
    choices = [0.00001, 0.000011, 0.0003, 0.0003, 0.9, 5.0, 60.0]
    one_by_one = Histogram("one_by_one", "", buckets=metrics._BOUNDS_S, registry=CollectorRegistry())
    with metrics.job():
        metrics.count_only_move("some")
        for took_s in choices:
            metrics.count_choice("some", took_s)
            one_by_one.observe(took_s)
    [expected] = one_by_one.collect()
    for sample in expected.samples:
        name = sample.name.replace("one_by_one", "machi_worker_decision_duration_seconds")
        if not name.endswith("_created"):
            assert value(name, strategy="some", **sample.labels) == sample.value
    assert value("machi_worker_decisions_total", strategy="some") == len(choices) + 1


@pytest.mark.parametrize(
    ("error", "outcome"), [(StoreUnavailable("away"), "store_unavailable"), (TimeoutError(), "failed")]
)
def test_a_job_counts_however_it_ends(error: Exception, outcome: str) -> None:
    before = value("machi_worker_jobs_total", outcome=outcome)
    with pytest.raises(type(error)), metrics.job():  # noqa: PT012  # what a job does, and how it ends
        metrics.count_only_move("unlucky")
        raise error
    assert value("machi_worker_jobs_total", outcome=outcome) == before + 1
    assert value("machi_worker_decisions_total", strategy="unlucky") >= 1


def test_the_sweep_counts_what_it_finds(place: Place) -> None:
    def findings() -> dict[str, float]:
        names = ("late_turn", "run_out_clock", "not_late", "put_aside")
        return {name: value("machi_sweep_findings_total", finding=name) for name in names}

    before, expired = findings(), value("machi_clocks_expired_total")
    handed_out = value("machi_relay_jobs_total", queue="matches")
    late, clock = place.bots("random", "random"), place.seats("ada", "random", clock=Clock(1, "forfeit"))
    place.client.zadd(keys.DUE, {match.match_id: 1 for match in (late, clock)} | {"mat_lost": 1})
    deadline = deadline_ms(clock.state, clock.at_ms)
    assert deadline is not None
    wait_until(lambda: deadline < now_ms())
    place.sweep().run()
    found = {name: count - before[name] for name, count in findings().items()}
    assert found == {"late_turn": 1, "run_out_clock": 1, "not_late": 0, "put_aside": 1}
    assert value("machi_clocks_expired_total") == expired + 1
    place.dispatch.fill_queues()
    assert value("machi_relay_jobs_total", queue="matches") == handed_out + 1
