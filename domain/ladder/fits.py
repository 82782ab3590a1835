"""The fits that a table rests on: the estimate and its replicates, made step by step.

The steps can be made by several processes, one after the other; the digits are the same.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from domain.ladder.arithmetic import LN10, Matrix, Vector, added, inverse
from domain.ladder.likelihood import Point, information
from domain.ladder.plackett_luce import Ascent, ascended, origin, refit
from domain.ladder.sample import Sample, drawn, whole

POINTS: Final = 400 / LN10
"""Rating points in a natural logarithm of strength: 400 points are odds of ten to one."""
_TOLERANCE: Final = 1e-4
"""Of a replicate, in natural logarithms; convergence is faster than linear, so the error is far smaller."""


class Fits(Struct):
    """The fits of a sample, as far as they are made."""

    estimate: Ascent | None = None
    """From all results alike; None before the first step."""
    metric: Matrix = []
    """The inverse of the information at the estimate; empty before."""
    replicates: list[Vector] = []
    """Rating points by entry, not rounded; replicate 0 first."""


def made(sample: Sample, fits: Fits) -> Iterator[None]:
    """Make what is missing of the fits, in place; gives way after each step.

    Raises:
        ArithmeticError: the likelihood has no maximum.
    """
    tally = whole(sample)
    ascent = fits.estimate or Ascent(origin(tally))
    while not ascent.is_over:
        ascent = fits.estimate = ascended(tally, ascent)
        yield
    if not fits.metric:
        fits.metric = inverse(information(tally, ascent.point))
    for replicate in range(len(fits.replicates), sample.rules.replicates):
        point = refit(drawn(sample, replicate), ascent.point, fits.metric, _TOLERANCE)
        fits.replicates.append(points(sample, point))
        yield


def is_whole(sample: Sample, fits: Fits) -> bool:
    """Whether nothing is missing."""
    return fits.metric != [] and len(fits.replicates) == sample.rules.replicates


def points(sample: Sample, point: Point) -> Vector:
    """Rating points by entry, not rounded."""
    size = len(sample.entries)
    strengths = point.strengths[:size]
    # The anchor's logarithm is 0.
    middle = added(strengths) / len(strengths) if sample.anchor == size != 0 else 0.0
    return [sample.rules.anchor_rating + POINTS * (strength - middle) for strength in strengths]
