"""`machi ratings`: ratings of people, the results behind them, and their recomputation.

The rating rules are imported only where they are needed, so that other commands start without them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import click
import msgspec
from msgspec.structs import asdict

from contract.ratings import PersonRating, RatedResult, rating_shown, result_behind, time_ms
from machi.cli.export import opened, output_path
from machi.cli.ladders.result_files import lines_in
from machi.cli.ladders.tables import plain_table, print_table, rating_cells, table_progress
from machi.cli.options import ruleset_or_base
from machi.cli.session import Session, Unusable, json_of, one_line, service_options, session_of
from machi.client import Client
from machi.values import OwnRating, RatingPage

if TYPE_CHECKING:
    from domain.ladder import rated_matches as domain
    from domain.ladder.rated_matches import Board

NO_RATINGS: Final = "Nobody has a rating yet."
_FOREVER_MS: Final = 2**53 - 1
_decode: Final = msgspec.json.Decoder(RatedResult).decode

_ruleset = ruleset_or_base(help="Ruleset of the rated matches.")
_seats = click.option(
    "--seats", type=click.IntRange(2, 5), default=2, show_default=True, help="Number of seats."
)


@click.group(
    epilog="""\b
Examples:
  machi ratings table --ruleset harbor --seats 3
  machi ratings mine
  machi ratings verify
\b
To recompute ratings on a machine without a network:
  machi ratings results -o results.ndjson
  machi ratings rate results.ndjson
"""
)
def ratings() -> None:
    """Show and recompute the ratings of people."""


@ratings.command()
@_ruleset
@_seats
@service_options
@session_of
def table(session: Session, ruleset: str, seats: int) -> None:
    """Show the ratings for a ruleset and a number of seats.

    Ratings and ranks have 95 % intervals. A rating with ? is provisional: its interval is still too wide to
    rely on.
    """
    with session.client() as client:
        session.show(client.ratings(ruleset, seats), lambda found: _print_board(session, found))


def _print_board(session: Session, found: RatingPage) -> None:
    _print_rows(session, found.items)
    at = f", computed {found.computed_at:%Y-%m-%d %H:%M:%S} UTC" if found.computed_at else ""
    next_one = f", the next table is {table_progress(found.computing)}" if found.computing else ""
    session.warn(f"{found.results_counted} of {_results(found.results)} counted{at}{next_one}")


def _results(count: int) -> str:
    return "1 result" if count == 1 else f"{count} results"


def _print_rows(session: Session, rows: Iterable[PersonRating]) -> None:
    shown = plain_table("rank", "name", "rating", "95 %", "matches", "wins")
    for row in rows:
        low, high = row.rank_interval
        shown.add_row(
            f"{row.rank} ({low}-{high})",
            one_line(row.handle),
            *rating_cells(row),
        )
    print_table(session, shown, NO_RATINGS)


@ratings.command()
@service_options
@session_of
def mine(session: Session) -> None:
    """Show your own ratings."""
    session.require_account()
    with session.client() as client:
        session.show_each(client.my_ratings(), lambda found: _print_own(session, found))


def _print_own(session: Session, found: Iterable[OwnRating]) -> None:
    shown = plain_table("ruleset", "seats", "rank", "rating", "95 %", "matches", "wins")
    for one in found:
        row = one.rating
        shown.add_row(
            one.ruleset,
            str(one.seats),
            str(row.rank),
            *rating_cells(row),
        )
    print_table(session, shown, "You have no rating yet.")


@ratings.command()
@_ruleset
@_seats
@click.option("-o", "--output", metavar="FILE", default="-", help="Output file. [default: standard output]")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@service_options
@session_of
def results(session: Session, ruleset: str, seats: int, output: str, force: bool) -> None:
    """Download all results of rated matches, one object per line.

    The file appears only when it is complete. If its name ends in .gz, it is compressed.
    """
    path = output_path(output, force)
    count = 0
    with session.patient_client() as client, opened(path) as file:
        for one in client.rated_results(ruleset, seats):
            file.write(json_of(one).encode() + b"\n")
            count += 1
    if path is not None:
        session.warn(f"{path}: {_results(count)}")


@ratings.command()
@click.argument("file")
@service_options
@session_of
def rate(session: Session, file: str) -> None:
    """Compute the ratings from a file of results, without the service.

    FILE is an output of `machi ratings results`, gzipped or not; - is standard input. The order of its lines
    does not matter, and a repeated line counts once.
    """
    from domain.ladder.rated_matches import Board
    from domain.ladder.rated_matches import rate as rate_board

    found = _results_in(file)
    if not found:
        raise Unusable(f"{file}: there are no results")
    board = Board(found[0].ruleset, len(found[0].players))
    computed = rate_board(board, _of_board(file, board, found), _FOREVER_MS)
    session.show(computed, lambda computed: _print_rows(session, map(rating_shown, computed.ratings)))
    session.warn(
        f"{_results(computed.results)} of {board.ruleset} with {board.seats} seats, {computed.digest}"
    )


@ratings.command(
    epilog="""\b
Exit codes: 0 the ratings follow from the results, 1 they differ, 2 wrong
usage, 3 file unreadable or service unreachable, 130 interrupted.
"""
)
@click.argument("file", required=False)
@_ruleset
@_seats
@service_options
@session_of
def verify(session: Session, file: str | None, ruleset: str, seats: int) -> int:
    """Recompute the ratings that the service shows, and compare every digit.

    The results come from the service, or from FILE, an output of `machi ratings results`. To verify the
    matches behind them, use `machi verify MATCH_ID`.
    """
    from domain.ladder.rated_matches import Board

    board = Board(ruleset, seats)
    with session.patient_client() as client:
        shown = client.ratings(ruleset, seats)
        if shown.as_of is None:
            session.say(NO_RATINGS)
            return 0
        as_of_ms = time_ms(shown.as_of)
        found = _results_in(file) if file else _newest(client, board, as_of_ms)
        results = _of_board(file or session.url, board, found)
    faults = differences(shown, board, results, as_of_ms)
    for one in faults[:20]:
        session.warn(one, "red")
    if not faults:
        counted = f"{len(shown.items)} ratings from {_results(shown.results_counted)}"
        session.say(f"identical in every digit: {counted}", "green")
    return 1 if faults else 0


def _newest(client: Client, board: "Board", as_of_ms: int) -> Iterator[RatedResult]:
    """The results that count, and those that came since; older ones are not downloaded."""
    from domain.ladder.rated_matches import MOST_COUNTED

    counting = 0
    for one in client.rated_results(*board):
        yield one
        counting += time_ms(one.ended_at) <= as_of_ms
        if counting == MOST_COUNTED:
            return


def differences(
    shown: RatingPage, board: "Board", results: "Sequence[domain.RatedResult]", as_of_ms: int
) -> list[str]:
    """What differs between the ratings that the service shows and those of the results, in words."""
    from domain.ladder.rated_matches import counted, digest_of
    from domain.ladder.rated_matches import rate as rate_board

    counting = counted(results, as_of_ms)
    if digest_of(counting) != shown.results_digest:
        told = f"{_results(shown.results_counted)}, {shown.results_digest}"
        return [f"the service counted {told}; here are {len(counting)}, {digest_of(counting)}"]
    computed = rate_board(board, counting, as_of_ms)
    rows = {row.account_id: row for row in shown.items}
    mine = {one.entry: rating_shown(one) for one in computed.ratings}
    found = [f"{account_id} is in one table only" for account_id in sorted(rows.keys() ^ mine.keys())]
    for account_id in sorted(rows.keys() & mine.keys()):
        there, here = asdict(rows[account_id]), asdict(mine[account_id])
        found += [
            f"{rows[account_id].handle}: {name} is {there[name]!r} at the service, {value!r} here"
            for name, value in here.items()
            if there[name] != value
        ]
    if (shown.seat_ratings, shown.groups) != (computed.seats, computed.groups):
        found.append("the seats or the groups differ")
    return found


def _results_in(name: str) -> list[RatedResult]:
    """The results in the file of that name. Raises: Unusable."""
    try:
        with lines_in(name) as lines:
            # Each is kept once, however often a small packed file repeats it.
            return [*dict.fromkeys(_decode(line) for line in lines if line.strip())]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unusable(f"{name}: not a result of a rated match: {error}") from None


def _of_board(name: str, board: "Board", found: Iterable[RatedResult]) -> "list[domain.RatedResult]":
    """The results, which are all of that board. Raises: Unusable."""
    results = []
    for one in found:
        if (one.ruleset, len(one.players)) != board or not 0 <= one.winner < board.seats:
            raise Unusable(f"{name}: {one.match_id} is no result of {board.ruleset} with {board.seats} seats")
        results.append(result_behind(one))
    return results
