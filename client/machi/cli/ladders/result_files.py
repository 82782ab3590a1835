"""`machi ladder results`, `export` and `rate`: files of results, and tables computed from them.

The rating rules are imported only where they are needed, so that other commands start without them.
"""

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click
import msgspec

from domain.audit.bounds import LONGEST_LINE
from machi.cli.audits.exports import lines_of, reason, unzipped
from machi.cli.export import opened, output_path
from machi.cli.ladders.tables import SEASON, print_standings
from machi.cli.session import Session, Unusable, WrongUse, service_options, session_of
from machi.client import Client
from machi.ladders import Standings

if TYPE_CHECKING:
    from domain.ladder.results import Results
    from domain.ladder.standings import Table

_MOST_EMPTY: Final = 1000
"""Empty lines of a file: a small packed file can have any number of them."""


@click.command(
    epilog="""\b
Examples:
  machi ladder results LADDER -o results.ndjson
  machi ladder results LADDER -o - | machi ladder rate -
  machi ladder results LADDER --kind result -o table.ndjson
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.option(
    "-o", "--output", metavar="FILE", help="Output file; - is standard output. [default: LADDER.ndjson]"
)
@SEASON
@click.option("--test", metavar="TEST", help="Export the results of this sequential test.")
@click.option(
    "--kind", type=click.Choice(["ladder", "entry", "result"]), help="Export only lines of this kind."
)
@click.option(
    "--csv", "as_csv", is_flag=True, help="Export CSV, without the lines of the ladder and its entries."
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@service_options
@session_of
def results(
    session: Session,
    ladder_id: str,
    output: str | None,
    season: int | None,
    test: str | None,
    kind: str | None,
    as_csv: bool,
    force: bool,
) -> None:
    """Download all results of a season.

    The table can be recomputed from them: see `machi ladder rate`. With --kind, all lines have the same
    members, as `pandas.read_json(FILE, lines=True)` expects.

    The file appears only when it is complete. If its name ends in .gz, it is compressed.
    """
    if as_csv and kind not in (None, "result"):
        raise WrongUse("--csv exports results only")
    path = output_path(output or f"{ladder_id}.{'csv' if as_csv else 'ndjson'}", force)
    _write(
        session,
        path,
        lambda client: client.results(ladder_id, season, test=test, as_csv=as_csv, kind=kind),
    )


@click.command(
    epilog="""\b
Examples:
  machi ladder export LADDER -o matches.ndjson
  machi ladder export LADDER --csv -o - | cut -d, -f5
  machi ladder export LADDER --events -o events.ndjson
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.option("-o", "--output", metavar="FILE", default="-", help="Output file. [default: standard output]")
@SEASON
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--events", is_flag=True, help="Export all events of the ladder instead of its matches.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@service_options
@session_of
def export(
    session: Session,
    ladder_id: str,
    output: str,
    season: int | None,
    as_csv: bool,
    events: bool,
    force: bool,
) -> None:
    """Download the list of a season's matches, or the history of the ladder.

    Each line has the seats of a match and the hash of its last event. To export whole matches for `machi
    verify`, use `machi export MATCH_ID`. From the events, `machi ladder verify --history` recomputes a
    tournament.
    """
    if events and (as_csv or season):
        raise WrongUse("--events takes neither --csv nor --season")
    path = output_path(output, force)
    if events:
        _write(
            session, path, lambda client: b"".join([one + b"\n" for one in client.ladder_events(ladder_id)])
        )
        return
    _write(session, path, lambda client: client.ladder_matches(ladder_id, season, as_csv=as_csv))


def _write(session: Session, path: Path | None, read: Callable[[Client], bytes]) -> None:
    with session.patient_client() as client:
        found = read(client)
    with opened(path) as file:
        file.write(found)
    if path is not None:
        count = len(found.splitlines())
        session.warn(f"{path}: {'1 line' if count == 1 else f'{count} lines'}")


@click.command(
    epilog="""\b
Exit codes: 0 done, 1 the service's table differs, 2 wrong usage, 3 file
unreadable or service unreachable, 130 interrupted.

\b
Examples:
  machi ladder rate results.ndjson
  shuf results.ndjson | machi ladder rate - --json
  machi ladder rate results.ndjson --compare LADDER
  machi ladder rate results.ndjson --compare https://machi.example.org/LADDER
"""
)
@click.argument("file")
@click.option(
    "--compare", metavar="LADDER", help="Compare with the official table of this ladder (ID or URL/ID)."
)
@service_options
@session_of
def rate(session: Session, file: str, compare: str | None) -> int:
    """Compute the official table from a results file.

    The service is not needed. FILE is an output of `machi ladder results`, gzipped or not; - is standard
    input. The order of its lines does not matter. Every digit is the same as in the published table.
    """
    from domain.ladder.standings import standings

    ladder_id = _named(session, compare) if compare else ""
    results = results_in(file)
    table = standings(results)
    session.show(_as_published(table, results), lambda _: _print_computed(session, table, results))
    if table.incomplete_blocks:
        left_out = "1 block is incomplete and" if table.incomplete_blocks == 1 else None
        left_out = left_out or f"{table.incomplete_blocks} blocks are incomplete and"
        session.warn(f"{left_out} left out: results of some rotations are missing", "yellow")
    return _compared(session, ladder_id, results, table) if ladder_id else 0


def _print_computed(session: Session, table: "Table", results: "Results") -> None:
    print_standings(session, table.standings)
    counted = f"{table.matches} matches in {table.blocks} blocks"
    session.warn(f"{counted}, configuration {results.ladder.digest}")


def _as_published(table: "Table", results: "Results") -> dict[str, Any]:
    """The table with the names that the service's standings use."""
    found = msgspec.to_builtins(table, str_keys=True)
    return {
        "ladder_id": results.ladder.ladder,
        "season": results.ladder.season,
        "digest": results.ladder.digest,
        "blocks_counted": found.pop("blocks"),
        "items": found.pop("standings"),
        **found,
    }


def _named(session: Session, text: str) -> str:
    """The id of the ladder; a service named before it becomes the session's. Raises: WrongUse."""
    service, _, ladder_id = text.rstrip("/").rpartition("/")
    if not ladder_id.startswith("lad_"):
        raise WrongUse(f"--compare needs a ladder id (lad_...) or URL/LADDER, not {text!r}")
    if service:
        parts = urlsplit(service)
        session.given_url = service.removesuffix("/v1/ladders") if parts.scheme else service
    return ladder_id


def _compared(session: Session, ladder_id: str, results: "Results", table: "Table") -> int:
    """The exit code: 1 if the service's table differs from the computed one."""
    with session.client() as client:
        published = client.standings(ladder_id, results.ladder.season)
    found = differences(published, results.ladder.digest, msgspec.to_builtins(table, str_keys=True))
    for one in found[:20]:
        session.warn(one, "red")
    if not found:
        session.warn(
            f"identical to the table of {ladder_id}, in every digit; blocks: {table.blocks}", "green"
        )
    return 1 if found else 0


def differences(published: Standings, digest: str, computed: dict[str, Any]) -> list[str]:
    """The differences from the service's table, in words."""
    theirs = msgspec.json.decode(published.raw)
    if theirs["digest"] != digest:
        return [f"the configuration is {theirs['digest']} at the service, {digest} in the results"]
    if theirs["blocks_counted"] != computed["blocks"]:
        return [
            f"the service counted {theirs['blocks_counted']} blocks, the results have {computed['blocks']}"
        ]
    rows = {row["entry"]: row for row in theirs["items"]}
    mine = {row["entry"]: row for row in computed["standings"]}
    found = [f"{entry} is in one table only" for entry in sorted(rows.keys() ^ mine.keys())]
    for entry, row in mine.items():
        there = rows.get(entry, row)
        found += [
            f"{row['name']}: {name} is {there.get(name)!r} at the service, {_plain(value)!r} here"
            for name, value in row.items()
            if there.get(name) != _plain(value)
        ]
    named = ("anchor", "seat_ratings", "groups")
    return found + [f"{name} differs" for name in named if theirs[name] != _plain(computed[name])]


def _plain(value: Any) -> Any:
    """The value after a round trip through JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))


def results_in(name: str, *, of_test: bool = False) -> "Results":
    """The results in the file of that name; - is standard input.

    The results of a sequential test may contain stand-ins, which no table can contain.

    Raises:
        Unusable: the file cannot be read, or has no results of a ladder.
    """
    from domain.ladder.results import ResultsFault, read

    try:
        with lines_in(name) as lines:
            return read(lines, with_stand_ins=of_test)
    except ResultsFault as fault:
        raise Unusable(f"{name}: {fault}") from None


@contextmanager
def lines_in(name: str) -> Iterator[Iterable[bytes]]:
    """The lines of the file of that name, gzipped or not; - is standard input.

    Raises:
        Unusable: the file cannot be read or is no file of results, also while its lines are taken.
    """
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            yield _bounded(name, unzipped(file))
    except (OSError, EOFError, zlib.error) as error:
        raise Unusable(f"cannot read {name}: {reason(error)}") from None


def _bounded(name: str, file: IO[bytes]) -> Iterator[bytes]:
    """The lines while they are as those of results can be: anybody may have written the file."""
    empty = 0
    for number, line in enumerate(lines_of(file), 1):
        if len(line) > LONGEST_LINE:
            raise Unusable(f"{name}: line {number}: it has more than {LONGEST_LINE} bytes")
        empty += not line.strip()
        if empty > _MOST_EMPTY:
            raise Unusable(f"{name}: line {number}: more than {_MOST_EMPTY} lines are empty")
        yield line
