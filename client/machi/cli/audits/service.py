"""Auditing a running service: its log from where the last audit left off, and the matches in it."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from rich.progress import Progress, SpinnerColumn, TextColumn

from domain.audit.checkpoints import Checkpoint, checkpoint_of
from domain.audit.report import Check, Report, verdict_of
from machi.cli.audits.exports import Broken, Group, Part, packed
from machi.cli.audits.log import LogFault, pages_after, pages_up_to
from machi.cli.audits.reporter import Reporter
from machi.cli.audits.state import AuditState, read_state, write_state
from machi.cli.audits.trust import by_id, fingerprint
from machi.cli.audits.verification import Terms, VerificationResult, outcomes, verified
from machi.cli.session import Session, Unusable
from machi.client import Client
from machi.errors import MachiError, NotFound, Unavailable, UnusableAnswer
from machi.requests.audit import MatchHead

_GONE = "the log lists this match, but the service no longer has it"


def audit_service(
    session: Session, path: Path, processes: int | None, reporter: Reporter, again: bool = False
) -> int:
    """Audit the new lines of the log, print the results and return the exit code.

    With `again`, audit the earlier lines, too. Without `processes`, compare only the last hashes of matches;
    otherwise verify each match, in that many processes. Raises: Unusable.
    """
    state = read_state(path, session.url)
    try:
        with session.patient_client() as client:
            _Audit(session, client, path, processes, reporter).run(state, again)
    except MachiError as error:
        # Without a usable answer, nothing is known about the matches.
        raise Unusable(str(error)) from None
    return reporter.print_summary(is_pinned=True)


class _Audit:
    """One run."""

    def __init__(
        self, session: Session, client: Client, path: Path, processes: int | None, reporter: Reporter
    ) -> None:
        self._session = session
        self._client = client
        self._path = path
        self._processes = processes
        self._reporter = reporter
        self._keys: dict[str, str] = {}

    def run(self, state: AuditState, again: bool) -> None:
        """Read the log to its end; the state is saved after each page."""
        shown = by_id(self._client.signing_keys(), self._client.base_url)
        changed = _changed_key(state, shown)
        if changed:
            self._tell_fault("signing keys", f"the key {changed!r} has changed")
            return
        self._tell_new_keys(state, shown)
        # A key that has signed a line is needed for as long as the line exists; only others may disappear.
        self._keys = {**state.keys, **shown}
        state = self._remembered(replace(state, keys=self._keys))
        try:
            if again:
                seen = [self._examined(page) for page in self._followed(pages_up_to(self._client, state))]
                state = self._remembered(replace(state, open=tuple([line for left in seen for line in left])))
            else:
                opened = [checkpoint_of(line) for line in state.open]
                state = self._remembered(replace(state, open=self._examined(opened)))
            for page in self._followed(pages_after(self._client, state)):
                left = (*state.open, *self._examined(page))
                state = replace(state, number=page[-1].number, hash=page[-1].hash, open=left)
                self._remembered(state)
        except LogFault as fault_of_log:
            self._tell_fault(f"line {fault_of_log.number}", fault_of_log.detail)

    def _remembered(self, state: AuditState) -> AuditState:
        write_state(self._path, state)
        return state

    def _tell_new_keys(self, state: AuditState, keys: dict[str, str]) -> None:
        for key_id in sorted(keys.keys() - state.keys.keys()):
            named = f"{key_id!r} ({fingerprint(keys[key_id])})"
            self._session.warn(f"The key {named} is new, and trusted from now on.", "yellow")

    def _followed(self, pages: Iterable[list[Checkpoint]]) -> Iterator[list[Checkpoint]]:
        """The same pages, with a sign of progress on a terminal."""
        columns = (SpinnerColumn(), TextColumn("{task.description}"))
        is_silent = not self._session.err.is_terminal
        with Progress(*columns, console=self._session.err, transient=True, disable=is_silent) as progress:
            task = progress.add_task("reading the log")
            for page in pages:
                progress.update(task, description=f"line {page[-1].number} of the log")
                yield page

    def _tell_fault(self, where: str, detail: str) -> None:
        report = Report("failed", (Check("log", "failed", None, detail),))
        self._reporter.report(VerificationResult(where, 0, report=report))

    def _examined(self, lines: Sequence[Checkpoint]) -> tuple[dict[str, Any], ...]:
        """Check and report the matches of the lines; return the lines whose matches have a problem."""
        public = {f"line {line.number}": line for line in lines if line.match_id is not None}
        found = self._verified(public) if self._processes else self._compared(public)
        left = []
        for outcome in found:
            self._reporter.report(outcome)
            if outcome.verdict != "verified":
                left.append(msgspec.to_builtins(public[outcome.file]))
        return tuple(left)

    def _compared(self, lines: dict[str, Checkpoint]) -> Iterator[VerificationResult]:
        """Compare the version and last hash of each match, with one small request each."""
        for where, line in lines.items():
            assert line.match_id is not None, "the match is public"
            try:
                fault = _fault_of_head(line, self._client.head(line.match_id))
            except (NotFound, Unavailable) as error:
                fault = _fault_of_answer(error)
            yield _judged(VerificationResult(where, 0, line.match_id, Report("verified", ())), fault)

    def _verified(self, lines: dict[str, Checkpoint]) -> Iterator[VerificationResult]:
        """Verify the export of each match."""
        assert self._processes is not None, "matches are to be verified"
        terms = Terms(self._keys)
        for outcome in outcomes(self._exported(lines), terms, self._processes):
            one = self._with_origin(outcome, lines[outcome.file], terms) if outcome.origin else outcome
            yield _held_against(one, lines[outcome.file])

    def _with_origin(self, outcome: VerificationResult, line: Checkpoint, terms: Terms) -> VerificationResult:
        """The outcome of a branch, checked with the match that it branched off from, if that is visible."""
        try:
            origin = self._export(outcome.file, outcome.origin)
            branch = self._export(outcome.file, str(line.match_id))
        except NotFound:
            return outcome
        return verified([branch._replace(origin=packed(origin))], terms)[0]

    def _export(self, where: str, match_id: str) -> Group:
        return Group(where, 1, match_id, tuple(self._client.export(match_id).splitlines()))

    def _exported(self, lines: dict[str, Checkpoint]) -> Iterator[Part]:
        for where, line in lines.items():
            assert line.match_id is not None, "the match is public"
            try:
                yield self._export(where, line.match_id)
            except (NotFound, Unavailable) as error:
                yield Broken(where, 0, _fault_of_answer(error))
            except UnusableAnswer as error:
                yield Broken(where, 0, f"the service cannot export this match: {error}")


def _fault_of_answer(error: NotFound | Unavailable) -> str:
    """Why the service does not give a match. Raises: the error, if it says nothing about the match."""
    if isinstance(error, NotFound):
        return _GONE
    if error.status == 500:
        return f"the service cannot export this match: {error.detail} ({error.code})"
    raise error


def _changed_key(state: AuditState, keys: dict[str, str]) -> str:
    """An id that stood for another key before; empty if there is none."""
    return next((key_id for key_id in keys if state.keys.get(key_id, keys[key_id]) != keys[key_id]), "")


def _fault_of_head(line: Checkpoint, head: MatchHead) -> str:
    if (head.version, head.hash) == (line.version, line.head_hash):
        return ""
    return f"the log has {MatchHead(line.version, line.head_hash)}, the service has {head}"


def _held_against(outcome: VerificationResult, line: Checkpoint) -> VerificationResult:
    """The outcome of a match, compared with its line in the log."""
    if outcome.report is None:
        report = Report("verified", (), str(line.match_id))
        return _judged(replace(outcome, match_id=str(line.match_id), report=report), outcome.fault)
    if outcome.match_id != line.match_id:
        return _judged(outcome, f"the export is not of {line.match_id}")
    if outcome.checkpoint is not None and outcome.checkpoint != msgspec.to_builtins(line):
        return _judged(outcome, "the checkpoint in the export differs from the log")
    return _judged(outcome, "")


def _judged(outcome: VerificationResult, fault: str) -> VerificationResult:
    """The outcome with the result of the check against the log."""
    assert outcome.report is not None, "there is something to judge"
    check = Check("log", "failed" if fault else "passed", None, fault)
    checks = (*outcome.report.checks, check)
    return replace(outcome, report=replace(outcome.report, verdict=verdict_of(checks), checks=checks))
