"""The likeliest strengths: the maximum of `domain.ladder.likelihood`, from anywhere or from close by."""

from math import isfinite
from typing import Final

from msgspec import Struct

from domain.ladder.arithmetic import Matrix, Vector, dot, inverse, times
from domain.ladder.likelihood import Point, Tally, gradient, information

_TOLERANCE: Final = 1e-11
_NOISE: Final = 1e-4
"""A step shorter than this that is not much shorter than the one before is rounding."""
_MOST_STEPS: Final = 200
_LONGEST: Final = 1.0
"""No step changes a strength by more than this, in natural logarithms."""


def origin(tally: Tally) -> Point:
    """Everybody and every seat alike."""
    return Point([0.0] * len(tally.wins), [0.0] * len(tally.seat_wins))


class Ascent(Struct, frozen=True):
    """A way to the maximum, as far as it was gone."""

    point: Point
    length: float = _NOISE
    """Of the last step, in natural logarithms."""
    steps: int = 0
    is_over: bool = False
    """The point is the maximum."""


def ascended(tally: Tally, ascent: Ascent) -> Ascent:
    """One step further, by Newton's method.

    Raises:
        ArithmeticError: there is no maximum; with virtual wins and losses for all there always is.
    """
    if ascent.steps == _MOST_STEPS:
        raise ArithmeticError("the likelihood has no maximum")
    step = times(inverse(information(tally, ascent.point)), gradient(tally, ascent.point))
    length = _length(step)
    is_over = length < _TOLERANCE or ascent.length / 2 < length < _NOISE
    return Ascent(_moved(tally, ascent.point, _shortened(step)), length, ascent.steps + 1, is_over)


def fit(tally: Tally) -> Point:
    """The one maximum of the likelihood.

    Raises:
        ArithmeticError: see `ascended`.
    """
    ascent = Ascent(origin(tally))
    while not ascent.is_over:
        ascent = ascended(tally, ascent)
    return ascent.point


def refit(tally: Tally, start: Point, metric: Matrix, tolerance: float) -> Point:
    """The maximum of a likelihood that is close to another one, from that one's maximum.

    `metric` is the inverse of the other one's information. Quasi-Newton (L-BFGS): curvature is learned from
    the gradients; the last step changes no logarithm by more than the tolerance.
    """
    point, slope = start, gradient(tally, start)
    learned: list[tuple[Vector, Vector, float]] = []
    for _ in range(40):
        step = _shortened(_direction(slope, learned, metric))
        point = _moved(tally, point, step)
        if _length(step) < tolerance:
            return point
        before, slope = slope, gradient(tally, point)
        change = [old - new for old, new in zip(before, slope, strict=True)]
        curvature = dot(step, change)
        if curvature <= 0:
            break
        learned.append((step, change, curvature))
    return fit(tally)


def _direction(slope: Vector, learned: list[tuple[Vector, Vector, float]], metric: Matrix) -> Vector:
    shares: Vector = []
    for step, change, curvature in reversed(learned):
        share = dot(step, slope) / curvature
        slope = [value - share * part for value, part in zip(slope, change, strict=True)]
        shares.append(share)
    way = times(metric, slope)
    for step, change, curvature in learned:
        share = shares.pop() - dot(change, way) / curvature
        way = [value + share * part for value, part in zip(way, step, strict=True)]
    return way


def _length(step: Vector) -> float:
    return max([abs(value) for value in step], default=0.0)


def _shortened(step: Vector) -> Vector:
    length = _length(step)
    if not isfinite(length):
        raise ArithmeticError("the likelihood has no maximum")
    return [value * (_LONGEST / length) for value in step] if length > _LONGEST else step


def _moved(tally: Tally, point: Point, step: Vector) -> Point:
    free = iter(step)
    strengths = [
        value if i == tally.anchor else value + next(free) for i, value in enumerate(point.strengths)
    ]
    return Point(strengths, [0.0, *[value + next(free) for value in point.seats[1:]]])
