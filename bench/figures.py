"""How a measured figure is told: with its unit, its goal and what it is measured against."""

import time
from collections.abc import Callable, Iterable

from msgspec import Struct


class Figure(Struct, frozen=True):
    """One line of the report."""

    name: str
    value: float
    unit: str
    goal: str = ""
    """Such as `>= 50`; empty where there is none."""
    baseline: float | None = None
    baseline_name: str = ""
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """The figure as a multiple of its baseline."""
        return None if not self.baseline else self.value / self.baseline


COLUMNS = ("figure", "value", "unit", "goal", "baseline", "ratio", "of / note")


def table(figures: Iterable[Figure]) -> str:
    """The figures as lines of aligned columns."""
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
    """How many things `act` gets done in a second; it says how many each call did."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        done += act()
    return done / (time.perf_counter() - start)


def best_ms(act: Callable[[], object], runs: int) -> float:
    """The shortest time that `act` took, in milliseconds: what it costs when nothing else interferes."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return min(times) * 1000
