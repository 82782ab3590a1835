"""Verifying files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from msgspec import Struct
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from domain.audit.evidence import Receipt
from machi.auditing import parsed_head
from machi.cli.audits.exports import Group, Part, packed, parts_of, size_of
from machi.cli.audits.telling import Teller
from machi.cli.audits.trust import pinned_keys
from machi.cli.audits.verifying import Outcome, Terms, outcomes, processes_at_most
from machi.cli.session import Session, Unusable, WrongUse


class Kept(Struct, frozen=True):
    """A receipt that somebody kept, and the match that it is of, if that was said."""

    receipt: Receipt
    match_id: str | None

    @classmethod
    def of(cls, text: str, match_id: str | None) -> "Kept":
        """From what was typed. Raises: WrongUse."""
        try:
            head = parsed_head(text)
        except ValueError as error:
            raise WrongUse(str(error)) from None
        return cls(Receipt(head.version, head.hash), match_id)


def verify_files(
    session: Session,
    files: Sequence[str],
    keys: Path | None,
    kept: Kept | None,
    processes: int | None,
    teller: Teller,
) -> int:
    """Verify them all and tell what came of it; the exit code. Raises: Unusable, WrongUse."""
    terms = Terms(pinned_keys(keys) if keys is not None else None)
    processes = processes or processes_at_most()
    branches: list[Outcome] = []
    with _read(session, files) as parts:
        if kept is not None:
            terms, parts = _with_receipt(terms, parts, kept)
        for outcome in outcomes(parts, terms, processes):
            if outcome.origin:
                branches.append(outcome)
            else:
                teller.tell(outcome)
    for outcome in _with_origins(files, branches, terms, processes):
        teller.tell(outcome)
    if kept is not None and terms.receipt_of not in teller.seen:
        raise Unusable(f"no match {terms.receipt_of} in what was read, so its receipt is not checked")
    return teller.sum_up(is_pinned=terms.pinned is not None)


def _with_origins(
    files: Sequence[str], branches: Sequence[Outcome], terms: Terms, processes: int
) -> Iterator[Outcome]:
    """The branches once more, with the matches that they branched off from, as far as the files have them."""
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


def _with_receipt(terms: Terms, parts: Iterator[Part], kept: Kept) -> tuple[Terms, Iterator[Part]]:
    """The terms with the receipt. Without a match it is of the only one there is. Raises: WrongUse."""
    ahead: list[Part] = []
    match_id = kept.match_id
    if match_id is None:
        ahead = list(_two_groups(parts))
        groups = [part for part in ahead if isinstance(part, Group)]
        if len(groups) > 1:
            raise WrongUse("there are several matches; --match says which the receipt is of")
        match_id = groups[0].match_id if groups else ""
    return Terms(terms.pinned, kept.receipt, match_id), chain(ahead, parts)


def _two_groups(parts: Iterator[Part]) -> Iterator[Part]:
    """The beginning, up to the second match."""
    count = 0
    for part in parts:
        yield part
        count += isinstance(part, Group)
        if count == 2:
            return


@contextmanager
def _read(session: Session, files: Sequence[str]) -> Iterator[Iterator[Part]]:
    """What is in the files, with a progress bar where there is a terminal."""
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
                told = f"verifying, {matches} matches"
                progress.update(task, completed=before + part.position, description=told)
        before += size or 0
