"""Verifying matches by the rules, on all cores: the very checks of the service."""

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain
from multiprocessing import get_context
from typing import Any, Final

from msgspec import Struct

from domain.audit.evidence import Evidence, Receipt
from domain.audit.files import Unreadable, read_exports
from domain.audit.report import Report
from domain.audit.verify import verify
from machi.cli.audits.exports import Broken, Group, Part
from machi.cli.audits.origins import finder, missing_origin
from machi.cli.audits.trust import Keys, fingerprint, keys_in
from machi.cli.session import Unusable

CHUNK_BYTES: Final = 1024 * 1024
"""What a process is given at a time: some matches, or one that is longer."""

_AHEAD: Final = 3
"""Chunks that are read and not yet verified, for each process."""


class Terms(Struct, frozen=True):
    """What every match is held against."""

    pinned: dict[str, str] | None = None
    """Public keys by id; None: the key in each file itself."""
    receipt: Receipt | None = None
    receipt_of: str = ""
    """The match that the receipt is of."""


class Outcome(Struct, frozen=True):
    """What came of one match, or of a file that cannot be read."""

    file: str
    line: int
    """Where the match begins; for what cannot be read, where the fault is."""
    match_id: str = ""
    report: Report | None = None
    """None for what cannot be read."""
    fault: str = ""
    key_id: str = ""
    fingerprint: str = ""
    """Of the key that came with the match."""
    origin: str = ""
    """The match that this one branched off from, where that one was not at hand."""
    checkpoint: Mapping[str, Any] | None = None
    """As it came; nothing says that it is good but the report."""

    @property
    def verdict(self) -> str:
        return self.report.verdict if self.report else "unreadable"


def outcomes(parts: Iterable[Part], terms: Terms, processes: int) -> Iterator[Outcome]:
    """What comes of each, in order. No process is started for a single chunk."""
    chunks = _chunks(parts)
    first, second = next(chunks, None), None
    if processes > 1:
        second = next(chunks, None)
    if first is None:
        return
    if second is None:
        for chunk in chain([first], chunks):
            yield from verified(chunk, terms)
        return
    yield from _in_processes(chain([first, second], chunks), terms, processes)


def verified(parts: Iterable[Part], terms: Terms) -> list[Outcome]:
    """What comes of each."""
    found: list[Outcome] = []
    for part in parts:
        if isinstance(part, Broken):
            found.append(Outcome(part.file, part.line, fault=part.detail))
        else:
            found += _of_group(part, terms)
    return found


def processes_at_most() -> int:
    """As many processes as there are cores for this one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _of_group(group: Group, terms: Terms) -> Iterator[Outcome]:
    try:
        for evidence in read_exports(group.lines):
            yield _of_match(group, evidence, terms)
    except Unreadable as error:
        yield Outcome(group.file, group.line + error.line - 1, group.match_id, fault=error.detail)


def _of_match(group: Group, evidence: Evidence, terms: Terms) -> Outcome:
    came = keys_in(evidence.key)
    keys = Keys(came if terms.pinned is None else terms.pinned)
    receipt = terms.receipt if evidence.match_id == terms.receipt_of else None
    report = verify(evidence, keys, receipt, finder(group.origin))
    key_id, public_key = next(iter(came.items()), ("", ""))
    return Outcome(
        group.file,
        group.line,
        evidence.match_id,
        report,
        key_id=key_id,
        fingerprint=fingerprint(public_key) if public_key else "",
        origin=missing_origin(evidence, report),
        checkpoint=evidence.checkpoint,
    )


def _chunks(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """The parts in lists of about `CHUNK_BYTES`."""
    chunk: list[Part] = []
    size = 0
    for part in parts:
        chunk.append(part)
        size += sum(map(len, part.lines)) if isinstance(part, Group) else 0
        if size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _in_processes(chunks: Iterable[list[Part]], terms: Terms, processes: int) -> Iterator[Outcome]:
    # Not forked: a progress bar has a thread, and a fork takes its locks along.
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    waiting: deque[Future[list[Outcome]]] = deque()
    try:
        for chunk in chunks:
            with _uninterrupted():
                waiting.append(pool.submit(verified, chunk, terms))
            if len(waiting) >= processes * _AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool:
        raise Unusable(
            "a process that verifies was ended from outside; --processes 1 needs the least"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep Ctrl-C back until the end of the block; processes that begin in it never see one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
