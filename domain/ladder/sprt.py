"""The sequential probability ratio test (SPRT): whether entry A is stronger than entry B.

Only matches that A or B won count. With p as the share of A among them, an Elo difference d means p = 1 / (1
+ 10^(-d/400)). Wald's test weighs p1 (of `elo1`) against p0 (of `elo0`). The matches of a block are
correlated (same entries, every seat once), so the block is the unit, and the variance is estimated between
blocks. This is the generalised SPRT with the normal approximation of the likelihood ratio by Michel Van den
Bergh, as fishtest and OpenBench apply it to pairs of games. A block may have any number of decided matches,
so its deviation is the wins of A less p times the decided matches.
"""

from collections.abc import Iterable
from math import sqrt
from typing import Final

from msgspec import Struct

from domain.errors import RuleViolation
from domain.ladder.arithmetic import LN10, POINTS, Z, exp, log
from domain.ladder.results import BlockResults

_VIRTUAL: Final = 40
"""The number of virtual matches between equals that stabilise the variance of few blocks."""


class Hypotheses(Struct, frozen=True):
    """The two hypotheses: A is stronger than B by `elo1` points, or only by `elo0`."""

    elo0: int = 0
    elo1: int = 50
    alpha_percent: int = 1
    """The probability of `better` although the difference is elo0, in percent."""
    beta_percent: int = 1
    """The probability of `not_better` although the difference is elo1, in percent."""


class SprtState(Struct, frozen=True):
    """The state of the test; no block after a decision counts."""

    decision: str
    """`better` (by elo1 rather than elo0), `not_better`, or `undecided`."""
    llr: float
    """The log-likelihood ratio, three decimals."""
    bounds: tuple[float, float]
    """Decides `not_better` at or below the first, `better` at or above the second."""
    blocks: int
    matches: int
    wins: int
    """Matches that A won."""
    losses: int
    """Matches that B won."""
    others: int
    """Matches that neither won; they do not count."""
    elo: float
    """The observed difference, in points with one decimal; early stopping biases it upwards."""
    elo_interval: tuple[float, float]
    """95 %, for a number of blocks fixed in advance."""


class _Sums(Struct):
    """Sums over blocks: wins of A (a) and decided matches (n), with their squares and products."""

    blocks: int = 0
    matches: int = 0
    a: int = 0
    n: int = 0
    aa: int = 0
    an: int = 0
    nn: int = 0


def sequential_test(blocks: Iterable[BlockResults], a: str, b: str, hypotheses: Hypotheses) -> SprtState:
    """Test entry `a` against entry `b` over these blocks, in the order of their numbers.

    Blocks without both entries are skipped.

    Raises:
        RuleViolation: `test_invalid`.
    """
    _check(a, b, hypotheses)
    low, high = _bounds(hypotheses)
    sums = _Sums()
    llr = 0.0
    for block in sorted(blocks, key=lambda block: block.number):
        if a in block.base and b in block.base:
            _add(sums, block, a, b)
            llr = _llr(sums, hypotheses)
            if not low < llr < high:
                break
    decision = "better" if llr >= high else "not_better" if llr <= low else "undecided"
    return _shown(decision, llr, (low, high), sums)


def _check(a: str, b: str, hypotheses: Hypotheses) -> None:
    if a == b:
        raise RuleViolation("test_invalid", "a test is of two different entries")
    if not -1000 <= hypotheses.elo0 < hypotheses.elo1 <= 1000:
        raise RuleViolation("test_invalid", "elo0 is less than elo1, and both are from -1000 to 1000")
    if not (1 <= hypotheses.alpha_percent <= 49 and 1 <= hypotheses.beta_percent <= 49):
        raise RuleViolation("test_invalid", "the risks are from 1 to 49 per cent")


def _bounds(hypotheses: Hypotheses) -> tuple[float, float]:
    alpha, beta = hypotheses.alpha_percent / 100, hypotheses.beta_percent / 100
    return log(beta / (1 - alpha)), log((1 - beta) / alpha)


def _add(sums: _Sums, block: BlockResults, a: str, b: str) -> None:
    winners = [match.seats[match.winner] for match in block.results]
    won = winners.count(a)
    decided = won + winners.count(b)
    sums.blocks += 1
    sums.matches += len(winners)
    sums.a += won
    sums.n += decided
    sums.aa += won * won
    sums.an += won * decided
    sums.nn += decided * decided


def share(elo: float) -> float:
    """The share of A among decided matches for a difference in points."""
    return 1 / (1 + exp(-elo * LN10 / 400))


def _llr(sums: _Sums, hypotheses: Hypotheses) -> float:
    if not sums.n:
        return 0.0
    p0, p1 = share(hypotheses.elo0), share(hypotheses.elo1)
    return (p1 - p0) * (sums.a - sums.n * (p0 + p1) / 2) / _variance(sums)


def _variance(sums: _Sums) -> float:
    """The variance of a decided match, estimated between blocks.

    Virtual matches between equals are included, since a few equal blocks prove nothing.
    """
    p = _seen(sums)
    between = sums.aa - 2 * p * sums.an + p * p * sums.nn
    return (between + _VIRTUAL / 4) / (sums.n + _VIRTUAL)


def _seen(sums: _Sums) -> float:
    """The share of A, with half a virtual win for each entry."""
    return (sums.a + 0.5) / (sums.n + 1)


def _shown(decision: str, llr: float, bounds: tuple[float, float], sums: _Sums) -> SprtState:
    p = _seen(sums)
    half = Z * sqrt(_variance(sums) / (sums.n + 1))
    return SprtState(
        decision=decision,
        llr=round(llr, 3),
        bounds=(round(bounds[0], 3), round(bounds[1], 3)),
        blocks=sums.blocks,
        matches=sums.matches,
        wins=sums.a,
        losses=sums.n - sums.a,
        others=sums.matches - sums.n,
        elo=_elo(p),
        elo_interval=(_elo(p - half), _elo(p + half)),
    )


def _elo(p: float) -> float:
    """The difference in points for that share, from -1200 to 1200."""
    kept = min(0.999, max(0.001, p))
    return round(POINTS * log(kept / (1 - kept)), 1)
