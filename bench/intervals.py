"""Intervals of measured shares."""

from math import sqrt
from typing import Final

Z: Final = 1.96
"""95 % intervals."""


def wilson(wins: int, matches: int) -> tuple[float, float, float]:
    """A share with its Wilson 95 % interval."""
    share, spread = wins / matches, Z * Z / matches
    middle = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / matches + spread / (4 * matches)) / (1 + spread)
    return share, middle - half, middle + half
