"""The audit of stored matches: the checks of `domain.audit`, and those that need the store and the checkpoint
log."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from domain.audit.checkpoints import NO_HASH, Checkpoint
from domain.audit.evidence import Evidence, Receipt
from domain.audit.report import Check, Report, verdict_of
from domain.audit.verify import verify
from domain.canonical import hash_text
from domain.match.state import MatchState
from events.matches.entries import from_entries
from events.matches.evidence import recorded_events
from events.store.errors import LogCorrupt, MatchNotFound, RulesChanged, StreamCorrupt
from events.store.records import Store


class CheckpointLog(Protocol):
    """The checkpoint log, as far as an audit needs it.

    Every method raises `StoreUnavailable` if the store does not answer.
    """

    def of_match(self, match_id: str) -> Checkpoint | None:
        """The line of a match; None if it is not in the log. Can raise `LogCorrupt`, as can `line`."""

    def line(self, number: int) -> Checkpoint | None:
        """The line with that number; None if the log is shorter."""

    def is_good(self, key_id: str, message: bytes, signature: str) -> bool:
        """Whether the signature is by the published key of that id."""


class Auditor:
    """Audits matches of a store against the checkpoint log."""

    def __init__(self, store: Store, log: CheckpointLog) -> None:
        self._store = store
        self._log = log

    def audit(self, match_id: str, receipt: Receipt | None = None) -> Report:
        """Check the whole record of a match, however damaged.

        Raises:
            MatchNotFound: the match has neither events nor a line in the log.
            StoreUnavailable.
        """
        try:
            line = self._log.of_match(match_id)
        except LogCorrupt as error:
            return _report(match_id, Check("log", "failed", None, str(error)))
        self._store.forget(match_id)
        try:
            entries = self._store.read(match_id)
        except StreamCorrupt as error:
            return _report(match_id, Check("schema", "failed", max(error.sequence, 1), error.detail))
        if not entries:
            if line is None:
                raise MatchNotFound(match_id)
            detail = f"line {line.number} of the log is of this match, and its events are gone"
            return _report(match_id, Check("log", "failed", 1, detail))
        checkpoint = msgspec.to_builtins(line) if line else None
        evidence = Evidence(
            match_id=match_id, events=recorded_events(match_id, entries), checkpoint=checkpoint
        )
        report = verify(evidence, self._log.is_good, receipt, self._origin)
        return _with(report, [self._removals(evidence), *([self._neighbours(line)] if line else [])])

    def _origin(self, match_id: str, version: int) -> tuple[MatchState, str] | None:
        """The state of a branch's origin at that version and the hash of its last event there; None if the
        events up to there are missing or inconsistent."""
        try:
            entries = [entry for entry in self._store.read(match_id) if entry.last <= version]
            loaded = from_entries(match_id, entries)
        except (MatchNotFound, RulesChanged, StreamCorrupt):
            return None
        return (loaded.state, hash_text(loaded.head_hash)) if loaded.version == version else None

    def _removals(self, evidence: Evidence) -> Check:
        """Whether the stream itself shows that entries were removed."""
        detail = self._store.removals(evidence.match_id)
        if not detail:
            return Check("stream", "passed")
        return Check("stream", "failed", _first_missing(evidence.events), detail)

    def _neighbours(self, line: Checkpoint) -> Check:
        """Whether the hashes of the lines before and after that of the match fit."""
        try:
            before, after = self._log.line(line.number - 1), self._log.line(line.number + 1)
        except LogCorrupt as error:
            return Check("log", "failed", None, str(error))
        hash_before = before.hash if before else NO_HASH
        if (line.number > 1 and before is None) or line.previous_hash != hash_before:
            return Check("log", "failed", None, f"line {line.number} does not follow the line before it")
        if after is not None and after.previous_hash != line.hash:
            return Check("log", "failed", None, f"line {after.number} does not follow line {line.number}")
        return Check("log", "passed")


def _first_missing(events: Sequence[Any]) -> int:
    """The first sequence that is missing or out of order."""
    for sequence, event in enumerate(events, 1):
        if event.get("sequence") != sequence:
            return sequence
    return len(events) + 1


def _report(match_id: str, *checks: Check) -> Report:
    return Report(verdict_of(checks), checks, match_id, 0)


def _with(report: Report, checks: Sequence[Check]) -> Report:
    together = (*report.checks, *checks)
    return Report(verdict_of(together), together, report.match_id, report.version)
