"""The official ratings: a pure function of the results, equal to the last digit on every machine.

docs/ladders.md has the formulas.
"""

from collections.abc import Sequence

from msgspec import Struct

from domain.ladder.arithmetic import Vector, added
from domain.ladder.bootstrap import interval
from domain.ladder.fits import POINTS, Fits, is_whole, made, points
from domain.ladder.likelihood import Point
from domain.ladder.results import Results
from domain.ladder.sample import Sample, sampled


class Rating(Struct, frozen=True):
    """How strong an entry is; points have one decimal."""

    entry: str
    rank: int
    """1 for the strongest; equal ratings share a rank."""
    rank_interval: tuple[int, int]
    rating: float
    rating_interval: tuple[float, float]
    provisional: bool
    """One half of the interval is wider than the rules allow."""
    above_next: float | None
    """In how many per cent of the replicates it is stronger than the next in the table; None for the last."""


class Ratings(Struct, frozen=True):
    """The table of a ladder."""

    entries: tuple[Rating, ...]
    """From the strongest to the weakest; equal ones by entry id."""
    anchor: str | None
    """The entry that has the anchor's rating; without one the mean has it."""
    seats: tuple[float, ...]
    """What each seat is worth, in points with one decimal, against the mean of all seats."""
    groups: int
    """1 if the matches link all entries; else the ratings of groups hang together by the prior alone."""


def rate(results: Results) -> Ratings:
    """The ratings after these results, with 95 % intervals from a bootstrap over blocks.

    Who has no match in them is not in the table.
    """
    sample, fits = sampled(results), Fits()
    for _ in made(sample, fits):
        pass
    return rated(sample, fits)


def rated(sample: Sample, fits: Fits) -> Ratings:
    """The ratings that follow from these fits, none of which is missing."""
    assert fits.estimate is not None, "the first step was made"
    assert is_whole(sample, fits), "all steps were made"
    estimate = fits.estimate.point
    return Ratings(
        _entries(sample, points(sample, estimate), fits.replicates),
        sample.anchor_entry,
        _seat_points(estimate),
        _groups(len(sample.entries), sample.orders),
    )


def _seat_points(point: Point) -> tuple[float, ...]:
    middle = added(point.seats) / len(point.seats)
    # Without the 0 that is added, what is rounded to nothing from below would be -0.0.
    return tuple([round(POINTS * (value - middle), 1) + 0.0 for value in point.seats])


def _entries(sample: Sample, estimate: Vector, replicates: list[Vector]) -> tuple[Rating, ...]:
    ids = sample.entries
    rounded = [round(value, 1) for value in estimate]
    order = sorted(range(len(ids)), key=lambda i: (-rounded[i], ids[i]))
    ranks = _ranks(replicates)
    found = []
    for i, following in zip(order, [*order, None][1:], strict=True):
        rank = 1 + sum([other > rounded[i] for other in rounded])
        low, high = interval([values[i] for values in replicates], rounded[i])
        bounds = round(low, 1), round(high, 1)
        widest = max(rounded[i] - bounds[0], bounds[1] - rounded[i])
        found.append(
            Rating(
                entry=ids[i],
                rank=rank,
                rank_interval=_rank_interval([by[i] for by in ranks], rank),
                rating=rounded[i],
                rating_interval=bounds,
                provisional=widest > sample.rules.provisional_above,
                above_next=None if following is None else _above(replicates, i, following),
            )
        )
    return tuple(found)


def _ranks(replicates: list[Vector]) -> list[list[int]]:
    """By replicate and entry: its place from the top."""
    found = []
    for values in replicates:
        places = [0] * len(values)
        for place, i in enumerate(sorted(range(len(values)), key=lambda i: -values[i]), 1):
            places[i] = place
        found.append(places)
    return found


def _rank_interval(ranks: list[int], rank: int) -> tuple[int, int]:
    low, high = interval(ranks, rank)
    return int(low), int(high)


def _above(replicates: list[Vector], i: int, other: int) -> float:
    """Per cent of the replicates in which one is stronger than the other, ties by half; one decimal."""
    halves = sum([(values[i] > values[other]) + (values[i] >= values[other]) for values in replicates])
    return round(50 * halves / len(replicates), 1)


def _groups(entries: int, orders: Sequence[tuple[int, ...]]) -> int:
    """How many groups of entries there are that no match links."""
    group = [*range(entries)]
    for order in orders:
        joined = {group[i] for i in order}
        group = [min(joined) if each in joined else each for each in group]
    return len({*group})
