"""A thousand histories of the service in which messages are lost, doubled and late, and processes die.

The last tests break the service on purpose: the simulation has to notice.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from events import Loaded, Matches
from events.store import redis_store
from events.store.redis_store import RedisStore
from ops.servers import ROOT
from tests.simulation import model
from tests.simulation.__main__ import FIXED_HASHES
from tests.simulation.run import silence, simulate
from workers.turns import sweep
from workers.turns.lost_turns import LostTurns
from workers.turns.sweep import Sweep

SEEDS, PARTS = 1000, 4
SEEDS_TO_FIND_IT = 40


@pytest.fixture
def quiet() -> Iterator[None]:
    before = structlog.get_config()
    silence()
    yield
    structlog.configure(**before)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_command_is_lost_or_doubled_and_no_match_stands_still(part: int) -> None:
    size = SEEDS // PARTS
    arguments = ["--first", str(1 + part * size), "--seeds", str(size), "--processes", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": FIXED_HASHES},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{size} simulations" in done.stdout


def test_a_seed_is_the_same_history_each_time(quiet: None) -> None:
    first, again, other = simulate(7), simulate(7), simulate(8)
    assert first.trace == again.trace
    assert first.trace != other.trace


def _is_found(pattern: str) -> bool:
    """Whether some seed has such a fault."""
    return any(
        re.search(pattern, fault)
        for seed in range(1, SEEDS_TO_FIND_IT + 1)
        for fault in simulate(seed).faults
    )


@pytest.mark.long
def test_it_finds_a_store_that_carries_out_a_command_again(
    quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = redis_store._SCRIPT.replace(b"if known_id ==", b"if false and known_id ==")
    assert script != redis_store._SCRIPT
    monkeypatch.setattr(redis_store, "_SCRIPT", script)
    monkeypatch.setattr(redis_store, "_SHA", redis_store.hashlib.sha1(script).hexdigest())
    monkeypatch.setattr("events.store.aggregates._known", lambda loader, order: None)
    assert _is_found("again was answered")


@pytest.mark.long
def test_it_finds_an_answer_of_the_store_that_the_model_does_not_give(
    quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = model.append

    def without_hashes(log: model.Log, command: str, decided_on: model.Log) -> tuple[model.Log, model.Reply]:
        return append(log, command, log, model.WHOLE)

    monkeypatch.setattr(model, "append", without_hashes)
    assert _is_found("was answered with .*not Reply")


def test_it_finds_a_store_that_loses_what_it_acknowledged(
    quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, count = RedisStore.append, 0

    def forgetful(self: RedisStore, wanted: Any) -> Any:
        nonlocal count
        count += 1
        if count % 20:
            return append(self, wanted)
        return redis_store.Appended(wanted.expected + 1, wanted.entries[-1].last)

    monkeypatch.setattr(RedisStore, "append", forgetful)
    assert _is_found("is lost|before")


@pytest.mark.long
def test_it_finds_a_process_that_answers_from_its_cache(quiet: None, monkeypatch: pytest.MonkeyPatch) -> None:
    load = Matches.load

    def from_cache(self: Matches, match_id: str) -> Loaded:
        return self._loader.cached(match_id) or load(self, match_id)

    monkeypatch.setattr(Matches, "load", from_cache)
    assert _is_found("before")


@pytest.mark.long
def test_it_finds_that_nobody_looks_for_lost_turns(quiet: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sweep, "run", lambda self: False)
    monkeypatch.setattr(LostTurns, "jobs", lambda self: None)
    assert _is_found("stands still|is not over")


@pytest.mark.long
def test_it_finds_a_clock_that_runs_out_early(quiet: None, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed_ms = sweep._allowed_ms
    monkeypatch.setattr(sweep, "_allowed_ms", lambda one: allowed_ms(one) // 2)
    due_before = sweep.Outbox.due_before

    def early(self: Any, now_ms: int, limit: int = 100) -> Any:
        return due_before(self, now_ms + 2000, limit)

    monkeypatch.setattr(sweep.Outbox, "due_before", early)
    assert _is_found("ran out early")
