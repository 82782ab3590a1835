"""Figures: measuring them, their intervals, and the report with goals and baselines."""

import time
from collections.abc import Callable, Iterable
from math import sqrt

from msgspec import Struct

from domain.ladder.arithmetic import ROUNDED_Z


class Figure(Struct, frozen=True):
    """One row of the report."""

    name: str
    value: float
    unit: str
    goal: str = ""
    """Such as `>= 50`; empty without a goal."""
    baseline: float | None = None
    baseline_name: str = ""
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """The figure as a multiple of its baseline."""
        return None if not self.baseline else self.value / self.baseline


COLUMNS = ("figure", "value", "unit", "goal", "baseline", "ratio", "of / note")


def table(figures: Iterable[Figure]) -> str:
    """The figures as a table of aligned columns."""
    rows = [COLUMNS, *[_row(figure) for figure in figures]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def _row(figure: Figure) -> tuple[str, ...]:
    baseline = "" if figure.baseline is None else f"{figure.baseline:,.4g}"
    ratio = "" if figure.ratio is None else f"{figure.ratio:.3g}"
    note = "; ".join(part for part in (figure.baseline_name, figure.note) if part)
    return figure.name, f"{figure.value:,.4g}", figure.unit, figure.goal, baseline, ratio, note


def rate(act: Callable[[], int], seconds: float) -> float:
    """Items per second; `act` returns how many items each call completed."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        done += act()
    return done / (time.perf_counter() - start)


def best_ms(act: Callable[[], object], runs: int) -> float:
    """The shortest time of `act` in milliseconds, which is its cost without interference."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def wilson(wins: int, matches: int) -> tuple[float, float, float]:
    """A share with its Wilson 95 % interval; all from 0 to 1."""
    share, spread = wins / matches, ROUNDED_Z * ROUNDED_Z / matches
    middle = (share + spread / 2) / (1 + spread)
    half = ROUNDED_Z * sqrt(share * (1 - share) / matches + spread / (4 * matches)) / (1 + spread)
    return share, middle - half, middle + half


def loops_per_second(seconds: float = 1.0) -> float:
    """The speed of one core: runs per second of a fixed loop of 1,000 steps in plain Python.

    The loop must never be changed, since figures of different machines and times are compared by it.
    """
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        _loop()
        done += 1
    return done / (time.perf_counter() - start)


def _loop() -> int:
    purses = [3, 3, 3, 3]
    cities: dict[str, int] = {"wheat_field": 1, "bakery": 1}
    for i in range(1000):
        seat = i % 4
        purses[seat] += cities["wheat_field"]
        if purses[seat] > 9:
            purses[seat] -= 9
            cities["bakery"] = cities["bakery"] % 7 + 1
    return sum(purses)
