"""Rounds of a ladder with the real queue, a relay and workers, and every event synced to disk."""

import os
import time
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from bench.figures import Figure, loops_per_second
from bench.processes import Servers, running, servers
from bench.usage import Usage, watched
from domain.ladder import decide
from domain.ladder.config import LadderConfig
from domain.ladder.events import EntryPlayer
from domain.match.rulesets import CURRENT, digest, resolve_options
from events import RedisStore
from events.ladders.ladders import Ladders
from events.store.keys import new_id
from runtime import heartbeat
from runtime.connection import connect
from runtime.strategies import LUCK_VERSIONS, STRATEGIES

SEATS: Final = 4
DEADLINE_S: Final = 600
BLOCKS: Final = {
    ("random", "off"): 100,
    ("random", "coins"): 75,
    ("random", "wins"): 40,
    ("expected_value", "off"): 40,
    ("expected_value", "coins"): 40,
    ("expected_value", "wins"): 40,
}
"""Blocks per worker, by strategy and luck. With two workers, the events stay just below the size (64 MB) at
which the event server rewrites its file, which takes a core for seconds."""


class RoundSpeed(Struct, frozen=True):
    """The measured part of a round."""

    matches: int
    usage: Usage
    loops: float
    """The speed of the machine just before, in loops per second."""
    rewrites: int
    """The number of times that the event server rewrote its file."""

    @property
    def rate(self) -> float:
        """Matches per second."""
        return self.matches / self.usage.took_s


def measure() -> Iterator[Figure]:
    """Matches per second from the first finished block to the last, and what limits them."""
    for (strategy, luck), blocks in BLOCKS.items():
        name = f"ladder {strategy}, luck {luck}"
        alone = _played(strategy, luck, blocks, 1)
        yield from _figures(f"{name}, one worker", alone, ">= 50" if luck == "off" else "")
        both = _played(strategy, luck, 2 * blocks, 2)
        yield from _figures(f"{name}, two workers", both)
        yield Figure(f"{name}: gain of a second worker", both.rate / alone.rate, "x")


def _figures(name: str, played: RoundSpeed, goal: str = "") -> Iterator[Figure]:
    usage = played.usage
    yardstick = "loops/s of the yardstick on one core, just before"
    note = f"{usage.cores()}; files rewritten: {played.rewrites}"
    yield Figure(name, played.rate, "matches/s", goal, played.loops, yardstick, note)
    used_ms = {group: used_s * 1000 / played.matches for group, used_s in usage.cpu_s.items()}
    split = ", ".join([f"{group} {ms:.2f}" for group, ms in used_ms.items()])
    yield Figure(f"{name}: CPU for a match", sum(used_ms.values()), "ms", note=split)
    share = usage.no_job_s / (usage.took_s * usage.workers)
    pause_ms = usage.no_job_s * 1000 / max(1, usage.jobs)
    note = f"{share:.1%} of the workers' time, {usage.jobs} jobs"
    yield Figure(f"{name}: between two jobs of a worker", pause_ms, "ms", note=note)


def _played(strategy: str, luck: str, blocks: int, workers: int) -> RoundSpeed:
    with servers() as where:
        loops = loops_per_second()
        ladders = Ladders(RedisStore(connect(where.events.url)))
        ladder_id = new_ladder(ladders, strategy, luck)
        client = connect(where.queue.url)
        with running(where, *["workers.main"] * workers, "workers.relay") as started:
            _wait(lambda: heartbeat.alive(client, "worker") and heartbeat.alive(client, "relay"))
            open_round(ladders, ladder_id, blocks)
            _wait(lambda: _done(ladders, ladder_id) > 0)
            *working, relay = [process.pid for process in started]
            first = _done(ladders, ladder_id)
            with watched(_groups(where, working, relay), working) as usage:
                _wait(lambda: _done(ladders, ladder_id) == blocks)
            rewrites = connect(where.events.url).info("persistence")["aof_rewrites"]
    return RoundSpeed((blocks - first) * SEATS, usage, loops, rewrites)


def _groups(where: Servers, workers: list[int], relay: int) -> dict[str, list[int]]:
    """The processes by group; this one polls the progress of the round."""
    assert where.events.pid, "it runs"
    assert where.queue.pid, "it runs"
    return {
        "workers": workers,
        "event server": [where.events.pid],
        "relay": [relay],
        "queue": [where.queue.pid],
        "bench": [os.getpid()],
    }


def new_ladder(ladders: Ladders, strategy: str, luck: str) -> str:
    """Create a ladder whose entries all play one strategy."""
    rules = CURRENT["base"]
    options = resolve_options(rules, SEATS)
    config = LadderConfig(
        "base",
        rules.version,
        digest(rules),
        options,
        SEATS,
        seed="5e" * 32,
        luck=luck,
        luck_version=LUCK_VERSIONS["base"] if luck == "wins" else "",
    )
    ladder_id = ladders.create(
        lambda: decide.create("bench", "acc_bench", config), "account:acc_bench"
    ).ladder.id
    player = EntryPlayer("strategy", strategy, STRATEGIES[strategy].version)
    for number in range(SEATS):
        _enter(ladders, ladder_id, player, f"{strategy} {number}")
    return ladder_id


def _enter(ladders: Ladders, ladder_id: str, player: EntryPlayer, name: str) -> None:
    id = new_id("ent")
    ladders.execute(ladder_id, lambda state: decide.add_entry(state, id, player, name, "service"), "service")


def open_round(ladders: Ladders, ladder_id: str, blocks: int) -> None:
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
