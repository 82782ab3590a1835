"""`machi export`."""

import gzip
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

import click
from msgspec import Struct
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from machi.answers import decoded
from machi.cli.exports.selection import OVER, Selection
from machi.cli.options import RULESETS
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.client import Client

EXPORT: Final = "ndjson"
"""The format of complete records; all others are tables."""
INPUT: Final = "-"
"""The name that stands for standard input or output."""
_TIMES: Final = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ")


class Manifest(Struct):
    """The members that are used here of the first line of a match."""

    status: str
    events: int


@click.command(
    epilog="""\b
Examples:
  machi export mat_01M7WRCDNE5VV31RSBR368627A
  machi export mat_01M7WRCDNE5VV31RSBR368627A -o match.ndjson --force
  machi export --tag autumn-cup -o cup.ndjson.gz
  machi export mat_01M7WRCDNE5VV31RSBR368627A -o - | machi verify -
  machi export --format parquet --ladder lad_01M7WRD0D3SF7ZC6N6B0SMWFVX -o ladder
  machi export --format csv --all --ruleset harbor --since 2026-11-01 -o harbor
  machi export --format csv cup.ndjson.gz -o cup
"""
)
@click.argument("targets", metavar="[MATCH_ID|FILE]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    metavar="FILE|FOLDER",
    help="Output file, or folder of tables; - is standard output. [default: named by MATCH_ID]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice([EXPORT, "parquet", "csv"]),
    default=EXPORT,
    show_default=True,
    help="Complete records, or tables for analysis.",
)
@click.option("--all", "everything", is_flag=True, help="Export all ended matches that you may see.")
@click.option("--tag", metavar="TAG", help="Export ended matches with this tag.")
@click.option("--ladder", metavar="LADDER", help="Export the matches that count in this ladder.")
@click.option("--season", type=click.IntRange(1), help="With --ladder: this season, not the open one.")
@click.option("--ruleset", type=click.Choice(RULESETS), help="Of these, only matches of this ruleset.")
@click.option(
    "--since",
    type=click.DateTime(_TIMES),
    metavar="TIME",
    help="Of these, only matches created at this time (UTC) or later.",
)
@click.option("--no-luck", is_flag=True, help="Leave the columns of luck empty, which is faster.")
@click.option("--resume", is_flag=True, help="Continue tables that were interrupted, or add new matches.")
@click.option("--force", is_flag=True, help="Overwrite an existing file or existing tables.")
@service_options
@session_of
def export(
    session: Session,
    targets: tuple[str, ...],
    output: str | None,
    form: str,
    everything: bool,
    tag: str | None,
    ladder: str | None,
    season: int | None,
    ruleset: str | None,
    since: datetime | None,
    no_luck: bool,
    resume: bool,
    force: bool,
) -> int:
    """Export matches: complete records that `machi verify` reads, or tables for analysis.

    A record holds everything that an audit needs, one JSON object per line: the rules, all events, the seed
    and the signature of each match, one match after the other. A match in progress is exported as it stands.
    The file appears only when it is complete. If its name ends in .gz, it is compressed.

    Tables are Parquet or CSV files of events, decisions and results in a folder; docs/data.md describes each
    column. They can also be made from records: FILE is an output of `machi export`, gzipped or not.
    """
    files = tuple([one for one in targets if form != EXPORT and _is_file(one)])
    selection = Selection(
        match_ids=tuple([one for one in targets if one not in files]),
        everything=everything,
        tag=tag,
        ladder=ladder,
        season=season,
        ruleset=ruleset,
        since=since and since.replace(tzinfo=UTC),
    )
    selection.check(has_files=bool(files))
    if form == EXPORT:
        if resume or no_luck:
            raise WrongUse("--resume and --no-luck require --format parquet or csv")
        _export_records(session, selection, output, force)
        return 0
    if files and selection.match_ids:
        raise WrongUse(f"name files or matches, not both; there is no file {selection.match_ids[0]}")
    if output is None and (files or len(selection.match_ids) != 1):
        raise WrongUse("-o is required: the folder for the tables")
    if output == INPUT:
        raise WrongUse("tables are written to a folder")
    from machi.cli.exports.tables import TableExport, export_tables
    from machi.tabular import Header

    folder = Path(output or selection.match_ids[0])
    header = Header(format=form, luck=not no_luck)
    return export_tables(session, TableExport(selection, files, folder, header, resume, force))


def _is_file(target: str) -> bool:
    return target == INPUT or Path(target).is_file()


def _export_records(session: Session, selection: Selection, output: str | None, force: bool) -> None:
    path = _checked_path(selection.match_ids, output, force)
    with session.patient_client() as client:
        chosen = selection.found(client)
        with opened(path) as file:
            written = _write(session, client, chosen, file)
    if path is not None:
        session.warn(_summary(written, path))


def _checked_path(match_ids: Sequence[str], output: str | None, force: bool) -> Path | None:
    """The output file; None for standard output. Raises: WrongUse."""
    if output is None and len(match_ids) != 1:
        raise WrongUse("-o is required for more than one match")
    return output_path(output or f"{match_ids[0]}.ndjson", force)


def output_path(output: str, force: bool) -> Path | None:
    """The output file; None for standard output. Raises: WrongUse, it exists and is not to be overwritten."""
    path = None if output == INPUT else Path(output)
    if path is not None and path.exists() and not force:
        raise WrongUse(f"{path} already exists; --force overwrites it")
    return path


def _write(
    session: Session, client: Client, match_ids: Sequence[str], file: IO[bytes] | gzip.GzipFile
) -> list[Manifest]:
    """Write the matches, and return their manifests."""
    found = []
    for match_id in _followed(session, match_ids):
        exported = client.export(match_id)
        found.append(decoded(Manifest, exported.partition(b"\n")[0]))
        file.write(exported)
    return found


def _summary(written: Sequence[Manifest], path: Path) -> str:
    events = sum(manifest.events for manifest in written)
    going_on = [manifest.status for manifest in written if manifest.status not in OVER]
    matches = "1 match" if len(written) == 1 else f"{len(written)} matches"
    so_far = f"; the match is still {going_on[0]}" if going_on else ""
    if going_on and len(written) > 1:
        so_far = f"; {len(going_on)} of them have not ended"
    return f"{path}: {matches}, {events} events{so_far}"


def _followed(session: Session, match_ids: Sequence[str]) -> Iterable[str]:
    """The same ids, with a progress bar on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    is_silent = not session.err.is_terminal or len(match_ids) < 2
    with Progress(*columns, console=session.err, transient=True, disable=is_silent) as progress:
        yield from progress.track(match_ids, description="matches")


@contextmanager
def opened(path: Path | None) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """A file that appears at the end of the block unless it raises; without a path, standard output."""
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("xb") as file:
            if path.suffix == ".gz":
                # Without a name and a time in the header, the same matches give the same bytes.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    yield packed
            else:
                yield file
        partial.replace(path)
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
