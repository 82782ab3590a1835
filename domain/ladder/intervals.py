"""Intervals of ratings and ranks, from the replicates of a bootstrap: docs/ladders.md has the formulas.

A replicate has the strength of each entry. An interval holds the central 95 % of the replicates.
"""

from collections.abc import Sequence

from domain.ladder.arithmetic import Vector


def interval(values: Sequence[float], estimate: float) -> tuple[float, float]:
    """The central 95 % of the values, extended to include the estimate."""
    ordered = sorted(values)
    cut = len(ordered) * 25 // 1000
    return min(estimate, ordered[cut]), max(estimate, ordered[-1 - cut])


def ranks_by_replicate(replicates: list[Vector]) -> list[list[int]]:
    """By replicate and entry: its rank."""
    found = []
    for values in replicates:
        places = [0] * len(values)
        for place, i in enumerate(sorted(range(len(values)), key=lambda i: -values[i]), 1):
            places[i] = place
        found.append(places)
    return found


def rank_interval(ranks: list[int], rank: int) -> tuple[int, int]:
    """The 95 % interval of an entry with these ranks in the replicates and this rank in the table."""
    low, high = interval(ranks, rank)
    return int(low), int(high)


def percentage_above(replicates: list[Vector], i: int, other: int) -> float:
    """The percentage of replicates in which one entry is stronger, ties counted half; one decimal."""
    halves = sum([(values[i] > values[other]) + (values[i] >= values[other]) for values in replicates])
    return round(50 * halves / len(replicates), 1)
