"""`machi review`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from machi.cli.export import opened
from machi.cli.session import Session, WrongUse, service_options, session_of
from machi.requests.reviews import Review, ReviewJob

INPUT: Final = "-"
"""The file name that stands for standard input."""

OnProgress = Callable[[int, int], None]
"""Called with the number of items that are done, and of all."""


@click.command(
    epilog="""\b
Examples:
  machi review mat_01M7WRCDNE5VV31RSBR368627A
  machi export mat_01M7WRCDNE5VV31RSBR368627A
  machi review mat_01M7WRCDNE5VV31RSBR368627A.ndjson --json
"""
)
@click.argument("target", metavar="MATCH|FILE")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the JSON here.")
@service_options
@session_of
def review(session: Session, target: str, output: Path | None) -> None:
    """Show where a finished match was won.

    A review shows the chances of winning, luck, skill and mistakes. MATCH is the id of a match, whose
    review the service computes. FILE is an export by `machi export` of one match, gzipped or not; - is
    standard input. Its review is computed here, without the service, and is the same to the last byte.

    The columns add up: start + luck + skill + others = result. `adjusted` is the result without the luck.
    ?!, ? and ?? count inaccuracies, mistakes and blunders, which cost 5, 10 and 15 points of winning chance.
    """
    if target.startswith("mat_") and not Path(target).exists():
        found = _of_service(session, target)
    elif target == INPUT or Path(target).is_file():
        found = _of_file(session, target)
    else:
        raise WrongUse(f"{target} is neither a file nor the id of a match")
    if output is not None:
        with opened(output) as file:
            file.write(found.raw)
        return
    from machi.cli.reviews.printed import print_review

    session.show(found, lambda found: print_review(session, found))


def _of_service(session: Session, match_id: str) -> Review:
    session.require_account()
    with session.patient_client() as client, _progress(session) as show:

        def follow(job: ReviewJob) -> None:
            show(job.progress.done, job.progress.total)

        return client.wait_for_review(match_id, follow)


def _of_file(session: Session, file: str) -> Review:
    from machi.cli.reviews.offline import computed

    with _progress(session) as show:
        for found in computed(file):
            if isinstance(found, Review):
                return found
            show(*found)
    raise AssertionError("a review ends with itself")


@contextmanager
def _progress(session: Session) -> Iterator[OnProgress]:
    """A progress bar on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    is_silent = not session.err.is_terminal
    with Progress(*columns, console=session.err, transient=True, disable=is_silent) as progress:
        task = progress.add_task("reviewing", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total or None)
