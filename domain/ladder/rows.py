"""Results and standings as rows of cells, the header first, for tables such as CSV."""

from collections.abc import Iterable
from typing import TypeAlias

from domain.ladder.lines import ResultLine
from domain.ladder.results import Results
from domain.ladder.standings import Standing, Table

Cell: TypeAlias = str | int | float | None
Row: TypeAlias = tuple[Cell, ...]

_MATCH = ("ladder", "season", "round", "block", "rotation", "match_id", "winner", "turns", "version", "head")
_STANDING = (
    "rank", "rank_low", "rank_high", "entry", "name", "rating", "rating_low", "rating_high", "provisional",
    "above_next", "blocks", "matches", "wins", "score", "score_low", "score_high", "score_adjusted",
    "score_adjusted_low", "score_adjusted_high", "variance_reduction", "timeouts", "errors",
    "mean_luck_coins", "mean_luck_wins",
)  # fmt: skip


def result_rows(results: Results) -> list[Row]:
    """A row for each match of the complete blocks; what is by seat has a column for each seat."""
    seats = range(results.ladder.config.seats)
    names = ("seat", "timeouts", "errors", "luck_coins", "luck_wins")
    header = (*_MATCH, *[f"{name}_{seat}" for name in names for seat in seats])
    return [header, *[_match(match) for block in results.blocks for match in block.results]]


def _match(match: ResultLine) -> Row:
    coins: Iterable[int | None] = [None] * len(match.seats)
    wins = coins
    if match.luck is not None:
        coins = match.luck.coins
        wins = wins if match.luck.wins is None else match.luck.wins
    own = [getattr(match, name) for name in _MATCH]
    return (*own, *match.seats, *match.timeouts, *match.errors, *coins, *wins)


def standing_rows(table: Table, seats: int) -> list[Row]:
    """A row for each entry, from the first to the last."""
    header = (*_STANDING, *[f"wins_{seat}" for seat in range(seats)])
    return [header, *[_standing(standing) for standing in table.standings]]


def _standing(standing: Standing) -> Row:
    nothing = (None, None)
    return (
        standing.rank,
        *standing.rank_interval,
        standing.entry,
        standing.name,
        standing.rating,
        *standing.rating_interval,
        str(standing.provisional).lower(),
        standing.above_next,
        standing.blocks,
        standing.matches,
        standing.wins,
        standing.score,
        *(standing.score_interval or nothing),
        standing.score_adjusted,
        *(standing.score_adjusted_interval or nothing),
        standing.variance_reduction,
        standing.timeouts,
        standing.errors,
        standing.mean_luck.coins,
        standing.mean_luck.wins,
        *standing.wins_by_seat,
    )
