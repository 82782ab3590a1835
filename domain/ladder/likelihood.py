"""The likelihood of strengths, winner-only Plackett-Luce with a factor for each seat, and its maximum.

The entry at a seat wins with probability strength * factor / (sum of strength * factor over all seats).
All sums go over entries, seats and sorted orders of the table, so neither the order of results nor the
machine has a say in any digit.
"""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Final, TypeAlias

from msgspec import Struct

from domain.ladder.arithmetic import Matrix, Vector, added, dot, exp, inverse, times


class Tally(Struct, frozen=True):
    """All that the likelihood depends on. The anchor is an index of strengths; seat 0 has the factor 1."""

    anchor: int
    orders: tuple[tuple[int, ...], ...]
    """Indices of strengths around the table; each stands for all its rotations."""
    blocks: Sequence[int]
    """How many blocks there were of each order."""
    wins: Sequence[int]
    """By strength."""
    seat_wins: Sequence[int]
    prior_wins: Vector
    """By strength: virtual wins against the anchor, regardless of seats."""
    prior_losses: Vector
    """By strength: virtual wins of the anchor against it."""
    prior_seat_wins: Vector
    """By seat: virtual wins at a table of equals."""


class Point(Struct, frozen=True):
    """Natural logarithms of strengths (0 for the anchor) and of the factors of seats (0 for seat 0)."""

    strengths: Vector
    seats: Vector


Expected: TypeAlias = tuple[Vector, Vector]
"""By strength and by seat."""


def gradient(tally: Tally, point: Point) -> Vector:
    """The slope of the logarithm of the likelihood, by strength but the anchor's, then by seat but seat 0."""
    strengths = [exp(value) for value in point.strengths]
    factors = [exp(value) for value in point.seats]
    expected, expected_seats = _KERNELS.get(len(factors), _expected)(tally, strengths, factors)
    own = strengths[tally.anchor]
    slopes = [
        wins + won - value - (won + lost) * strength / (strength + own)
        for wins, won, lost, value, strength in zip(
            tally.wins, tally.prior_wins, tally.prior_losses, expected, strengths, strict=True
        )
    ]
    del slopes[tally.anchor]
    share = added(tally.prior_seat_wins) / added(factors)
    seats = [
        wins + prior - value - share * factor
        for wins, prior, value, factor in zip(
            tally.seat_wins, tally.prior_seat_wins, expected_seats, factors, strict=True
        )
    ]
    return [*slopes, *seats[1:]]


def _expected(tally: Tally, strengths: Vector, factors: Vector) -> Expected:
    """The expected wins by strength and by seat."""
    seats = range(len(factors))
    wins, seat_wins = [0.0] * len(strengths), [0.0] * len(factors)
    for order, blocks in zip(tally.orders, tally.blocks, strict=True):
        if blocks:
            for rotation in seats:
                table = order[rotation:] + order[:rotation]
                chances = [strengths[i] * factor for i, factor in zip(table, factors, strict=True)]
                share = blocks / added(chances)
                for seat, i in enumerate(table):
                    won = chances[seat] * share
                    wins[i] += won
                    seat_wins[seat] += won
    return wins, seat_wins


def _expected_of_four(tally: Tally, strengths: Vector, factors: Vector) -> Expected:
    """`_expected` for four seats, written out: the bootstrap spends its time here."""
    wins = [0.0] * len(strengths)
    f, g, h = factors[1:]
    seat_0 = seat_1 = seat_2 = seat_3 = 0.0
    for (i, j, k, m), blocks in zip(tally.orders, tally.blocks, strict=True):
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
            seat_0 += a * w + b * x + c * y + d * z
            seat_1 += b * w + c * x + d * y + a * z
            seat_2 += c * w + d * x + a * y + b * z
            seat_3 += d * w + a * x + b * y + c * z
    expected = [value * strength for value, strength in zip(wins, strengths, strict=True)]
    return expected, [seat_0, seat_1 * f, seat_2 * g, seat_3 * h]


def _expected_of_three(tally: Tally, strengths: Vector, factors: Vector) -> Expected:
    """`_expected` for three seats, written out likewise."""
    wins = [0.0] * len(strengths)
    f, g = factors[1:]
    seat_0 = seat_1 = seat_2 = 0.0
    for (i, j, k), blocks in zip(tally.orders, tally.blocks, strict=True):
        if blocks:
            a, b, c = strengths[i], strengths[j], strengths[k]
            x = blocks / (a + f * b + g * c)
            y = blocks / (b + f * c + g * a)
            z = blocks / (c + f * a + g * b)
            wins[i] += x + g * y + f * z
            wins[j] += y + g * z + f * x
            wins[k] += z + g * x + f * y
            seat_0 += a * x + b * y + c * z
            seat_1 += b * x + c * y + a * z
            seat_2 += c * x + a * y + b * z
    expected = [value * strength for value, strength in zip(wins, strengths, strict=True)]
    return expected, [seat_0, seat_1 * f, seat_2 * g]


def _expected_of_two(tally: Tally, strengths: Vector, factors: Vector) -> Expected:
    """`_expected` for two seats, written out likewise."""
    wins = [0.0] * len(strengths)
    factor = factors[1]
    seat_0 = seat_1 = 0.0
    for (i, j), blocks in zip(tally.orders, tally.blocks, strict=True):
        if blocks:
            a, b = strengths[i], strengths[j]
            w = blocks / (a + factor * b)
            x = blocks / (b + factor * a)
            wins[i] += a * (w + factor * x)
            wins[j] += b * (x + factor * w)
            seat_0 += a * w + b * x
            seat_1 += b * w + a * x
    return wins, [seat_0, seat_1 * factor]


_KERNELS: Final[dict[int, Callable[[Tally, Vector, Vector], Expected]]] = {
    2: _expected_of_two,
    3: _expected_of_three,
    4: _expected_of_four,
}


def information(tally: Tally, point: Point) -> Matrix:
    """Minus the second derivatives of the logarithm of the likelihood, in the order of `gradient`."""
    size = len(tally.wins)
    strengths = [exp(value) for value in point.strengths]
    factors = [exp(value) for value in point.seats]
    matrix = [[0.0] * (size + len(factors)) for _ in range(size + len(factors))]
    for order, blocks in zip(tally.orders, tally.blocks, strict=True):
        for rotation in range(len(order)):
            table = order[rotation:] + order[:rotation]
            chances = [strengths[i] * factor for i, factor in zip(table, factors, strict=True)]
            _add_table(matrix, size, table, chances, blocks)
    _add_prior(matrix, tally, strengths, factors)
    kept = [i for i in range(len(matrix)) if i not in (tally.anchor, size)]
    return [[matrix[i][j] for j in kept] for i in kept]


def _add_table(matrix: Matrix, size: int, table: tuple[int, ...], chances: Vector, weight: float) -> None:
    """Add the information of that many matches at one table: the covariance of who wins at which seat."""
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


def _add_prior(matrix: Matrix, tally: Tally, strengths: Vector, factors: Vector) -> None:
    size, own = len(strengths), strengths[tally.anchor]
    for i, strength in enumerate(strengths):
        share = strength / (strength + own)
        matrix[i][i] += (tally.prior_wins[i] + tally.prior_losses[i]) * share * (1.0 - share)
    total, weight = added(factors), added(tally.prior_seat_wins)
    for seat, factor in enumerate(factors):
        matrix[size + seat][size + seat] += weight * factor / total
        for other, second in enumerate(factors):
            matrix[size + seat][size + other] -= weight * (factor / total) * (second / total)


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
