"""Verifying files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from msgspec import Struct
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from domain.audit.evidence import Receipt
from machi.cli.audits.exports import Group, Part, packed, parts_of, size_of
from machi.cli.audits.reporter import Reporter
from machi.cli.audits.trust import pinned_keys
from machi.cli.audits.verification import Terms, VerificationResult, outcomes, processes_at_most
from machi.cli.session import Session, Unusable, WrongUse
from machi.requests.audit import parsed_head


class KeptReceipt(Struct, frozen=True):
    """A receipt that somebody kept, and the match that it belongs to, if known."""

    receipt: Receipt
    match_id: str | None

    @classmethod
    def of(cls, text: str, match_id: str | None) -> "KeptReceipt":
        """From the command line. Raises: WrongUse."""
        try:
            head = parsed_head(text)
        except ValueError as error:
            raise WrongUse(str(error)) from None
        return cls(Receipt(head.version, head.hash), match_id)


def verify_files(
    session: Session,
    files: Sequence[str],
    keys: Path | None,
    kept: KeptReceipt | None,
    processes: int | None,
    reporter: Reporter,
) -> int:
    """Verify all files, print the results and return the exit code. Raises: Unusable, WrongUse."""
    terms = Terms(pinned_keys(keys) if keys is not None else None)
    processes = processes or processes_at_most()
    branches: list[VerificationResult] = []
    with _read(session, files) as parts:
        if kept is not None:
            terms, parts = _with_receipt(terms, parts, kept)
        for outcome in outcomes(parts, terms, processes):
            if outcome.origin:
                branches.append(outcome)
            else:
                reporter.report(outcome)
    for outcome in _with_origins(files, branches, terms, processes):
        reporter.report(outcome)
    if kept is not None and terms.receipt_of not in reporter.seen:
        raise Unusable(f"the files do not contain {terms.receipt_of}, so its receipt was not checked")
    return reporter.print_summary(is_pinned=terms.pinned is not None)


def _with_origins(
    files: Sequence[str], branches: Sequence[VerificationResult], terms: Terms, processes: int
) -> Iterator[VerificationResult]:
    """The branches again, with the matches that they branched off from, if the files contain these."""
    wanted = {branch.origin for branch in branches}
    found: dict[str, bytes] = {}
    for group in _groups_again(files, bool(branches)):
        if group.match_id in wanted:
            found.setdefault(group.match_id, packed(group))
    origins = {(one.file, one.line): found.get(one.origin, b"") for one in branches}
    yield from [one for one in branches if one.origin not in found]
    again = (
        group._replace(origin=origins[group.file, group.line])
        for group in _groups_again(files, bool(found))
        if origins.get((group.file, group.line))
    )
    yield from outcomes(again, terms, processes)


def _groups_again(files: Sequence[str], is_needed: bool) -> Iterator[Group]:
    """The matches in those files that can be read a second time."""
    for file in files if is_needed else ():
        if Path(file).is_file():
            yield from (part for part in parts_of(file) if isinstance(part, Group))


def _with_receipt(terms: Terms, parts: Iterator[Part], kept: KeptReceipt) -> tuple[Terms, Iterator[Part]]:
    """The terms with the receipt. If it names no match, it belongs to the only one. Raises: WrongUse."""
    ahead: list[Part] = []
    match_id = kept.match_id
    if match_id is None:
        ahead = list(_two_groups(parts))
        groups = [part for part in ahead if isinstance(part, Group)]
        if len(groups) > 1:
            raise WrongUse("the files contain several matches; name the match of the receipt with --match")
        match_id = groups[0].match_id if groups else ""
    return Terms(terms.pinned, kept.receipt, match_id), chain(ahead, parts)


def _two_groups(parts: Iterator[Part]) -> Iterator[Part]:
    """The parts up to the second match."""
    count = 0
    for part in parts:
        yield part
        count += isinstance(part, Group)
        if count == 2:
            return


@contextmanager
def _read(session: Session, files: Sequence[str]) -> Iterator[Iterator[Part]]:
    """The parts of the files, with a progress bar on a terminal."""
    sizes = [size_of(file) for file in files]
    known = [size for size in sizes if size is not None]
    total = sum(known) if len(known) == len(sizes) else None
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    is_silent = not session.err.is_terminal
    with Progress(*columns, console=session.err, transient=True, disable=is_silent) as progress:
        yield _parts(progress, files, sizes, total)


def _parts(
    progress: Progress, files: Sequence[str], sizes: Sequence[int | None], total: int | None
) -> Iterator[Part]:
    task = progress.add_task("verifying", total=total)
    before = matches = 0
    for file, size in zip(files, sizes, strict=True):
        for part in parts_of(file):
            yield part
            if isinstance(part, Group):
                matches += 1
                description = f"verifying, {matches} matches"
                progress.update(task, completed=before + part.position, description=description)
        before += size or 0
