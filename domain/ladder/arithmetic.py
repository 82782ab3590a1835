"""Exponential, logarithm and linear equations from + - * / alone, which IEEE 754 rounds alike everywhere.

Those of a machine's mathematical library differ in their last digit from machine to machine, and `sum` of
fractions differs between versions of Python. Nothing here may be compiled: C may fuse * and +.
"""

from collections.abc import Sequence
from math import factorial, frexp, ldexp
from typing import Final, TypeAlias

Vector: TypeAlias = list[float]
Matrix: TypeAlias = list[list[float]]

LN2: Final = 0.6931471805599453
LN10: Final = 2.302585092994046
POINTS: Final = 400 / LN10
"""Rating points in a natural logarithm of strength: 400 points are odds of ten to one."""
Z: Final = 1.959963984540054
"""Standard deviations on either side that hold 95 % of a normal distribution."""
_INVERSE_FACTORIALS: Final = tuple([1 / factorial(i) for i in range(14)])


def exp(power: float) -> float:
    """e to that power, from -700 to 700, with an error of some units in the last place."""
    twos = int(power / LN2 + (0.5 if power > 0 else -0.5))
    rest = power - twos * LN2
    value = 0.0
    for coefficient in reversed(_INVERSE_FACTORIALS):
        value = value * rest + coefficient
    return ldexp(value, twos)


def log(value: float) -> float:
    """The natural logarithm of a positive number, with an error of some units in the last place."""
    fraction, twos = frexp(value)
    if fraction < 0.7071067811865476:
        fraction, twos = fraction * 2.0, twos - 1
    part = (fraction - 1.0) / (fraction + 1.0)
    square = part * part
    series = 0.0
    for odd in range(23, 0, -2):
        series = series * square + 1.0 / odd
    return twos * LN2 + 2.0 * part * series


def inverse(matrix: Matrix) -> Matrix:
    """The inverse of a symmetric positive definite matrix, by Gauss and Jordan."""
    size = len(matrix)
    rows = [[*row, *[1.0 if i == j else 0.0 for j in range(size)]] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = rows[i][i]
        own = rows[i] = [value / pivot for value in rows[i]]
        for j in range(size):
            factor = rows[j][i]
            if j != i and factor:
                rows[j] = [value - factor * other for value, other in zip(rows[j], own, strict=True)]
    return [row[size:] for row in rows]


def added(values: Sequence[float]) -> float:
    """The sum from the left; `sum` rounds differently from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


def dot(left: Vector, right: Vector) -> float:
    """The scalar product, added from the left."""
    total = 0.0
    for one, other in zip(left, right, strict=True):
        total += one * other
    return total


def times(matrix: Matrix, vector: Vector) -> Vector:
    """The matrix times the vector."""
    return [dot(row, vector) for row in matrix]
