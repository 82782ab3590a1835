"""Exponential, logarithm and matrix inverse, computed with + - * / only, which IEEE 754 rounds identically
everywhere.

Results of mathematical libraries differ in the last digit between machines, and `sum` of floats differs
between versions of Python. This module must not be compiled, because C compilers may fuse * and +.
"""

from collections.abc import Sequence
from math import factorial, frexp, ldexp
from typing import Final, TypeAlias

Vector: TypeAlias = list[float]
Matrix: TypeAlias = list[list[float]]

LN2: Final = 0.6931471805599453
LN10: Final = 2.302585092994046
POINTS: Final = 400 / LN10
"""Rating points per unit of the natural logarithm of strength: 400 points are odds of ten to one."""
Z: Final = 1.959963984540054
"""Half the width of a 95 % interval of the normal distribution, in standard deviations."""
ROUNDED_Z: Final = 1.96
"""`Z` as it is rounded outside of the official results of ladders: in reviews, live ratings, measurements."""
_INVERSE_FACTORIALS: Final = tuple([1 / factorial(i) for i in range(14)])


def exp(power: float) -> float:
    """e to the power, from -700 to 700, with an error of a few units in the last place."""
    twos = int(power / LN2 + (0.5 if power > 0 else -0.5))
    rest = power - twos * LN2
    value = 0.0
    for coefficient in reversed(_INVERSE_FACTORIALS):
        value = value * rest + coefficient
    return ldexp(value, twos)


def log(value: float) -> float:
    """The natural logarithm of a positive number, with an error of a few units in the last place."""
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
    """The inverse of a symmetric positive definite matrix, by Gauss-Jordan elimination without pivoting."""
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
    """The sum, added from the left; `sum` rounds differently since Python 3.12."""
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
