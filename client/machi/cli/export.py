"""`machi export`."""

import gzip
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click
from msgspec import Struct
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from machi.answers import decoded
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.client import Client

OVER = ("finished", "aborted")


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
"""
)
@click.argument("match_ids", metavar="[MATCH_ID]...", nargs=-1)
@click.option(
    "-o", "--output", metavar="FILE", help="Output file; - is standard output. [default: MATCH_ID.ndjson]"
)
@click.option("--all", "everything", is_flag=True, help="Export all ended matches that you may see.")
@click.option("--tag", metavar="TAG", help="Export only matches with this tag.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@service_options
@session_of
def export(
    session: Session,
    match_ids: tuple[str, ...],
    output: str | None,
    everything: bool,
    tag: str | None,
    force: bool,
) -> None:
    """Export matches to a file that `machi verify` reads.

    The file holds everything that an audit needs, one JSON object per line: the rules, all events, the seed
    and the signature of each match, one match after the other. A match in progress is exported as it stands.
    The file appears only when it is complete. If its name ends in .gz, it is compressed.
    """
    path = _checked_path(match_ids, output, everything, tag, force)
    with session.patient_client() as client:
        chosen = match_ids or _over(client, tag)
        with opened(path) as file:
            written = _write(session, client, chosen, file)
    if path is not None:
        session.warn(_summary(written, path))


def _checked_path(
    match_ids: Sequence[str], output: str | None, everything: bool, tag: str | None, force: bool
) -> Path | None:
    """The output file; None for standard output. Raises: WrongUse."""
    if bool(match_ids) + everything + (tag is not None) != 1:
        raise WrongUse("name matches, or use --all or --tag")
    if output is None and len(match_ids) != 1:
        raise WrongUse("-o is required for more than one match")
    if output == "-":
        return None
    path = Path(output or f"{match_ids[0]}.ndjson")
    if path.exists() and not force:
        raise WrongUse(f"{path} already exists; --force overwrites it")
    return path


def _over(client: Client, tag: str | None) -> list[str]:
    """All matches that have ended, the oldest first."""
    found = [
        match.match_id
        for status in OVER
        for match in client.matches(status=status, page_size=500)
        if tag is None or tag in match.tags
    ]
    return sorted(found)


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
