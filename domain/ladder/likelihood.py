"""The likelihood of strengths: winner-only Plackett-Luce with a factor for each seat, over whole blocks.

The entry at a seat wins with probability strength * factor / (sum of strength * factor over all seats).
All sums go over entries, seats and sorted orders of the table, so neither the order of results nor the
machine has a say in any digit.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from domain.ladder.arithmetic import Matrix, Vector, added, exp


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
