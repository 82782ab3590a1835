"""Tables of ladders: standings, crosstables and sequential tests."""

from typing import Annotated

from contract.names import RoundStatus, TestDecision
from contract.values import (
    Address,
    Answer,
    Count,
    EntryId,
    Instant,
    JobId,
    LadderId,
    Positive,
    Share,
    integer,
)


class MeanLuck(Answer, frozen=True):
    """The mean luck per match; null if luck was not measured."""

    coins: float | None
    """In coins, relative to the mean of the others."""
    wins: float | None
    """In wins, by the value function."""


class LiveRating(Answer, frozen=True):
    """The live rating of an entry: unlike the official one, it changes with every block."""

    entry: EntryId
    name: str
    rating: float
    rating_interval: tuple[float, float]
    """The 95 % interval."""
    matches: Count


class Standing(Answer, frozen=True):
    """The line of an entry in the official table."""

    rank: Positive
    """Equal ratings share a rank."""
    rank_interval: tuple[Positive, Positive]
    """The ranks of the entry in 95 % of the replicates."""
    entry: EntryId
    name: str
    rating: float
    """In points; 400 points more mean odds of ten to one."""
    rating_interval: tuple[float, float]
    """The 95 % interval, from a bootstrap over blocks."""
    provisional: bool
    """Whether half of the interval is still wider than `provisional_above`."""
    above_next: float | None
    """The percentage of replicates in which the entry is above the next one; null for the last."""
    blocks: Count
    matches: Count
    wins: Count
    score: float | None
    """The share of its matches that the entry won."""
    score_interval: tuple[float, float] | None
    """The 95 % interval."""
    score_adjusted: float | None
    """The score adjusted for luck; null if luck was not measured."""
    score_adjusted_interval: tuple[float, float] | None
    """The 95 % interval; also null if all blocks have the same adjusted score, such as a single block."""
    variance_reduction: float | None
    """The factor by which the adjusted score needs fewer matches."""
    wins_by_seat: tuple[Count, ...]
    timeouts: Count
    errors: Count
    """The number of refused commands."""
    mean_luck: MeanLuck
    live: LiveRating | None
    """The live rating; null before the entry's first block."""


class TableAge(Answer, frozen=True):
    """The age of a table."""

    version: Count
    """The table counts the results up to this event of the ladder."""
    blocks: Count
    """The number of counted blocks."""
    computed_at: Instant


class TableProgress(Answer, frozen=True):
    """The progress of an official table that is being computed."""

    blocks: Count
    """The number of blocks that it will count."""
    done: Count
    """The finished replicates for the intervals; 0 before the first."""
    total: Positive


class Standings(Answer, frozen=True):
    """The official table and the live ratings of a season."""

    ladder_id: LadderId
    season: Count
    """0 before the first round."""
    digest: str
    """The digest of the season's configuration; empty before the first round."""
    blocks_counted: Count
    """The number of blocks in the table; less than `blocks_finished` while the table is behind."""
    blocks_finished: Count
    """The number of the season's blocks whose results count."""
    as_of: TableAge | None
    """Null until there is a table; `items` is then empty."""
    computing: TableProgress | None
    """The progress of the next official table; null if none is being computed."""
    anchor: str | None
    """The entry whose rating is fixed; null if the mean of all ratings is fixed instead."""
    seat_ratings: tuple[float, ...]
    """The rating of each seat in points, relative to the mean of all seats."""
    groups: Count
    """1 if the matches link all entries; otherwise ratings of different groups are not comparable."""
    items: tuple[Standing, ...]
    """In order of rank."""
    live: tuple[LiveRating, ...]
    """The live ratings, best first; not official."""


class CrosstableCell(Answer, frozen=True):
    """One entry against another, over the matches in which both had a seat."""

    entry: EntryId
    opponent: EntryId
    blocks: Count
    matches: Count
    wins: Count
    """The wins of the entry."""
    losses: Count
    """The opponent's wins; at larger tables, others can win too."""
    score: float | None
    """The entry's share of the matches that either of the two won; null if there are none."""


class CrosstableEntry(Answer, frozen=True):
    """The entry of a row and a column."""

    entry: EntryId
    name: str


class Crosstable(Answer, frozen=True):
    """The results of every entry against every other."""

    ladder_id: LadderId
    season: Count
    blocks_counted: Count
    """The number of blocks in the table; less than `blocks_finished` while the table is behind."""
    blocks_finished: Count
    """The number of the season's blocks whose results count."""
    as_of: TableAge | None
    """Null until there is a table; `items` is then empty."""
    computing: TableProgress | None
    """The progress of the next official table; null if none is being computed."""
    entries: tuple[CrosstableEntry, ...]
    items: tuple[CrosstableCell, ...]
    """A cell for every ordered pair of entries."""


class SequentialTest(Answer, frozen=True):
    """A sequential test of whether A is better than B: its parameters and its progress."""

    test_id: str
    ladder_id: LadderId
    job_id: JobId
    season: Positive
    status: RoundStatus
    a: EntryId
    b: EntryId
    elo0: Annotated[int, integer(-1000, 1000)]
    elo1: Annotated[int, integer(-1000, 1000)]
    alpha: Share
    beta: Share
    most_blocks: Positive
    blocks: Count
    """The number of counted blocks: all before the first unfinished one."""
    wins_a: Count
    wins_b: Count
    others: Count
    """The matches that neither won; they do not count."""
    llr: float | None
    """The log-likelihood ratio; null before the first block."""
    lower: float | None
    """If `llr` is at or below this bound, the decision is `not_better`."""
    upper: float | None
    """If `llr` is at or above this bound, the decision is `better`."""
    elo: float | None
    """The observed difference in rating; an early end makes it look larger."""
    elo_interval: tuple[float, float] | None
    """The 95 % interval, as for a number of blocks fixed in advance."""
    decision: TestDecision | None
    results: Address
    """The address of its results."""
