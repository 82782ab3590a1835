"""The mean luck of 17,000 complete matches on all cores, which must be zero within its standard error.

Each match has four built-in players. Most play at random; in every twentieth match, two play well, which must
make no difference: better choices increase the expectation, not the luck.
"""

import os
import random
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from math import sqrt
from typing import Final

from msgspec import Struct

from bench.figures import Figure
from bench.matches import committed, new_match, play_out
from domain.luck import UNIT, luck_of

MATCHES: Final = {"base": 4_000, "harbor": 10_000, "machi_koro_2": 3_000}

SEATS: Final = 4
_BATCH: Final = 50
_PLAIN: Final = ("random",) * SEATS
_MIXED: Final = ("greedy", "random", "greedy", "random")
_MIXED_EVERY: Final = 20

_GOAL: Final = "|ratio| <= 2.5"


class Sums(Struct, frozen=True):
    """Sums over matches: by seat, the luck in units and its squares."""

    luck: tuple[int, ...]
    squares: tuple[int, ...]
    throws: int
    seconds: float
    """CPU time spent on luck, in seconds."""


def measure(wanted: Mapping[str, int] = MATCHES) -> Iterator[Figure]:
    """The mean luck of every seat, and the cost per throw; `wanted` is the number of matches by ruleset."""
    for ruleset, matches in wanted.items():
        sums = _played(ruleset, matches)
        for seat in range(SEATS):
            yield _figure(ruleset, seat, sums, matches)
        cost = sums.seconds / sums.throws * 1e6
        yield Figure(f"luck {ruleset}, a throw", cost, "us", "< 1,000", note=f"{sums.throws:,} throws")


def _played(ruleset: str, matches: int) -> Sums:
    batches = [(ruleset, first, min(first + _BATCH, matches)) for first in range(0, matches, _BATCH)]
    total = Sums((0,) * SEATS, (0,) * SEATS, 0, 0.0)
    start = time.monotonic()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for done, sums in enumerate(pool.map(_batch, batches), 1):
            total = _together(total, sums)
            if done % 10 == 0 or done == len(batches):
                _tell(ruleset, total, batches[done - 1][2], time.monotonic() - start)
    return total


def _tell(ruleset: str, sums: Sums, matches: int, seconds: float) -> None:
    """Print the progress, and every seat's mean and standard error so far."""
    found = [_mean_and_error(sums, seat, matches) for seat in range(SEATS)]
    shown = ", ".join([f"{mean:+.3f} ± {error:.3f}" for mean, error in found])
    print(f"  {ruleset}: {matches:,} matches, {seconds:.0f} s: {shown}", file=sys.stderr, flush=True)


def _batch(batch: tuple[str, int, int]) -> Sums:
    ruleset, first, end = batch
    total = Sums((0,) * SEATS, (0,) * SEATS, 0, 0.0)
    for number in range(first, end):
        total = _together(total, _match(ruleset, number))
    return total


def _match(ruleset: str, number: int) -> Sums:
    chance, dice = committed(number)
    players = _MIXED if number % _MIXED_EVERY == 0 else _PLAIN
    _, events = play_out(new_match(ruleset, players, dice), chance, random.Random(number))
    start = time.process_time()
    luck = luck_of(events)
    took = time.process_time() - start
    found = luck.totals.luck
    assert sum(found) == 0, f"{ruleset}, match {number}: the luck of all seats is not nothing"
    return Sums(found, tuple([one * one for one in found]), len(luck.throws), took)


def _together(one: Sums, other: Sums) -> Sums:
    return Sums(
        tuple(map(sum, zip(one.luck, other.luck, strict=True))),
        tuple(map(sum, zip(one.squares, other.squares, strict=True))),
        one.throws + other.throws,
        one.seconds + other.seconds,
    )


def _figure(ruleset: str, seat: int, sums: Sums, matches: int) -> Figure:
    mean, error = _mean_and_error(sums, seat, matches)
    return Figure(
        f"luck {ruleset} seat {seat}",
        round(mean, 4),
        "coins a match",
        _GOAL,
        round(error, 4),
        "its standard error",
        f"{matches:,} matches",
    )


def _mean_and_error(sums: Sums, seat: int, matches: int) -> tuple[float, float]:
    """The seat's mean luck in coins per match, and its standard error."""
    mean = sums.luck[seat] / matches / UNIT
    spread = sums.squares[seat] / matches / UNIT**2 - mean**2
    return mean, sqrt(spread / (matches - 1))
