"""The table that a ladder publishes: ratings, scores and what else was counted, by entry."""

from collections.abc import Sequence

from msgspec import Struct, structs

from domain.ladder.lines import EntryLine, ResultLine
from domain.ladder.luck_adjusted import Score, scores
from domain.ladder.ratings import Rating, Ratings, rate
from domain.ladder.results import Results


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
