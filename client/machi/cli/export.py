"""`machi export`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.client import Client
from machi.matches import Match


@click.command(
    epilog="""\b
Examples:
  machi export mat_01M7WRCDNE5VV31RSBR368627A
  machi export mat_01M7WRCDNE5VV31RSBR368627A -o match.ndjson --force
  machi export mat_01M7WRCDNE5VV31RSBR368627A -o - | wc -l
"""
)
@click.argument("match_id")
@click.option("-o", "--output", metavar="FILE", help="Where to; - is the output. [default: MATCH_ID.ndjson]")
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@service_options
@session_of
def export(session: Session, match_id: str, output: str | None, force: bool) -> None:
    """Write all events of a match to a file, one JSON object a line, as the service tells them.

    The file appears when it is whole. Of a match that is not over, it holds what has happened so far.
    """
    path = Path(output or f"{match_id}.ndjson")
    if output != "-" and path.exists() and not force:
        raise WrongUse(f"{path} is there already; --force overwrites it")
    with session.patient_client() as client:
        match = client.match(match_id)
        with _opened(None if output == "-" else path) as file:
            written = _write(session, client, match, file)
    if output != "-":
        so_far = "" if match.is_over else f"; the match is {match.status} and goes on"
        session.warn(f"{written} events in {path}{so_far}")


def _write(session: Session, client: Client, match: Match, file: BinaryIO) -> int:
    """Write the events; how many."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    written = 0
    with Progress(
        *columns, console=session.err, transient=True, disable=not session.err.is_terminal
    ) as progress:
        task = progress.add_task("events", total=match.version)
        for event in client.history(match.match_id):
            file.write(event.raw + b"\n")
            written += 1
            progress.advance(task)
    return written


@contextmanager
def _opened(path: Path | None) -> Iterator[BinaryIO]:
    """A file that appears at the end of the block, if all went well; without a path, the output."""
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("xb") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
