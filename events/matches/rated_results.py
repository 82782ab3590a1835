"""The results of rated matches, from the index of each board and the summaries of its matches.

The append that ends a match writes both, in one script, so no result is missing or counted twice, whatever
happens to workers. `events.reindex` rebuilds them from the matches.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from domain.ladder.rated_matches import MOST_COUNTED, Board, RatedPlayer, RatedResult, counted
from domain.match.rulesets import CURRENT
from events.matches.lists import summaries_of
from events.matches.projections import Summary, rated_index
from events.store import keys
from events.store.records import Store, member_pages

TABLE_PREFIX: Final = "people-"
ONLY_SEASON: Final = 1
"""The tables of boards are kept as those of a ladder with one season."""
_PAGE: Final = 500


class ResultPage(Struct, frozen=True):
    """A page of the results of a board."""

    items: tuple[RatedResult, ...]
    next: str | None
    """The cursor of the next page; None at the end."""


class Counted(Struct, frozen=True):
    """The results of a board that count at a time."""

    results: tuple[RatedResult, ...]
    """In order of match id."""
    known: int
    """The number of all results that the board had by then."""


def boards() -> Iterator[Board]:
    """All boards, those without results too."""
    for ruleset in CURRENT.values():
        fewest, most = ruleset.seats
        yield from [Board(ruleset.id, seats) for seats in range(fewest, most + 1)]


def table_name(board: Board) -> str:
    """The name of the tables of a board, in place of a ladder's id."""
    return f"{TABLE_PREFIX}{board.ruleset}-{board.seats}"


def board_named(name: str) -> Board | None:
    """The inverse of `table_name`; None if there is no such board."""
    return next((board for board in boards() if table_name(board) == name), None)


def count_results(store: Store, boards: Iterable[Board]) -> dict[Board, int]:
    """The number of results of each of these boards.

    Raises:
        StoreUnavailable.
    """
    wanted = [*boards]
    return dict(zip(wanted, store.count_members([_index(board) for board in wanted]), strict=True))


def results_page(store: Store, board: Board, cursor: str | None, limit: int) -> ResultPage:
    """At most `limit` results, the newest match first. `cursor` is the `next` of the previous page.

    Raises:
        StoreUnavailable.
    """
    ids = store.members(_index(board), cursor, limit + 1)
    return ResultPage(_results(store, ids[:limit]), ids[limit - 1] if len(ids) > limit else None)


def counted_results(store: Store, board: Board, as_of_ms: int) -> Counted:
    """The results that count at `as_of_ms`, in ms since 1970.

    Raises:
        StoreUnavailable.
    """
    known = count_results(store, [board])[board]
    found: list[RatedResult] = []
    later = 0
    for ids in islice(member_pages(store, _index(board), _PAGE), MOST_COUNTED // _PAGE * 2):
        page = _results(store, ids)
        later += sum([one.ended_ms > as_of_ms for one in page])
        found += page
        if len(found) - later >= MOST_COUNTED:
            break
    return Counted(counted(found, as_of_ms), known - later)


def _index(board: Board) -> str:
    return keys.index(rated_index(*board))


def _results(store: Store, match_ids: Sequence[str]) -> tuple[RatedResult, ...]:
    return tuple([result for one in summaries_of(store, match_ids) if (result := _result(one)) is not None])


def _result(summary: Summary) -> RatedResult | None:
    end, winner = summary.rated_end, summary.winner
    if end is None or winner is None:
        return None
    seats = range(end.first_seat, end.first_seat + summary.seats)
    players = {player.seat: RatedPlayer(player.id, player.name) for player in summary.players}
    return RatedResult(
        summary.match_id,
        end.at_ms,
        tuple([players[seat % summary.seats] for seat in seats]),
        (winner - end.first_seat) % summary.seats,
    )
