"""`machi ladder list`, `show`, `table` and `crosstable`."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, Protocol

import click
from rich.table import Table

from contract.ladders import LadderBot
from contract.standings import TableProgress
from machi.cli.session import Session, bare_table, one_line, service_options, session_of
from machi.ladders import Crosstable, Ladder, ListedLadder, Standings

SEASON = click.option("--season", type=click.IntRange(1), help="Use this season instead of the open one.")
_TEXTS: Final = ("name", "entry", "status", "ladder", "ruleset", "player")
"""Names of columns that are not numbers."""


WIDE: Final = 120
"""Width in columns from which on a terminal also shows the adjusted score's interval; `--json` always has it.
"""
LEGEND: Final = (
    "rank (from-to), 95 %: the 95 % intervals of rank and rating; rating?: provisional; "
    "score: share of matches won; adjusted: score without the luck of dice and draws; "
    "by seat: matches won from seat 0, 1 and so on; faults: time-outs + refused commands"
)
NO_TABLE: Final = "There is no table yet."
NO_SEASON: Final = "no season has begun"


class Rated(Protocol):
    """What all rows with a rating have."""

    @property
    def rating(self) -> float: ...
    @property
    def rating_interval(self) -> tuple[float, float]: ...
    @property
    def provisional(self) -> bool: ...
    @property
    def matches(self) -> int: ...
    @property
    def wins(self) -> int: ...


class Row(Rated, Protocol):
    """A row of a table, from the service or computed here."""

    @property
    def rank(self) -> int: ...
    @property
    def rank_interval(self) -> tuple[int, int]: ...
    @property
    def entry(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def score(self) -> float | None: ...
    @property
    def score_adjusted(self) -> float | None: ...
    @property
    def score_adjusted_interval(self) -> tuple[float, float] | None: ...
    @property
    def wins_by_seat(self) -> tuple[int, ...]: ...
    @property
    def timeouts(self) -> int: ...
    @property
    def errors(self) -> int: ...


def plain_table(*columns: str) -> Table:
    """A table without lines; numbers are aligned right."""
    table = bare_table()
    for name in columns:
        table.add_column(name, justify="left" if name in _TEXTS else "right", no_wrap=True)
    return table


def print_table(session: Session, shown: Table, otherwise: str) -> None:
    """Print the whole table at any width, so that no digit is cut off; `otherwise` if it is empty."""
    if shown.row_count:
        session.wide.print(shown, soft_wrap=True)
    else:
        session.out.print(otherwise)


@click.command("list")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number to show."
)
@service_options
@session_of
def ladders(session: Session, limit: int) -> None:
    """List ladders, the newest first."""
    with session.client() as client:
        found = islice(client.ladders(page_size=min(limit, 500)), limit)
        session.show_each(found, lambda found: _print_ladders(session, found))


def _print_ladders(session: Session, found: Iterable[ListedLadder]) -> None:
    table = plain_table("ladder", "name", "ruleset", "seats", "season", "entries", "tournament")
    for one in found:
        numbers = (str(one.seats), str(one.season), str(one.entries))
        table.add_row(one.ladder_id, one_line(one.name), one.ruleset, *numbers, one.tournament or "")
    print_table(session, table, "No ladders found.")


@click.command()
@click.argument("ladder_id", metavar="LADDER")
@service_options
@session_of
def show(session: Session, ladder_id: str) -> None:
    """Show a ladder: its entries and its last rounds."""
    with session.client() as client:
        session.show(client.ladder(ladder_id), lambda found: _print_ladder(session, found))


def _print_ladder(session: Session, found: Ladder) -> None:
    season = f"season {found.season}" if found.season else NO_SEASON
    session.say(f"{found.name}: {found.config.ruleset}, {found.config.seats} seats, {season}")
    session.say(f"configuration {found.digest}")
    print_table(session, _entries(found), "The ladder has no entries yet.")
    for one in found.rounds[:10]:
        given_up = f", {one.given_up} given up" if one.given_up else ""
        blocks = f"{one.finished} of {one.blocks} blocks{given_up}"
        session.say(f"{one.purpose} round {one.round}: {one.status}, {blocks}, job {one.job_id}")


def _entries(found: Ladder) -> Table:
    table = plain_table("entry", "name", "player", "status")
    for entry in found.entries:
        who = entry.player.handle if isinstance(entry.player, LadderBot) else entry.player.name
        faults = len(entry.evidence.faults) if entry.evidence else 0
        status = f"{entry.status}, faults in {faults} matches" if faults else entry.status
        table.add_row(entry.entry_id, one_line(entry.name), one_line(f"{who} {entry.player.version}"), status)
    return table


@click.command()
@click.argument("ladder_id", metavar="LADDER")
@SEASON
@service_options
@session_of
def table(session: Session, ladder_id: str, season: int | None) -> None:
    """Show the official table.

    Ratings and ranks have 95 % intervals. A rating with ? is provisional: its interval is still too wide to
    rely on. A suspended bot stays in the table with its results so far.
    """
    with session.client() as client:
        found = client.standings(ladder_id, season)
        session.show(found, lambda found: _print_official(session, found, client.ladder(ladder_id)))


def _print_official(session: Session, found: Standings, ladder: Ladder) -> None:
    print_standings(session, found.items, _suspended(ladder))
    session.warn(_age(found))


def _suspended(found: Ladder) -> tuple[str, ...]:
    return tuple([entry.entry_id for entry in found.entries if entry.status == "suspended"])


def print_standings(session: Session, rows: Iterable[Row], suspended: Sequence[str] = ()) -> None:
    """Print the rows of a table with the published digits; on a wide terminal, all columns.

    `suspended` entries are marked.
    """
    is_wide = session.out.width >= WIDE
    adjusted = ("adjusted", "adjusted 95 %") if is_wide else ("adjusted",)
    numbers = ("rating", "95 %", "matches", "wins", "score", *adjusted, "by seat", "faults")
    shown = plain_table("rank", "name", *numbers)
    for row in rows:
        low, high = row.rank_interval
        shown.add_row(
            f"{row.rank} ({low}-{high})",
            one_line(row.name) + (" (suspended)" if row.entry in suspended else ""),
            *rating_cells(row),
            _share(row.score),
            _share(row.score_adjusted),
            *([_shares(row.score_adjusted_interval)] if is_wide else []),
            "/".join(map(str, row.wins_by_seat)),
            f"{row.timeouts}+{row.errors}" if row.timeouts or row.errors else "",
        )
    print_table(session, shown, NO_TABLE)
    if shown.row_count:
        session.warn(LEGEND, "dim")


def rating_cells(row: Rated) -> tuple[str, str, str, str]:
    """The rating with ? if it is provisional, its interval, the matches and the wins."""
    low, high = row.rating_interval
    provisional = "?" if row.provisional else ""
    return f"{row.rating:.1f}{provisional}", f"{low:.1f}..{high:.1f}", str(row.matches), str(row.wins)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _shares(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{interval[0]:.4f}..{interval[1]:.4f}"


def _age(found: Standings) -> str:
    if not found.season:
        return NO_SEASON
    blocks = f"{found.blocks_counted} of {found.blocks_finished} finished blocks counted"
    at = f", computed {found.as_of.computed_at:%Y-%m-%d %H:%M:%S} UTC" if found.as_of else ""
    next_one = f", the next table is {table_progress(found.computing)}" if found.computing else ""
    return f"season {found.season}: {blocks}{at}{next_one}"


def table_progress(progress: TableProgress) -> str:
    """The progress of a table."""
    return f"being computed: {progress.done} of {progress.total} replicates"


@click.command()
@click.argument("ladder_id", metavar="LADDER")
@SEASON
@service_options
@session_of
def crosstable(session: Session, ladder_id: str, season: int | None) -> None:
    """Show wins and losses between all entries.

    A cell counts the wins and losses of the entry in its row against the entry in its column.
    """
    with session.client() as client:
        found = client.crosstable(ladder_id, season)
    session.show(found, lambda found: print_table(session, _crossed(found), NO_TABLE))


def _crossed(found: Crosstable) -> Table:
    numbers: Sequence[Any] = [*enumerate(found.entries, 1)]
    shown = plain_table("no", "name", *[str(number) for number, _ in numbers])
    cells = {(cell.entry, cell.opponent): cell for cell in found.items}
    for number, row in numbers:
        won = [cells.get((row.entry, column.entry)) for _, column in numbers]
        shown.add_row(
            str(number), one_line(row.name), *[f"{cell.wins}-{cell.losses}" if cell else "" for cell in won]
        )
    return shown
