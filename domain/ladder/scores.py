"""The plain and luck-adjusted scores of entries.

The luck-adjusted score of an entry estimates the same mean as the plain score, usually with a narrower
interval. If luck says little about who wins, as between unequal players, the interval can be wider.

Luck is a control variate: its expectation is zero given the decisions. It is multiplied by a slope and
subtracted. The slope is fitted for each block on other blocks only (cross-fitting), so that the adjusted
score is unbiased whatever the slope is.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Final

from msgspec import Struct

from domain.ladder.arithmetic import Z, added
from domain.ladder.results import BlockResults

FOLDS: Final = 10
"""The slope of a block is fitted on the blocks whose number has a different last digit."""

PRIORS: Final = {False: (0.0, 0), True: (1.0, 10)}
"""By whether luck is in wins: a slope, and the number of blocks that it counts for in a fit. The slope of
luck in wins would be 1 if the value function were right."""


class Score(Struct, frozen=True):
    """A share of matches won, from 0 to 1, with its 95 % interval; four decimals."""

    score: float
    interval: tuple[float, float] | None
    """None for an adjusted score whose blocks do not tell how precise it is."""


class Adjusted(Struct, frozen=True):
    """The plain and luck-adjusted scores of an entry; None without a match."""

    plain: Score | None
    adjusted: Score | None
    """Also None if luck was not measured. It may lie slightly outside of 0 to 1."""
    reduction: float | None
    """The ratio of the variances of the plain and the adjusted score: the factor of matches saved."""


class _Played(Struct, frozen=True):
    """An entry's means over the matches of a block."""

    fold: int
    score: float
    luck: float | None
    """In wins if a value function measured it, else in coins."""
    is_in_wins: bool


def scores(blocks: Sequence[BlockResults], entry: str) -> Adjusted:
    """The scores of the entry over the blocks that it played in."""
    played = [_played(block, entry) for block in blocks if entry in block.base]
    if not played:
        return Adjusted(None, None, None)
    plain = [block.score for block in played]
    matches = sum([len(block.results) for block in blocks if entry in block.base])
    shown = _plain(plain, matches)
    if all(block.luck is None for block in played):
        return Adjusted(shown, None, None)
    adjusted = [score - luck for score, luck in zip(plain, _luck(played), strict=True)]
    return Adjusted(shown, _score(adjusted, shown), _ratio(variance(plain), variance(adjusted)))


def _played(block: BlockResults, entry: str) -> _Played:
    seats = [match.seats.index(entry) for match in block.results]
    won = [float(match.winner == seat) for match, seat in zip(block.results, seats, strict=True)]
    coins, wins = [], []
    for match, seat in zip(block.results, seats, strict=True):
        if match.luck is not None:
            coins.append(match.luck.coins[seat] / 1_000)
            if match.luck.wins is not None:
                wins.append(match.luck.wins[seat] / 1_000_000)
    in_wins = _mean_of(wins, seats)
    luck = in_wins if in_wins is not None else _mean_of(coins, seats)
    return _Played(block.number % FOLDS, mean(won), luck, in_wins is not None)


def _mean_of(luck: list[float], matches: Sequence[int]) -> float | None:
    """The mean; None unless luck was measured in all matches."""
    return mean(luck) if len(luck) == len(matches) else None


def _luck(played: Sequence[_Played]) -> list[float]:
    """By block: the luck to subtract from its score; 0 if none was measured."""
    slopes = {
        is_in_wins: [_slope(played, fold, is_in_wins) for fold in range(FOLDS)] for is_in_wins in PRIORS
    }
    return [slopes[block.is_in_wins][block.fold] * (block.luck or 0.0) for block in played]


def _slope(played: Sequence[_Played], fold: int, is_in_wins: bool) -> float:
    """The slope of the score over luck in the other folds: least squares through the mean score, averaged
    with the prior."""
    others = [block for block in played if block.fold != fold and block.is_in_wins == is_in_wins]
    known = [(block.score, block.luck) for block in others if block.luck is not None]
    expected, blocks = PRIORS[is_in_wins]
    spread = added([luck * luck for _, luck in known])
    if not spread:
        return expected
    middle = mean([score for score, _ in known])
    found = added([(score - middle) * luck for score, luck in known]) / spread
    return (len(known) * found + blocks * expected) / (len(known) + blocks)


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value."""
    return added(values) / len(values)


def variance(values: Sequence[float]) -> float:
    """The unbiased sample variance; 0 for a single value."""
    middle = mean(values)
    return added([(value - middle) * (value - middle) for value in values]) / max(1, len(values) - 1)


def _ratio(plain: float, adjusted: float) -> float | None:
    return round(plain / adjusted, 2) if plain and adjusted else None


def _score(values: Sequence[float], plain: Score) -> Score:
    """The mean with a normal interval over blocks.

    Blocks that do not differ do not tell how precise it is. Then the interval is that of the plain score if
    luck changed nothing, and otherwise there is none.
    """
    half = Z * sqrt(variance(values) / len(values))
    middle = mean(values)
    score = round(middle, 4)
    if half:
        return Score(score, (round(middle - half, 4), round(middle + half, 4)))
    return Score(score, plain.interval if score == plain.score else None)


def _plain(values: Sequence[float], matches: int) -> Score:
    """The share with Wilson's interval for the effective number of independent matches."""
    share, between = mean(values), variance(values) / len(values)
    independent = share * (1 - share) / between if between else float(matches)
    weight = Z * Z / independent
    middle = (share + weight / 2) / (1 + weight)
    half = Z / (1 + weight) * sqrt(share * (1 - share) / independent + weight / (4 * independent))
    # The lower end of the interval is rounded to -0.0 where nothing was won.
    return Score(round(share, 4), (max(0.0, round(middle - half, 4)), round(middle + half, 4)))
