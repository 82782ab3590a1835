"""Complete matches of four random players, with every event synced to disk (`appendfsync always`)."""

import time
from collections.abc import Iterator, Sequence
from typing import Final

import redis

from bench.figures import Figure, rate
from bench.matches import new_match
from bench.processes import Servers, running, servers
from domain.match.events import Dice
from events import Loaded, Matches
from events.store import keys
from runtime import heartbeat
from runtime.connection import connect
from workers.queue.client import GROUP_SIZE, DueTurn
from workers.turns import decisions

IN_PROCESS: Final = 160
WITH_WORKER: Final = 400
DEADLINE_S: Final = 180

FIVE_ENTRIES: Final = """
local info = redis.call('XINFO', 'STREAM', KEYS[1])
local top = tonumber(string.match(info[8], '^%d+'))
for i = 1, 5 do redis.call('XADD', KEYS[1], (top + i) .. '-0', 'e', ARGV[1]) end
return top + 5
"""
"""The baseline of a durable append: a script that reads the head and adds five entries."""


def measure() -> Iterator[Figure]:
    """Matches per second in this process alone, and with a relay and workers as in the service."""
    with servers() as where:
        appends = bare_appends(connect(where.events.url))
        yield _figure("durable, in one process", _in_process(where, "base"), appends)
        played = _in_process(where, "machi_koro_2")
        yield _figure("durable machi_koro_2, in one process", played, appends)
        appends = bare_appends(connect(where.events.url))
        yield _figure("durable, relay and one worker", _with_worker(where, 1), appends)
        yield _figure("durable, relay and two workers", _with_worker(where, 2), appends)


def bare_appends(client: redis.Redis, seconds: float = 2.0) -> float:
    """Appends of five entries per second by one client."""
    stream = keys.match(f"mat_baseline_{time.time_ns()}")
    client.xadd(stream, {"e": "x"}, id="1-0")
    script = client.register_script(FIVE_ENTRIES)
    event = b"x" * 100

    def append() -> int:
        script(keys=[stream], args=[event])
        return 1

    return rate(append, seconds)


def _figure(name: str, matches: float, appends: float) -> Figure:
    return Figure(name, matches, "matches/s", ">= 50", appends, "bare five-entry appends/s, one client")


def _create(matches: Matches, count: int, ruleset: str = "base") -> list[DueTurn]:
    made = [matches.create(new_match(ruleset, ("random",) * 4, Dice("committed"))) for _ in range(count)]
    return [(outcome.match_id, outcome.last) for outcome in made]


def _in_process(where: Servers, ruleset: str) -> float:
    turns = _create(where.matches(), IN_PROCESS, ruleset)
    matches = where.matches()
    start = time.perf_counter()
    for first in range(0, IN_PROCESS, GROUP_SIZE):
        decisions.play(matches, turns[first : first + GROUP_SIZE], decisions.TurnLimits(seconds=60))
    took = time.perf_counter() - start
    assert _all_over(matches, turns), "every match was played to the end"
    return IN_PROCESS / took


def _with_worker(where: Servers, workers: int) -> float:
    """Matches per second from the start of the relay, with all matches waiting, to the end of the last."""
    turns = _create(where.matches(), WITH_WORKER)
    client = connect(where.queue.url)
    with running(where, *["workers.main"] * workers):
        _wait(lambda: heartbeat.alive(client, "worker"))
        start = time.perf_counter()
        with running(where, "workers.relay"):
            _wait(lambda: not _due_count(where))
            took = time.perf_counter() - start
    assert _all_over(where.matches(), turns), "every match was played to the end"
    return WITH_WORKER / took


def _due_count(where: Servers) -> int:
    """The number of matches that wait for a decision."""
    with connect(where.events.url) as client:
        return int(client.zcard(keys.DUE))


def _wait(is_done: object) -> None:
    assert callable(is_done)
    deadline = time.monotonic() + DEADLINE_S
    while not is_done():
        assert time.monotonic() < deadline, "too late"
        time.sleep(0.02)


def _all_over(matches: Matches, turns: Sequence[DueTurn]) -> bool:
    found = matches.load_many([match_id for match_id, _ in turns])
    return all(isinstance(one, Loaded) and one.state.status == "finished" for one in found)
