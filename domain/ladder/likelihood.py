"""The likelihood of the winner-only Plackett-Luce model with a factor for each seat, and its maximum.

The entry at a seat wins with probability strength * factor / (sum of strength * factor over all seats).
All sums run over entries, seats and sorted orders of the table, so no digit depends on the order of the
results or on the machine.
"""

from collections.abc import Callable
from math import isfinite
from typing import Final, TypeAlias

from msgspec import Struct

from domain.ladder.arithmetic import Matrix, Vector, added, dot, exp, inverse, times
from domain.ladder.curvature import Curvature
from domain.ladder.win_counts import Point, WinCounts

Expected: TypeAlias = tuple[Vector, Vector]
"""By strength, and by seat except seat 0, whose factor is fixed."""


def gradient(counts: WinCounts, point: Point) -> Vector:
    """The gradient of the log-likelihood: by strength except the anchor's, then by seat except seat 0."""
    strengths = [exp(value) for value in point.strengths]
    factors = [exp(value) for value in point.seats]
    kernel = _KERNELS.get(len(factors), _expected) if counts.is_rotated else _expected
    expected, expected_seats = kernel(counts, strengths, factors)
    own = strengths[counts.anchor]
    slopes = [
        wins + won - value - (won + lost) * strength / (strength + own)
        for wins, won, lost, value, strength in zip(
            counts.wins, counts.prior_wins, counts.prior_losses, expected, strengths, strict=True
        )
    ]
    del slopes[counts.anchor]
    share = added(counts.prior_seat_wins) / added(factors)
    seats = [
        wins + prior - value - share * factor
        for wins, prior, value, factor in zip(
            counts.seat_wins[1:], counts.prior_seat_wins[1:], expected_seats, factors[1:], strict=True
        )
    ]
    return [*slopes, *seats]


def _expected(counts: WinCounts, strengths: Vector, factors: Vector) -> Expected:
    """The expected wins."""
    rotations = counts.rotations
    wins, seat_wins = [0.0] * len(strengths), [0.0] * len(factors)
    for order, blocks in zip(counts.orders, counts.blocks, strict=True):
        if blocks:
            for rotation in rotations:
                table = order[rotation:] + order[:rotation]
                chances = [strengths[i] * factor for i, factor in zip(table, factors, strict=True)]
                share = blocks / added(chances)
                for seat, i in enumerate(table):
                    won = chances[seat] * share
                    wins[i] += won
                    seat_wins[seat] += won
    return wins, seat_wins[1:]


def _expected_of_four(counts: WinCounts, strengths: Vector, factors: Vector) -> Expected:
    """`_expected` unrolled for four seats, where the bootstrap spends its time."""
    wins = [0.0] * len(strengths)
    f, g, h = factors[1:]
    seat_1 = seat_2 = seat_3 = 0.0
    for (i, j, k, m), blocks in zip(counts.orders, counts.blocks, strict=True):
        if blocks:
            a, b, c, d = strengths[i], strengths[j], strengths[k], strengths[m]
            w = blocks / (a + f * b + g * c + h * d)
            x = blocks / (b + f * c + g * d + h * a)
            y = blocks / (c + f * d + g * a + h * b)
            z = blocks / (d + f * a + g * b + h * c)
            wins[i] += w + h * x + g * y + f * z
            wins[j] += x + h * y + g * z + f * w
            wins[k] += y + h * z + g * w + f * x
            wins[m] += z + h * w + g * x + f * y
            seat_1 += b * w + c * x + d * y + a * z
            seat_2 += c * w + d * x + a * y + b * z
            seat_3 += d * w + a * x + b * y + c * z
    expected = [value * strength for value, strength in zip(wins, strengths, strict=True)]
    return expected, [seat_1 * f, seat_2 * g, seat_3 * h]


def _expected_of_three(counts: WinCounts, strengths: Vector, factors: Vector) -> Expected:
    """`_expected` unrolled for three seats."""
    wins = [0.0] * len(strengths)
    f, g = factors[1:]
    seat_1 = seat_2 = 0.0
    for (i, j, k), blocks in zip(counts.orders, counts.blocks, strict=True):
        if blocks:
            a, b, c = strengths[i], strengths[j], strengths[k]
            x = blocks / (a + f * b + g * c)
            y = blocks / (b + f * c + g * a)
            z = blocks / (c + f * a + g * b)
            wins[i] += x + g * y + f * z
            wins[j] += y + g * z + f * x
            wins[k] += z + g * x + f * y
            seat_1 += b * x + c * y + a * z
            seat_2 += c * x + a * y + b * z
    expected = [value * strength for value, strength in zip(wins, strengths, strict=True)]
    return expected, [seat_1 * f, seat_2 * g]


def _expected_of_two(counts: WinCounts, strengths: Vector, factors: Vector) -> Expected:
    """`_expected` unrolled for two seats."""
    wins = [0.0] * len(strengths)
    factor = factors[1]
    seat_1 = 0.0
    for (i, j), blocks in zip(counts.orders, counts.blocks, strict=True):
        if blocks:
            a, b = strengths[i], strengths[j]
            w = blocks / (a + factor * b)
            x = blocks / (b + factor * a)
            wins[i] += a * (w + factor * x)
            wins[j] += b * (x + factor * w)
            seat_1 += b * w + a * x
    return wins, [seat_1 * factor]


_KERNELS: Final[dict[int, Callable[[WinCounts, Vector, Vector], Expected]]] = {
    2: _expected_of_two,
    3: _expected_of_three,
    4: _expected_of_four,
}


def information(counts: WinCounts, point: Point) -> Matrix:
    """The information matrix: minus the second derivatives of the log-likelihood, ordered as `gradient`."""
    size = len(counts.wins)
    strengths = [exp(value) for value in point.strengths]
    factors = [exp(value) for value in point.seats]
    matrix = [[0.0] * (size + len(factors)) for _ in range(size + len(factors))]
    for order, blocks in zip(counts.orders, counts.blocks, strict=True):
        for rotation in counts.rotations:
            table = order[rotation:] + order[:rotation]
            chances = [strengths[i] * factor for i, factor in zip(table, factors, strict=True)]
            _add_table(matrix, size, table, chances, blocks)
    _add_prior(matrix, counts, strengths, factors)
    kept = [i for i in range(len(matrix)) if i not in (counts.anchor, size)]
    return [[matrix[i][j] for j in kept] for i in kept]


def _add_table(matrix: Matrix, size: int, table: tuple[int, ...], chances: Vector, weight: float) -> None:
    """Add the information of `weight` matches at one table: the covariance of winner and seat."""
    total = added(chances)
    places = [*table, *range(size, size + len(table))]
    shares = [chance / total for chance in chances] * 2
    for i, share in zip(places, shares, strict=True):
        row, part = matrix[i], share * weight
        for j, other in zip(places, shares, strict=True):
            row[j] -= part * other
    for seat, i in enumerate(table):
        part = shares[seat] * weight
        matrix[i][i] += part
        matrix[size + seat][size + seat] += part
        matrix[i][size + seat] += part
        matrix[size + seat][i] += part


def _add_prior(matrix: Matrix, counts: WinCounts, strengths: Vector, factors: Vector) -> None:
    size, own = len(strengths), strengths[counts.anchor]
    for i, strength in enumerate(strengths):
        share = strength / (strength + own)
        matrix[i][i] += (counts.prior_wins[i] + counts.prior_losses[i]) * share * (1.0 - share)
    total, weight = added(factors), added(counts.prior_seat_wins)
    for seat, factor in enumerate(factors):
        matrix[size + seat][size + seat] += weight * factor / total
        for other, second in enumerate(factors):
            matrix[size + seat][size + other] -= weight * (factor / total) * (second / total)


_TOLERANCE: Final = 1e-11
_NOISE: Final = 1e-4
"""A step shorter than this, and not much shorter than the one before, is rounding noise."""
_MOST_STEPS: Final = 200
_LONGEST: Final = 1.0
"""The largest change of a strength in one step, in natural logarithms."""


def equal_strengths(counts: WinCounts) -> Point:
    """The starting point: all strengths and all seats are equal."""
    return Point([0.0] * len(counts.wins), [0.0] * len(counts.seat_wins))


class Ascent(Struct, frozen=True):
    """The progress of Newton's method."""

    point: Point
    length: float = _NOISE
    """Length of the last step, in natural logarithms."""
    steps: int = 0
    is_over: bool = False
    """Whether the point is the maximum."""


def ascended(counts: WinCounts, ascent: Ascent) -> Ascent:
    """One step of Newton's method.

    Raises:
        ArithmeticError: there is no maximum. With virtual wins and losses for all entries there always is
        one.
    """
    if ascent.steps == _MOST_STEPS:
        raise ArithmeticError("the likelihood has no maximum")
    slope = gradient(counts, ascent.point)
    if counts.is_rotated:
        step = times(inverse(information(counts, ascent.point)), slope)
    else:
        step = Curvature(counts, ascent.point).solved(slope)
    length = _length(step)
    is_over = length < _TOLERANCE or ascent.length / 2 < length < _NOISE
    return Ascent(_moved(counts, ascent.point, _shortened(step)), length, ascent.steps + 1, is_over)


def climbed(counts: WinCounts, start: Point, tolerance: float) -> Point:
    """The maximum of a likelihood, starting near it, by Newton's method.

    The last step changes no logarithm by more than the tolerance.

    Raises:
        ArithmeticError: as `ascended`.
    """
    ascent = Ascent(start)
    while not ascent.is_over and not (ascent.steps and ascent.length < tolerance):
        ascent = ascended(counts, ascent)
    return ascent.point


def fit(counts: WinCounts) -> Point:
    """The unique maximum of the likelihood.

    Raises:
        ArithmeticError: as `ascended`.
    """
    ascent = Ascent(equal_strengths(counts))
    while not ascent.is_over:
        ascent = ascended(counts, ascent)
    return ascent.point


def refit(counts: WinCounts, start: Point, metric: Matrix, tolerance: float) -> Point:
    """The maximum of a likelihood, starting from the maximum of a similar one, by L-BFGS.

    `metric` is the inverse information of the similar likelihood. The last step changes no logarithm by more
    than the tolerance.
    """
    point, slope = start, gradient(counts, start)
    learned: list[tuple[Vector, Vector, float]] = []
    for _ in range(40):
        step = _shortened(_direction(slope, learned, metric))
        point = _moved(counts, point, step)
        if _length(step) < tolerance:
            return point
        before, slope = slope, gradient(counts, point)
        change = [old - new for old, new in zip(before, slope, strict=True)]
        curvature = dot(step, change)
        if curvature <= 0:
            break
        learned.append((step, change, curvature))
    return fit(counts)


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
    return max([abs(value) for value in step])


def _shortened(step: Vector) -> Vector:
    length = _length(step)
    if not isfinite(length):
        raise ArithmeticError("the likelihood has no maximum")
    return [value * (_LONGEST / length) for value in step] if length > _LONGEST else step


def _moved(counts: WinCounts, point: Point, step: Vector) -> Point:
    free = iter(step)
    strengths = [
        value if i == counts.anchor else value + next(free) for i, value in enumerate(point.strengths)
    ]
    return Point(strengths, [0.0, *[value + next(free) for value in point.seats[1:]]])
