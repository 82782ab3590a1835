"""Ratings of people from their rated matches."""

from datetime import datetime

from contract.names import RatingMethod, RulesetId
from contract.standings import TableProgress
from contract.values import Answer, Count, Hash, Instant, Positive, SeatCount, SeatNumber
from domain.ladder import rated_matches as domain


class RatedPlayer(Answer, frozen=True):
    """An account that played a rated match."""

    account_id: str
    handle: str


class RatedResult(Answer, frozen=True):
    """The result of a rated match."""

    match_id: str
    ruleset: RulesetId
    ended_at: Instant
    players: tuple[RatedPlayer, ...]
    """In the order of turns: the first one had the first turn of the match."""
    winner: SeatNumber
    """The position of the winner in `players`, from 0."""


class RatedResultPage(Answer, frozen=True):
    """One page of the results of a board, by match id, the newest first."""

    items: tuple[RatedResult, ...]
    next: str | None


class PersonRating(Answer, frozen=True):
    """The rating of an account."""

    rank: Positive
    """Equal ratings share a rank."""
    rank_interval: tuple[Positive, Positive]
    """The ranks of the account in 95 % of the replicates."""
    account_id: str
    handle: str
    rating: float
    """In points; 400 points more mean odds of ten to one. The mean of all accounts has 1500."""
    rating_interval: tuple[float, float]
    """The 95 % interval, from a bootstrap over matches."""
    provisional: bool
    """Whether half of the interval is wider than 75 points."""
    above_next: float | None
    """The percentage of replicates in which the account is above the next one; null for the last."""
    matches: Count
    wins: Count


class BoardState(Answer, frozen=True, kw_only=True):
    """What the ratings of a ruleset and a number of seats are computed from."""

    ruleset: RulesetId
    seats: SeatCount
    method: RatingMethod
    as_of: Instant | None
    """The newest results of matches that had ended by then count; null before the first table."""
    computed_at: Instant | None
    results_counted: Count
    """The number of results that count, at most 5,000."""
    results_digest: Hash | None
    """The digest of these results, with which a recomputation begins; docs/ratings.md says of what."""
    results: Count
    """The number of all results. New ones count within about a minute."""


class RatingPage(BoardState, frozen=True, kw_only=True):
    """One page of the ratings of a ruleset and a number of seats, from strongest to weakest."""

    seat_ratings: tuple[float, ...]
    """The advantage of each place in the order of turns over the mean of all, in points."""
    groups: Count
    """The number of groups of accounts that no match connects; ratings compare only within a group."""
    computing: TableProgress | None
    """The progress of the next table; its `blocks` are matches. Null if none is being computed."""
    items: tuple[PersonRating, ...]
    next: str | None


class OwnRating(Answer, frozen=True):
    """The rating of the caller for a ruleset and a number of seats."""

    ruleset: RulesetId
    seats: SeatCount
    as_of: Instant
    rating: PersonRating


class OwnRatings(Answer, frozen=True):
    """The ratings of the caller."""

    items: tuple[OwnRating, ...]
    next: str | None


def rating_shown(one: domain.PersonRating) -> PersonRating:
    """The rating of an account, as it is shown."""
    return PersonRating(
        rank=one.rank,
        rank_interval=one.rank_interval,
        account_id=one.entry,
        handle=one.handle,
        rating=one.rating,
        rating_interval=one.rating_interval,
        provisional=one.provisional,
        above_next=one.above_next,
        matches=one.matches,
        wins=one.wins,
    )


def result_behind(shown: RatedResult) -> domain.RatedResult:
    """The result that is rated, from what is shown of it."""
    players = tuple([domain.RatedPlayer(one.account_id, one.handle) for one in shown.players])
    return domain.RatedResult(shown.match_id, time_ms(shown.ended_at), players, shown.winner)


def time_ms(time: datetime) -> int:
    """The time in ms since 1970."""
    return round(time.timestamp() * 1000)
