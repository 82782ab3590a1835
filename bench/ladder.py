"""Rounds of a ladder as the service plays them: the real queue, a relay and workers, every event durable."""

import time
from collections.abc import Iterator
from typing import Final

from bench.calibration import loops_per_second
from bench.figures import Figure
from bench.processes import running, servers
from domain.ladder import decide
from domain.ladder.config import LadderConfig
from domain.ladder.events import Player
from domain.rulesets import CURRENT, digest, resolve_options
from events import heartbeat
from events.connection import connect
from events.ids import new_id
from events.ladders import Ladders
from events.strategies import STRATEGIES

SEATS: Final = 4
DEADLINE_S: Final = 600
PLAYERS: Final = ("random", "expected_value")
BLOCKS: Final = {("random", "off"): 150, ("random", "coins"): 75, ("expected_value", "off"): 40}
"""By strategy and luck, for each worker."""


def measure() -> Iterator[Figure]:
    """Matches a second, from the first that is over to the last; beside them what limits them."""
    for (strategy, luck), blocks in BLOCKS.items():
        if strategy in STRATEGIES:
            alone = _played(strategy, luck, blocks, 1)
            yield _figure(strategy, luck, "one worker", alone, ">= 50" if luck == "off" else "")
            both = _played(strategy, luck, 2 * blocks, 2)
            figure = _figure(strategy, luck, "two workers", both)
            yield figure
            yield Figure(f"ladder {strategy}, luck {luck}: gain of a second worker", both[0] / alone[0], "x")


def _figure(strategy: str, luck: str, workers: str, measured: tuple[float, float], goal: str = "") -> Figure:
    rate, loops = measured
    name = f"ladder {strategy} x{SEATS}, luck {luck}, {workers}"
    return Figure(name, rate, "matches/s", goal, loops, "loops/s of the yardstick on one core, just before")


def _played(strategy: str, luck: str, blocks: int, workers: int) -> tuple[float, float]:
    """Matches a second, and how fast the machine was just before."""
    with servers() as where:
        loops = loops_per_second()
        ladders = Ladders(connect(where.events.url))
        ladder_id = _ladder(ladders, strategy, luck)
        client = connect(where.queue.url)
        with running(where, *["workers.main"] * workers, "workers.relay"):
            _wait(lambda: heartbeat.alive(client, "worker") and heartbeat.alive(client, "relay"))
            _open(ladders, ladder_id, blocks)
            _wait(lambda: _done(ladders, ladder_id) > 0)
            first, start = _done(ladders, ladder_id), time.perf_counter()
            _wait(lambda: _done(ladders, ladder_id) == blocks)
            took = time.perf_counter() - start
    return (blocks - first) * SEATS / took, loops


def _ladder(ladders: Ladders, strategy: str, luck: str) -> str:
    """A ladder with one strategy under several names."""
    rules = CURRENT["base"]
    options = resolve_options(rules, SEATS)
    config = LadderConfig("base", rules.version, digest(rules), options, SEATS, seed="5e" * 32, luck=luck)
    ladder_id = ladders.create(
        lambda: decide.create("bench", "acc_bench", config), "account:acc_bench"
    ).ladder.id
    player = Player("strategy", strategy, STRATEGIES[strategy].version)
    for number in range(SEATS):
        _enter(ladders, ladder_id, player, f"{strategy} {number}")
    return ladder_id


def _enter(ladders: Ladders, ladder_id: str, player: Player, name: str) -> None:
    id = new_id("ent")
    ladders.execute(ladder_id, lambda state: decide.add_entry(state, id, player, name, "service"), "service")


def _open(ladders: Ladders, ladder_id: str, blocks: int) -> None:
    tables = [tuple(range(SEATS))] * blocks
    at_ms, job = time.time_ns() // 1_000_000, new_id("job")
    ladders.execute(ladder_id, lambda state: decide.open_round(state, "rated", tables, at_ms, job), "service")


def _done(ladders: Ladders, ladder_id: str) -> int:
    return ladders.load(ladder_id).state.rounds[0].finished_blocks


def _wait(is_done: object) -> None:
    assert callable(is_done)
    deadline = time.monotonic() + DEADLINE_S
    while not is_done():
        assert time.monotonic() < deadline, "too late"
        time.sleep(0.05)
