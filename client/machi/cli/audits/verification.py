"""Verifying matches by the rules, on all cores, with the same checks as the service."""

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from domain.audit.evidence import Evidence, Receipt
from domain.audit.files import Unreadable, read_exports
from domain.audit.report import Check, Report, verdict_of
from domain.audit.verify import verify
from machi.cli.audits.exports import Broken, Group, Part
from machi.cli.audits.origins import finder, missing_origin
from machi.cli.audits.trust import Keys, fingerprint, keys_in
from machi.cli.session import Unusable

CHUNK_BYTES: Final = 256 * 1024
"""What a process gets at a time: some matches, or a single longer one."""

_AHEAD: Final = 3
"""Number of chunks, per process, that are read ahead."""
AHEAD_BYTES: Final = 32 * 1024 * 1024
"""Limit of what is read ahead, however many processes there are."""


class Terms(Struct, frozen=True):
    """What every match is checked against."""

    pinned: dict[str, str] | None = None
    """Public keys by id; None stands for the key in each file."""
    receipt: Receipt | None = None
    receipt_of: str = ""
    """The match that the receipt belongs to."""


class VerificationResult(Struct, frozen=True):
    """The result of one match, or of a file that cannot be read."""

    file: str
    line: int
    """Where the match begins, or where the file becomes unreadable."""
    match_id: str = ""
    report: Report | None = None
    """None if the file cannot be read."""
    fault: str = ""
    key_id: str = ""
    """The key that verifies the signature; empty if none does."""
    fingerprint: str = ""
    origin: str = ""
    """The match that this one branched off from, if that was not available."""
    checkpoint: Mapping[str, Any] | None = None
    """As received; only the report says whether it is valid."""

    @property
    def verdict(self) -> str:
        return self.report.verdict if self.report else "unreadable"


def outcomes(parts: Iterable[Part], terms: Terms, processes: int) -> Iterator[VerificationResult]:
    """The outcomes in order. A single chunk is verified in this process."""
    chunks = _chunks(parts)
    ahead = deque(islice(chunks, 2 if processes > 1 else 1))
    is_much = len(ahead) > 1
    # Drain the list, so that verified chunks are freed.
    left = chain(_drained(ahead), chunks)
    if is_much:
        yield from _in_processes(left, terms, processes)
        return
    for chunk in left:
        yield from verified(chunk, terms)


def _drained(ahead: deque[list[Part]]) -> Iterator[list[Part]]:
    while ahead:
        yield ahead.popleft()


def verified(parts: Iterable[Part], terms: Terms) -> list[VerificationResult]:
    """The outcomes of the parts."""
    found: list[VerificationResult] = []
    for part in parts:
        if isinstance(part, Broken):
            found.append(VerificationResult(part.file, part.line, fault=part.detail))
        else:
            found += _of_group(part, terms)
    return found


def processes_at_most() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _of_group(group: Group, terms: Terms) -> Iterator[VerificationResult]:
    try:
        for evidence in read_exports(group.lines):
            yield _of_match(group, evidence, terms)
    except Unreadable as error:
        yield VerificationResult(group.file, group.line + error.line - 1, group.match_id, fault=error.detail)


def _of_match(group: Group, evidence: Evidence, terms: Terms) -> VerificationResult:
    came = keys_in(evidence.key)
    trusted = came if terms.pinned is None else terms.pinned
    receipt = terms.receipt if evidence.match_id == terms.receipt_of else None
    report = verify(evidence, Keys(trusted), receipt, finder(group.origin))
    signer = _signer(evidence, report)
    if signer and evidence.key is not None and came != {signer: trusted[signer]}:
        report = _with_another_key(report)
    return VerificationResult(
        group.file,
        group.line,
        evidence.match_id,
        report,
        key_id=signer,
        fingerprint=fingerprint(trusted[signer]) if signer else "",
        origin=missing_origin(evidence, report),
        checkpoint=evidence.checkpoint,
    )


def _signer(evidence: Evidence, report: Report) -> str:
    """The id of the key that verifies the signature; empty if none does."""
    is_good = any(check.name == "checkpoint" and check.status == "passed" for check in report.checks)
    return str(evidence.checkpoint["key_id"]) if is_good and evidence.checkpoint is not None else ""


def _with_another_key(report: Report) -> Report:
    """The report for a file whose key is not the trusted key that signed it."""
    fault = Check("checkpoint", "failed", None, "the key in the file is not the trusted key that signed it")
    checks = tuple([fault if check.name == fault.name else check for check in report.checks])
    return replace(report, checks=checks, verdict=verdict_of(checks))


def _chunks(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """The parts in lists of about `CHUNK_BYTES`."""
    chunk: list[Part] = []
    size = 0
    for part in parts:
        chunk.append(part)
        size += _size(part)
        if size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _size(part: Part) -> int:
    """The size of its text in bytes."""
    return sum(map(len, part.lines)) if isinstance(part, Group) else 0


def _in_processes(chunks: Iterable[list[Part]], terms: Terms, processes: int) -> Iterator[VerificationResult]:
    # Spawned, because a fork would copy the locks of the progress bar's thread.
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    waiting: deque[tuple[int, Future[list[VerificationResult]]]] = deque()
    try:
        for chunk in chunks:
            with _uninterrupted():
                waiting.append((sum(map(_size, chunk)), pool.submit(verified, chunk, terms)))
            del chunk  # from here on, the process holds it
            while len(waiting) >= processes * _AHEAD or sum([size for size, _ in waiting]) >= AHEAD_BYTES:
                yield from waiting.popleft()[1].result()
        while waiting:
            yield from waiting.popleft()[1].result()
    except BrokenProcessPool:
        raise Unusable(
            "a verifying process was killed from outside; --processes 1 uses the least memory"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block; processes that start in it never receive one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
