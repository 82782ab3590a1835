"""Intervals of the differences between commands, from rollouts in strata."""

from collections.abc import Sequence
from math import fsum, pi, sqrt, tan
from statistics import NormalDist
from typing import Final

from kernel.layout import PAIRS

ENOUGH: Final = 4
"""The number of batches from which on the variance is computed from their means."""


def student(share: float, freedom: float) -> float:
    """The quantile of Student's t distribution for a probability above 1/2 and at least 1 degree of freedom.

    Below 3 degrees of freedom, it is that for the whole number below; otherwise it is formula 26.7.5 of
    Abramowitz and Stegun, Handbook of Mathematical Functions. For shares up to 0.9995, that is 4 % too low at
    3 degrees, and 0.2 % at 7.
    """
    if freedom < 2:
        return tan(pi * (share - 0.5))
    if freedom < 3:
        return (2 * share - 1) / sqrt(2 * share * (1 - share))
    z = NormalDist().inv_cdf(share)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return fsum([term / freedom**power for power, term in enumerate(terms)])


def half_width(differences: Sequence[float], risk: float) -> float:
    """Half of the interval of the mean of differences that misses it at most as often as `risk`.

    The differences come batch by batch, at least two batches with one difference for each pair of dice.

    From `ENOUGH` batches on, the variance is that of the means of the batches, with one degree of freedom
    less than there are batches. Batches are independent; the rollouts of a batch are not, since they are
    spread evenly over their throws.

    With fewer batches, the variance is computed from the variances s² within each pair of dice, as if the
    rollouts of a batch were independent. The result is too large. With L pairs and m batches, the variance of
    the mean is Σ s² / (L² m), and its degrees of freedom are (Σ s²)² (m - 1) / Σ s⁴ (Satterthwaite's
    approximation, as in W. G. Cochran, Sampling Techniques, third edition, section 5.4).
    """
    batches = len(differences) // PAIRS
    if batches >= ENOUGH:
        means = [
            fsum(differences[first : first + PAIRS]) / PAIRS for first in range(0, len(differences), PAIRS)
        ]
        return student(1 - risk / 2, batches - 1) * sqrt(_variance(means) / batches)
    variances = [_variance(differences[pair::PAIRS]) for pair in range(PAIRS)]
    total = fsum(variances)
    if total == 0.0:
        return 0.0
    freedom = total**2 * (batches - 1) / fsum([variance**2 for variance in variances])
    return student(1 - risk / 2, freedom) * sqrt(total / batches) / PAIRS


def _variance(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return fsum([(value - mean) ** 2 for value in values]) / (len(values) - 1)
