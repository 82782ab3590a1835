"""The standings and the crosstable that a ladder publishes.

Ratings and ranks come with their intervals from `domain.ladder.ratings`, scores from `domain.ladder.scores`.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

from msgspec import Struct, structs

from domain.ladder.ratings import Rating, Ratings, rate
from domain.ladder.results import EntryLine, ResultLine, Results
from domain.ladder.scores import Score, scores


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
    """Also None if all blocks have the same adjusted score, such as a single block."""
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
