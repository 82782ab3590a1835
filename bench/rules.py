"""The rules alone: whole matches of four random players, events built and folded, on one core."""

import random
import time
from collections.abc import Iterator

from bench.calibration import loops_per_second
from bench.figures import Figure
from bench.matches import committed, new_match, play_out
from domain import fold, initial_state

GOAL = {"base": ">= 1,000"}


def measure(seconds: float = 4.0) -> Iterator[Figure]:
    """Matches and turns a second for every ruleset."""
    for ruleset in ("base", "harbor", "machi_koro_2"):
        before = loops_per_second(0.5)
        matches, turns = _rates(ruleset, seconds)
        loops = (before + loops_per_second(0.5)) / 2
        note = f"{turns:,.0f} turns/s"
        goal = GOAL.get(ruleset, "")
        yield Figure(f"rules {ruleset} 4 seats", matches, "matches/s", goal, loops, "plain loops/s", note)


def _rates(ruleset: str, seconds: float) -> tuple[float, float]:
    matches, turns, start = 0, 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        turns += _one(ruleset, matches)
        matches += 1
    took = time.perf_counter() - start
    return matches / took, turns / took


def _one(ruleset: str, number: int) -> int:
    chance, dice = committed(number)
    create = new_match(ruleset, ("random",) * 4, dice)
    state, events = play_out(create, chance, random.Random(number))
    again = fold(initial_state(), events)
    assert again.version == state.version
    return again.turn
