"""What is computed from the results of ladders: standings, crosstables, and tests of two entries."""

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
    """Luck of a match on average; null where it was not measured."""

    coins: float | None
    """In coins, against the mean of the others."""
    wins: float | None
    """In wins, by the value function."""


class LiveRating(Answer, frozen=True):
    """What an entry is worth at a glance: a rating that follows every block, beside the official one."""

    entry: EntryId
    name: str
    rating: float
    rating_interval: tuple[float, float]
    """95 %."""
    matches: Count


class Standing(Answer, frozen=True):
    """An entry's line of the official table."""

    rank: Positive
    """Equal ratings share a rank."""
    rank_interval: tuple[Positive, Positive]
    """The ranks that it has in 95 % of the replicates."""
    entry: EntryId
    name: str
    rating: float
    """In points; 400 more are odds of ten to one."""
    rating_interval: tuple[float, float]
    """95 %, from a bootstrap over blocks."""
    provisional: bool
    """Half of the interval is still too wide to go by."""
    above_next: float | None
    """Per cent of the replicates in which it is above the next; null for the last."""
    blocks: Count
    matches: Count
    wins: Count
    score: float | None
    """The share of its matches that it won."""
    score_interval: tuple[float, float] | None
    """95 %."""
    score_adjusted: float | None
    """The same with its luck taken out; null where no luck was measured."""
    score_adjusted_interval: tuple[float, float] | None
    """95 %."""
    variance_reduction: float | None
    """As many times fewer matches would do with the adjusted score."""
    wins_by_seat: tuple[Count, ...]
    timeouts: Count
    errors: Count
    """Commands that were refused."""
    mean_luck: MeanLuck
    live: LiveRating | None
    """Its rating at a glance; null before its first block."""


class TableAge(Answer, frozen=True):
    """How old a table is."""

    version: Count
    """Results up to this event of the ladder are counted."""
    blocks: Count
    """As many blocks are counted."""
    computed_at: Instant


class TableProgress(Answer, frozen=True):
    """How far an official table is that takes a while."""

    blocks: Count
    """As many blocks will be counted."""
    done: Count
    """Replicates for the intervals; 0 before these."""
    total: Positive


class Standings(Answer, frozen=True):
    """The official table of a season, and the ratings at a glance."""

    ladder_id: LadderId
    season: Count
    """0 before the first round."""
    digest: str
    """Of the season's configuration; empty before the first round."""
    blocks_counted: Count
    """As many blocks are in the table; fewer than are finished while it is behind."""
    blocks_finished: Count
    """As many blocks of the season count."""
    as_of: TableAge | None
    """Null before there is a table; `items` is empty then."""
    computing: TableProgress | None
    """How far the next official table is; null if none is being computed."""
    anchor: str | None
    """The entry whose rating is fixed; null where the mean of all is."""
    seat_ratings: tuple[float, ...]
    """What each seat is worth in points, against the mean of all seats."""
    groups: Count
    """1 if the matches link all entries; else ratings of groups do not compare."""
    items: tuple[Standing, ...]
    """From the first to the last."""
    live: tuple[LiveRating, ...]
    """The best first; not official."""


class CrosstableCell(Answer, frozen=True):
    """One entry against another: the matches in which both had a seat."""

    entry: EntryId
    opponent: EntryId
    blocks: Count
    matches: Count
    wins: Count
    """Of the entry."""
    losses: Count
    """Won by the opponent; at tables of three and more others may win too."""
    score: float | None
    """The entry's share of what one of the two won; null without such a match."""


class CrosstableEntry(Answer, frozen=True):
    """Whom a row and a column are of."""

    entry: EntryId
    name: str


class Crosstable(Answer, frozen=True):
    """Who met whom how often, and who won."""

    ladder_id: LadderId
    season: Count
    blocks_counted: Count
    """As many blocks are in the table; fewer than are finished while it is behind."""
    blocks_finished: Count
    """As many blocks of the season count."""
    as_of: TableAge | None
    """Null before there is a table; `items` is empty then."""
    computing: TableProgress | None
    """How far the next official table is; null if none is being computed."""
    entries: tuple[CrosstableEntry, ...]
    items: tuple[CrosstableCell, ...]
    """A cell for every ordered pair of entries."""


class SequentialTest(Answer, frozen=True):
    """Is A better than B? What was asked, and how far the answer is."""

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
    """As many are counted: all up to the first that is not over."""
    wins_a: Count
    wins_b: Count
    others: Count
    """Matches that neither won; they do not count."""
    llr: float | None
    """The log-likelihood ratio; null before the first block."""
    lower: float | None
    """At this ratio or below, A is found not better."""
    upper: float | None
    """At this ratio or above, A is found better."""
    elo: float | None
    """The difference as it was seen; an early end makes it look larger."""
    elo_interval: tuple[float, float] | None
    """95 %, for a number of blocks fixed in advance."""
    decision: TestDecision | None
    results: Address
    """Where the results of its matches are."""
