"""Intervals of the differences between commands, from rollouts in strata."""

from collections.abc import Sequence
from math import fsum, sqrt
from statistics import NormalDist

from kernel.layout import PAIRS


def student(share: float, freedom: float) -> float:
    """The quantile of Student's distribution: Abramowitz and Stegun, formula 26.7.5.

    Its error is below 1 % for at least 5 degrees of freedom and shares from 0.0005 to 0.9995.
    """
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

    The differences come batch by batch, at least two batches with one difference for each pair of dice. With
    the variances s² by pair, of L pairs in m batches, the variance of the mean is Σ s² / (L² m), and its
    degrees of freedom are (Σ s²)² (m - 1) / Σ s⁴ (Satterthwaite's approximation, as in W. G. Cochran,
    Sampling Techniques, third edition, section 5.4). This treats the rollouts of a batch as independent. They
    are spread over later throws more evenly than that, so the interval is rather too wide.
    """
    batches = len(differences) // PAIRS
    variances = [_variance(differences[pair::PAIRS]) for pair in range(PAIRS)]
    total = fsum(variances)
    if total == 0.0:
        return 0.0
    freedom = total**2 * (batches - 1) / fsum([variance**2 for variance in variances])
    return student(1 - risk / 2, freedom) * sqrt(total / batches) / PAIRS


def _variance(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return fsum([(value - mean) ** 2 for value in values]) / (len(values) - 1)
