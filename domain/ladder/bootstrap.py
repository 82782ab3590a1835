"""Drawing a ladder's blocks anew: weights of the blocks for each replicate, and 95 % intervals.

A block's weight is a count of mean 1 and variance 1 (Poisson), drawn from one byte; the weight of a virtual
result has an exponential distribution of mean 1, so that what rests on virtual results alone is wide open.
"""

from collections.abc import Sequence
from hashlib import shake_256
from typing import Final

from domain.ladder.arithmetic import Vector, log

_COUNTS: Final = bytes([*[0] * 95, *[1] * 93, *[2] * 47, *[3] * 16, *[4] * 4, 5])
"""By byte: the Poisson distribution of mean 1 in 256ths; the mean is exactly 1, the variance 258/256."""
_SHARES: Final = tuple([-log((2 * byte + 1) / 512) for byte in range(256)])
"""By byte: the exponential distribution of mean 1."""


def block_weights(seed: str, replicate: int, blocks: int) -> bytes:
    """How often each block is in the replicate, by its place among the complete blocks."""
    return _stream(seed, "blocks", replicate, blocks).translate(_COUNTS)


def virtual_weights(seed: str, replicate: int, results: int) -> Vector:
    """What each virtual result counts in the replicate."""
    return [_SHARES[byte] for byte in _stream(seed, "virtual", replicate, results)]


def _stream(seed: str, label: str, replicate: int, length: int) -> bytes:
    return shake_256(f"{seed} {label} {replicate}".encode()).digest(length)


def interval(values: Sequence[float], estimate: float) -> tuple[float, float]:
    """The range without the 2.5 % at either end, widened where that leaves out the estimate."""
    ordered = sorted(values)
    cut = len(ordered) * 25 // 1000
    return min(estimate, ordered[cut]), max(estimate, ordered[-1 - cut])
