"""`machi ladder results` and `export`."""

from collections.abc import Callable
from pathlib import Path

import click

from machi.cli.export import opened
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.client import Client


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
@click.option("--season", type=click.IntRange(1), help="Use this season instead of the open one.")
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
    path = _path(output or f"{ladder_id}.{'csv' if as_csv else 'ndjson'}", force)
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
"""
)
@click.argument("ladder_id", metavar="LADDER")
@click.option("-o", "--output", metavar="FILE", default="-", help="Output file. [default: standard output]")
@click.option("--season", type=click.IntRange(1), help="Use this season instead of the open one.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@service_options
@session_of
def export(
    session: Session, ladder_id: str, output: str, season: int | None, as_csv: bool, force: bool
) -> None:
    """Download the list of a season's matches.

    Each line has the seats of a match and the hash of its last event. To export whole matches for `machi
    verify`, use `machi export MATCH_ID`.
    """
    path = _path(output, force)
    _write(session, path, lambda client: client.ladder_matches(ladder_id, season, as_csv=as_csv))


def _path(output: str, force: bool) -> Path | None:
    """The output file; None for standard output. Raises: WrongUse."""
    path = None if output == "-" else Path(output)
    if path is not None and path.exists() and not force:
        raise WrongUse(f"{path} already exists; --force overwrites it")
    return path


def _write(session: Session, path: Path | None, read: Callable[[Client], bytes]) -> None:
    with session.patient_client() as client:
        found = read(client)
    with opened(path) as file:
        file.write(found)
    if path is not None:
        session.warn(f"{path}: {len(found.splitlines())} lines")
