"""`machi export --format parquet` and `csv`: matches of the service or of files, as tables in a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from machi.cli.audits.exports import Broken, parts_of, size_of
from machi.cli.export import opened
from machi.cli.exports.selection import Selection
from machi.cli.session import Session, Unusable, WrongUse, one_line
from machi.client import Client
from machi.errors import ApiError, Throttled, Unavailable
from machi.tabular import Damaged, Header, TableFolder, UnusableFolder, recorded_match, rows_of
from machi.tabular.folders import MANIFEST, removed

LADDER_FILE: Final = "ladder.ndjson"
"""The results of a ladder, beside the tables of its matches; see docs/ladders.md."""
MISSING: Final = (
    "Parquet files need the package pyarrow; in a checkout, run: pip install . './client[data]' "
    "(--format csv works without it)"
)


class TableExport(NamedTuple):
    """What is exported, and how."""

    selection: Selection
    files: tuple[str, ...]
    folder: Path
    header: Header
    resumes: bool
    overwrites: bool


class Found(NamedTuple):
    """A match that was found, or why it is left out."""

    name: str
    lines: tuple[bytes, ...]
    fault: str = ""


def export_tables(session: Session, wanted: TableExport) -> int:
    """Write the tables, and return the exit code: 1 if a match was left out.

    Raises:
        Unusable, WrongUse, and what the client raises.
    """
    if wanted.resumes and wanted.overwrites:
        raise WrongUse("--resume and --force exclude each other")
    try:
        if wanted.overwrites and (wanted.folder / MANIFEST).exists():
            removed(wanted.folder)
            (wanted.folder / LADDER_FILE).unlink(missing_ok=True)
        with TableFolder(wanted.folder, wanted.header, resume=wanted.resumes) as folder:
            before = len(folder.seen)
            with _hint(session, folder):
                left_out = _filled(session, wanted, folder)
    except ImportError as error:
        if error.name != "pyarrow":
            raise
        raise Unusable(MISSING) from None
    except UnusableFolder as error:
        hint = (
            ""
            if wanted.resumes or wanted.overwrites
            else "; --resume continues an export, --force replaces it"
        )
        raise WrongUse(f"{error}{hint}") from None
    session.warn(_summary(folder, before, left_out))
    return 1 if left_out else 0


@contextmanager
def _hint(session: Session, folder: TableFolder) -> Iterator[None]:
    """If the block is interrupted, say what is left of it."""
    try:
        yield
    except (KeyboardInterrupt, Exception):
        if folder.parts:
            kept = sum([len(part.matches) for part in folder.parts])
            session.warn(f"{folder.path} has {kept} matches; --resume continues after them", "yellow")
        raise


def _filled(session: Session, wanted: TableExport, folder: TableFolder) -> int:
    """The number of matches that were left out."""
    if not wanted.files:
        with session.patient_client() as client:
            left_out = _added(session, folder, _of_service(session, client, wanted, folder))
            if wanted.selection.ladder is not None:
                results = client.results(wanted.selection.ladder, wanted.selection.season)
                with opened(folder.path / LADDER_FILE) as file:
                    file.write(results)
        return left_out
    return _added(session, folder, _of_files(session, wanted.files))


def _added(session: Session, folder: TableFolder, matches: Iterator[Found]) -> int:
    left_out = 0
    for match in matches:
        try:
            if match.fault:
                raise Damaged(match.fault)
            recorded = recorded_match(match.lines)
            if recorded.match_id not in folder.seen:
                folder.add(recorded.match_id, rows_of(recorded, luck=folder.header.luck))
        except Damaged as error:
            left_out += 1
            session.warn(f"left out: {one_line(match.name)}: {one_line(str(error))}", "red")
    return left_out


def _of_service(
    session: Session, client: Client, wanted: TableExport, folder: TableFolder
) -> Iterator[Found]:
    match_ids = [one for one in wanted.selection.found(client) if one not in folder.seen]
    with _progress(session, len(match_ids)) as (progress, task):
        for match_id in match_ids:
            try:
                yield Found(match_id, tuple(client.export(match_id).splitlines(keepends=True)))
            except (Throttled, Unavailable):
                raise
            except ApiError as error:
                # One match that the service cannot show must not cost all others.
                yield Found(match_id, (), str(error))
            progress.advance(task)


def _of_files(session: Session, files: tuple[str, ...]) -> Iterator[Found]:
    sizes = [size_of(file) or 0 for file in files]
    with _progress(session, sum(sizes)) as (progress, task):
        for number, file in enumerate(files):
            for part in parts_of(file):
                if isinstance(part, Broken):
                    yield Found(f"{file}, line {part.line}", (), part.detail)
                    continue
                yield Found(f"{file}, {part.match_id or 'a match without an id'}", part.lines)
                progress.update(task, completed=sum(sizes[:number]) + part.position)


@contextmanager
def _progress(session: Session, total: int) -> Iterator[tuple[Progress, TaskID]]:
    """A progress bar on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    is_silent = not session.err.is_terminal
    with Progress(*columns, console=session.err, transient=True, disable=is_silent) as progress:
        yield progress, progress.add_task("exporting", total=total or None)


def _summary(folder: TableFolder, before: int, left_out: int) -> str:
    counts = {table: sum([part.rows[table] for part in folder.parts]) for table in folder.header.tables}
    rows = ", ".join([f"{count} {table}" for table, count in counts.items()])
    matches = len(folder.seen)
    new = f" ({matches - before} of them new)" if before else ""
    lost = f"; {left_out} left out" if left_out else ""
    noun = "match" if matches == 1 else "matches"
    return f"{folder.path}: {matches} {noun}{new}, {rows}{lost}"
