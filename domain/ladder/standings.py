"""The standings and the crosstable that a ladder publishes.

Ratings, ranks and their intervals come from `domain.ladder.ratings`.

The luck-adjusted score of an entry estimates the same mean as the plain score, usually with a narrower
interval. If luck says little about who wins, as between unequal players, the interval can be wider.

Luck is a control variate: its expectation is zero given the decisions. Luck in wins, from a value function,
is subtracted directly. Coin luck is multiplied by a slope, which is fitted for each block on other blocks
only (cross-fitting), so that the adjusted score is unbiased whatever the slope is.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from math import sqrt
from typing import Final

from msgspec import Struct, structs

from domain.ladder.arithmetic import Z, added
from domain.ladder.ratings import Rating, Ratings, rate
from domain.ladder.results import BlockResults, EntryLine, ResultLine, Results

FOLDS: Final = 10
"""The slope of a block is fitted on the blocks whose number has a different last digit."""


class Score(Struct, frozen=True):
    """A share of matches won, from 0 to 1, with its 95 % interval; four decimals."""

    score: float
    interval: tuple[float, float]


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
    coins: float | None
    """Coin luck, in coins."""
    wins: float | None
    """Luck in wins, by the value function."""


def scores(blocks: Sequence[BlockResults], entry: str) -> Adjusted:
    """The scores of the entry over the blocks that it played in."""
    played = [_played(block, entry) for block in blocks if entry in block.base]
    if not played:
        return Adjusted(None, None, None)
    plain = [block.score for block in played]
    matches = sum([len(block.results) for block in blocks if entry in block.base])
    shown = _plain(plain, matches)
    if all(block.coins is None and block.wins is None for block in played):
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
    return _Played(block.number % FOLDS, mean(won), _mean_of(coins, seats), _mean_of(wins, seats))


def _mean_of(luck: list[float], matches: Sequence[int]) -> float | None:
    """The mean; None unless luck was measured in all matches."""
    return mean(luck) if len(luck) == len(matches) else None


def _luck(played: Sequence[_Played]) -> list[float]:
    """By block: the luck to subtract from its score; 0 if none was measured."""
    slopes = [_slope([block for block in played if block.fold != fold]) for fold in range(FOLDS)]
    return [
        block.wins if block.wins is not None else slopes[block.fold] * (block.coins or 0.0)
        for block in played
    ]


def _slope(others: Sequence[_Played]) -> float:
    """Wins per coin of luck, by least squares through the mean score."""
    known = [(block.score, block.coins) for block in others if block.wins is None and block.coins is not None]
    if not known:
        return 0.0
    middle = mean([score for score, _ in known])
    spread = added([coins * coins for _, coins in known])
    return added([(score - middle) * coins for score, coins in known]) / spread if spread else 0.0


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
    """The mean with a normal interval over blocks, or with that of the plain score if all blocks are
    equal."""
    half = Z * sqrt(variance(values) / len(values))
    middle = mean(values)
    bounds = (round(middle - half, 4), round(middle + half, 4)) if half else plain.interval
    return Score(round(middle, 4), bounds)


def _plain(values: Sequence[float], matches: int) -> Score:
    """The share with Wilson's interval for the effective number of independent matches."""
    share, between = mean(values), variance(values) / len(values)
    independent = share * (1 - share) / between if between else float(matches)
    weight = Z * Z / independent
    middle = (share + weight / 2) / (1 + weight)
    half = Z / (1 + weight) * sqrt(share * (1 - share) / independent + weight / (4 * independent))
    return Score(round(share, 4), (max(0.0, round(middle - half, 4)), min(1.0, round(middle + half, 4))))


class MeanLuck(Struct, frozen=True):
    """Mean luck per match; None if it was not measured."""

    coins: float | None
    """Relative coin luck, three decimals."""
    wins: float | None
    """By the value function, six decimals."""


class Standing(Struct, frozen=True):
    """An entry's row of the standings."""

    rank: int
    rank_interval: tuple[int, int]
    entry: str
    name: str
    rating: float
    rating_interval: tuple[float, float]
    provisional: bool
    above_next: float | None
    """The percentage of replicates in which it is stronger than the next entry."""
    blocks: int
    matches: int
    wins: int
    score: float | None
    """The share of matches that it won, four decimals; None without a match."""
    score_interval: tuple[float, float] | None
    score_adjusted: float | None
    """The luck-adjusted score; None if luck was not measured."""
    score_adjusted_interval: tuple[float, float] | None
    variance_reduction: float | None
    """The ratio of the variances of the plain and the adjusted score."""
    wins_by_seat: tuple[int, ...]
    """By seat; it plays once on each seat in every block."""
    timeouts: int
    errors: int
    mean_luck: MeanLuck


class Table(Struct, frozen=True):
    """The standings of a season, and the numbers behind them."""

    standings: tuple[Standing, ...]
    """In order of rank."""
    anchor: str | None
    """The entry whose rating is fixed; None if the mean is."""
    seat_ratings: tuple[float, ...]
    """The advantage of each seat over the mean of all seats, in rating points."""
    groups: int
    """The number of groups of entries that no match connects; ratings compare only within a group."""
    blocks: int
    matches: int
    incomplete_blocks: int
    """Blocks that lack rotations and are left out."""


def standings(results: Results, ratings: Ratings | None = None) -> Table:
    """The standings after these results; `ratings` saves computing them again."""
    ratings = ratings or rate(results)
    entries = {entry.entry: entry for entry in results.entries}
    return Table(
        standings=tuple([_standing(results, entries[each.entry], each) for each in ratings.entries]),
        anchor=ratings.anchor,
        seat_ratings=ratings.seats,
        groups=ratings.groups,
        blocks=len(results.blocks),
        matches=sum([len(block.results) for block in results.blocks]),
        incomplete_blocks=results.incomplete,
    )


def _standing(results: Results, entry: EntryLine, rating: Rating) -> Standing:
    own = [
        (match, match.seats.index(entry.entry))
        for block in results.blocks
        if entry.entry in block.base
        for match in block.results
    ]
    won = [seat for match, seat in own if match.winner == seat]
    seats = results.ladder.config.seats
    score = scores(results.blocks, entry.entry)
    return Standing(
        **structs.asdict(rating),
        name=entry.name,
        blocks=len(own) // seats,
        matches=len(own),
        wins=len(won),
        score=_value(score.plain),
        score_interval=_bounds(score.plain),
        score_adjusted=_value(score.adjusted),
        score_adjusted_interval=_bounds(score.adjusted),
        variance_reduction=score.reduction,
        wins_by_seat=tuple([won.count(seat) for seat in range(seats)]),
        timeouts=sum([match.timeouts[seat] for match, seat in own]),
        errors=sum([match.errors[seat] for match, seat in own]),
        mean_luck=_mean_luck(own),
    )


def _value(score: Score | None) -> float | None:
    return None if score is None else score.score


def _bounds(score: Score | None) -> tuple[float, float] | None:
    return None if score is None else score.interval


def _mean_luck(own: Sequence[tuple[ResultLine, int]]) -> MeanLuck:
    measured = [(match.luck, seat) for match, seat in own if match.luck is not None]
    coins = [luck.coins[seat] for luck, seat in measured]
    wins = [luck.wins[seat] for luck, seat in measured if luck.wins is not None]
    return MeanLuck(
        coins=round(sum(coins) / len(coins) / 1_000, 3) if coins else None,
        wins=round(sum(wins) / len(wins) / 1_000_000, 6) if wins else None,
    )


class Cell(Struct, frozen=True):
    """A cell of the crosstable: the matches in which both entries had a seat."""

    entry: str
    opponent: str
    blocks: int
    matches: int
    wins: int
    """Matches that the entry won."""
    losses: int
    """Matches that the opponent won; at larger tables, others may win."""
    score: float | None
    """The entry's share of the matches that either of them won, four decimals; None without any."""


def crosstable(results: Results) -> tuple[Cell, ...]:
    """A cell for every ordered pair of entries, by entry id; zeros for entries that never met."""
    blocks: Counter[tuple[str, str]] = Counter()
    wins: Counter[tuple[str, str]] = Counter()
    for block in results.blocks:
        blocks.update(permutations(block.base, 2))
        for match in block.results:
            won = match.seats[match.winner]
            wins.update([(won, other) for other in match.seats if other != won])
    ids = [entry.entry for entry in results.entries]
    seats = results.ladder.config.seats
    return tuple([_cell(pair, blocks[pair], seats, wins) for pair in permutations(ids, 2)])


def _cell(pair: tuple[str, str], blocks: int, seats: int, wins: Counter[tuple[str, str]]) -> Cell:
    entry, opponent = pair
    won, lost = wins[pair], wins[opponent, entry]
    score = round(won / (won + lost), 4) if won + lost else None
    return Cell(entry, opponent, blocks, blocks * seats, won, lost, score)
