"""The standings that a ladder publishes: ratings, scores and what else was counted; and the crosstable.

Beside the plain score of an entry stands the one with its luck taken out: the same mean, as a rule a narrower
interval. Where luck tells little about who wins, as in lopsided pairs, it can be wider.

What is taken out has mean zero given what was decided (a control variate). A value function's luck is in
wins and is taken out as it is. Coin luck needs a slope, which for each block is fitted on other blocks
alone, so that it cannot follow the luck of the block itself: unbiased whatever the slope is.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from math import sqrt
from typing import Final

from msgspec import Struct, structs

from domain.ladder.arithmetic import Z, added
from domain.ladder.ratings import Rating, Ratings, rate
from domain.ladder.results import Block, EntryLine, ResultLine, Results

FOLDS: Final = 10
"""The slope of a block is fitted on the blocks whose number has another last digit."""


class Score(Struct, frozen=True):
    """A share of matches won, from 0 to 1, with its 95 % interval; four decimals."""

    score: float
    interval: tuple[float, float]


class Adjusted(Struct, frozen=True):
    """The scores of an entry; None without a match."""

    plain: Score | None
    adjusted: Score | None
    """None too where no luck was measured. It may lie a little outside 0 to 1."""
    reduction: float | None
    """The variance of the plain score over that of the adjusted one; as many times fewer matches will do."""


class _Played(Struct, frozen=True):
    """Means of an entry over the matches of a block."""

    fold: int
    score: float
    coins: float | None
    """Coin luck, in coins."""
    wins: float | None
    """Luck in wins, by the value function."""


def scores(blocks: Sequence[Block], entry: str) -> Adjusted:
    """The scores of that entry over the blocks that it played in."""
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


def _played(block: Block, entry: str) -> _Played:
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
    """None unless it was measured in all matches."""
    return mean(luck) if len(luck) == len(matches) else None


def _luck(played: Sequence[_Played]) -> list[float]:
    """What is taken out of each block's score; nothing where no luck was measured."""
    slopes = [_slope([block for block in played if block.fold != fold]) for fold in range(FOLDS)]
    return [
        block.wins if block.wins is not None else slopes[block.fold] * (block.coins or 0.0)
        for block in played
    ]


def _slope(others: Sequence[_Played]) -> float:
    """Wins in a coin of luck, by least squares through the mean score."""
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
    """The variance that the sample tells of where it was drawn; 0 for a single value."""
    middle = mean(values)
    return added([(value - middle) * (value - middle) for value in values]) / max(1, len(values) - 1)


def _ratio(plain: float, adjusted: float) -> float | None:
    return round(plain / adjusted, 2) if plain and adjusted else None


def _score(values: Sequence[float], plain: Score) -> Score:
    """A normal interval over blocks; that of the plain score where the blocks do not differ."""
    half = Z * sqrt(variance(values) / len(values))
    middle = mean(values)
    bounds = (round(middle - half, 4), round(middle + half, 4)) if half else plain.interval
    return Score(round(middle, 4), bounds)


def _plain(values: Sequence[float], matches: int) -> Score:
    """Wilson's interval for as many independent matches as would vary like the blocks."""
    share, between = mean(values), variance(values) / len(values)
    independent = share * (1 - share) / between if between else float(matches)
    weight = Z * Z / independent
    middle = (share + weight / 2) / (1 + weight)
    half = Z / (1 + weight) * sqrt(share * (1 - share) / independent + weight / (4 * independent))
    return Score(round(share, 4), (max(0.0, round(middle - half, 4)), min(1.0, round(middle + half, 4))))


class MeanLuck(Struct, frozen=True):
    """Luck of a match, on average; None where it was not measured."""

    coins: float | None
    """Relative coin luck, three decimals."""
    wins: float | None
    """By the value function, six decimals."""


class Standing(Struct, frozen=True):
    """An entry's line of the table."""

    rank: int
    rank_interval: tuple[int, int]
    entry: str
    name: str
    rating: float
    rating_interval: tuple[float, float]
    provisional: bool
    above_next: float | None
    """In how many per cent of the replicates it is stronger than the next in the table."""
    blocks: int
    matches: int
    wins: int
    score: float | None
    """The share of its matches that it won, four decimals; None without a match."""
    score_interval: tuple[float, float] | None
    score_adjusted: float | None
    """The same with its luck taken out; None where no luck was measured."""
    score_adjusted_interval: tuple[float, float] | None
    variance_reduction: float | None
    """The variance of the score over that of the adjusted one."""
    wins_by_seat: tuple[int, ...]
    """It has as many matches at each seat as blocks."""
    timeouts: int
    errors: int
    mean_luck: MeanLuck


class Table(Struct, frozen=True):
    """A ladder's standings, and what they rest on."""

    standings: tuple[Standing, ...]
    """From the first to the last."""
    anchor: str | None
    """The entry whose rating is fixed; None where the mean of all is."""
    seat_ratings: tuple[float, ...]
    """What each seat is worth, in rating points, against the mean of all seats."""
    groups: int
    """1 if the matches link all entries; else ratings of different groups cannot be compared."""
    blocks: int
    matches: int
    incomplete_blocks: int
    """Left out: they lack rotations."""


def standings(results: Results, ratings: Ratings | None = None) -> Table:
    """The table after these results; the ratings are theirs, where they are at hand."""
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
    """One entry against another: the matches in which both had a seat."""

    entry: str
    opponent: str
    blocks: int
    matches: int
    wins: int
    """Of the entry."""
    losses: int
    """Matches that the opponent won; at tables of three and more others may win too."""
    score: float | None
    """The entry's share of the matches that one of the two won, four decimals; None without any."""


def crosstable(results: Results) -> tuple[Cell, ...]:
    """A cell for every ordered pair of entries, by entry id; those that never met have zeros."""
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
