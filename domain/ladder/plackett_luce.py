"""The likeliest strengths: the maximum of `domain.ladder.likelihood`, from anywhere or from close by."""

from math import isfinite
from typing import Final

from domain.ladder.arithmetic import Matrix, Vector, dot, inverse, times
from domain.ladder.likelihood import Point, Tally, gradient, information

_TOLERANCE: Final = 1e-11
_NOISE: Final = 1e-4
"""A step shorter than this that is not much shorter than the one before is rounding."""
_LONGEST: Final = 1.0
"""No step changes a strength by more than this, in natural logarithms."""


def origin(tally: Tally) -> Point:
    """Everybody and every seat alike."""
    return Point([0.0] * len(tally.wins), [0.0] * len(tally.seat_wins))


def fit(tally: Tally) -> Point:
    """The one maximum of the likelihood, by Newton's method.

    Raises:
        ArithmeticError: there is none; with virtual wins and losses for all but the anchor there always is.
    """
    point, before = origin(tally), _NOISE
    for _ in range(200):
        step = times(inverse(information(tally, point)), gradient(tally, point))
        point = _moved(tally, point, _shortened(step))
        if _length(step) < _TOLERANCE or before / 2 < _length(step) < _NOISE:
            return point
        before = _length(step)
    raise ArithmeticError("the likelihood has no maximum")


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
